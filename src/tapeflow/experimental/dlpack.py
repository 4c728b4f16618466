"""`tf.experimental.dlpack`: tensors to and from other frameworks."""

from tapeflow.ops.array.dlpack import from_dlpack as from_dlpack
from tapeflow.ops.array.dlpack import to_dlpack as to_dlpack
