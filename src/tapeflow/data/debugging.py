"""`tf.data.experimental.enable_debug_mode`: functions of datasets that a debugger can step through."""

from __future__ import annotations

is_on = False
"""Whether the functions of datasets made from now on are called for every element, one after the other."""


def enable_debug_mode() -> None:
    """Call the functions of datasets made from now on for every element, as plain Python and in order.

    Otherwise a function of tensors is recorded once, and what it computes runs for many elements together; one that
    cannot be recorded may run on several threads.
    """
    global is_on
    is_on = True
