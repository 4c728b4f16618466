"""`Metric` as a base class: the user's subclasses, written as for Keras 2 or 3."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.metrics import AUC, Mean, Metric, Precision, Sum


class TruePositives(Metric):
    """The example of Keras's own documentation."""

    def __init__(self, name: str = "binary_true_positives", **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)
        self.true_positives = self.add_weight(name="tp", initializer="zeros")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        y_true, y_pred = tf.cast(y_true, tf.bool), tf.cast(y_pred, tf.bool)
        values = tf.cast(tf.logical_and(y_true, y_pred), self.dtype)
        if sample_weight is not None:
            sample_weight = tf.broadcast_to(tf.cast(sample_weight, self.dtype), values.shape)
            values = tf.multiply(values, sample_weight)
        self.true_positives.assign_add(tf.reduce_sum(values))

    def result(self) -> Any:
        return self.true_positives


def test_documented_subclass_counts_and_gives_a_tensor() -> None:
    metric = TruePositives()
    metric.update_state([0, 1, 1, 1], [0, 1, 0, 1])
    metric.update_state([1, 1], [1, 1], sample_weight=[1.0, 0.5])
    result = metric.result()
    assert result.numpy() == 3.5
    assert not isinstance(result, tf.Variable)
    metric.reset_state()
    assert (result.numpy(), metric.result().numpy()) == (3.5, 0.0)


def test_call_updates_and_gives_the_result() -> None:
    assert float(TruePositives()([1, 1], [1, 0])) == 1.0


def test_result_may_be_a_dict_of_variables() -> None:
    class Both(TruePositives):
        def result(self) -> Any:
            return {"tp": self.true_positives, "double": 2 * self.true_positives, "constant": 3.0}

    result = Both()([1, 1], [1, 1])
    assert {key: float(value) for key, value in result.items()} == {"tp": 2.0, "double": 4.0, "constant": 3.0}
    assert all(type(value) is tf.Tensor for value in result.values())


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        (("w", (2,)), {}),
        (("w",), {"shape": (2,), "initializer": "zeros"}),
        (("w", (2,), None, None, "zeros", "float32"), {}),
        (((2,), "zeros"), {"name": "w"}),
        (((2,), "zeros", "float32", "w"), {}),
        (([2],), {"initializer": "zeros", "name": "w"}),
        ((), {"name": "w", "shape": 2, "initializer": tf.zeros}),
    ],
)
def test_add_weight_takes_the_orders_of_keras_2_and_3(args: Any, kwargs: Any) -> None:
    metric = Metric(name="m")
    made = metric.add_weight(*args, **kwargs)
    assert made.name == "w:0"
    assert made.numpy().tolist() == [0.0, 0.0]
    assert made.dtype == tf.float32
    assert not made.trainable
    assert metric.add_variable(shape=(), initializer="ones", dtype="int32").numpy() == 1


def test_add_weight_refuses_an_argument_given_twice() -> None:
    with pytest.raises(TypeError, match="at most once"):
        Metric(name="m").add_weight("w", name="v")
    with pytest.raises(TypeError, match="Pass them by name"):
        Metric(name="m").add_weight("w", trainable=True)


def test_variables_of_plain_attributes_and_inner_metrics_are_found_in_order() -> None:
    class Outer(Metric):
        def __init__(self) -> None:
            super().__init__(name="outer")
            self.z = self.add_weight("z")
            self.a = self.add_weight("a")
            self.own = tf.Variable(1.0, trainable=False, name="own")
            self.inner = Mean()

    outer = Outer()
    names = [variable.name for variable in outer.variables]
    assert names == ["z:0", "a:0", "own:0", "total:0", "count:0"]
    outer.inner.update_state(3.0)
    outer.reset_state()
    assert all(value == 0 for value in outer.get_weights())


@pytest.mark.parametrize("call", ["reset_state", "reset_states"])
def test_subclass_may_define_either_reset(call: str) -> None:
    class Old(Sum):
        def reset_states(self) -> None:
            super().reset_states()
            self.total.assign(7.0)

    class New(Sum):
        def reset_state(self) -> None:
            super().reset_state()
            self.total.assign(8.0)

    old, new = Old(), New()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        getattr(old, call)()
    getattr(new, call)()
    assert (old.total.numpy(), new.total.numpy()) == (7.0, 8.0)


def test_old_reset_is_told_its_new_name() -> None:
    class Old(Sum):
        def reset_states(self) -> None:
            self.total.assign(0.0)

    with pytest.warns(UserWarning, match=r"rename it to `reset_state\(\)`"):
        Old().reset_state()


def test_names_are_unique_only_where_none_is_given() -> None:
    first, second = Precision(), Precision()
    number = int(first.name.removeprefix("precision").removeprefix("_") or 0)
    assert second.name == f"precision_{number + 1}"
    assert (Mean().name, Mean().name) == ("mean", "mean")
    assert AUC().name.startswith("auc")
    assert Mean(name="top-5 error").name == "top-5 error"


def test_default_dtype_is_that_of_the_policys_variables() -> None:
    keras = tf.keras
    try:
        keras.mixed_precision.set_global_policy("mixed_float16")
        assert Mean().dtype == "float32"
        keras.mixed_precision.set_global_policy("float64")
        assert Mean().dtype == "float64"
    finally:
        keras.mixed_precision.set_global_policy(None)
    assert Mean(dtype=tf.float64).result().dtype == tf.float64
    assert Mean(dtype="float64").get_config() == {"name": "mean", "dtype": "float64"}


def test_missing_methods_say_what_to_define() -> None:
    metric = Metric(name="m")
    with pytest.raises(NotImplementedError, match="Define update_state"):
        metric.update_state([1])
    with pytest.raises(NotImplementedError, match="Define result"):
        metric.result()


def test_merge_state_refuses_another_kind() -> None:
    with pytest.raises(ValueError, match="is not compatible with"):
        Mean().merge_state([Sum()])


def test_weights_are_taken_over() -> None:
    one, two = Mean(), Mean()
    one.update_state([1.0, 2.0])
    two.set_weights(one.get_weights())
    assert two.result().numpy() == 1.5
    with pytest.raises(ValueError, match="expected 2 arrays"):
        two.set_weights([np.float32(1)])


def test_update_inside_a_tape_leaves_gradients_alone() -> None:
    w, mean = tf.Variable(3.0), Mean()
    with tf.GradientTape() as tape:
        loss = w * w
        mean.update_state(loss)
    assert float(tape.gradient(loss, w)) == 6.0
    assert float(mean.result()) == 9.0


def test_metric_made_and_first_used_in_a_staged_function_counts_every_call() -> None:
    mean = Mean()

    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        mean.update_state(x)
        return mean.result()

    assert [float(step(tf.constant([x, x]))) for x in (1.0, 3.0, 5.0)] == [1.0, 2.0, 3.0]
    mean.update_state([9.0, 9.0])
    assert float(mean.result()) == 4.5


def test_a_network_in_a_metric_is_none_of_its_state() -> None:
    class Distance(tf.keras.metrics.Metric):
        def __init__(self) -> None:
            super().__init__()
            self.network = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones")])
            self.total = self.add_weight("total")

        def update_state(self, y_true, y_pred, sample_weight=None):
            self.total.assign_add(tf.reduce_sum(self.network(y_pred)))

        def result(self):
            return self.total

    metric = Distance()
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, kernel_initializer="ones")])
    model.compile("sgd", "mse", metrics=[metric])
    model.evaluate(tf.ones((2, 3)), tf.ones((2, 2)), verbose=0)
    assert float(metric.result()) == 12.0
    metric.reset_state()
    assert [v.name for v in metric.variables] == ["total:0"]
    assert metric.network.get_weights()[0].tolist() == [[1.0], [1.0]]
    assert len(model.weights) == 2


def test_printed() -> None:
    assert str(tf.keras.metrics.AUC(name="area")) == "AUC(name=area,dtype=float32)"
