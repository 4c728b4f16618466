"""Profiles: what `start`, `stop` and `Profile` write, of `fit` and of loops, and that they are stopped however."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.programs import phases
from tapeflow.engine.programs.capture import is_tracing
from tapeflow.profiler import session
from tapeflow.summary.profile import Profile, find, read

profiler = tf.profiler.experimental

ROWS, BATCH, EPOCHS = 96, 16, 2
SLEEP_S = 0.05


def data() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    return random.normal(size=(ROWS, 8)).astype(np.float32), random.integers(0, 3, ROWS)


def model(cls: Any = tf.keras.Sequential, **compiling: Any) -> Any:
    found = cls([tf.keras.Input((8,)), tf.keras.layers.Dense(4, "relu"), tf.keras.layers.Dense(3)])
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    found.compile("sgd", loss, **compiling)
    return found


def slow(x: Any, y: Any) -> Any:
    time.sleep(SLEEP_S)
    return x + float(tf.reduce_sum(x)) * 0, y  # Python reads a value: called for each element


def slow_dataset() -> Any:
    x, y = data()
    batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH)
    return batches.map(slow)


@pytest.fixture(scope="module")
def bound(tmp_path_factory: pytest.TempPathFactory) -> tuple[Profile, float]:
    """`fit` on a pipeline that does little but sleep, and how long it took in all."""
    folder = tmp_path_factory.mktemp("bound")
    found = model()
    began = time.perf_counter()
    with profiler.Profile(folder):
        found.fit(slow_dataset(), epochs=EPOCHS, verbose=0)
    return read(folder), time.perf_counter() - began


def test_every_step_of_fit_is_in_the_record(bound: tuple[Profile, float]) -> None:
    profile, _ = bound
    assert {step.name for step in profile.steps} == {"train"}
    assert sum(step.count for step in profile.steps) == EPOCHS * ROWS // BATCH
    ends = [step.number + step.count for step in profile.steps]
    assert [step.number for step in profile.steps] == [0, *ends[:-1]]


def test_phases_add_up_to_the_time_of_the_step_and_steps_to_no_more_than_there_was(
    bound: tuple[Profile, float],
) -> None:
    profile, wall = bound
    for step in profile.steps:
        assert sum(step.phases.values()) == pytest.approx(step.wall)
    assert sum(step.wall for step in profile.steps) <= profile.duration <= wall
    for before, after in zip(profile.steps, profile.steps[1:], strict=False):
        assert before.at + before.wall <= after.at + 1e-6


def test_waiting_for_input_is_at_least_what_the_pipeline_slept(bound: tuple[Profile, float]) -> None:
    profile, _ = bound
    groups = [
        step for step in profile.steps if step.number
    ]  # what the first one reads, `fit` has looked at before
    # A group's batches are made while another one runs, at most two groups ahead.
    assert sum(step.phases["input"] for step in groups) > 0
    assert profile.breakdown["input"] >= SLEEP_S * EPOCHS * ROWS / BATCH / 4


def test_an_input_bound_fit_is_called_so_with_what_its_pipeline_lacks(bound: tuple[Profile, float]) -> None:
    verdict = bound[0].verdict
    assert verdict.is_input_bound
    assert "of step time waits for input: add cache(), map(num_parallel_calls=AUTOTUNE), prefetch()" in str(
        verdict
    )
    assert any("cache() after map(slow)" in remedy for remedy in verdict.remedies)


class Asleep(tf.keras.Sequential):
    """Has steps that take their time whatever else the machine does."""

    def train_step(self, data: Any) -> Any:
        time.sleep(2 * SLEEP_S)
        return super().train_step(data)


def test_mending_the_pipeline_changes_the_verdict(tmp_path: Path) -> None:
    found = model(Asleep, run_eagerly=True)
    x, y = data()
    slower = (
        tf.data.Dataset.from_tensor_slices((x[:64], y[:64]))
        .batch(BATCH)
        .map(slow)
        .map(slow)
        .map(slow)
        .map(slow)
    )
    mended = slower.cache().prefetch(tf.data.AUTOTUNE)
    found.fit(mended, verbose=0)
    for name, dataset in (("before", slower), ("after", mended)):
        with profiler.Profile(tmp_path / name):
            found.fit(dataset, verbose=0)
    before, after = read(tmp_path / "before"), read(tmp_path / "after")
    assert before.verdict.is_input_bound
    assert after.verdict.kind == "host"
    assert [step["method"] for step in after.pipelines[0].steps][-2:] == ["cache", "prefetch"]
    assert all(step.phases["host"] >= 2 * SLEEP_S for step in after.steps)


def test_the_pipeline_says_how_long_the_function_was_busy(bound: tuple[Profile, float]) -> None:
    mapped = bound[0].pipelines[0].steps[-1]
    assert mapped["method"] == "map"
    assert mapped["function"] == "slow"
    assert not mapped["is_recorded"]
    assert mapped["calls"] >= EPOCHS * ROWS // BATCH
    assert mapped["busy_ns"] >= mapped["calls"] * SLEEP_S * 1e9


def test_compiling_is_a_phase_and_named(bound: tuple[Profile, float]) -> None:
    profile, _ = bound
    first = profile.steps[0]
    assert first.phases["compile"] > 0
    assert "train_step" in [compiled.name for compiled in profile.compiles]
    assert not any(step.phases["compile"] for step in profile.steps if step.number >= ROWS // BATCH)


def test_ops_and_memory_are_there(bound: tuple[Profile, float]) -> None:
    profile, _ = bound
    assert any(op.kind == "matmul" and op.dtype == "float32" for op in profile.ops)
    assert any(op.is_gradient for op in profile.ops)
    assert profile.low_precision_share == 0
    assert all(op.wall >= 0 and op.occurrences for op in profile.ops)
    assert max(sample.rss_bytes for sample in profile.memory) > 1 << 20
    assert profile.memory[-1].live_bytes > 0
    assert not profile.damages


def test_the_report_says_all_of_it(bound: tuple[Profile, float]) -> None:
    text = str(bound[0])
    for part in (
        "waits for input",
        "staging and compiling",
        "computing on the device",
        "matmul",
        "train_step",
    ):
        assert part in text
    assert "Memory at most" in text


def test_the_files_are_where_xprof_looks(tmp_path: Path) -> None:
    logs = tmp_path / "Läufe 1"
    profiler.start(str(logs))
    profiler.stop()
    (folder,) = (logs / "plugins" / "profile").iterdir()
    names = sorted(file.name.partition(".")[2] for file in folder.iterdir())
    assert names == ["steps.jsonl", "trace.json.gz", "xplane.pb"]
    assert find(logs) == [str(folder)]


def test_two_profiles_of_one_second_have_a_folder_each(tmp_path: Path) -> None:
    for _ in range(3):
        with profiler.Profile(tmp_path):
            pass
    assert len(find(tmp_path)) == 3


def test_a_profile_that_is_not_wanted_leaves_nothing(tmp_path: Path) -> None:
    profiler.start(tmp_path)
    profiler.stop(save=False)
    assert not list((tmp_path / "plugins" / "profile").iterdir())
    profiler.start("")  # as Keras warms TensorFlow's up
    profiler.stop(save=False)


def test_a_second_profile_at_a_time_is_an_error(tmp_path: Path) -> None:
    with (
        profiler.Profile(tmp_path),
        pytest.raises(tf.errors.AlreadyExistsError, match="Another profiler is running"),
    ):
        profiler.start(tmp_path)
    assert len(find(tmp_path)) == 1


def test_stopping_what_does_not_run_is_an_error() -> None:
    with pytest.raises(
        tf.errors.UnavailableError, match="Cannot export profiling results. No profiler is running"
    ):
        profiler.stop()


def test_a_folder_that_cannot_be_made_is_said_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        profiler.start(tmp_path / "file")
    assert not is_tracing()
    with profiler.Profile(tmp_path):
        pass


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_a_profile_is_stopped_and_saved_when_its_block_is_left(
    tmp_path: Path, error: type[BaseException]
) -> None:
    with pytest.raises(error), profiler.Profile(tmp_path), profiler.Trace("train", step_num=3):
        raise error
    assert not session.is_running()
    assert not is_tracing()
    assert [step.number for step in read(tmp_path).steps] == [3]


def test_a_start_that_is_interrupted_leaves_nothing_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(phases, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        profiler.start(tmp_path)
    monkeypatch.undo()
    assert not session.is_running()
    assert not is_tracing()
    assert not find(tmp_path)


def test_options_are_tensorflows() -> None:
    assert profiler.ProfilerOptions() == (2, 0, 1, None)
    assert profiler.ProfilerOptions(host_tracer_level=3)._asdict()["host_tracer_level"] == 3


def test_options_are_options(tmp_path: Path) -> None:
    with pytest.raises(
        TypeError, match="expected options to be a tf.profiler.experimental.ProfilerOptions; got"
    ):
        profiler.start(tmp_path, options={"host_tracer_level": 3})  # pyright: ignore[reportArgumentType]
    with profiler.Profile(tmp_path, profiler.ProfilerOptions(python_tracer_level=1)):
        data()
    (file,) = tmp_path.glob("plugins/profile/*/*.xplane.pb")
    assert b"test_session.py" in file.read_bytes()  # a Python function that was called


class CustomStep(tf.keras.Sequential):
    """A step of its own."""

    def train_step(self, data: Any) -> Any:
        x, y = data
        with tf.GradientTape() as tape:
            loss = self.compiled_loss(y, self(x, training=True))
        self.optimizer.minimize(loss, self.trainable_variables, tape=tape)
        return {"loss": loss}


class EachBatch(tf.keras.callbacks.Callback):
    """Wants to be called at every batch, and takes its time."""

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        time.sleep(SLEEP_S)


@pytest.mark.parametrize("way", ["custom", "eager"])
def test_other_ways_of_training_are_recorded_alike(tmp_path: Path, way: str) -> None:
    x, y = data()
    found = model(CustomStep) if way == "custom" else model(run_eagerly=True)
    with profiler.Profile(tmp_path):
        found.fit(x, y, batch_size=BATCH, verbose=0)
    profile = read(tmp_path)
    assert sum(step.count for step in profile.steps) == ROWS // BATCH
    assert (len(profile.steps) == ROWS // BATCH) == (way == "eager")
    assert profile.breakdown["device"] > 0
    assert profile.pipelines[0].steps == [{"method": "arrays"}]


def test_slow_callbacks_are_found_out(tmp_path: Path) -> None:
    x, y = data()
    found = model()
    found.fit(x, y, batch_size=BATCH, verbose=0, callbacks=[EachBatch()])
    with profiler.Profile(tmp_path):
        found.fit(x, y, batch_size=BATCH, verbose=0, callbacks=[EachBatch()])
    profile = read(tmp_path)
    assert profile.verdict.kind == "callbacks"
    assert str(profile.verdict).endswith(
        "of step time goes into callbacks and logging, most of it into EachBatch."
    )
    assert profile.verdict.remedies[0].startswith("Let EachBatch do its work less often")
    assert profile.callbacks[0][0] == "EachBatch"
    assert profile.callbacks[0][1] >= SLEEP_S * len(profile.steps)
    for step in profile.steps:
        assert step.count == 1
        assert step.phases["callbacks"] >= SLEEP_S
    assert {name for name, _ in profile.hooks} == {"on_epoch_begin", "on_epoch_end"}


def test_evaluate_and_predict_have_steps_of_their_own_kind(tmp_path: Path) -> None:
    x, y = data()
    found = model()
    with profiler.Profile(tmp_path):
        found.evaluate(x, y, batch_size=BATCH, verbose=0)
        found.predict(x, batch_size=BATCH, verbose=0)
    counts = {"test": 0, "predict": 0}
    for step in read(tmp_path).steps:
        counts[step.name] += step.count
    assert counts == {"test": ROWS // BATCH, "predict": ROWS // BATCH}


def test_single_batches_are_steps(tmp_path: Path) -> None:
    x, y = data()
    found = model()
    with profiler.Profile(tmp_path):
        for _ in range(3):
            found.train_on_batch(x[:4], y[:4])
        found.test_on_batch(x[:4], y[:4])
    assert [(s.name, s.number) for s in read(tmp_path).steps] == [
        *(("train", n) for n in range(3)),
        ("test", 0),
    ]


def test_a_profile_that_is_never_stopped_is_kept_at_the_end(tmp_path: Path) -> None:
    code = "import sys, tapeflow as tf; tf.profiler.experimental.start(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)
    assert not read(tmp_path).damages


class Sequence(tf.keras.utils.Sequence):
    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> Any:
        time.sleep(SLEEP_S)
        return np.zeros((4, 8), np.float32), np.zeros(4, np.int64)


def batches() -> Iterator[Any]:
    for index in range(4):
        yield Sequence()[index]


@pytest.mark.parametrize(
    ("source", "remedy"), [(Sequence, "fit(workers=4)"), (batches, "a tf.data.Dataset with map")]
)
def test_what_is_no_dataset_gets_a_remedy_of_its_own(tmp_path: Path, source: Any, remedy: str) -> None:
    found = model()
    with profiler.Profile(tmp_path):
        found.fit(source(), verbose=0)
        found.fit(source(), verbose=0)
    verdict = read(tmp_path).verdict
    assert verdict.is_input_bound
    assert remedy in str(verdict)
