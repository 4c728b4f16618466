"""A search of a thousand sessions: 20 hparams and 10 metrics each, in a run of its own with a validation run below."""

import math
import random
import tempfile
from pathlib import Path

SESSIONS = 1000
STEPS = 20
FOLDER = Path(tempfile.gettempdir()) / "tapeflow-benchmark-board" / "hparams"


def make() -> None:
    """Write it, unless it is there."""
    write(FOLDER, SESSIONS)


def write(folder: Path, sessions: int) -> None:
    """Sessions in which the accuracy depends on learning rate, optimizer and width, and on nothing else."""
    from tapeflow.summary.event_files import encoding
    from tapeflow.summary.event_files.records import record
    from tapeflow.summary.kinds.hyperparameters import hparams_pb, session_end_pb
    from tapeflow.summary.protos import message

    if (folder / "done").exists():
        return
    rng = random.Random(0)
    scalars = encoding.metadata("scalars")
    for number in range(sessions):
        hparams = _hparams(rng)
        begin = 1.7e9 + 600 * number
        best = _accuracy(hparams) + rng.gauss(0, 0.01)
        for part, gap in (("", 0.0), ("validation", 0.03)):
            path = folder / f"trial-{number:04d}" / part
            path.mkdir(parents=True, exist_ok=True)
            with open(path / "events.out.tfevents.1700000000.host.1.0.v2", "wb") as file:
                file.write(record(encoding.version_event(begin)))
                if not part:
                    ends = session_end_pb(2 if number % 50 == 7 else 1, begin + rng.uniform(60, 900))
                    for summary in (hparams_pb(hparams, f"trial-{number:04d}", begin), ends):
                        event = message("Event")(wall_time=begin)
                        event.summary.MergeFromString(summary.SerializeToString())
                        file.write(record(event.SerializeToString()))
                for step in range(STEPS):
                    for tag, value in _metrics(best - gap, step).items():
                        file.write(record(encoding.scalar_event(begin + step, step, tag, value, scalars)))
    (folder / "done").touch()


def _hparams(rng: random.Random) -> dict[str, bool | float | str]:
    found: dict[str, bool | float | str] = {
        "learning_rate": 10 ** rng.uniform(-5, -1),
        "optimizer": rng.choice(["adam", "sgd", "rmsprop"]),
        "units": float(rng.choice([16, 32, 64, 128, 256])),
        "dropout": round(rng.uniform(0, 0.6), 3),
        "batch_norm": rng.random() < 0.5,
        "activation": rng.choice(["relu", "gelu", "tanh"]),
    }
    return found | {f"other_{i}": round(rng.gauss(0, 1), 4) for i in range(14)}


def _accuracy(hparams: dict[str, bool | float | str]) -> float:
    rate = math.log10(float(hparams["learning_rate"]))
    width = math.log2(float(hparams["units"]))
    bonus = {"adam": 0.06, "rmsprop": 0.03}.get(str(hparams["optimizer"]), 0.0)
    return 0.9 - 0.06 * (rate + 3) ** 2 + bonus + 0.01 * width


def _metrics(best: float, step: int) -> dict[str, float]:
    reached = best * (1 - math.exp(-(step + 1) / 6))
    return {
        "accuracy": reached,
        "loss": max(1.2 - reached, 0.01),
        "auc": 0.5 + reached / 2,
        "f1": reached * 0.97,
        "entropy": 1 / (1 + reached),
    }
