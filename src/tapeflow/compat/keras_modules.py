"""Keras's inner modules that packages import from, such as `keras.engine.keras_tensor`, and where their names are.

The keys are paths below `keras` and `tensorflow.keras`; the values are TapeFlow's modules, below `tapeflow`, which
answer in this order. `names.MOVED` has those that are one public module alone.
"""

from __future__ import annotations

_LAYERS = ("keras.layers",)
_MODELS = ("keras.models",)

KERAS_MODULES: dict[str, tuple[str, ...]] = {
    "__internal__": ("keras.internals",),
    "__internal__.layers": ("keras.internals.layers",),
    "__internal__.losses": ("keras.internals.losses",),
    "__internal__.utils": ("keras.internals.utils",),
    "backend_config": ("keras.backend",),
    "engine": ("keras.layers", "keras.models", "keras"),
    "engine.base_layer": ("keras.layers", "compat.inner.base_layer"),
    "engine.functional": ("keras.models.functional", "keras.models"),
    "engine.input_layer": _LAYERS,
    "engine.input_spec": _LAYERS,
    "engine.keras_tensor": ("keras.graph.keras_tensor", "keras.graph.composite_tensor"),
    "engine.sequential": _MODELS,
    "engine.topology": _LAYERS,
    "engine.training": ("compat.inner.training", "keras.models"),
    "layers.core": ("keras.layers", "keras.graph.op_layer"),
    "layers.convolutional.base_conv": ("keras.layers.convolution.conv",),
    "optimizer_v2.learning_rate_schedule": ("keras.optimizers.schedules",),
    "optimizer_v2.optimizer_v2": ("keras.optimizers",),
    "optimizers.optimizer_v2": ("keras.optimizers",),
    "optimizers.optimizer_v2.optimizer_v2": ("keras.optimizers",),
    "utils.conv_utils": ("compat.inner.conv_utils",),
    "utils.losses_utils": ("keras.losses",),
    "utils.tf_utils": ("compat.inner.keras_tensors",),
}

# Names that Keras has there, and the public ones for them.
_ALIASES = {
    "engine.training": {"Model": "keras.models.Model"},
    "optimizer_v2.optimizer_v2": {"OptimizerV2": "keras.optimizers.legacy.Optimizer"},
    "optimizers.optimizer_v2.optimizer_v2": {"OptimizerV2": "keras.optimizers.legacy.Optimizer"},
    "utils.losses_utils": {"ReductionV2": "keras.losses.Reduction"},
}

_BELOW = "tapeflow.keras."


def sources(name: str) -> tuple[str, ...] | None:
    """The modules that answer for `tapeflow.keras.engine` and its kin; None for any other name."""
    if not name.startswith(_BELOW):
        return None
    return KERAS_MODULES.get(name.removeprefix(_BELOW))


def keras_alias(module: str, name: str) -> str | None:
    """The public name for one that Keras has in an inner module."""
    return _ALIASES.get(module.removeprefix(_BELOW), {}).get(name)
