"""The rules on runs made up for them: 200 healthy ones of many shapes, and 50 with a fault that must be named.

The files are real ones, read by a board. A short form runs by default.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from tapeflow.board.board import Board
from tapeflow.board.health.watch import Health
from tapeflow.board.logdirs import run_id
from tapeflow.summary.captured import messages
from tapeflow.summary.event_files import encoding
from tapeflow.summary.event_files.records import record
from tapeflow.summary.event_files.tensors import tensor_bytes

BEGAN = time.time() - 3 * 86400
Made = dict[str, bytes]  # by run, its records


def scalar(tag: str, values: Any, steps: Any = None, plugin: str = "scalars") -> bytes:
    meta = encoding.metadata(plugin)
    steps = range(len(values)) if steps is None else steps
    return b"".join(
        record(encoding.scalar_event(BEGAN + 60 + 0.1 * i, int(step), tag, float(value), meta))
        for i, (step, value) in enumerate(zip(steps, values, strict=True))
    )


def histograms(tag: str, spreads: Any, rng: np.random.Generator) -> bytes:
    found = b""
    for step, spread in enumerate(spreads):
        counts, edges = np.histogram(rng.normal(size=500) * spread, 30)
        value = tensor_bytes(np.stack([edges[:-1], edges[1:], counts], axis=1))
        meta = encoding.metadata("histograms")
        found += record(encoding.tensor_event(BEGAN + 60 + step, step, tag, value, meta))
    return found


def vitals(*states: dict[str, Any], host: str = "elsewhere", beat: float = BEGAN) -> bytes:
    meta = encoding.metadata(messages.PLUGIN)
    facts = {"id": "a", "time": BEGAN, "host": host, "process": 99_999_999, "process_began": BEGAN}
    found = record(
        encoding.tensor_event(BEGAN, 0, messages.FACTS, tensor_bytes(messages.dumped(facts)), meta)
    )
    for state in states:
        text = messages.dumped({"id": "a", "interval_s": 10.0, **state})
        found += record(encoding.tensor_event(beat, 0, messages.STATE, tensor_bytes(text), meta))
    return found


class Shapes:
    """Curves of healthy trainings."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def count(self) -> int:
        return int(np.exp(self.rng.uniform(np.log(8), np.log(3000))))

    def loss(self, n: int) -> np.ndarray:
        rng = self.rng
        t = np.linspace(0, 1, n)
        start, floor = np.exp(rng.uniform(-1, 4)), 0.0
        floor = start * rng.uniform(0, 0.75)
        kind = rng.integers(7)
        if kind == 0:
            curve = np.exp(-t * rng.uniform(2, 30))
        elif kind == 1:
            curve = (1 + t * rng.uniform(5, 500)) ** -rng.uniform(0.3, 1.2)
        elif kind == 2:  # slow at first
            curve = 1 / (1 + np.exp((t - rng.uniform(0.1, 0.6)) * rng.uniform(8, 30)))
        elif kind == 3:  # falls at the drops of a rate
            curve = 1 - 0.45 * (t > 0.3) - 0.3 * (t > 0.65) - 0.2 * (1 - np.exp(-t * 20))
        elif kind == 4:  # warm restarts
            curve = np.exp(-3 * t) * (1 + 0.25 * ((t * rng.integers(2, 6)) % 1 < 0.12))
        elif kind == 5:  # a hill after the beginning
            curve = np.exp(-6 * t) + 0.15 * np.exp(-((t - 0.15) ** 2) / 0.002)
        else:
            curve = 1 - t**0.5
        noise = rng.normal(size=n) * rng.choice([0.0, 0.01, 0.05, 0.15]) * (0.3 + 0.7 * curve)
        spikes = (rng.random(n) < 0.003) * rng.uniform(0.5, 3, n)
        found = floor + (start - floor) * np.maximum(curve * (1 + noise) + spikes * curve, 0)
        return found - start if rng.random() < 0.08 else found  # a likelihood, below zero

    def validation(self, training: np.ndarray, n: int) -> np.ndarray:
        rng = self.rng
        at = np.linspace(0, len(training) - 1, n).astype(int)
        window = max(len(training) // n, 1)
        smooth = np.array([np.median(training[max(i - window, 0) : i + 1]) for i in at])
        gain = smooth[0] - smooth.min()
        found = smooth + 0.1 * gain * rng.random() * np.linspace(0, 1, n) + 0.05 * gain
        t = np.linspace(0, 1, n)
        found += rng.choice([0.0, 0.03]) * gain * np.clip(t - 0.7, 0, 1)  # hardly rises
        return found + rng.normal(size=n) * rng.choice([0.0, 0.01, 0.04]) * gain

    def rate(self, n: int) -> np.ndarray:
        t = np.linspace(0, 1, n)
        peak = 10 ** self.rng.uniform(-5, -1)
        kind = self.rng.integers(5)
        if kind == 0:
            return np.full(n, peak)
        if kind == 1:
            return peak * 0.5 * (1 + np.cos(np.pi * t))  # ends at 0
        if kind == 2:
            return peak * np.minimum(t / 0.1, (1 - t) / 0.9)  # begins and ends at 0
        if kind == 3:
            return peak * 0.1 ** np.floor(3 * t)
        return peak * 0.96 ** (100 * t)

    def norm(self, n: int) -> np.ndarray:
        found = 10 ** self.rng.uniform(-3, 1) * np.exp(0.5 * self.rng.normal(size=n)) * np.linspace(1, 0.1, n)
        found[self.rng.random(n) < 0.01] *= 30  # clipped
        if self.rng.random() < 0.2:
            found[: min(3, n)] = np.inf  # a loss scale that is too large at first
        return found


def healthy(i: int, rng: np.random.Generator) -> Made:
    shapes, name = Shapes(rng), f"healthy/{i}"
    n = shapes.count()
    loss = shapes.loss(n)
    steps = np.arange(n) * int(rng.choice([1, 10]))
    if rng.random() < 0.15 and n > 40:  # killed, and resumed from a checkpoint
        cut, back = int(n * rng.uniform(0.3, 0.9)), int(n * rng.uniform(0.05, 0.25))
        loss = np.concatenate([loss[:cut], loss[cut - back :] * (1 + 0.01 * rng.normal(size=n - cut + back))])
        steps = np.concatenate([steps[:cut], steps[cut - back :]])
    elif rng.random() < 0.08 and n > 40:  # begun again in the same folder
        cut = int(n * rng.uniform(0.2, 0.8))
        loss, steps = np.concatenate([loss[:cut], loss]), np.concatenate([steps[:cut], steps])
    accuracy = 1 - np.clip(np.abs(loss) / (np.abs(loss).max() + 1e-9), 0, 1)
    m = max(4, n // 20)
    kind = rng.integers(4)
    if kind == 0:  # as the Keras callback
        made = {
            f"{name}/train": scalar("epoch_loss", loss, steps) + scalar("epoch_accuracy", accuracy, steps),
            f"{name}/validation": scalar("epoch_loss", shapes.validation(loss, m))
            + scalar("evaluation_loss_vs_iterations", shapes.validation(loss, m)),
        }
        made[f"{name}/train"] += scalar("epoch_learning_rate", shapes.rate(n))
    elif kind == 1:  # as people do
        data = scalar("loss", loss, steps) + scalar("val_loss", shapes.validation(loss, m), np.arange(m) * 20)
        data += scalar("lr", shapes.rate(n)) + scalar("grad_norm", shapes.norm(n))
        auc = np.where(rng.random(n) < 0.3, np.nan, accuracy[:n]) if rng.random() < 0.3 else accuracy[:n]
        made = {name: data + scalar("val_auc", auc)}
    elif kind == 2:
        data = scalar("train/loss", loss, steps) + scalar("eval/loss", shapes.validation(loss, m))
        data += scalar("train/learning_rate", shapes.rate(n))
        k = min(n, 40)
        for layer in range(2):
            spreads = 10.0 ** rng.uniform(-4, -1) * np.exp(0.3 * rng.normal(size=k)) * np.linspace(1, 0.3, k)
            data += histograms(f"gradients/layer{layer}", spreads, rng)
        made = {name: data}
    else:  # what has no shape: a GAN, reinforcement learning
        walk = np.cumsum(rng.normal(size=n)) * 0.1 + 1
        data = scalar("gen_loss", np.abs(walk) + 0.1 * rng.random(n)) + scalar("d_loss", rng.random(n))
        data += scalar("policy_loss", rng.normal(size=n)) + scalar("episode/reward", walk)
        made = {name: data + scalar("entropy_loss", -np.linspace(1, 0.1, n))}
    if rng.random() < 0.5:
        first = next(iter(made))
        ended = (
            {"state": "finished"}
            if rng.random() < 0.8
            else {"state": "finished", "error": "KeyboardInterrupt"}
        )
        made[first] += vitals(ended)
        free = scalar("system/disk_free", rng.uniform(2e9, 1e12, 20), plugin="tapeflow_system")
        made[first] += free + scalar("system/disk", rng.uniform(5, 97, 20), plugin="tapeflow_system")
    return made


FAULTS = ["nan"] * 6 + ["diverged"] * 8 + ["plateau"] * 6 + ["overfitting"] * 8 + ["vanishing"] * 5
FAULTS += ["exploding"] * 5 + ["zero_rate"] * 4 + ["crashed"] * 4 + ["stalled"] * 2 + ["disk"] * 2


def faulty(i: int, rng: np.random.Generator) -> tuple[str, Made]:
    shapes, name, code = Shapes(rng), f"faulty/{i}", FAULTS[i % len(FAULTS)]
    n = max(shapes.count(), 60)
    loss = np.abs(shapes.loss(n)) + 0.01
    t, at = np.linspace(0, 1, n), int(n * rng.uniform(0.3, 0.8))
    if code == "nan":
        last = n if rng.random() < 0.6 else at + 1  # goes on, or is stopped at once
        loss[at:] = rng.choice([np.nan, np.inf])
        return code, {name: scalar(str(rng.choice(["loss", "train/loss"])), loss[:last])}
    if code == "diverged":
        gain = loss[0] - loss.min()
        how = rng.integers(3)
        if how == 0:  # blows up
            loss[at:] = loss[0] * rng.uniform(2, 100)
        elif how == 1:  # creeps back
            loss += gain * 1.2 * np.clip((t - at / n) / (1 - at / n), 0, 1) ** 0.5
        else:  # grows without end
            loss *= np.exp(rng.uniform(3, 9) * np.clip(t - at / n, 0, 1))
        return code, {name: scalar("loss", loss * (1 + 0.02 * rng.normal(size=n)))}
    if code == "plateau":
        level, noise = np.exp(rng.uniform(-2, 3)), rng.choice([0.0, 0.005, 0.03])
        return code, {name: scalar("loss", level * (1 + noise * rng.normal(size=n)))}
    if code == "overfitting":
        m = int(rng.integers(12, 80))
        u, low = np.linspace(0, 1, m), rng.uniform(0.15, 0.6)
        fall = np.exp(-u * 6) - np.exp(-6 * low)
        rise = rng.uniform(0.25, 1.5) * np.clip(u - low, 0, 1) / (1 - low)
        validation = 0.5 + np.where(u < low, fall, 0) + rise + 0.02 * rng.normal(size=m)
        training = 0.4 * np.exp(-3 * u) + 0.05 + 0.01 * rng.random(m)
        if rng.random() < 0.5:
            return code, {
                f"{name}/train": scalar("epoch_loss", training),
                f"{name}/validation": scalar("epoch_loss", validation),
            }
        return code, {name: scalar("loss", training) + scalar("val_loss", validation)}
    if code in ("vanishing", "exploding"):
        power = 10.0 ** (-rng.uniform(9, 14) if code == "vanishing" else rng.uniform(3.5, 8))
        k = 30 if rng.random() < 0.5 else n
        norm = np.exp(0.3 * rng.normal(size=k)) * np.where(np.arange(k) > 0.6 * k, power, 1.0)
        found = histograms("gradients/dense", norm, rng) if k == 30 else scalar("grad_norm", norm)
        return code, {name: found}
    if code == "zero_rate":
        rate = 1e-3 * np.where(t > rng.uniform(0, 0.8), 0.0, 1.0)
        return code, {name: scalar("learning_rate", rate)}
    if code == "crashed":
        if rng.random() < 0.5:
            trace = {
                "state": "crashed",
                "error": "ValueError: no",
                "traceback": "Traceback\nValueError: no\n",
            }
            return code, {name: scalar("loss", loss) + vitals({"state": "running"}, trace)}
        return code, {name: vitals({"state": "running"}, host=socket.gethostname())}  # killed
    if code == "stalled":
        return code, {name: vitals({"state": "running"}, beat=time.time() - rng.uniform(120, 9000))}
    free = scalar("system/disk_free", np.linspace(5e10, 4e8, 30), plugin="tapeflow_system")
    used = scalar("system/disk", np.linspace(50, 99.9, 30), plugin="tapeflow_system")
    return code, {name: free + used + vitals({"state": "running"}, beat=time.time())}


class Outcome(NamedTuple):
    false_alarms: list[str]
    named: int
    missed: list[str]


def judge(folder: Path, events: Any, load: Callable[..., Board], seed: int, good: int, bad: int) -> Outcome:
    made: Made = {}
    for i in range(good):
        made |= healthy(i, np.random.default_rng([seed, 0, i]))
    step = len(FAULTS) / bad
    expected = {}
    for i in range(bad):
        code, runs = faulty(int(i * step), np.random.default_rng([seed, 1, i]))
        expected[f"faulty/{int(i * step)}"] = code
        made |= runs
    for run, data in made.items():
        os.utime(events.write(folder / run, data), (BEGAN, BEGAN))
    board = load(folder)
    health = Health(board.store)
    for run in board.store.ordered_runs():
        health.look(run)
    alarms, missed = set(), []
    found: dict[str, set[str]] = {}
    for run in made:
        answer = board.store.answer(board.store.runs[run_id(run)])
        for alert in answer["alerts"]:
            name = "/".join(run.split("/")[:2])
            found.setdefault(name, set()).add(alert["code"])
            if run.startswith("healthy"):
                alarms.add(f"{name}: {alert['note']['text']}")
    for name, code in expected.items():
        if code not in found.get(name, ()):
            missed.append(f"{name}: {code} and not {found.get(name)}")
    return Outcome(sorted(alarms), len(expected) - len(missed), missed)


def test_some_of_them(tmp_path: Path, events: Any, load: Callable[..., Board]) -> None:
    outcome = judge(tmp_path, events, load, seed=1, good=30, bad=14)
    assert not outcome.false_alarms
    assert outcome.named >= 13, outcome.missed


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_all_of_them(tmp_path: Path, events: Any, load: Callable[..., Board], seed: int) -> None:
    outcome = judge(tmp_path, events, load, seed, good=200, bad=50)
    assert len({alarm.partition(":")[0] for alarm in outcome.false_alarms}) <= 1, outcome.false_alarms
    assert outcome.named >= 45, outcome.missed
