"""What a layer's call knows of the calls around it: which layers, and whether this is training."""

from __future__ import annotations

import threading
from typing import Any

from tapeflow.engine.recording import name_scope


class CallContext(threading.local):
    """The calls in progress on this thread, outermost first, and the `training` they were given."""

    def __init__(self) -> None:
        self.layers: list[Any] = []
        self.training: Any = None

    def scope(self) -> str:
        """The prefix that the layers in progress give to the names of weights made now."""
        return "".join([f"{layer.name}/" for layer in self.layers if layer.scopes_names])


call_context = CallContext()
name_scope.layers_prefix = call_context.scope

_learning_phase: list[Any] = [None]


def learning_phase() -> int:
    """The default of layers for `training`, 0 or 1, if a call does not pass it; 0 unless set."""
    if call_context.training is not None:
        return call_context.training
    return _learning_phase[0] or 0


def set_learning_phase(value: object) -> None:
    """Set the default of layers for `training` if a call does not pass it; None restores each layer's default."""
    if value not in (None, 0, 1):
        raise ValueError(f"set_learning_phase expected 0 or 1; got value={value!r}.")
    _learning_phase[0] = value


def default_training(of_call: bool | None) -> Any:
    """`training` for a call inside no other: the learning phase if it is set, else `call`'s default."""
    return of_call if _learning_phase[0] is None else bool(_learning_phase[0])
