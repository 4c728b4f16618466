"""`tf.debugging`: assertions, checks for NaN and Inf, and switches that help to debug ops.

Three names are ours: `enable_op_by_op` and `disable_op_by_op`, which run every op by itself as it is
called, and `engine_counters`, which tells how much was compiled and run.
"""

from __future__ import annotations

import dataclasses

from tapeflow.engine.programs.program import counters
from tapeflow.engine.recording.symbolic import dispatch_all as _dispatch_all
from tapeflow.engine.settings import settings
from tapeflow.ops.debugging.assertion import Assert as Assert
from tapeflow.ops.debugging.assertion import assert_equal as assert_equal
from tapeflow.ops.debugging.assertion import assert_greater as assert_greater
from tapeflow.ops.debugging.assertion import assert_greater_equal as assert_greater_equal
from tapeflow.ops.debugging.assertion import assert_less as assert_less
from tapeflow.ops.debugging.assertion import assert_less_equal as assert_less_equal
from tapeflow.ops.debugging.assertion import assert_near as assert_near
from tapeflow.ops.debugging.assertion import assert_negative as assert_negative
from tapeflow.ops.debugging.assertion import assert_non_negative as assert_non_negative
from tapeflow.ops.debugging.assertion import assert_non_positive as assert_non_positive
from tapeflow.ops.debugging.assertion import assert_none_equal as assert_none_equal
from tapeflow.ops.debugging.assertion import assert_positive as assert_positive
from tapeflow.ops.debugging.check_numerics import assert_all_finite as assert_all_finite
from tapeflow.ops.debugging.check_numerics import check_numerics as check_numerics
from tapeflow.ops.debugging.static_assertion import assert_integer as assert_integer
from tapeflow.ops.debugging.static_assertion import assert_proper_iterable as assert_proper_iterable
from tapeflow.ops.debugging.static_assertion import assert_rank as assert_rank
from tapeflow.ops.debugging.static_assertion import assert_rank_at_least as assert_rank_at_least
from tapeflow.ops.debugging.static_assertion import assert_rank_in as assert_rank_in
from tapeflow.ops.debugging.static_assertion import assert_same_float_dtype as assert_same_float_dtype
from tapeflow.ops.debugging.static_assertion import assert_scalar as assert_scalar
from tapeflow.ops.debugging.static_assertion import assert_shapes as assert_shapes
from tapeflow.ops.debugging.static_assertion import assert_type as assert_type
from tapeflow.ops.debugging.static_assertion import is_numeric_tensor as is_numeric_tensor

_logs_device_placement = False
_filters_tracebacks = True


def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """Check every result, gradients included, for NaN and Inf, and name the op and line that made it.

    Slow: every program waits for its check. A `tf.function` recorded before goes on unchecked.

    Args:
        stack_height_limit: accepted for TensorFlow's sake; the error names one line, the user's.
        path_length_limit: accepted likewise.
    """
    settings.check_numerics = True


def disable_check_numerics() -> None:
    """Undo `enable_check_numerics`."""
    settings.check_numerics = False


def enable_op_by_op() -> None:
    """Run every op separately when it is called, instead of compiling ops together.

    Slow, and the last bits of a result may differ. Use it to find the op behind a crash, or to step
    through a computation. A `tf.function` is still staged; see `tf.config.run_functions_eagerly`.
    """
    settings.op_by_op = True


def disable_op_by_op() -> None:
    """Undo `enable_op_by_op`."""
    settings.op_by_op = False


def engine_counters() -> dict[str, int]:
    """Counters of the engine's work since the process started; compare two snapshots to measure what happens between.

    `compiled`: programs built. `dispatched`: programs run. `op_by_op`: expressions run op by op.
    `on_host`: rows of small ops run with NumPy, without a program.
    `copied_for_donation`: Variables' buffers copied because a tensor in use shared them. A training
    loop in its stride compiles nothing and dispatches one program a step.
    """
    return dataclasses.asdict(counters)


def set_log_device_placement(enabled: bool) -> None:
    """Kept for `get_log_device_placement`, and otherwise without effect.

    There is no placement of ops to log: a program runs whole on the device of `tf.device`, which
    `tensor.device` names.
    """
    global _logs_device_placement
    _logs_device_placement = bool(enabled)


def get_log_device_placement() -> bool:
    """The value last passed to `set_log_device_placement`."""
    return _logs_device_placement


def enable_traceback_filtering() -> None:
    """Kept for `is_traceback_filtering_enabled`: tracebacks are shown whole, and errors name your line first."""
    global _filters_tracebacks
    _filters_tracebacks = True


def disable_traceback_filtering() -> None:
    """Kept for `is_traceback_filtering_enabled`, and otherwise without effect."""
    global _filters_tracebacks
    _filters_tracebacks = False


def is_traceback_filtering_enabled() -> bool:
    """The value last set; True by default."""
    return _filters_tracebacks


_dispatch_all(globals())
