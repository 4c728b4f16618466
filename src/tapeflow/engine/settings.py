"""Switches that change how recorded code is run; `tf.config` and `tf.debugging` set them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Settings:
    """One object, process-wide.

    Attributes:
        run_functions_eagerly: `tf.function` calls its Python function every time.
        op_by_op: every op runs by itself, as it is recorded; slow, for debugging.
        check_numerics: raise at the first op whose result holds a NaN or an Inf.
        handful: an expression of at most this many nodes, with no gradient and no Variable write,
            runs op by op: its ops are likely to be met again in other combinations.
        soft_nodes: a trace this long runs when the user's code comes back to where it began.
        hard_nodes: a trace this long runs at once.
        soft_bytes: like `soft_nodes`, for the bytes of all pending results.
        hard_bytes: like `hard_nodes`, for the bytes of all pending results.
    """

    run_functions_eagerly: bool = False
    op_by_op: bool = False
    check_numerics: bool = False
    handful: int = 4
    soft_nodes: int = 256
    hard_nodes: int = 2048
    soft_bytes: int = 256 << 20
    hard_bytes: int = 2 << 30


settings = Settings()
