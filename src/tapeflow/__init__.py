"""TapeFlow: the TensorFlow 2 and Keras way of training, on JAX. `import tapeflow as tf`.

The names are listed in `__init__.pyi` and are imported when they are first used, so that importing
the package is quick and brings in no JAX.
"""

from typing import Any as _Any

import lazy_loader as _lazy

__version__ = "0.2.0"

_find, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    if name in __all__:
        value = globals()[name] = _dispatching(_find(name))
        return value
    raise AttributeError(f"module 'tapeflow' has no attribute {name!r}; it is not part of TapeFlow (yet)")


def _dispatching(value: _Any) -> _Any:
    """An op as a function that Keras's symbolic tensors can be passed to; anything else as it is."""
    from tapeflow.engine.recording.symbolic import dispatching, is_public_op  # start-up

    return dispatching(value) if is_public_op(value) else value
