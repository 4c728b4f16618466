"""The loops of fit, evaluate and predict."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

import tapeflow as tf

layers = tf.keras.layers
X = np.linspace(-1, 1, 80, dtype="float32").reshape(20, 4)
Y = X[:, :1] * 2


@pytest.fixture(scope="module")
def model() -> Any:
    model = tf.keras.Sequential([tf.keras.Input((4,)), layers.Dense(1)])
    model.compile(tf.keras.optimizers.SGD(0.01), "mse")
    return model


class Steps(tf.keras.callbacks.Callback):
    """Counts the batch hooks, although it does not mind fused steps."""

    supports_fused_steps = True

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[int] = []
        self.losses: list[float] = []

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.batches.append(batch)
        self.losses.append(float(logs["loss"]))


def test_many_steps_are_one_program_and_hooks_are_called_for_each(model: Any) -> None:
    model.fit(X, Y, batch_size=2, verbose=0)
    before = tf.debugging.engine_counters()["dispatched"]
    steps = Steps()
    model.fit(X, Y, batch_size=2, verbose=0, callbacks=[steps])
    assert steps.batches == list(range(10))
    assert all(isinstance(v, float) for v in steps.losses)
    assert tf.debugging.engine_counters()["dispatched"] - before < 8


def test_stopping_at_a_batch_ends_the_epoch_there(model: Any) -> None:
    class Stops(tf.keras.callbacks.Callback):
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            self.model.stop_training = batch == 2

    first = int(model.optimizer.iterations)
    history = model.fit(X, Y, batch_size=2, epochs=3, verbose=0, callbacks=[Stops()])
    assert history.epoch == [0]
    assert int(model.optimizer.iterations) - first == 3


def test_predictions_keep_order_and_structure(model: Any) -> None:
    expected = model(X).numpy()
    for size in (1, 3, 20, 64):
        np.testing.assert_allclose(
            model.predict(X, batch_size=size, verbose=0), expected, rtol=1e-6, atol=1e-7
        )

    class Several(tf.keras.Model):
        def call(self, inputs: Any) -> Any:
            return {"twice": inputs * 2.0, "sums": (tf.reduce_sum(inputs, axis=1), inputs)}

    found = Several().predict(X, batch_size=3, verbose=0)
    np.testing.assert_allclose(found["twice"], X * 2)
    np.testing.assert_allclose(found["sums"][0], X.sum(1), rtol=1e-5, atol=1e-6)


def test_a_batch_smaller_than_the_others_counts_for_what_it_holds(model: Any) -> None:
    whole = model.evaluate(X, Y, batch_size=20, verbose=0)
    assert model.evaluate(X, Y, batch_size=7, verbose=0) == pytest.approx(whole, rel=1e-5)


def test_predicting_compiles_nothing_but_the_programs_of_its_batches(
    caplog: pytest.LogCaptureFixture,
) -> None:
    model = tf.keras.Sequential([tf.keras.Input((3,)), layers.Dense(5, "tanh"), layers.Dense(2)])
    with jax.log_compiles(), caplog.at_level("WARNING", "jax"):
        found = model.predict(np.ones((22, 3), "float32"), batch_size=4, verbose=0)
    assert found.shape == (22, 2)
    compiled = [r.getMessage().split()[4] for r in caplog.records if "XLA compilation of" in r.getMessage()]
    assert compiled.count("jit(_evaluate)") == 2
    assert not {"jit(dynamic_slice)", "jit(reshape)"} & set(compiled)


def test_the_program_of_a_smaller_last_batch_is_compiled_while_the_others_run() -> None:
    seen = []

    class Watching(tf.keras.callbacks.Callback):
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            seen.append(len(self.model._staged_steps.repeaters["train"].records))

    model = tf.keras.Sequential([tf.keras.layers.Dropout(0.5), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse", metrics=["mae"])
    x = np.ones((18, 2), "float32")
    model.fit(x, x[:, :1], batch_size=4, verbose=0, callbacks=[Watching()])
    assert seen == [1, 2, 2, 2, 2]
    model.fit(x[:16], x[:16, :1], batch_size=4, verbose=0, callbacks=[Watching()])
    assert seen[5:] == [2] * 4
