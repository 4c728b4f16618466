"""`tensorflow.compiler.tf2xla.python.xla`: slices that begin where a tensor says."""

from tapeflow.ops.array.dynamic_slices import dynamic_slice as dynamic_slice
from tapeflow.ops.array.dynamic_slices import dynamic_update_slice as dynamic_update_slice
