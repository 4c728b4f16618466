"""Input pipelines: an epoch over MNIST-sized arrays, functions of elements and of batches, waiting for input.

A step is one epoch of 60 000 images of 28 x 28 in batches of 128, every batch handed over as tensors; for the
last table it is a training step. Orders and flips are everybody's own; the value that must agree is the number
of rows.
"""

from benchmarks.contenders import PEERS, PROJECT, Loop, Script
from benchmarks.harness import Bar, Benchmark, Fact

_EPOCH = "benchmarks.scripts.data_epoch"
TAPEFLOW, TENSORFLOW, TORCH = "TapeFlow", "tf.data", "torch DataLoader"
FED = "TapeFlow, fed from a Dataset"


def _epochs(name: str, title: str, task: str, bars: tuple[Bar, ...]) -> Benchmark:
    contenders = [
        Loop(TAPEFLOW, PROJECT, f"{_EPOCH}:epochs", {"package": "tapeflow", "task": task}),
        Loop(TENSORFLOW, PEERS, f"{_EPOCH}:epochs", {"package": "tensorflow", "task": task}),
    ]
    if any(TORCH in bar.references for bar in bars):
        contenders.append(Loop(TORCH, PEERS, f"{_EPOCH}:torch_epochs"))
    return Benchmark(
        name=name,
        title=title,
        contenders=contenders,
        reference=TAPEFLOW,
        bars=bars,
        warm_up=1,
        rounds=5,
        unit="s",
    )


BENCHMARKS = (
    _epochs(
        "data_epoch",
        "one epoch: shuffle(60000) + batch(128) + prefetch",
        "epoch",
        (Bar(TAPEFLOW, TENSORFLOW, at_most=1 / 5), Bar(TAPEFLOW, TORCH, at_most=1 / 5)),
    ),
    _epochs(
        "data_map",
        "one epoch: map(normalise + random flip) + batch(128), AUTOTUNE",
        "map",
        (Bar(TAPEFLOW, TENSORFLOW, at_most=1.0),),
    ),
    _epochs(
        "data_batch_map",
        "one epoch: batch(128) + map(normalise), AUTOTUNE",
        "batch_map",
        (Bar(TAPEFLOW, TENSORFLOW, at_most=1.0),),
    ),
    Benchmark(
        name="data_wait",
        title="training step, MLP 784-128-10, batch 128: fed from shuffle + repeat + batch + prefetch",
        contenders=(Script(FED, PROJECT, ("-m", "benchmarks.scripts.data_wait"), times_itself=True),),
        reference=FED,
        bars=(Fact(FED, "waits_under_5_percent", True),),
        rounds=3,
        unit="s",
    ),
)
