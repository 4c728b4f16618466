"""Dtype policies."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import tapeflow as tf
from tapeflow.keras import mixed_precision
from tapeflow.keras.mixed_precision import policy as module
from tapeflow.keras.mixed_precision.policy import Policy, get_policy


@pytest.fixture(autouse=True)
def _default_policy() -> Iterator[None]:
    yield
    mixed_precision.set_global_policy(None)


@pytest.mark.parametrize(
    ("name", "compute", "variable"),
    [
        ("float32", "float32", "float32"),
        ("float16", "float16", "float16"),
        ("bfloat16", "bfloat16", "bfloat16"),
        ("float64", "float64", "float64"),
        ("int32", "int32", "int32"),
        ("mixed_float16", "float16", "float32"),
        ("mixed_bfloat16", "bfloat16", "float32"),
    ],
)
def test_policies_name_two_dtypes(name: str, compute: str, variable: str) -> None:
    policy = Policy(name)
    assert (policy.name, policy.compute_dtype, policy.variable_dtype) == (name, compute, variable)
    assert repr(policy) == f'<Policy "{name}">'
    assert Policy.from_config(policy.get_config()) == policy
    assert module.deserialize(module.serialize(policy)) == policy


def test_wrong_names() -> None:
    with pytest.raises(ValueError, match="Cannot convert value mixed_int8 to a mixed precision Policy"):
        Policy("mixed_int8")
    with pytest.raises(TypeError, match="'name' must be a string, not a DType"):
        Policy(tf.float32)  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match="'name' must be a string, but got: 3"):
        Policy(3)  # pyright: ignore[reportArgumentType]


def test_global_policy() -> None:
    assert mixed_precision.global_policy().name == "float32"
    mixed_precision.set_global_policy("mixed_float16")
    assert mixed_precision.global_policy().compute_dtype == "float16"
    assert mixed_precision.dtype_policy().name == "mixed_float16"
    mixed_precision.set_dtype_policy(Policy("float64"))
    assert mixed_precision.global_policy().name == "float64"
    with pytest.raises(ValueError, match="can only be used to set the global policy to floating-point"):
        mixed_precision.set_global_policy("int32")
    assert mixed_precision.global_policy().name == "float64"
    mixed_precision.set_global_policy(None)
    assert mixed_precision.global_policy().name == "float32"


def test_get_policy() -> None:
    policy = Policy("mixed_bfloat16")
    assert get_policy(policy) is policy
    assert get_policy(tf.float16).name == "float16"
    assert get_policy("mixed_float16").variable_dtype == "float32"
    assert get_policy(None).name == "float32"
    assert get_policy(module.serialize(policy)) == policy
    assert (
        get_policy({"class_name": "Policy", "config": {"name": "float16", "loss_scale": None}}).name
        == "float16"
    )
    assert module.deserialize(None).name == "float32"
