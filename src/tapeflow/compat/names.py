"""Which module a TensorFlow or Keras module name stands for."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from tapeflow.compat.internals import ABSENT, INTERNAL, packages

# Names that Python may be asked for, and the module behind each. Below them names carry over:
# `keras.layers` is `tapeflow.keras.layers`.
ROOTS = {
    "tensorflow": "tapeflow",
    "tensorflow.__internal__": "tapeflow.compat.inner.internal",
    "tensorflow.losses": "tapeflow.keras.losses",
    "tensorflow.metrics": "tapeflow.keras.metrics",
    "tensorflow.optimizers": "tapeflow.keras.optimizers",
    "tensorflow.initializers": "tapeflow.keras.initializers",
    "tensorflow.raw_ops": "tapeflow.compat.inner.raw_ops",
    "tensorflow.version": "tapeflow.version",
    "tensorflow.compat": "tapeflow.compat",
    "tensorflow.compat.v1": "tapeflow.compat.v1",
    "tensorflow.compat.v1.keras": "tapeflow.keras",
    "tensorflow.python.client.device_lib": "tapeflow.compat.device_lib",
    "tensorflow.python.keras": "tapeflow.keras",
    "keras": "tapeflow.keras",
    "keras.src": "tapeflow.keras",
    "tf_keras": "tapeflow.keras",
}

# Modules that are namespaces of their own: they hold nothing but other names.
NAMESPACES = (
    "tensorflow",
    "tensorflow.compat",
    "tensorflow.compat.v2",
    "tensorflow.python",
    "tensorflow.python.client",
    "tensorflow.version",
    "tensorflow_estimator",
    "keras",
    "tf_keras",
    *ABSENT,
    *INTERNAL,
    *packages(),
)

# Where old Keras kept what is one module today.
_LAYER_MODULES = (
    *(
        "advanced_activations",
        "attention",
        "convolutional",
        "convolutional_recurrent",
        "embeddings",
        "local",
        "merge",
    ),
    *("noise", "normalization", "normalization.batch_normalization", "normalization.layer_normalization"),
    *("pooling", "recurrent", "regularization", "reshaping", "wrappers"),
)
_OPTIMIZER_MODULES = ("adadelta", "adagrad", "adam", "adamax", "gradient_descent", "nadam", "rmsprop")
_UTILITY_MODULES = ("data_utils", "layer_utils", "np_utils", "vis_utils")
MOVED = {
    **{f"tapeflow.keras.layers.{name}": "tapeflow.keras.layers" for name in _LAYER_MODULES},
    **{f"tapeflow.keras.optimizers.{name}_v2": "tapeflow.keras.optimizers" for name in _OPTIMIZER_MODULES},
    "tapeflow.experimental.dtensor": "tapeflow.compat.inner.dtensor",
    "tapeflow.keras.optimizer_v2": "tapeflow.keras.optimizers",
    **{f"tapeflow.keras.optimizer_v2.{name}": "tapeflow.keras.optimizers" for name in _OPTIMIZER_MODULES},
    **{f"tapeflow.keras.utils.{name}": "tapeflow.keras.utils" for name in _UTILITY_MODULES},
}


def is_ours(name: str) -> bool:
    """Whether a module name is TensorFlow's or Keras's."""
    return name.partition(".")[0] in ("tensorflow", "tensorflow_estimator", "keras", "tf_keras")


def real_name(name: str) -> str | None:
    """The TapeFlow module that a TensorFlow or Keras module name stands for; it may not exist.

    `None` for names below a namespace that stands for nothing, such as `tensorflow.python.tpu`.
    """
    root, rest = name, ""
    while root not in ROOTS:
        if root in NAMESPACES:
            return None
        root, _, last = root.rpartition(".")
        rest = f".{last}{rest}"
    return ROOTS[root] + rest


def nearest(name: str, known: Iterable[str]) -> str:
    """`; the nearest are 'Dense', 'Dropout'`: the known names most similar to a name, for an error's text."""
    public = sorted(other for other in known if not other.startswith("_"))
    lowered = {other.lower(): other for other in reversed(public)}
    found = difflib.get_close_matches(name.lower(), lowered, n=3, cutoff=0.7)
    if not found:
        return ""
    names = ", ".join(repr(lowered[other]) for other in found)
    return f"; the nearest is {names}" if len(found) == 1 else f"; the nearest are {names}"
