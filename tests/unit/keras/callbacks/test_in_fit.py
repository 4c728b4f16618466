"""Every callback in a real `fit`, and what only a real `fit` shows."""

from __future__ import annotations

import csv
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras import callbacks as cb
from tapeflow.keras.saving import draft, weight_file
from tapeflow.train.background import settle

RNG = np.random.default_rng(0)
X = RNG.normal(size=(24, 3)).astype("float32")
Y = X @ np.array([[3.0], [-2.0], [0.5]], "float32")


def make(**optimizer: Any) -> Any:
    tf.keras.utils.set_random_seed(0)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))])
    model.compile(tf.keras.optimizers.SGD(0.1, **optimizer), "mse", metrics=["mae"])
    return model


def train(model: Any, *callbacks: Any, epochs: int = 2, **options: Any) -> Any:
    options = {"batch_size": 8, "verbose": 0, "shuffle": False, "validation_data": (X[:8], Y[:8]), **options}
    return model.fit(X, Y, epochs=epochs, callbacks=list(callbacks), **options)


@pytest.fixture(scope="module")
def plain() -> Any:
    """The history and the weights of two epochs without callbacks."""
    model = make()
    history = train(model)
    return history.history, model.get_weights()


@pytest.mark.filterwarnings("ignore:.*RemoteMonitor")
def test_watching_callbacks_change_nothing(
    plain: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    model = make()
    history = train(
        model,
        cb.Callback(),
        cb.BackupAndRestore(tmp_path / "backup"),
        cb.BaseLogger(),
        cb.CSVLogger(tmp_path / "log.csv"),
        cb.EarlyStopping(),
        cb.History(),
        cb.LambdaCallback(on_epoch_end=lambda epoch, logs: None),
        cb.ModelCheckpoint(tmp_path / "{epoch:02d}-{val_loss:.2f}.h5", save_weights_only=True),
        cb.RemoteMonitor("http://127.0.0.1:9"),
        cb.TerminateOnNaN(),
    )
    expected, weights = plain
    assert history.history == expected
    assert all(a.tobytes() == b.tobytes() for a, b in zip(model.get_weights(), weights, strict=True))
    assert len(list(tmp_path.glob("0*.h5"))) == 2
    with (tmp_path / "log.csv").open() as file:
        assert [float(row["loss"]) for row in csv.DictReader(file)] == expected["loss"]


def test_a_batch_hook_sees_the_model_after_its_step(plain: Any) -> None:
    """A user's hook is called in time, and steps one by one end with the bits of fused ones."""

    class Weights(cb.Callback):
        def __init__(self) -> None:
            super().__init__()
            self.seen: list[bytes] = []
            self.losses: list[float] = []

        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            self.seen.append(self.model.get_weights()[0].tobytes())
            self.losses.append(logs["loss"])

    watch = Weights()
    model = make()
    history = train(model, watch)
    assert len(set(watch.seen)) == 6
    assert watch.seen[-1] == model.get_weights()[0].tobytes() == plain[1][0].tobytes()
    assert [watch.losses[2], watch.losses[5]] == history.history["loss"] == plain[0]["loss"]


def test_running_logs_of_fused_steps_are_those_of_single_ones() -> None:
    class Late(cb.Callback):
        supports_fused_steps = True

        def __init__(self) -> None:
            super().__init__()
            self.losses: list[float] = []

        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            self.losses.append(logs["loss"])

    class InTime(Late):
        supports_fused_steps = False

    late, in_time = Late(), InTime()
    train(make(), late)
    train(make(), in_time)
    assert late.losses == in_time.losses
    assert len(late.losses) == 6


def test_early_stopping_restores_the_best() -> None:
    model = make()
    kept: list[Any] = []
    rise = cb.LearningRateScheduler(lambda epoch: 0.01 if epoch < 2 else 5.0)
    keep = cb.LambdaCallback(on_epoch_end=lambda epoch, logs: kept.append(model.get_weights()))
    stop = cb.EarlyStopping("loss", patience=2, restore_best_weights=True)
    history = train(model, rise, keep, stop, epochs=9)
    best = int(np.argmin(history.history["loss"]))
    assert len(history.epoch) == best + 3
    np.testing.assert_array_equal(model.get_weights()[0], kept[best][0])


def test_terminate_on_nan_stops_in_the_first_epoch(capsys: pytest.CaptureFixture[str]) -> None:
    model = make()
    history = train(model, cb.TerminateOnNaN(), cb.LearningRateScheduler(lambda epoch: 1e30), epochs=5)
    assert len(history.epoch) == 1
    assert capsys.readouterr().out.count("Invalid loss, terminating training") == 1


def _fit_with_a_bad_target(bad: float, at: int, **compiled: Any) -> tuple[Any, Any]:
    """Twenty batches of four an epoch, one of them with a bad target; what was trained, and its history."""
    x, y = np.ones((80, 3), np.float32), np.ones((80, 1), np.float32)
    y[4 * at] = bad
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
    model.compile(tf.keras.optimizers.SGD(0.01), "mse", **compiled)
    stop = cb.TerminateOnNaN()
    return model, model.fit(x, y, batch_size=4, epochs=3, shuffle=False, verbose=0, callbacks=[stop])


@pytest.mark.parametrize("at", [0, 1, 5, 17, 19])
@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_terminate_on_nan_runs_no_step_after_the_bad_one(at: int, bad: float) -> None:
    model, history = _fit_with_a_bad_target(bad, at)
    assert int(model.optimizer.iterations) == at + 1  # as with Keras
    assert history.epoch == [0]


@pytest.mark.parametrize(("steps", "run"), [(2, 6), (3, 6), (7, 7)])
def test_terminate_on_nan_stops_after_the_steps_that_run_together(steps: int, run: int) -> None:
    model, _ = _fit_with_a_bad_target(float("nan"), 5, steps_per_execution=steps)
    assert int(model.optimizer.iterations) == run  # as with Keras


def test_rates_are_logged_and_used() -> None:
    model = make()
    history = train(model, cb.LearningRateScheduler(lambda epoch: 0.0), cb.ReduceLROnPlateau(patience=1))
    np.testing.assert_array_equal(history.history["lr"], [0.0, 0.0])
    assert history.history["loss"][0] == history.history["loss"][1]


def test_checkpoints_of_batches_and_whole_models(tmp_path: Path) -> None:
    model = make()
    train(model, cb.ModelCheckpoint(tmp_path / "w{epoch}-{batch}.h5", save_freq=2, save_weights_only=True))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["w1-2.h5", "w2-1.h5", "w2-3.h5"]
    other = make()
    other.load_weights(tmp_path / "w2-3.h5")
    np.testing.assert_array_equal(other.get_weights()[0], model.get_weights()[0])
    train(model, cb.ModelCheckpoint(tmp_path / "whole.keras", "loss", save_best_only=True))
    again = tf.keras.models.load_model(tmp_path / "whole.keras")
    np.testing.assert_array_equal(again.predict(X, verbose=0), model.predict(X, verbose=0))


class Crash(cb.Callback):
    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        if epoch == 2:
            raise KeyboardInterrupt


def test_an_interrupted_training_goes_on(tmp_path: Path) -> None:
    whole = make(momentum=0.9)
    expected = train(whole, epochs=4).history["loss"]
    model = make(momentum=0.9)
    with pytest.raises(KeyboardInterrupt):
        train(model, cb.BackupAndRestore(tmp_path), Crash(), epochs=4)
    model = make(momentum=0.9)
    history = train(model, cb.BackupAndRestore(tmp_path), epochs=4)
    assert history.epoch == [0, 1, 2, 3]
    assert history.history["loss"] == expected
    assert model.get_weights()[0].tobytes() == whole.get_weights()[0].tobytes()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("on_epoch", [False, True])
def test_validation_uses_the_averaged_weights(on_epoch: bool) -> None:
    kept: list[Any] = []
    model = make(use_ema=True, ema_momentum=0.5)
    swap = cb.SwapEMAWeights(swap_on_epoch=on_epoch)
    keep = cb.LambdaCallback(on_test_begin=lambda logs: kept.append(model.get_weights()))
    history = train(model, swap, keep)
    average = model.optimizer._model_variables_moving_average
    np.testing.assert_array_equal(kept[-1][0], average[0].numpy())
    np.testing.assert_array_equal(model.get_weights()[0], average[0].numpy())  # as `fit` ends with them
    expected = np.mean((X[:8] @ kept[-1][0] + kept[-1][1] - Y[:8]) ** 2)
    np.testing.assert_allclose(history.history["val_loss"][-1], expected, rtol=1e-5)


def test_a_list_of_callbacks_in_a_hand_written_loop() -> None:
    model = make()
    seen: list[Any] = []
    each = cb.CallbackList(
        [cb.LambdaCallback(on_train_batch_end=lambda batch, logs: seen.append(logs["loss"]))],
        add_history=True,
        model=model,
        epochs=2,
        steps=3,
        verbose=0,
    )
    each.on_train_begin()
    for epoch in range(2):
        each.on_epoch_begin(epoch)
        logs: dict[str, Any] = {}
        for step in range(3):
            each.on_train_batch_begin(step)
            logs = model.train_on_batch(X[step * 8 :][:8], Y[step * 8 :][:8], return_dict=True)
            each.on_train_batch_end(step, logs)
        each.on_epoch_end(epoch, logs)
    each.on_train_end()
    assert len(seen) == 6
    assert model.history.history["loss"] == [seen[2], seen[5]]


@pytest.mark.parametrize("every", [2, "epoch"])
def test_a_checkpoint_to_go_on_from(tmp_path: Path, every: Any) -> None:
    whole = make(momentum=0.9)
    expected = train(whole, epochs=4).history["loss"]

    def saving(name: str) -> Any:
        return cb.ModelCheckpoint(tmp_path / name, save_freq=every, load_weights_on_restart=True)

    for name in ("m{epoch}.h5", "ckpt/w"):
        with pytest.raises(KeyboardInterrupt):
            train(make(momentum=0.9), saving(name), Crash(), epochs=4)
        model = make(momentum=0.9)
        history = train(model, saving(name), epochs=4)
        assert history.history["loss"] == expected
        assert model.get_weights()[0].tobytes() == whole.get_weights()[0].tobytes()
        assert not list(tmp_path.rglob("*training_state*"))


class Shuffled(tf.keras.utils.Sequence):
    """Its order is drawn from NumPy's random numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.order = np.arange(len(X))

    def __len__(self) -> int:
        return len(X) // 4

    def __getitem__(self, index: int) -> Any:
        rows = self.order[index * 4 : index * 4 + 4]
        return X[rows] + np.random.rand(4, 1).astype(np.float32), Y[rows]

    def on_epoch_end(self) -> None:
        np.random.shuffle(self.order)


@pytest.mark.parametrize("kind", ["sequence", "dataset"])
def test_a_checkpoint_to_go_on_from_with_shuffled_data(tmp_path: Path, kind: str) -> None:
    def fit(*callbacks: Any) -> bytes:
        tf.keras.utils.set_random_seed(3)
        model = make(momentum=0.9)
        data = tf.data.Dataset.from_tensor_slices((X, Y)).shuffle(7).repeat().batch(4)
        given = {"x": data, "steps_per_epoch": 5} if kind == "dataset" else {"x": Shuffled()}
        model.fit(**given, epochs=3, verbose=0, callbacks=list(callbacks))
        return model.get_weights()[0].tobytes()

    class Breaks(cb.Callback):
        def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
            self.epoch = epoch

        def _before_steps(self, count: int) -> int:
            if self.epoch == 1 and self.model._run.step:
                raise KeyboardInterrupt
            return count

    def saving() -> Any:
        return cb.ModelCheckpoint(tmp_path / "w.h5", save_freq=2, load_weights_on_restart=True)

    whole = fit()
    with pytest.raises(KeyboardInterrupt):
        fit(saving(), Breaks())
    assert fit(saving()) == whole


def test_states_of_this_checkpoint_alone_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    kept: list[list[str]] = []

    class Looks(cb.Callback):
        def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
            settle()
            kept.append(sorted(str(p) for p in Path().rglob("*training_state*")))

    Path("ck").mkdir()
    theirs = Path("ck/m_best.h5.training_state.safetensors")
    theirs.touch()
    for name in ("./ck/m{epoch}.h5", "ck//same.h5", "{epoch:03d}-{loss:.2e}/m.h5"):
        kept.clear()
        train(make(), cb.ModelCheckpoint(name, load_weights_on_restart=True), Looks(), epochs=3)
        assert [len(found) for found in kept] == [2, 2, 2]
        assert list(Path().rglob("*training_state*")) == [theirs]


def test_training_goes_on_while_a_checkpoint_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file has the model as it was when it was due, though it is written when later steps have run."""
    is_over, kept = threading.Event(), []
    write = draft.write_draft

    def late(path: Path, file: draft.Draft) -> None:
        assert is_over.wait(60)
        write(path, file)

    class Keeps(cb.Callback):
        def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
            if epoch:
                kept.append(self.model.get_weights())
            if epoch == 2:
                assert not list(tmp_path.glob("*.h5"))
                is_over.set()

        def on_train_end(self, logs: Any = None) -> None:
            kept.append(self.model.get_weights())

    monkeypatch.setattr(weight_file, "write_draft", late)
    model = make()
    train(model, cb.ModelCheckpoint(tmp_path / "w.h5", save_weights_only=True), Keeps(), epochs=3)
    model.set_weights(kept[0])
    model.load_weights(tmp_path / "w.h5")
    np.testing.assert_array_equal(model.get_weights()[0], kept[2][0])

    is_over.clear()
    threading.Timer(0.5, is_over.set).start()
    train(model, cb.ModelCheckpoint(tmp_path / "{epoch}.h5", save_weights_only=True), Keeps(), epochs=2)
    for number, weights in enumerate(kept[3:], 1):
        model.load_weights(tmp_path / f"{number}.h5")
        np.testing.assert_array_equal(model.get_weights()[0], weights[0])


def test_a_checkpoint_that_cannot_be_written_ends_the_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, file: draft.Draft) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(weight_file, "write_draft", full)
    with pytest.raises(OSError, match="No space left"):
        train(make(), cb.ModelCheckpoint(tmp_path / "w.h5", save_weights_only=True), epochs=1)


def test_a_model_that_saves_itself_is_asked_to(tmp_path: Path) -> None:
    class Own(tf.keras.Sequential):
        def save_weights(self, filepath: Any, overwrite: bool = True, **options: Any) -> None:
            Path(filepath).write_text("mine")

    model = Own([tf.keras.layers.Dense(1, input_shape=(3,))])
    model.compile("sgd", "mse")
    train(model, cb.ModelCheckpoint(tmp_path / "w", save_weights_only=True), epochs=1)
    assert (tmp_path / "w").read_text() == "mine"
