"""`tf.bitwise`: operations on the bits of integers."""

from tapeflow.engine.recording.symbolic import dispatch_all as _dispatch_all
from tapeflow.ops.math.comparison import bitwise_and as bitwise_and
from tapeflow.ops.math.comparison import bitwise_or as bitwise_or
from tapeflow.ops.math.comparison import bitwise_xor as bitwise_xor
from tapeflow.ops.math.comparison import invert as invert
from tapeflow.ops.math.comparison import left_shift as left_shift
from tapeflow.ops.math.comparison import right_shift as right_shift

_dispatch_all(globals())
