"""`BackupAndRestore`: an interrupted training ends as if it had not been interrupted."""

from __future__ import annotations

import itertools
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.callbacks import BackupAndRestore, Callback, CallbackList
from tapeflow.keras.callbacks.backup_and_restore import NAME
from tapeflow.keras.training.resume import Capture
from tapeflow.train import tensor_file

cb, L = tf.keras.callbacks, tf.keras.layers
X = np.random.default_rng(0).random((80, 4), np.float32)
Y = (X.sum(1, keepdims=True) > 2).astype(np.float32)


class Crash(Callback):
    """Breaks off after so many programs, once others have kept their state, or when an epoch begins."""

    def __init__(self, after: int = 0, epoch: int | None = None) -> None:
        super().__init__()
        self.left, self.epoch = after, epoch

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        if epoch == self.epoch:
            raise KeyboardInterrupt

    def _before_steps(self, count: int) -> int:
        return count

    def _after_steps(self, count: int) -> None:
        self.left -= 1

    def _keep_state(self) -> None:
        if self.left == 0:
            raise KeyboardInterrupt


class Batches(tf.keras.utils.Sequence):
    """Shuffles itself at the end of an epoch and adds noise, both from NumPy's random numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.order = np.arange(80)

    def __len__(self) -> int:
        return 10

    def __getitem__(self, index: int) -> Any:
        rows = self.order[index * 8 : index * 8 + 8]
        return X[rows] + np.random.rand(8, 4).astype(np.float32), Y[rows]

    def on_epoch_end(self) -> None:
        np.random.shuffle(self.order)


def generated() -> Any:
    while True:
        for i in range(10):
            yield X[i * 8 : i * 8 + 8] + np.random.rand(8, 4).astype(np.float32), Y[i * 8 : i * 8 + 8]


def noisy(x: Any, y: Any) -> Any:
    return x + tf.random.normal([4]) * 0.1, y


def slices() -> Any:
    return tf.data.Dataset.from_tensor_slices((X, Y))


DATA: dict[str, Callable[[], dict[str, Any]]] = {
    "arrays": lambda: {"x": X, "y": Y, "batch_size": 8, "validation_split": 0.1},
    "sequence": lambda: {"x": Batches(), "validation_data": (X, Y)},
    "sequences": lambda: {"x": Batches(), "validation_data": Batches()},
    "dataset": lambda: {
        "x": slices().shuffle(30).map(noisy).batch(8),
        "validation_data": slices().shuffle(80).batch(16),
    },
    "endless": lambda: {"x": slices().shuffle(30).repeat().batch(8), "steps_per_epoch": 7},
    "generator": lambda: {"x": generated(), "steps_per_epoch": 7},
}


def train(kind: str, folder: Path, *callbacks: Callback, freq: Any = "epoch") -> tuple[Any, ...]:
    """All that a training gives, as a new process would train."""
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential(
        [
            L.Dense(6, activation="relu"),
            L.Dropout(0.4),
            L.BatchNormalization(),
            L.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    log = folder / "log.csv"
    each = [
        BackupAndRestore(folder / "backup", save_freq=freq),
        cb.EarlyStopping("loss", patience=1, restore_best_weights=True),
        cb.ReduceLROnPlateau("loss", patience=1),
        cb.LearningRateScheduler(lambda epoch, rate: rate * 0.9),
        cb.CSVLogger(log),
        cb.ModelCheckpoint(folder / "best.weights.h5", "loss", save_best_only=True, save_weights_only=True),
        *callbacks,
    ]
    history = model.fit(**DATA[kind](), epochs=3, verbose=0, callbacks=each)
    values = b"".join(v.numpy().tobytes() for v in model.weights + model.optimizer.variables)
    assert list((folder / "backup").iterdir()) == []
    return values, repr(history.history), history.epoch, log.read_text()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    """What a training of a kind gives when nothing interrupts it."""
    made: dict[str, Any] = {}

    def result(kind: str) -> Any:
        if kind not in made:
            made[kind] = train(kind, tmp_path_factory.mktemp(kind))
        return made[kind]

    return result


@pytest.mark.parametrize("kind", DATA)
@pytest.mark.parametrize(
    ("freq", "crashes"),
    [
        pytest.param(3, (2, 3), id="batches"),
        pytest.param("epoch", (2,), id="epochs", marks=pytest.mark.slow),
    ],
)
def test_every_bit_is_the_same(
    kind: str, freq: Any, crashes: tuple[int, ...], whole: Callable[[str], Any], tmp_path: Path
) -> None:
    for after in crashes:
        with pytest.raises(KeyboardInterrupt):
            train(kind, tmp_path, Crash(after), freq=freq)
    assert train(kind, tmp_path, freq=freq) == whole(kind)


def test_interrupted_as_an_epoch_begins_or_after_the_last(
    whole: Callable[[str], Any], tmp_path: Path
) -> None:
    with pytest.raises(KeyboardInterrupt):
        train("arrays", tmp_path, Crash(epoch=2))

    class AtTheEnd(Callback):
        def on_train_end(self, logs: Any = None) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train("arrays", tmp_path, AtTheEnd())
    assert train("arrays", tmp_path) == whole("arrays")


def test_interrupted_before_the_first_backup(tmp_path: Path) -> None:
    """What callbacks have logged by then is logged again, once, after what was there before the training."""
    (tmp_path / "log.csv").write_text("epoch,loss\n7,0.5\n")

    def lines(*callbacks: Callback) -> list[str]:
        each = [BackupAndRestore(tmp_path / "backup", 1000), cb.CSVLogger(tmp_path / "log.csv", append=True)]
        small().fit(X, Y, epochs=2, verbose=0, callbacks=[*each, *callbacks])
        return (tmp_path / "log.csv").read_text().splitlines()

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            lines(Crash(epoch=1))
    assert [line.split(",")[0] for line in lines()] == ["epoch", "7", "0", "1"]
    assert list((tmp_path / "backup").iterdir()) == []


def test_a_generator_is_run_again_with_a_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt):
        train("generator", tmp_path, Crash(2), freq=3)
    train("generator", tmp_path, freq=3)
    assert "a generator is run again for the 6 batches that were used" in capsys.readouterr().out


def test_sigterm_saves_and_ends(
    whole: Callable[[str], Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Terminated(Callback):
        def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
            if epoch == 1:
                os.kill(os.getpid(), signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as ended:
        train("dataset", tmp_path, Terminated(), freq=1000)
    assert ended.value.code == 143
    assert "SIGTERM: training is saved in" in capsys.readouterr().err
    assert signal.getsignal(signal.SIGTERM) == before
    assert train("dataset", tmp_path, freq=1000) == whole("dataset")


def test_sigterm_after_the_last_epoch(tmp_path: Path) -> None:
    received: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: received.append(number))

    class Terminated(Callback):
        def on_train_end(self, logs: Any = None) -> None:
            os.kill(os.getpid(), signal.SIGTERM)

    try:
        small().fit(X, Y, verbose=0, callbacks=[Terminated(), BackupAndRestore(tmp_path)])
    finally:
        signal.signal(signal.SIGTERM, before)
    assert received == [signal.SIGTERM]
    assert [p.name for p in tmp_path.iterdir()] == [
        NAME
    ]  # the program ends, and its weights are nowhere else


def test_sigterm_when_nothing_can_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminated(Callback):
        def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
            if epoch == 1:
                os.kill(os.getpid(), signal.SIGTERM)

    def terminate(folder: Path) -> str:
        with pytest.warns(UserWarning, match="could not write to") as told, pytest.raises(SystemExit):
            small().fit(X, Y, epochs=2, verbose=0, callbacks=[BackupAndRestore(folder), Terminated()])
        # What the garbage collector says of files that other tests left open is no UserWarning.
        assert {warning.filename for warning in told if warning.category is UserWarning} == {__file__}
        return capsys.readouterr().err

    (tmp_path / "file").touch()
    assert "SIGTERM: training could not be saved in" in terminate(tmp_path / "file")

    def full(file: Any, data: memoryview) -> None:
        raise OSError(28, "No space left on device")

    small().fit(X, Y, verbose=0, callbacks=[BackupAndRestore(tmp_path, delete_checkpoint=False)])
    monkeypatch.setattr(tensor_file, "_write_all", full)
    assert "the last steps could not be saved in" in terminate(tmp_path)


def batches_saved(folder: Path, *callbacks: Callback, freq: Any = "epoch", **checkpoint: Any) -> list[int]:
    """The batches, counted across epochs, after which a ModelCheckpoint saves."""
    saved: list[int] = []

    class Noting(cb.ModelCheckpoint):
        def _save_model(self, epoch: int, batch: int | None, logs: Any) -> None:
            saved.append(epoch * 10 + (batch or 0) + 1)

    backup = BackupAndRestore(folder, save_freq=freq)
    each = [backup, Noting(folder / "w.h5", **checkpoint), *callbacks]
    small().fit(X, Y, batch_size=8, epochs=2, verbose=0, shuffle=False, callbacks=each)
    return saved


def test_other_callbacks_have_counted_the_step_that_is_saved(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        batches_saved(tmp_path, Crash(3), freq=3, save_freq=5)  # programs of 3, 2 and 1 steps
    assert batches_saved(tmp_path, freq=3, save_freq=5) == [10, 15, 20]


def test_another_save_freq_when_going_on(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        batches_saved(tmp_path, Crash(epoch=1), save_freq=100)
    steps: list[int] = []

    class Sizes(Callback):
        def _before_steps(self, count: int) -> int:
            return count

        def _after_steps(self, count: int) -> None:
            steps.append(count)

    assert batches_saved(tmp_path, Sizes(), freq=4, save_freq=7) == [11, 18]
    assert steps == [1, 3, 4, 2]


# The order of callbacks


class Epochs(Callback):
    """Writes a file for each epoch, and a checkpoint on a thread."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self.checkpoint: Any = None

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        (self.folder / f"epoch-{epoch + 1}").touch()
        self.checkpoint = self.checkpoint or tf.train.Checkpoint(model=self.model)
        self.checkpoint.write(
            self.folder / f"async-{epoch + 1}", options=tf.train.CheckpointOptions(enable_async=True)
        )


@pytest.fixture
def slow_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file but a backup is on disk a little later."""
    replace = Path.replace

    def late(path: Path, target: Path) -> Path:
        if NAME not in str(target):
            time.sleep(0.03)
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", late)


@pytest.mark.usefixtures("slow_files")
@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_a_backup_follows_all_the_files_of_its_epoch(
    order: tuple[int, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backups: list[tuple[int, list[str]]] = []
    write = Capture.write

    def noting(captured: Capture, path: Path) -> None:
        backups.append((captured._state.get("epoch", 0), [file.name for file in tmp_path.iterdir()]))
        write(captured, path)

    monkeypatch.setattr(Capture, "write", noting)
    each = [
        BackupAndRestore(tmp_path / "backup"),
        cb.ModelCheckpoint(tmp_path / "at-{epoch}.keras"),
        Epochs(tmp_path),
    ]
    small().fit(X, Y, epochs=3, verbose=0, callbacks=[each[i] for i in order])
    assert backups[-1][0] == 3
    for epoch, files in backups:
        for number in range(1, epoch + 1):
            assert {f"at-{number}.keras", f"epoch-{number}", f"async-{number}.safetensors"} <= set(files)


@pytest.mark.parametrize("is_first", [True, False])
def test_no_backup_of_an_epoch_whose_file_could_not_be_written(
    is_first: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = Path.replace

    def full(path: Path, target: Path) -> Path:
        if "at-2" in str(target):
            raise OSError(28, "No space left on device")
        return replace(path, target)

    def train() -> Any:
        each = [BackupAndRestore(tmp_path / "backup"), cb.ModelCheckpoint(tmp_path / "at-{epoch}.keras")]
        return small().fit(X, Y, epochs=4, verbose=0, callbacks=each if is_first else each[::-1])

    monkeypatch.setattr(Path, "replace", full)
    with (
        pytest.warns(UserWarning, match="checkpoint writer was given before could not be written"),
        pytest.raises(OSError, match="No space left on device"),
    ):
        train()
    assert [p.name for p in (tmp_path / "backup").iterdir()] == [NAME]
    monkeypatch.undo()
    assert train().epoch == [0, 1, 2, 3]
    assert {f"at-{i}.keras" for i in range(1, 5)} <= {p.name for p in tmp_path.iterdir()}


def test_a_checkpoint_with_a_state_of_its_own_and_a_sigterm(tmp_path: Path) -> None:
    """Whoever leaves first, the file of the step is written."""

    class Terminated(Callback):
        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            os.kill(os.getpid(), signal.SIGTERM)

    saving = cb.ModelCheckpoint(tmp_path / "at-{epoch}.keras", load_weights_on_restart=True)
    with pytest.raises(SystemExit):
        small().fit(X, Y, verbose=0, callbacks=[BackupAndRestore(tmp_path / "b"), saving, Terminated()])
    assert (tmp_path / "at-1.keras").exists()


def test_in_a_loop_of_ones_own_a_backup_comes_last(tmp_path: Path) -> None:
    class Fails(Callback):
        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            assert not (tmp_path / NAME).exists()
            raise ZeroDivisionError

    model = small()
    each = CallbackList([BackupAndRestore(tmp_path), Fails()], model=model)
    each.on_train_begin()
    each.on_epoch_begin(0)
    model.train_on_batch(X, Y)
    with pytest.raises(ZeroDivisionError):
        each.on_epoch_end(0)
    each.release()
    assert not (tmp_path / NAME).exists()


def test_what_a_killed_training_left_is_removed(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    end = f"{gone.pid}-0123456789ab.{socket.gethostname()}.tmp"
    lives = tmp_path / f".at-8.keras.{os.getppid()}-0123456789ab.{socket.gethostname()}.tmp"
    left = [f".{NAME}.{end}", f".at-7.keras.{end}", f".at-7.keras.safetensors.{end}"]
    other = [f".at-x.keras.{end}", f".notes.{end}", ".at-7.keras.tmp", lives.name]
    for name in (*left, *other):
        (tmp_path / name).touch()
    saving = cb.ModelCheckpoint(tmp_path / "at-{epoch}.keras")
    small().fit(X, Y, verbose=0, callbacks=[BackupAndRestore(tmp_path), saving])
    assert {p.name for p in tmp_path.iterdir()} == {*other, "at-1.keras"}


def small(units: int = 1) -> Any:
    model = tf.keras.Sequential([tf.keras.Input((4,)), L.Dense(units)])
    model.compile("sgd", "mse")
    return model


def test_a_loop_of_ones_own(tmp_path: Path) -> None:
    def callbacks(model: Any) -> CallbackList:
        each = CallbackList([BackupAndRestore(tmp_path, save_freq=2)], model=model, epochs=2, steps=3)
        each.on_train_begin()
        return each

    model = small()
    each = callbacks(model)
    assert each.needs_batch_hooks
    each.on_epoch_begin(0)
    for step in range(3):
        model.train_on_batch(X, Y)
        each.on_train_batch_end(step)
        if step == 1:
            wanted = model.get_weights()
    each.release()
    again = small()
    callbacks(again).release()
    assert (again._initial_epoch, again._initial_step) == (0, 2)
    for a, b in zip(again.get_weights(), wanted, strict=True):
        np.testing.assert_array_equal(a, b)


def test_the_backup_may_be_kept(tmp_path: Path) -> None:
    backup = BackupAndRestore(tmp_path, delete_checkpoint=False)
    model = small()
    history = model.fit(X, Y, epochs=2, verbose=0, callbacks=[backup])
    assert [p.name for p in tmp_path.iterdir()] == [NAME]
    again = small()
    found = again.fit(X, Y, epochs=2, verbose=0, callbacks=[BackupAndRestore(tmp_path)])
    assert found.history == history.history
    np.testing.assert_array_equal(again.get_weights()[0], model.get_weights()[0])


def test_a_backup_that_cannot_be_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unlink = Path.unlink

    def refused(path: Path, missing_ok: bool = False) -> None:
        if path.name == NAME:
            raise PermissionError(13, "Permission denied")
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", refused)
    with pytest.warns(UserWarning, match=rf"could not delete '.*{NAME}' \(Permission denied\): delete it"):
        history = small().fit(X, Y, epochs=2, verbose=0, callbacks=[BackupAndRestore(tmp_path)])
    assert history.epoch == [0, 1]


def test_fit_still_runs_many_steps_at_once(tmp_path: Path) -> None:
    each = CallbackList([BackupAndRestore(tmp_path)])
    assert not each.needs_batch_hooks
    sizes: list[int] = []

    class Sizes(Callback):
        def _before_steps(self, count: int) -> int:
            return count

        def _after_steps(self, count: int) -> None:
            sizes.append(count)

    small().fit(X, Y, batch_size=8, epochs=2, verbose=0, callbacks=[BackupAndRestore(tmp_path, 4), Sizes()])
    assert sizes == [4, 4, 2, 2, 4, 4]


def test_a_backup_of_another_model(tmp_path: Path) -> None:
    small(2).fit(
        X, np.zeros((80, 2)), verbose=0, callbacks=[BackupAndRestore(tmp_path, delete_checkpoint=False)]
    )
    model = small()
    before = model.get_weights()
    with pytest.raises(ValueError, match=r"incompatible tensor with shape"):
        model.fit(X, Y, verbose=0, callbacks=[BackupAndRestore(tmp_path)])
    np.testing.assert_array_equal(model.get_weights()[0], before[0])
    other = tf.keras.Sequential([tf.keras.Input((4,)), L.Dense(2), L.Dense(2)])
    other.compile("sgd", "mse")
    with pytest.raises(ValueError, match="Resuming expected the state of this model and optimizer"):
        other.fit(X, np.zeros((80, 2)), verbose=0, callbacks=[BackupAndRestore(tmp_path)])


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 nothing", b"\x80\x04."], ids=["empty", "zip", "pickle"])
def test_an_unreadable_backup(damage: bytes, tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(damage)
    with pytest.raises(ValueError, match="It may be truncated or damaged"):
        small().fit(X, Y, verbose=0, callbacks=[BackupAndRestore(tmp_path)])
    tf.train.Checkpoint(v=tf.Variable(1.0)).write(tmp_path / NAME.removesuffix(".safetensors"))
    with pytest.raises(ValueError, match="expected a training state; .*Delete it to begin anew"):
        small().fit(X, Y, verbose=0, callbacks=[BackupAndRestore(tmp_path)])


def test_a_full_disk_leaves_the_old_backup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, saves = tensor_file._write_all, []

    def filling(file: Any, data: memoryview) -> None:
        saves.append(1)
        if len(saves) > 12:
            raise OSError(28, "No space left on device")
        write(file, data)

    small().fit(X, Y, verbose=0, callbacks=[BackupAndRestore(tmp_path, delete_checkpoint=False)])
    monkeypatch.setattr(tensor_file, "_write_all", filling)
    backup = BackupAndRestore(tmp_path, delete_checkpoint=False)
    with pytest.warns(UserWarning, match="could not write to .*No space left on device.*Training goes on"):
        assert len(small().fit(X, Y, epochs=9, verbose=0, callbacks=[backup]).epoch) == 9
    assert [p.name for p in tmp_path.iterdir()] == [NAME]
    monkeypatch.undo()
    small().fit(X, Y, epochs=9, verbose=0, callbacks=[BackupAndRestore(tmp_path)])


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="Either `save_freq` or `save_before_preemption` must be set."):
        BackupAndRestore("x", save_freq=None)
    assert BackupAndRestore("x", save_freq=None, save_before_preemption=True).save_freq is None
    with pytest.raises(
        ValueError, match="expected save_freq to be 'epoch' or a positive number .*save_freq=-1"
    ):
        BackupAndRestore("x", save_freq=-1)


def test_its_older_home() -> None:
    assert tf.keras.callbacks.experimental.BackupAndRestore is BackupAndRestore
