"""`compile`, `fit`, `evaluate`, `predict`; their numbers are compared with Keras 2's in tests/parity."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf

layers = tf.keras.layers
rng = np.random.default_rng(0)
X = rng.normal(size=(24, 4)).astype("float32")
Y = rng.normal(size=(24, 2)).astype("float32")


def make(cls: type = tf.keras.Sequential, **compiled: Any) -> Any:
    tf.keras.utils.set_random_seed(0)
    model = cls([tf.keras.Input((4,)), layers.Dense(2)])
    model.compile(**{"optimizer": tf.keras.optimizers.SGD(0.1), "loss": "mse", **compiled})
    return model


@pytest.fixture(scope="module")
def model() -> Any:
    """A compiled model for tests that do not mind its weights."""
    return make()


class TestBadInput:
    """The errors that Keras users know."""

    def test_nothing_runs_before_compile(self) -> None:
        model = tf.keras.Sequential([layers.Dense(1)])
        for method in (model.fit, model.evaluate, model.train_on_batch, model.test_on_batch):
            with pytest.raises(RuntimeError, match="You must compile your model before training/testing"):
                method(X, Y)
        assert model.predict(X, verbose=0).shape == (24, 1)

    @pytest.mark.parametrize(
        ("compiled", "text"),
        [
            ({"loss": "nope"}, "Unknown loss function: 'nope'"),
            ({"metrics": ["nope"]}, "Unknown metric function: 'nope'"),
            ({"metrics": ["mae", "mae"]}, "Found two metrics with the same name: mae"),
            ({"loss": None}, "No loss found. You may have forgotten to provide a `loss` argument"),
        ],
    )
    def test_unknown_names_are_refused(self, compiled: Any, text: str) -> None:
        with pytest.raises(ValueError, match=text):
            make(**compiled).fit(X, Y, verbose=0)

    def test_compile_refuses_what_it_does_not_know(self) -> None:
        with pytest.raises(ValueError, match="Unknown optimizer: 'nope'"):
            make(optimizer="nope")
        with pytest.raises(TypeError, match=r"Invalid keyword argument\(s\) in `compile\(\)`: \['colour'\]"):
            make(colour="red")
        make(sample_weight_mode="temporal", experimental_run_tf_function=False)
        with pytest.raises(TypeError, match="Invalid keyword arguments: .'colour'. given to Model.evaluate"):
            make().evaluate(X, Y, colour="red")

    @pytest.mark.parametrize(
        ("x", "y", "error", "text"),
        [
            (X, None, TypeError, "Target data is missing. Your model was compiled with loss=mse"),
            (X[:0], Y[:0], ValueError, "Expected input data to be non-empty"),
            (X, Y[:3], ValueError, "Data cardinality is ambiguous"),
            (X[:, :3], Y, ValueError, r"expected shape=\(None, 4\), found shape=\(24, 3\)"),
            (X[:, 0], Y, ValueError, "expected min_ndim=2, found ndim=1"),
            ([X, X], Y, ValueError, r"expects 1 input\(s\), but it received 2 input tensors"),
            ("abc", Y, ValueError, "Failed to find data adapter that can handle input"),
        ],
    )
    def test_data_that_does_not_fit_is_refused(
        self, model: Any, x: Any, y: Any, error: type, text: str
    ) -> None:
        with pytest.raises(error, match=text):
            model.fit(x, y, verbose=0)
        assert model.fit(X, Y, verbose=0).epoch == [0]

    def test_a_wrong_number_of_outputs_is_refused(self) -> None:
        i = tf.keras.Input((4,))
        model = tf.keras.Model(i, [layers.Dense(2)(i), layers.Dense(2)(i)])
        model.compile("sgd", "mse")
        with pytest.raises(ValueError, match="got 3 for 2 outputs"):
            model.fit(X, [Y, Y, Y], verbose=0)

    def test_an_output_without_a_loss_needs_no_labels(self) -> None:
        i = tf.keras.Input((4,))
        model = tf.keras.Model(i, [layers.Dense(2, name="a")(i), layers.Dense(3)(i)])
        model.compile("sgd", ["mse", None])
        with pytest.warns(UserWarning, match="Gradients do not exist for variables") as caught:
            assert set(model.fit(X, Y, verbose=0).history) == {"loss", "a_loss"}
        assert {w.filename for w in caught} == {__file__}

    def test_a_generator_that_ends_early_stops_with_a_warning(self, model: Any) -> None:
        def batches(count: int) -> Any:
            return ((X[:4], Y[:4]) for _ in range(count))

        with pytest.warns(UserWarning, match=r"ran out of data.*in this case, 6 batches"):
            history = model.fit(batches(3), steps_per_epoch=2, epochs=3, verbose=0)
        assert history.epoch == [0, 1]
        with pytest.raises(ValueError, match="Expected input data to be non-empty"):
            model.fit(batches(0), verbose=0)
        with pytest.raises(ValueError, match="Expected input data to be non-empty"):
            model.predict(batches(0), verbose=0)

    def test_a_step_must_give_a_dict(self) -> None:
        class Wrong(tf.keras.Sequential):
            def train_step(self, data: Any) -> Any:
                return 3

        with pytest.raises(ValueError, match="Wrong.train_step expected to return a dict of logs"):
            make(Wrong).fit(X, Y, verbose=0)

    def test_labels_out_of_range_are_refused_and_the_model_stays_usable(self) -> None:
        loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model = make(loss=loss)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Received a label value of 7"):
            model.fit(X, np.full(24, 7), verbose=0)
        assert np.isfinite(model.get_weights()[0]).all()
        assert np.isfinite(model.fit(X, np.zeros(24), verbose=0).history["loss"][0])

    def test_nan_goes_through_and_shows(self) -> None:
        model = make()
        history = model.fit(X * np.nan, Y, epochs=2, verbose=0)
        assert np.isnan(history.history["loss"]).all()
        stopped = make().fit(
            X * np.nan, Y, epochs=2, verbose=0, callbacks=[tf.keras.callbacks.TerminateOnNaN()]
        )
        assert len(stopped.epoch) <= 1


class TestGoingOn:
    """After errors, interrupts and changes a model trains on."""

    @pytest.mark.parametrize("error", [KeyboardInterrupt, KeyError])
    def test_an_exception_in_a_callback_leaves_the_steps_so_far(self, error: type[BaseException]) -> None:
        class Raises(tf.keras.callbacks.Callback):
            def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
                if batch == 1:
                    raise error

        model, twin = make(), make()
        with pytest.raises(error):
            model.fit(X, Y, batch_size=8, shuffle=False, verbose=0, callbacks=[Raises()])
        twin.fit(X[:16], Y[:16], batch_size=8, shuffle=False, verbose=0)
        np.testing.assert_array_equal(model.get_weights()[0], twin.get_weights()[0])
        model.fit(X[16:], Y[16:], batch_size=8, shuffle=False, verbose=0)
        whole = make()
        whole.fit(X, Y, batch_size=8, shuffle=False, verbose=0)
        np.testing.assert_array_equal(model.get_weights()[0], whole.get_weights()[0])

    def test_an_exception_in_a_step_is_the_users_and_changes_nothing(self) -> None:
        class Raises(tf.keras.Sequential):
            is_broken = True

            def train_step(self, data: Any) -> Any:
                logs = super().train_step(data)
                if self.is_broken:
                    raise KeyError("mine")
                return logs

        model = make(Raises)
        before = model.get_weights()[0]
        with pytest.raises(KeyError, match="mine"):
            model.fit(X, Y, verbose=0)
        np.testing.assert_array_equal(model.get_weights()[0], before)
        model.is_broken = False
        model.fit(X, Y, verbose=0)
        assert (model.get_weights()[0] != before).any()

    def test_trainable_counts_when_it_is_compiled_again(self) -> None:
        model = make()
        model.fit(X, Y, verbose=0)
        model.layers[0].trainable = False
        model.compile("sgd", "mse")
        before = model.get_weights()[0]
        model.fit(X, Y, verbose=0)
        np.testing.assert_array_equal(model.get_weights()[0], before)

    def test_a_loss_of_its_own_needs_none_from_compile(self) -> None:
        class Own(tf.keras.Sequential):
            def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None):  # pyright: ignore
                return tf.reduce_mean(tf.abs(y - y_pred))

        model = make(Own, loss=None, metrics=["mae"])
        before = model.get_weights()[0]
        assert list(model.fit(X, Y, verbose=0).history) == ["mae"]
        assert (model.get_weights()[0] != before).any()

    def test_a_discriminator_frozen_after_compile_still_trains_by_itself(self) -> None:
        judge = make()
        judge.trainable = False
        latent = tf.keras.Input((4,))
        both = tf.keras.Model(latent, judge(tf.keras.layers.Dense(X.shape[1])(latent)))
        both.compile("sgd", "mse")
        before = judge.get_weights()[0]
        both.train_on_batch(np.ones((len(Y), 4), np.float32), Y)
        np.testing.assert_array_equal(judge.get_weights()[0], before)
        judge.train_on_batch(X, Y)
        assert (judge.get_weights()[0] != before).any()
        assert not judge.trainable
        assert not judge.layers[0].trainable

    def test_training_twice_goes_on_and_compiling_begins_the_optimizer_anew(self) -> None:
        once, twice = (
            make(optimizer=tf.keras.optimizers.Adam(0.1)),
            make(optimizer=tf.keras.optimizers.Adam(0.1)),
        )
        once.fit(X, Y, epochs=2, shuffle=False, verbose=0)
        twice.fit(X, Y, shuffle=False, verbose=0)
        twice.fit(X, Y, shuffle=False, verbose=0)
        np.testing.assert_array_equal(once.get_weights()[0], twice.get_weights()[0])
        assert int(twice.optimizer.iterations) == 2
        twice.compile("adam", "mae", metrics=["mse"])
        assert list(twice.fit(X, Y, verbose=0).history) == ["loss", "mse"]
        assert int(twice.optimizer.iterations) == 1

    def test_metrics_begin_anew_with_epochs_and_validation(self) -> None:
        class Count(tf.keras.metrics.Metric):
            def __init__(self) -> None:
                super().__init__(name="count")
                self.n = self.add_weight("n", initializer="zeros")

            def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
                self.n.assign_add(1.0)

            def result(self) -> Any:
                return self.n + 0.0

        model = make(metrics=[Count()])
        history = model.fit(X, Y, batch_size=6, epochs=2, validation_data=(X[:12], Y[:12]), verbose=0).history
        assert history["count"] == [4.0, 4.0]
        assert history["val_count"] == [2.0, 2.0]


def test_results_are_python_numbers() -> None:
    model = make(metrics=["mae"])
    for result in (
        model.evaluate(X, Y, verbose=0),
        model.train_on_batch(X, Y),
        model.test_on_batch(X, Y),
        list(model.evaluate(X, Y, verbose=0, return_dict=True).values()),
        [v[0] for v in model.fit(X, Y, verbose=0).history.values()],
    ):
        assert [type(v) for v in result] == [float, float]
    assert type(make().evaluate(X, Y, verbose=0)) is float


def test_strings_are_looked_up_without_a_warning(recwarn: pytest.WarningsRecorder) -> None:
    lookup = layers.StringLookup(vocabulary=["a", "b"], output_mode="one_hot")
    model = tf.keras.Sequential([lookup, layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(np.array(["a", "b", "c"]), np.ones((3, 1)), verbose=0)
    assert model.predict(["a", "b"], verbose=0).shape == (2, 1)
    assert [str(w.message) for w in recwarn] == []


def test_a_model_that_is_not_compiled_has_no_loss() -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    assert not hasattr(model, "loss")
    model.compile("sgd")
    assert model.loss == {}
