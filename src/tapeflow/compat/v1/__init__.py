"""`tf.compat.v1`: the names of TensorFlow 1 that scripts written for TensorFlow 2 still call.

They switch logging, seeds and memory options, or turn on what is always on here; some read files, and some only have
another name today. Modules and functions that TensorFlow 2 has under the same name are those. There is no graph mode:
what would need one says so.
"""

import importlib
from typing import Any

import lazy_loader as _lazy

from tapeflow.compat.release import release
from tapeflow.engine.absent import absent

_own, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
# These are Keras's in TensorFlow 2, and something else here.
_OTHERS = ("metrics", "optimizers", "summary")


# What TensorFlow 1 had in its root, and TensorFlow 2 has in these.
_FORMER_ROOT = ("math", "linalg", "io")
_NO_ESTIMATOR = "Keras took the place of estimators: use tf.keras.Model.fit."


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return release()
    if name == "estimator":
        return absent("tf.compat.v1.estimator", _NO_ESTIMATOR)
    if name not in __all__ and name not in _OTHERS and not name.startswith("_"):
        found = getattr(importlib.import_module("tapeflow"), name, None)
        if found is not None:
            return found
        for space in _FORMER_ROOT:
            found = getattr(importlib.import_module(f"tapeflow.{space}"), name, None)
            if found is not None:
                return found
    return _own(name)
