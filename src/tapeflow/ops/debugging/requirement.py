"""What a failed assertion does: raise now in eager code, or at every call of what is recorded.

Eager code reads the condition at once and raises on the spot, with the values. While a `tf.function`
or the body of a loop is recorded nothing may be read: the condition becomes a run-time check of the
program, so that every later call is checked too, a failing one raises, and Variables written after
the assertion keep their old values. A condition known without running anything is always checked now.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from types import ModuleType
from typing import Any

import numpy as np

from tapeflow.engine.backend import jax
from tapeflow.engine.errors import InvalidArgumentError
from tapeflow.engine.recording import checks
from tapeflow.engine.recording.node import line_of, user_position
from tapeflow.engine.recording.op import Op
from tapeflow.engine.recording.recorder import effect
from tapeflow.engine.recording.trace import is_staging, state
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import invalid


def is_recorded(tensor: Tensor) -> bool:
    """Whether the value must not be read now: it is another one at every call of what is recorded."""
    return (is_staging() or state.trace.is_body) and tensor.host_value() is None


def broken(text: str) -> InvalidArgumentError:
    """The error of an assertion that fails at the user's line."""
    return invalid(f"{text}\nAt {line_of(*user_position())}.")


def require(condition: Tensor, text: str, details: Callable[[np.ndarray], str]) -> None:
    """Raise unless every element of `condition` holds, now or, in recorded code, at every call.

    Args:
        condition: bools.
        text: what the error says.
        details: given the condition's value, what else the error says if it is raised now.
    """
    if is_recorded(condition):
        check_later(_assertion_op(text, int(np.prod(condition.spec.shape))), condition)
        return
    holds = np.asarray(condition.numpy())
    if not holds.all():
        raise broken(text + details(holds))


def check_later(check: Op, tensor: Tensor) -> None:
    """Make an op's run-time check part of what is recorded."""
    check(tensor)
    if not state.trace.is_body:
        # The call that fails raises, not the next read: where TensorFlow's would, and where a
        # `try` around the call expects it.
        effect(checks.settle)


@lru_cache(maxsize=1024)
def _assertion_op(text: str, size: int) -> Op:
    counted = f" It fails for {{limit}} of {size} elements, the first at flat index {{value}}."
    return check_op("Assert", text, "" if size == 1 else counted, _all_hold)


def check_op(name: str, text: str, more: str, check: Callable[..., Any]) -> Op:
    """An op that only checks its input. The text belongs to the op, so each text has its own.

    Args:
        name: its name in messages.
        text: what the error says, as it stands.
        more: what it says then, with `{value}` and `{limit}` from the check's report.
        check: `check(xp, array)` gives the report.
    """
    literal = text.replace("{", "{{").replace("}", "}}")

    def kernel(tensor: jax.Array) -> jax.Array:
        return tensor

    found = Op(kernel, name=name, differentiable=False, check=check, check_text=literal + more)
    found.only_checks = True
    return found


def _all_hold(xp: ModuleType, condition: jax.Array) -> jax.Array:
    """A report: whether an element is false, where the first one is, how many there are."""
    if condition.size == 0:
        return xp.zeros((3,), xp.int64)
    bad = xp.logical_not(xp.ravel(condition))
    return xp.stack([x.astype(xp.int64) for x in (xp.any(bad), xp.argmax(bad), xp.sum(bad))])
