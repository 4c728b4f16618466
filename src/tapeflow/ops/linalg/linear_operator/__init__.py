"""Linear operators: matrices that know how they are made, `tf.linalg.LinearOperator` and its family.

`operator` has the base class, which derives every method from `_shape` and one of `_matmul` and `_to_dense`. The other
modules have its subclasses, by what they are made of, each with the methods that its structure makes cheaper. They are
written with the public functions of `tapeflow.ops` and hold Variables as they are, so gradients reach them. Plain
matrices are `tapeflow.ops.linalg.solving`, `factorization` and `products`.
"""
