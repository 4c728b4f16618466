"""Tests for tapeflow.keras.distribution.mesh on one device; eight are tried in tests/integration/test_sharding.py."""

from __future__ import annotations

import pytest

import tapeflow as tf
from tapeflow.keras.distribution import DeviceMesh, TensorLayout, distribute_tensor


def test_a_mesh_is_a_grid_of_devices() -> None:
    mesh = DeviceMesh((1, 1), ["batch", "model"])
    assert mesh.devices.tolist() == [["cpu:0"]]
    assert dict(mesh.backend_mesh.shape) == {"batch": 1, "model": 1}
    assert repr(mesh) == "<DeviceMesh shape=(1, 1), axis_names=['batch', 'model']>"


@pytest.mark.parametrize(
    ("shape", "names", "devices", "message"),
    [
        ((), [], None, r"Shape and axis_names cannot be empty\. Received: shape=\(\)"),
        ((1,), ["a", "b"], None, r"Shape and axis_names should have same size\. Received: shape=\(1,\)"),
        ((4,), ["a"], ["cpu:0"], r"Shape does not match the number of devices\. Received: shape=\(4,\)"),
    ],
)
def test_meshes_that_do_not_fit(shape, names, devices, message) -> None:
    with pytest.raises(ValueError, match=message):
        DeviceMesh(shape, names, devices)


def test_a_device_that_there_is_not() -> None:
    with pytest.raises(
        ValueError, match=r"DeviceMesh expected devices of .*list_devices\(\).*; got 'cpu:99'"
    ):
        DeviceMesh((1,), ["a"], ["cpu:99"]).backend_mesh  # noqa: B018


def test_a_layout_gets_its_mesh_once() -> None:
    mesh = DeviceMesh((1,), ["model"])
    layout = TensorLayout([None, "model"])
    with pytest.raises(ValueError, match="Cannot create sharding when device mesh is not set"):
        layout.backend_layout  # noqa: B018
    layout.device_mesh = mesh
    assert tuple(layout.backend_layout.spec) == (None, "model")
    with pytest.raises(ValueError, match="Cannot override device mesh value"):
        layout.device_mesh = mesh
    with pytest.raises(
        ValueError, match=r"Invalid axis names for Layout\. Valid axis names: {'model'}, Got {'m'}"
    ):
        TensorLayout(["m"], mesh)


def test_a_distributed_tensor_has_its_value_and_its_gradient() -> None:
    layout = TensorLayout(["model"], DeviceMesh((1,), ["model"]))
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = distribute_tensor(x * 3.0, layout)
    assert y.numpy().tolist() == [3.0, 6.0]
    assert tape.gradient(y, x).numpy().tolist() == [3.0, 3.0]
    symbolic = tf.keras.Input((2,))
    assert distribute_tensor(symbolic, layout) is symbolic
    with pytest.raises(ValueError, match="The layout of 'tensor' expected at most 0 axes"):
        distribute_tensor(1.0, layout)
