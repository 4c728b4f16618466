"""`tf.keras`: models, layers, losses, metrics, optimizers, callbacks and datasets, as in Keras 2.

Names are listed in `__init__.pyi` and imported when first used, so `tf.keras.datasets` does not
pay for anything else here.
"""

import importlib as _importlib
from typing import Any as _Any

import lazy_loader as _lazy

_find, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)


def __getattr__(name: str) -> _Any:
    if name == "__internal__":
        return _importlib.import_module("tapeflow.keras.internals")
    return _find(name)
