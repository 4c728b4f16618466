"""Switches that change how recorded code is run; `tf.config` and `tf.debugging` set them."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

_MOST_PROGRAMS = 1024


def _most_programs() -> int:
    chosen = os.environ.get("TAPEFLOW_PROGRAMS", str(_MOST_PROGRAMS))
    if not chosen.isdecimal() or not int(chosen):
        raise ValueError(
            f"The engine expected a whole number of compiled programs to keep; got TAPEFLOW_PROGRAMS={chosen!r}. "
            f"Set it to a number above 0, or unset it for {_MOST_PROGRAMS}."
        )
    return int(chosen)


def _shares_programs() -> bool:
    chosen = os.environ.get("TAPEFLOW_SHAPES", "")
    if chosen not in ("", "exact"):
        raise ValueError(
            f"The engine expected TAPEFLOW_SHAPES=exact, or none; got TAPEFLOW_SHAPES={chosen!r}. Unset it to have "
            "programs that differ in sizes alone run as one."
        )
    return not chosen


@dataclass
class Settings:
    """One object, process-wide.

    Attributes:
        run_functions_eagerly: `tf.function` calls its Python function every time.
        op_by_op: every op runs by itself, as it is recorded; slow, for debugging.
        check_numerics: raise at the first op whose result holds a NaN or an Inf.
        handful: an expression of at most this many nodes, with no gradient and no Variable write,
            runs op by op: its ops are likely to be met again in other combinations.
        hosted_elements: a longer one runs on the host with numpy, if its ops compute no more elements each on average;
            0 has it compiled.
        soft_nodes: a trace this long runs when the user's code comes back to where it began.
        hard_nodes: a trace this long runs at once.
        soft_bytes: like `soft_nodes`, for the bytes of all pending results.
        hard_bytes: like `hard_nodes`, for the bytes of all pending results.
        shares_programs: programs that differ in sizes alone may run as one, on padded inputs; `TAPEFLOW_SHAPES=exact`
            has each compiled for its own sizes.
        most_programs: how many compiled functions are kept; `TAPEFLOW_PROGRAMS` sets another number.
    """

    run_functions_eagerly: bool = False
    op_by_op: bool = False
    check_numerics: bool = False
    handful: int = 4
    hosted_elements: int = 8192
    soft_nodes: int = 32
    hard_nodes: int = 2048
    soft_bytes: int = 256 << 20
    hard_bytes: int = 2 << 30
    shares_programs: bool = field(default_factory=_shares_programs)
    most_programs: int = field(default_factory=_most_programs)


settings = Settings()
