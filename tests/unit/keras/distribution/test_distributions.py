"""Tests for tapeflow.keras.distribution.distributions on one device."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.devices import placement
from tapeflow.keras.distribution import (
    DataParallel,
    DeviceMesh,
    LayoutMap,
    ModelParallel,
    TensorLayout,
    distribution,
    set_distribution,
)
from tapeflow.keras.distribution.distributions import Distribution


@pytest.fixture(autouse=True)
def _no_distribution_afterwards() -> Iterator[None]:
    yield
    set_distribution(None)


@pytest.fixture
def mesh() -> DeviceMesh:
    return DeviceMesh((1, 1), ["batch", "model"])


def test_the_distribution_in_force(mesh: DeviceMesh) -> None:
    assert distribution() is None
    outer, inner = DataParallel(), ModelParallel(layout_map=LayoutMap(mesh))
    set_distribution(outer)
    with inner.scope():
        assert distribution() is inner
    assert distribution() is outer
    assert placement.current is outer._placement
    set_distribution(None)
    assert distribution() is None
    assert placement.current is None


def test_a_copied_model_lies_where_the_model_lies() -> None:
    set_distribution(DataParallel())
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    copied, x = copy.deepcopy(model), tf.ones((4, 2))
    assert copied(x).numpy().tolist() == model(x).numpy().tolist()


def test_a_scope_in_that_of_a_strategy_gives_it_back() -> None:
    strategy = tf.distribute.MirroredStrategy()
    with strategy.scope():
        with DataParallel().scope():
            assert placement.current is not strategy._placement
        assert placement.current is strategy._placement


def test_what_a_distribution_tells(mesh: DeviceMesh) -> None:
    data = DataParallel(devices=["cpu:0"])
    assert (data.num_model_replicas, data.batch_dim_name, data.num_processes) == (1, "batch", 1)
    assert data.auto_shard_dataset
    assert data.get_data_layout((None, 3)).axes == ("batch", None)
    assert data.get_variable_layout(tf.Variable([1.0])).axes == (None,)
    assert data.get_tensor_layout("dense/output") is None
    layout_map = LayoutMap(mesh)
    layout_map["v"] = ("model",)
    layout_map["dense/output"] = ("batch", "model")
    model = ModelParallel(layout_map=layout_map, batch_dim_name="model")
    assert model.batch_dim_name == "model"
    assert model.get_variable_layout(tf.Variable([1.0], name="v")).axes == ("model",)
    assert model.get_variable_layout(tf.Variable([1.0])).axes == (None,)
    assert model.get_tensor_layout("dense/output").axes == ("batch", "model")
    assert repr(data) == "<DataParallel device_mesh=<DeviceMesh shape=(1,), axis_names=['batch']>>"


def test_batches_of_a_dataset_are_split() -> None:
    strings = tf.data.Dataset.from_tensor_slices((tf.range(4), tf.constant(["a", "b", "c", "d"]))).batch(2)
    batches = DataParallel().distribute_dataset(strings)
    assert len(batches) == 2
    assert batches.element_spec == strings.element_spec
    assert [(a.numpy().tolist(), b.numpy().tolist()) for a, b in batches][1] == ([2, 3], [b"c", b"d"])


def test_a_distribution_of_ones_own() -> None:
    class Halves(Distribution):
        def get_variable_layout(self, variable: tf.Variable) -> TensorLayout:
            seen.append((variable.path, tuple(variable.shape)))
            return TensorLayout(["batch"] if variable.shape.rank else [], self.device_mesh)

    seen: list[tuple[str, tuple[int, ...]]] = []
    with Halves(DeviceMesh((1,), ["batch"])).scope():
        model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(3)])
        model.compile("sgd", "mse")
    assert [shape for _, shape in seen[:2]] == [(2, 3), (3,)]
    assert tuple(model.layers[0].kernel.__jax_array__().sharding.spec) == ("batch",)
    model.fit(np.ones((4, 2)), np.ones((4, 3)), verbose=0)
    assert tuple(model.layers[0].kernel.__jax_array__().sharding.spec) == ("batch",)


def test_arguments_that_do_not_fit(mesh: DeviceMesh) -> None:
    with pytest.raises(ValueError, match="Expect `mesh` to be an instance of `DeviceMesh`"):
        DataParallel(device_mesh="cpu:0")
    with pytest.warns(UserWarning, match=r"received mesh\.devices\.ndim=2"):
        assert DataParallel(mesh).num_model_replicas == 1
    with pytest.raises(ValueError, match="You must specify a layout_map argument"):
        ModelParallel()
    with pytest.raises(ValueError, match="Argument `layout_map` must be a `LayoutMap` instance"):
        ModelParallel(layout_map={})
    with pytest.raises(TypeError, match="ModelParallel got unexpected keyword arguments: mesh"):
        ModelParallel(layout_map=LayoutMap(mesh), mesh=mesh)
    with pytest.raises(ValueError, match=r"expected batch_dim_name to be one of \['batch', 'model'\]"):
        ModelParallel(layout_map=LayoutMap(mesh), batch_dim_name="data")
    with pytest.raises(
        ValueError, match="DataParallel expected zero_stage to be 0, 1 or 3; got zero_stage=2"
    ):
        DataParallel(zero_stage=2)
    with pytest.raises(ValueError, match="MirroredStrategy expected zero_stage to be 0, 1 or 3"):
        tf.distribute.MirroredStrategy(zero_stage=4)
