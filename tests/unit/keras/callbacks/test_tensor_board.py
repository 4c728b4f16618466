"""`TensorBoard`: its arguments, its files, and that it does not get into the way of training."""

from __future__ import annotations

import os
import socket
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.devices import processes
from tapeflow.keras.callbacks import CallbackList, TensorBoard
from tapeflow.keras.callbacks.logs import Logs
from tapeflow.plugins.hparams import api as hp
from tapeflow.summary.context import current
from tapeflow.summary.kinds.embeddings import read_embeddings, read_vectors

RNG = np.random.default_rng(0)
X = RNG.normal(size=(24, 3)).astype("float32")
Y = X @ np.array([[3.0], [-2.0], [0.5]], "float32")


def make(**compiled: Any) -> Any:
    tf.keras.utils.set_random_seed(0)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,), name="d")])
    model.compile(
        **{"optimizer": tf.keras.optimizers.SGD(0.1), "loss": "mse", "metrics": ["mae"], **compiled}
    )
    return model


def train(model: Any, *callbacks: Any, **options: Any) -> Any:
    options = {"batch_size": 4, "verbose": 0, "shuffle": False, "epochs": 2, **options}
    return model.fit(X, Y, callbacks=list(callbacks), **options)


def test_a_further_process_writes_what_its_machine_does_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "index", lambda: 2)
    train(make(), TensorBoard(tmp_path, update_freq=1))
    assert [run.name for run in tmp_path.iterdir()] == ["process2"]
    [file] = (tmp_path / "process2").iterdir()
    assert f".{socket.gethostname()}.{os.getpid()}." in file.name
    assert list(tf.summary.read(tmp_path / "process2")) == []
    captured = tf.summary.read(tmp_path / "process2").captured
    assert "system/cpu" in captured.system
    assert not captured.facts
    train(make(), TensorBoard(tmp_path / "quiet", update_freq=1, capture=["facts"]))
    assert not (tmp_path / "quiet").exists()


def steps(folder: Path, tag: str) -> list[int]:
    return tf.summary.read(folder)[tag].steps.tolist()


# Arguments


def test_an_unknown_argument_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"Unrecognized arguments in `TensorBoard` Callback: {'colour'}"):
        TensorBoard(colour="red")


@pytest.mark.parametrize("name", ["batch_size", "embeddings_layer_names", "embeddings_data"])
def test_old_arguments_are_ignored_with_a_warning(name: str) -> None:
    with pytest.warns(UserWarning, match=f"`{name}` .*TensorFlow 2.0"):
        TensorBoard(**{name: 1})  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("value", [-1, (1, 2, 3), (5, 2), (0, 2), 1.5, None, "two", "1,2,3"])
def test_a_bad_profile_batch_is_an_error(value: Any) -> None:
    with pytest.raises(
        ValueError, match="profile_batch must be a non-negative integer or 2-tuple of positive"
    ):
        TensorBoard(profile_batch=value)


@pytest.mark.parametrize("value", [0, (0, 0), "0"])
def test_no_profile_is_fine(value: Any) -> None:
    assert TensorBoard(profile_batch=value).log_dir == "logs"


@pytest.mark.parametrize("value", ["step", 0, -1, 1.5, None])
def test_a_bad_update_freq_is_an_error(value: Any) -> None:
    with pytest.raises(ValueError, match="update_freq to be 'epoch', 'batch' or a positive integer"):
        TensorBoard(update_freq=value)


# In the way of training


def test_epoch_scalars_need_no_batch_hooks() -> None:
    assert not CallbackList(TensorBoard(write_steps_per_second=True)).needs_batch_hooks


def test_batch_scalars_allow_fused_steps() -> None:
    callbacks = CallbackList(TensorBoard(update_freq="batch"))
    assert callbacks.needs_batch_hooks
    assert callbacks.supports_fused_steps
    assert not callbacks.needs_test_batch_hooks


def test_training_ends_with_the_same_bits(tmp_path: Path) -> None:
    plain, watched = make(), make()
    expected = train(plain).history
    board = TensorBoard(tmp_path, update_freq="batch", histogram_freq=1, write_steps_per_second=True)
    assert train(watched, board).history == expected
    assert all(
        a.tobytes() == b.tobytes() for a, b in zip(plain.get_weights(), watched.get_weights(), strict=True)
    )
    assert steps(tmp_path / "train", "batch_loss") == list(range(1, 13))
    losses = tf.summary.read(tmp_path / "train")["batch_loss"].values
    np.testing.assert_allclose([losses[5], losses[11]], expected["loss"], rtol=1e-6)


@pytest.fixture
def board(tmp_path: Path, model: Any) -> TensorBoard:
    """A callback in the middle of a training epoch, which writes every second step."""
    found = TensorBoard(tmp_path, update_freq=2, write_graph=False, write_steps_per_second=True)
    found.set_model(model)
    found.on_train_begin()
    found.on_epoch_begin(0)
    return found


def test_logs_are_read_by_the_writers_thread_and_only_if_written(board: TensorBoard, tmp_path: Path) -> None:
    readers: list[tuple[int, str]] = []

    def logs(step: int) -> Logs:
        def load() -> dict[str, Any]:
            readers.append((step, threading.current_thread().name))
            return {"loss": float(step)}

        return Logs({"loss": None}, load)

    is_read = threading.Event()
    for step in range(4):
        board.on_train_batch_begin(step)
        board.on_train_batch_end(step, logs(step))
    assert not any(name == threading.current_thread().name for _, name in readers)
    for _ in range(500):
        if len(readers) == 2:
            break
        is_read.wait(0.02)
    assert [step for step, _ in readers] == [1, 3]
    board.on_train_end()
    assert tf.summary.read(tmp_path / "train")["batch_loss"].values.tolist() == [1.0, 3.0]


def test_fused_steps_share_their_time(board: TensorBoard, tmp_path: Path) -> None:
    """Of four steps that took a tenth of a second, each took a fortieth."""
    threading.Event().wait(0.1)
    board._on_train_steps_end(0, {"loss": np.float32([0.5, 1.5, 2.5, 3.5])}, 4)
    board.on_train_end()
    run = tf.summary.read(tmp_path / "train")
    rates = run["batch_steps_per_second"].values
    assert rates[0] == rates[1] < 4 / 0.1
    assert run["batch_loss"].steps.tolist() == [2, 4]
    assert run["batch_loss"].values.tolist() == [1.5, 3.5]
    assert np.diff(run["batch_loss"].wall_times) >= 2 * 0.1 / 4


@pytest.mark.parametrize("update_freq", [1, 3])
def test_a_group_that_is_not_full_is_written(update_freq: int, tmp_path: Path) -> None:
    x, y = np.tile(X, (20, 1)), np.tile(Y, (20, 1))
    for fused in (True, False):
        board = TensorBoard(tmp_path / str(fused), update_freq=update_freq, write_graph=False)
        one_by_one = [] if fused else [tf.keras.callbacks.LambdaCallback(on_batch_end=lambda *_: None)]
        make().fit(x, y, batch_size=11, shuffle=False, verbose=0, callbacks=[board, *one_by_one])
    together, alone = (
        tf.summary.read(tmp_path / str(fused) / "train")["batch_loss"] for fused in (True, False)
    )
    assert together.steps.tolist() == alone.steps.tolist() == list(range(update_freq, 45, update_freq))
    np.testing.assert_allclose(together.values, alone.values, rtol=1e-5)


@pytest.mark.parametrize("update_freq", [1, 2, 3, 5, 7])
def test_groups_of_steps_are_written_like_single_ones(update_freq: int, tmp_path: Path) -> None:
    boards = [
        TensorBoard(tmp_path / name, update_freq=update_freq, write_graph=False) for name in ("each", "group")
    ]
    losses = np.arange(20, dtype=np.float32)
    for board in boards:
        board.set_model(None)
    for step in range(20):
        boards[0].on_train_batch_end(step, {"loss": losses[step]})
    for first, count in ((0, 4), (4, 1), (5, 8), (13, 7)):
        boards[1]._on_train_steps_end(first, {"loss": losses[first : first + count]}, count)
    for board in boards:
        board.on_train_end()
    each, group = (tf.summary.read(tmp_path / name / "train")["batch_loss"] for name in ("each", "group"))
    assert each.steps.tolist() == group.steps.tolist() == list(range(update_freq, 21, update_freq))
    assert each.values.tolist() == group.values.tolist()


def test_a_log_that_is_no_scalar_keeps_no_other_from_being_written(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    board = TensorBoard(tmp_path, update_freq=1, write_graph=False)
    board.set_model(None)
    board._on_train_steps_end(0, {"vector": np.zeros((2, 3)), "loss": np.float32([0.5, 1.5])}, 2)
    board.on_train_end()
    run = tf.summary.read(tmp_path / "train")
    assert list(run) == ["batch_loss"]
    assert run["batch_loss"].values.tolist() == [0.5, 1.5]
    assert "a summary of 'batch_vector' could not be made" in caplog.text


def test_an_optimizer_that_does_not_count(board: TensorBoard, tmp_path: Path) -> None:
    board.on_test_begin()
    board.on_test_end({"loss": 0.5})
    board.write_graph = False
    board.on_epoch_end(0, {"loss": 0.5, "val_loss": 0.25})
    board.on_train_end()
    assert list(tf.summary.read(tmp_path / "validation")) == ["epoch_loss"]
    assert tf.summary.read(tmp_path / "train")["epoch_learning_rate"].values == pytest.approx([0.1])


# Files


def test_a_second_fit_adds_a_file(tmp_path: Path) -> None:
    folder = tmp_path / "a run, größer"
    model, callback = make(), TensorBoard(folder)
    train(model, callback, epochs=1, validation_data=(X, Y))
    train(model, callback, epochs=1, validation_data=(X, Y))
    for name in ("train", "validation"):
        assert len(tf.summary.read(folder / name).files) == 2
        assert steps(folder / name, "epoch_loss") == [0, 0]
    assert steps(folder / "validation", "evaluation_loss_vs_iterations") == [6, 12]


def test_files_are_complete_when_fit_returns(tmp_path: Path) -> None:
    train(make(), TensorBoard(tmp_path, update_freq=1))
    (path,) = (tmp_path / "train").iterdir()
    assert path.read_bytes().count(b"batch_mae") == 12
    assert not (tmp_path / "validation").exists()


def test_evaluate_alone_is_written_at_once(tmp_path: Path) -> None:
    make().evaluate(X, Y, verbose=0, callbacks=[TensorBoard(tmp_path)])
    (path,) = (tmp_path / "validation").iterdir()
    assert b"evaluation_mae_vs_iterations" in path.read_bytes()
    (path,) = (tmp_path / "train").iterdir()
    assert b"graph_keras_model" in path.read_bytes()


@pytest.mark.parametrize(("write_graph", "count"), [(True, 1), (False, 0)])
def test_graphs(tmp_path: Path, write_graph: bool, count: int) -> None:
    train(make(), TensorBoard(tmp_path, write_graph=write_graph))
    run = tf.summary.read(tmp_path / "train")
    assert len(run.graphs) == count
    assert ("keras" in run) == write_graph


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize(("freq", "crash_at"), [("epoch", 7), ("epoch", 8), (2, 3), (2, 9), (2, 1)])
def test_what_is_written_once_is_written_once_however_often_training_is_resumed(
    freq: Any, crash_at: int, is_first: bool, tmp_path: Path
) -> None:
    class Crash(tf.keras.callbacks.Callback):
        def __init__(self, after: float = crash_at) -> None:
            super().__init__()
            self.left = after

        def on_train_begin(self, logs: Any = None) -> None:
            tf.summary.text("about", "a note", step=0)

        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            self.left -= 1
            if not self.left:
                raise KeyboardInterrupt

    def run(*callbacks: Any) -> None:
        board = TensorBoard(tmp_path / "logs", update_freq=1, profile_batch=1)
        hparams = hp.KerasCallback(tmp_path / "logs", {"a": 1})
        each: list[Any] = [tf.keras.callbacks.BackupAndRestore(tmp_path / "backup", freq), board, hparams]
        train(make(), *(each if is_first else each[::-1]), *callbacks, epochs=3)

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            run(Crash())
    run(Crash(np.inf))
    found = tf.summary.read(tmp_path / "logs" / "train")
    assert len(found.graphs) == 1
    assert steps(tmp_path / "logs" / "train", "keras") == [0]
    assert steps(tmp_path / "logs" / "train", "about") == [0]
    assert len(list((tmp_path / "logs" / "plugins" / "profile").iterdir())) == 1 or crash_at == 1
    assert steps(tmp_path / "logs" / "train", "batch_loss") == list(range(1, 19))
    assert steps(tmp_path / "logs", "_hparams_/session_start_info") == [0]


def test_a_step_that_is_not_staged_has_no_graph(tmp_path: Path) -> None:
    train(make(run_eagerly=True), TensorBoard(tmp_path), epochs=1)
    assert tf.summary.read(tmp_path / "train").graphs == []


def test_a_model_without_json_trains_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = make()

    def fail(**options: Any) -> str:
        raise KeyError("no config")

    monkeypatch.setattr(model, "to_json", fail)
    with pytest.warns(UserWarning, match="Model failed to serialize as JSON. Ignoring... 'no config'"):
        train(model, TensorBoard(tmp_path))
    assert "keras" not in tf.summary.read(tmp_path / "train")


def test_the_scheduled_rate_of_a_scaled_optimizer(tmp_path: Path) -> None:
    schedule = tf.keras.optimizers.schedules.ExponentialDecay(0.1, 6, 0.5)
    scaled = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD(schedule))
    train(make(optimizer=scaled), TensorBoard(tmp_path))
    rates = tf.summary.read(tmp_path / "train")["epoch_learning_rate"].values
    np.testing.assert_allclose(rates, [0.05, 0.025], rtol=1e-6)


def test_a_hand_written_loop_with_a_model_that_is_not_compiled(tmp_path: Path) -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))])
    callbacks = CallbackList(TensorBoard(tmp_path, update_freq=1), model=model)
    callbacks.on_train_begin()
    for epoch in range(2):
        callbacks.on_epoch_begin(epoch)
        callbacks.on_train_batch_begin(0)
        callbacks.on_train_batch_end(0, {"loss": tf.constant(0.5)})
        callbacks.on_epoch_end(epoch, {"loss": tf.constant(0.5)})
    callbacks.on_train_end()
    run = tf.summary.read(tmp_path / "train")
    assert list(run) == ["keras", "batch_loss", "epoch_loss"]
    assert run["batch_loss"].steps.tolist() == [1, 2]


# The model's own summaries


class Telling(tf.keras.Model):
    """Writes a summary of its own, without a step."""

    def __init__(self) -> None:
        super().__init__()
        self.d = tf.keras.layers.Dense(1)

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        y = self.d(inputs)
        tf.summary.scalar("mine", tf.reduce_mean(y))
        return y


def telling() -> Telling:
    model = Telling()
    model.compile("sgd", "mse")
    return model


def test_the_models_own_summaries_are_written_as_often(tmp_path: Path) -> None:
    train(telling(), TensorBoard(tmp_path, update_freq=4), validation_data=(X[:8], Y[:8]))
    assert steps(tmp_path / "train", "mine") == [0, 4, 8]
    assert set(steps(tmp_path / "validation", "mine")) == {6, 12}
    assert current.writer is None
    assert current.step is None


def test_without_batch_scalars_the_models_summaries_are_none_of_ours(tmp_path: Path) -> None:
    train(telling(), TensorBoard(tmp_path))
    assert "mine" not in tf.summary.read(tmp_path / "train")


def test_after_a_fit_that_failed_the_next_one_tidies_up(tmp_path: Path) -> None:
    class Failing(tf.keras.callbacks.Callback):
        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            raise InterruptedError

    model, callback = make(), TensorBoard(tmp_path, update_freq="batch")
    with pytest.raises(InterruptedError):
        train(model, Failing(), callback)
    train(model, callback, epochs=1)
    assert current.writer is None
    assert steps(tmp_path / "train", "batch_loss") == [*range(1, 7), *range(1, 7)]


# Gradients and embeddings


def words() -> Any:
    tf.keras.utils.set_random_seed(3)
    layers = [
        tf.keras.layers.Embedding(5, 3, input_length=2, name="words"),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dropout(0.5),
    ]
    model = tf.keras.Sequential([*layers, tf.keras.layers.Dense(1, name="dense")])
    model.compile("sgd", "mse")
    return model


TOKENS, SCORES = np.int32([[0, 1], [2, 3], [3, 3], [1, 0], [2, 2]]), np.float32([[1], [2], [3], [4], [5]])


def test_gradients_are_those_of_the_last_batch_and_change_nothing(tmp_path: Path) -> None:
    model, other = words(), words()
    board = TensorBoard(tmp_path, histogram_freq=1, write_graph=False, write_grads=True)
    model.fit(TOKENS, SCORES, batch_size=2, epochs=2, shuffle=False, verbose=0, callbacks=[board])
    other.fit(TOKENS, SCORES, batch_size=2, epochs=2, shuffle=False, verbose=0)
    for ours, theirs in zip(model.get_weights(), other.get_weights(), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(TOKENS[4:], training=False) - SCORES[4:]) ** 2)
    expected = tape.gradient(loss, model.trainable_weights)[1].numpy()
    run = tf.summary.read(tmp_path / "train")
    tag = next(name for name in run if name.endswith("kernel_0/gradient"))
    assert run[tag].steps.tolist() == [0, 1]
    buckets = np.asarray(run[tag].values[-1])
    assert buckets[0, 0] == pytest.approx(expected.min(), rel=1e-5)
    assert buckets[-1, 1] == pytest.approx(expected.max(), rel=1e-5)


@pytest.mark.parametrize("names", ["one", "each", "columns"])
def test_embeddings(names: str, tmp_path: Path) -> None:
    lines = [f"w{i}" for i in range(5)]
    if names == "columns":
        lines = ["word\tlength", *[f"{line}\t2" for line in lines]]
    (tmp_path / "labels.tsv").write_text("\n".join(lines))
    metadata = {"words": "labels.tsv"} if names == "each" else "labels.tsv"
    board = TensorBoard(tmp_path, write_graph=False, embeddings_freq=2, embeddings_metadata=metadata)
    model = words()
    model.fit(TOKENS, SCORES, epochs=4, verbose=0, callbacks=[board])
    found = read_embeddings(tmp_path / "train")
    assert [(e.name, e.step, e.shape) for e in found] == [("words", 0, (5, 3)), ("words", 2, (5, 3))]
    text = (tmp_path / "train" / found[-1].metadata).read_text()
    assert text.splitlines() == lines


def test_the_projectors_configuration_in_the_log_folder(tmp_path: Path) -> None:
    """Names as in TensorFlow, and where the newest points are, so that TensorBoard shows them from there, too."""
    (tmp_path / "labels.tsv").write_text("\n".join("abcde"))
    (tmp_path / "projector_config.pbtxt").write_text(
        'embeddings { tensor_name: "mine" tensor_path: "mine.tsv" }'
    )
    layers = tf.keras.layers
    ids, others = tf.keras.Input((2,)), tf.keras.Input((2,))
    points = [layers.Embedding(5, 3, name="one")(ids), layers.Embedding(6, 2, name="two")(others)]
    model = tf.keras.Model(
        [ids, others], layers.Dense(1)(layers.Concatenate()([layers.Flatten()(p) for p in points]))
    )
    model.compile("sgd", "mse")
    board = TensorBoard(tmp_path, embeddings_freq=2, embeddings_metadata={"one": "labels.tsv"})
    model.fit([TOKENS, TOKENS], SCORES, epochs=3, verbose=0, callbacks=[board])
    name = "layer_with_weights-{}/embeddings/.ATTRIBUTES/VARIABLE_VALUE".format
    found = {e.name: e for e in read_embeddings(tmp_path)}
    assert list(found) == [name(0), name(1), "mine"]
    assert [found[name(i)].metadata for i in range(2)] == ["labels.tsv", ""]
    for number, layer in enumerate(("one", "two")):
        info = found[name(number)]
        wanted = model.get_layer(layer).get_weights()[0]
        np.testing.assert_array_equal(read_vectors(tmp_path / info.vectors, info.shape), wanted)
    checkpoint = tf.train.latest_checkpoint(tmp_path / "train")
    assert Path(checkpoint).name == "keras_embedding.ckpt-2"
    np.testing.assert_array_equal(tf.train.load_variable(checkpoint, name(1)), wanted)


def test_a_configuration_that_cannot_be_written(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "projector_config.pbtxt").write_text("none of ours")
    words().fit(TOKENS, SCORES, verbose=0, callbacks=[TensorBoard(tmp_path, embeddings_freq=1)])
    assert "could not write the projector's configuration or checkpoint" in caplog.text
    assert (tmp_path / "projector_config.pbtxt").read_text() == "none of ours"


def test_labels_for_a_layer_that_is_not_there(tmp_path: Path) -> None:
    board = TensorBoard(tmp_path, embeddings_freq=1, embeddings_metadata={"nothing": "labels.tsv"})
    with pytest.raises(ValueError, match="Unrecognized `Embedding` layer names passed .*'nothing'"):
        board.set_model(words())


# What the run is


def test_a_fit_captures_what_it_is(tmp_path: Path) -> None:
    train(make(), TensorBoard(tmp_path), validation_data=(X, Y))
    run = tf.summary.read(tmp_path / "train")
    assert set(run) >= {"epoch_loss", "epoch_mae"}
    assert not [tag for tag in run if tag.startswith(("tapeflow", "system"))]
    assert run.captured.state["state"] == "finished"
    assert run.captured.facts["packages"]["jax"]
    assert run.captured.facts["devices"]
    assert tf.summary.read(tmp_path / "validation").captured.facts == {}


def test_a_fit_that_fails_has_crashed(tmp_path: Path) -> None:
    class Failing(tf.keras.callbacks.Callback):
        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            raise RuntimeError("no more data")

    with pytest.raises(RuntimeError, match="no more data"):
        train(make(), TensorBoard(tmp_path), Failing())
    state = tf.summary.read(tmp_path / "train").captured.state
    assert state["state"] == "crashed"
    assert state["error"] == "RuntimeError: no more data"


def test_nothing_is_captured_unless_wanted(tmp_path: Path) -> None:
    train(make(), TensorBoard(tmp_path, capture=False))
    assert tf.summary.read(tmp_path / "train").captured.state == {}
    with pytest.raises(ValueError, match="expected some of facts, code, system, console; got kinds='all'"):
        TensorBoard(tmp_path, capture=["all"])


def test_an_address_as_log_dir() -> None:
    import fsspec

    address = "memory://tensor-board/run"
    train(make(), TensorBoard(address, update_freq=2, histogram_freq=1), validation_data=(X, Y))
    files = fsspec.filesystem("memory").find("/tensor-board/run")
    assert [name.split("/")[3] for name in files] == ["train", "validation"]
    assert b"epoch_loss" in fsspec.filesystem("memory").cat_file(files[0])
    for option in ({"profile_batch": 2}, {"embeddings_freq": 1}):
        with pytest.raises(ValueError, match=f"TensorBoard expected {next(iter(option))}=0 with an address"):
            TensorBoard(address, **option)
