"""Dtype policies: in which dtype a layer computes, and in which it keeps its weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tapeflow.engine.values.dtypes import DType, as_dtype
from tapeflow.keras import config
from tapeflow.keras.annotations import CustomObjects
from tapeflow.keras.saving.family import Family
from tapeflow.keras.saving.registry import serialize_keras_object

_INFERRED = "_infer"
_MIXED = {"mixed_float16": "float16", "mixed_bfloat16": "bfloat16"}


class Policy:
    """The dtypes of a layer.

    Args:
        name: 'mixed_float16' or 'mixed_bfloat16' (compute in 16 bits, weights in float32), or the
            name of a dtype, for both. '_infer' is that of a layer's first input, as in TensorFlow 1.

    >>> policy = tf.keras.mixed_precision.Policy("mixed_float16")
    >>> policy.compute_dtype, policy.variable_dtype
    ('float16', 'float32')
    """

    def __init__(self, name: str) -> None:
        if isinstance(name, DType):
            raise TypeError(
                f"'name' must be a string, not a DType. Instead, pass DType.name. Received: name={name.name}"
            )
        if not isinstance(name, str):
            raise TypeError(f"'name' must be a string, but got: {name}. Give a name such as 'mixed_float16'.")
        self._name = name
        self._compute_dtype, self._variable_dtype = _parsed(name)

    @property
    def name(self) -> str:
        """The name it was made from."""
        return self._name

    @property
    def compute_dtype(self) -> str | None:
        """The dtype a layer's inputs are cast to and its arithmetic is done in; None for that of its first input."""
        return self._compute_dtype

    @property
    def variable_dtype(self) -> str | None:
        """The dtype of a layer's weights; None for that of its first input."""
        return self._variable_dtype

    @property
    def quantization_mode(self) -> None:
        """None: quantised policies are Keras 3's."""
        return None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Policy) and self._name == other._name

    def __hash__(self) -> int:
        return hash(self._name)

    def __repr__(self) -> str:
        return f'<Policy "{self._name}">'

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this policy again."""
        return {"name": self._name}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: CustomObjects = None) -> Policy:
        """The policy of a config; a `loss_scale` in an old one is left out."""
        return cls(**{key: value for key, value in config.items() if key != "loss_scale"})


def _parsed(name: str) -> tuple[str | None, str | None]:
    """The dtypes to compute in and to keep weights in."""
    if name == _INFERRED:
        return None, None
    if name in _MIXED:
        return _MIXED[name], "float32"
    try:
        dtype = as_dtype(name).name
    except TypeError:
        raise ValueError(
            f"Cannot convert value {name} to a mixed precision Policy. Valid policies include "
            "'mixed_float16', 'mixed_bfloat16', and the name of any dtype such as 'float32'."
        ) from None
    return dtype, dtype


_global: list[Policy] = []


def global_policy() -> Policy:
    """The policy of layers that are given none: `floatx()` unless it was set."""
    return _global[0] if _global else Policy(config.floatx())


def set_global_policy(policy: Policy | str | None) -> None:
    """Set the dtype policy of new layers; None restores `floatx()`."""
    if policy is None:
        _global.clear()
        return
    chosen = policy if isinstance(policy, Policy) else Policy(policy)
    if chosen.compute_dtype is not None and not as_dtype(chosen.compute_dtype).is_floating:
        raise ValueError(
            "set_global_policy can only be used to set the global policy to floating-point policies, such "
            f'as "float32" and "mixed_float16", but got policy: {chosen.name}'
        )
    _global[:] = [chosen]


def get_policy(identifier: object) -> Policy:
    """The policy a layer's `dtype` argument stands for.

    Args:
        identifier: a `Policy`, its config, a name, a dtype, or None for the global one.
    """
    if identifier is None:
        return global_policy()
    if isinstance(identifier, Policy):
        return identifier
    if isinstance(identifier, dict):
        return deserialize(identifier)
    return Policy(identifier if isinstance(identifier, str) else as_dtype(identifier).name)


def serialize(policy: Policy) -> Any:
    """A policy for a config: the name of a dtype, or a dict."""
    if type(policy) is Policy and policy.name not in _MIXED:
        return policy.name
    return serialize_keras_object(policy)


def deserialize(config: str | Mapping[str, Any], custom_objects: CustomObjects = None) -> Policy:
    """The policy that `serialize` described; names of mixed policies are understood too."""
    if isinstance(config, str):
        return Policy(config)
    if config is None:
        return global_policy()
    return POLICIES.deserialize(config, custom_objects)


POLICIES = Family(
    "dtype policy",
    Policy,
    lambda: dict.fromkeys(("Policy", "PolicyV1", "DTypePolicy", "FloatDTypePolicy"), Policy),
)


# Keras 3's names.
DTypePolicy = Policy
dtype_policy = global_policy
set_dtype_policy = set_global_policy
