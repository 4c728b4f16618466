"""`tf.quantization`: rounding as integers of a few bits would, for training that expects it."""

from tapeflow.engine.recording.symbolic import dispatch_all as _dispatch_all
from tapeflow.ops.math.fake_quantization import fake_quant_with_min_max_args as fake_quant_with_min_max_args
from tapeflow.ops.math.fake_quantization import fake_quant_with_min_max_vars as fake_quant_with_min_max_vars
from tapeflow.ops.math.fake_quantization import (
    fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel,
)

_dispatch_all(globals())
