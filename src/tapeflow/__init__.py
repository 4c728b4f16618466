"""TapeFlow: the TensorFlow 2 and Keras way of training, on JAX. `import tapeflow as tf`.

The names are listed in `__init__.pyi` and are imported when they are first used, so that importing
the package is quick and brings in no JAX.
"""

import lazy_loader as _lazy

__version__ = "0.1.0"

_find, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    if name in __all__:
        return _find(name)
    raise AttributeError(f"module 'tapeflow' has no attribute {name!r}; it is not part of TapeFlow (yet)")
