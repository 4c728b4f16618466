"""`tf.linalg.experimental`: solving by iteration."""

from tapeflow.ops.linalg.linear_operator.algebra import conjugate_gradient as conjugate_gradient
