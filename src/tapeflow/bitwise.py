"""`tf.bitwise`: operations on the bits of integers."""

from tapeflow.engine.symbolic import dispatch_all as _dispatch_all
from tapeflow.ops.comparison import bitwise_and as bitwise_and
from tapeflow.ops.comparison import bitwise_or as bitwise_or
from tapeflow.ops.comparison import bitwise_xor as bitwise_xor
from tapeflow.ops.comparison import invert as invert
from tapeflow.ops.comparison import left_shift as left_shift
from tapeflow.ops.comparison import right_shift as right_shift

_dispatch_all(globals())
