"""Names and forms of Keras 3 beside `tf.keras.ops`: `Variable`, `tree`, `config`, weights, losses, configs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

K = tf.keras


def test_variables() -> None:
    made = K.Variable(np.array([1.0, 2.0], np.float32), trainable=False, name="v")
    assert isinstance(made, K.Variable)
    assert isinstance(made, tf.Variable)
    assert isinstance(K.layers.Dense(1).add_weight((2,), "ones"), K.Variable)
    assert not isinstance(tf.constant(1.0), K.Variable)
    made.assign_add([1.0, 1.0])
    assert made.numpy().tolist() == [2.0, 3.0]
    assert not made.trainable
    for initializer in ("ones", K.initializers.Ones(), lambda shape, dtype: tf.ones(shape, dtype)):
        assert K.Variable(initializer, shape=(2,)).numpy().tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match="keras.Variable expected a shape with an initializer"):
        K.Variable("ones")


def test_trees() -> None:
    nested = {"b": [2, (3,)], "a": 1}
    assert K.tree.flatten(nested) == [1, 2, 3]
    assert K.tree.map_structure(lambda x: x + 1, nested) == {"b": [3, (4,)], "a": 2}
    assert K.tree.pack_sequence_as(nested, (5, 6, 7)) == {"b": [6, (7,)], "a": 5}
    assert K.tree.flatten_with_path(nested) == [(("a",), 1), (("b", 0), 2), (("b", 1, 0), 3)]
    assert K.tree.map_structure_up_to({"b": 0, "a": 0}, len, {"b": [1, 2], "a": [3]}) == {"b": 2, "a": 1}
    assert K.tree.traverse(lambda x: 0 if isinstance(x, tuple) else None, nested) == {"b": [2, 0], "a": 1}
    assert K.tree.lists_to_tuples(nested) == {"b": (2, (3,)), "a": 1}
    K.tree.assert_same_structure(nested, {"b": [1, (1,)], "a": 1})


def test_settings_and_policies() -> None:
    assert K.config.backend() == "tensorflow"
    assert K.config.dtype_policy().name == "float32"
    assert K.dtype_policies.get("mixed_float16").compute_dtype == "float16"
    assert K.dtype_policies.get(None) == K.config.dtype_policy()
    policy = K.DTypePolicy("mixed_bfloat16")
    assert K.dtype_policies.get(K.dtype_policies.serialize(policy)) == policy
    K.config.disable_interactive_logging()
    assert not K.config.is_interactive_logging_enabled()
    K.config.enable_interactive_logging()
    assert K.config.is_interactive_logging_enabled()


def test_symbols() -> None:
    assert isinstance(K.Input((2,)), K.KerasTensor)
    assert K.KerasTensor((2, 3)).dtype == "float32"


def test_weights_in_either_order() -> None:
    layer = K.layers.Layer(name="own")
    one = layer.add_weight((2,), "ones", name="one")
    two = layer.add_weight("two", (2,), initializer="zeros")
    three = layer.add_weight(shape=(1, 2), initializer="ones", trainable=False, name="three")
    assert [w.numpy().tolist() for w in (one, two, three)] == [[1, 1], [0, 0], [[1, 1]]]
    assert one.name.endswith("one:0")
    with pytest.raises(TypeError, match="add_weight expected each of shape, initializer"):
        layer.add_weight((2,), "ones", initializer="zeros")


def test_state_of_metrics() -> None:
    metric = K.metrics.Mean()
    total = metric.add_variable(shape=(2,), initializer="ones", name="more")
    assert total.numpy().tolist() == [1, 1]


@pytest.mark.parametrize("name", ["beta", "binomial"])
def test_more_random_numbers(name: str) -> None:
    draw: Any = getattr(K.random, name)
    found = draw((2000,), 3.0, 0.5, seed=1).numpy()
    np.testing.assert_array_equal(found, draw((2000,), 3.0, 0.5, seed=1))
    mean = 3.0 / 3.5 if name == "beta" else 1.5
    assert abs(found.mean() - mean) < 0.05


class _Own(K.Model):
    def __init__(self) -> None:
        super().__init__()
        self.dense = K.layers.Dense(1, kernel_initializer="ones")

    def call(self, x: Any) -> Any:
        return self.dense(x)

    def compute_loss(
        self, x: Any = None, y: Any = None, y_pred: Any = None, sample_weight: Any = None
    ) -> Any:
        return K.ops.mean(K.ops.square(y - y_pred)) + 1.0


def test_an_own_tracker_of_the_loss_stays() -> None:
    class Tracking(_Own):
        def __init__(self) -> None:
            super().__init__()
            self.tracker = K.metrics.Mean(name="loss")

        def compute_loss(self, *args: Any, **kwargs: Any) -> Any:
            loss = super().compute_loss(*args, **kwargs)
            self.tracker.update_state(loss)
            return loss

    model = Tracking()
    model.compile("sgd")
    history = model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0).history
    assert history == {"loss": [2.0]}
    assert model.metrics_names == ["loss"]


def test_configs_of_several_objects() -> None:
    given = [1, "relu", {"layer": K.layers.Dense(2), "rest": (None, True, 0.5)}]
    config = K.saving.serialize_keras_object(given)
    made = K.saving.deserialize_keras_object(config)
    assert made[:2] == [1, "relu"]
    assert isinstance(made[2]["layer"], K.layers.Dense)
    assert made[2]["rest"] == (None, True, 0.5)


def test_code_in_a_config() -> None:
    config = K.saving.serialize_keras_object(K.layers.Lambda(lambda x: x * 2))
    del config["config"]["function"]["token"]  # by which this process knows its own
    with pytest.raises(ValueError, match="safe_mode"):
        K.saving.deserialize_keras_object(config)
    assert float(K.saving.deserialize_keras_object(config, safe_mode=False)(tf.constant(3.0))) == 6.0


def test_scopes_and_releases() -> None:
    with K.device("cpu:0"), K.name_scope("outer"):
        assert float(K.remat(lambda x: 2.0 * x)(tf.constant(3.0))) == 6.0
    assert K.version() == tf.__version__

    class Twice(K.Operation):
        def call(self, x: Any) -> Any:
            return 2.0 * x

    assert Twice()(K.KerasTensor((2, 3))).shape == (2, 3)
    assert float(Twice()(tf.constant(2.0))) == 4.0
