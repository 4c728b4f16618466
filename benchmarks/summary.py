"""Event files: writing scalars, reading them back, and what the TensorBoard callback costs `fit`.

A round of writing logs scalars under four tags as a user does, then flushes, so that what a package leaves to
a thread counts as well. A step of reading is a run of 40 000 scalars (ten tags), start to columns, of the 50
that make up a set of two million.
"""

from benchmarks.contenders import PEERS, PROJECT, Loop
from benchmarks.harness import Bar, Benchmark
from benchmarks.scripts.keras_data import epoch_steps
from benchmarks.scripts.summary_data import make_runs

_WRITE, _READ = "benchmarks.scripts.summary_write", "benchmarks.scripts.summary_read"

TAPEFLOW, TENSORFLOW = "TapeFlow", "tf.summary (TensorFlow)"
TORCH, TENSORBOARDX = "torch.utils.tensorboard", "tensorboardX"
READER, LOADER = "TensorBoard, EventAccumulator", "TensorBoard, EventFileLoader alone"

PLAIN, LOGGED = "TapeFlow, fit", "TapeFlow, fit with TensorBoard(update_freq='batch')"

_FIT = "benchmarks.scripts.keras_fit:fit"
_PEERS = (TENSORFLOW, TORCH, TENSORBOARDX)

BENCHMARKS = (
    Benchmark(
        name="summary_write",
        title="tf.summary.scalar, four tags, flushed at the end",
        contenders=(
            Loop(TAPEFLOW, PROJECT, f"{_WRITE}:tapeflow"),
            Loop(TENSORFLOW, PEERS, f"{_WRITE}:tensorflow", steps=1000),
            Loop(TORCH, PEERS, f"{_WRITE}:torch"),
            Loop(TENSORBOARDX, PROJECT, f"{_WRITE}:tensorboardx"),
        ),
        reference=TAPEFLOW,
        bars=tuple(Bar(TAPEFLOW, peer, at_most=1 / 3) for peer in _PEERS),
        steps=4000,
        warm_up=400,
    ),
    Benchmark(
        name="summary_read",
        title="reading runs of 40 000 scalars, ten tags",
        contenders=(
            Loop(TAPEFLOW, PROJECT, f"{_READ}:tapeflow", steps=5),
            Loop(READER, PROJECT, f"{_READ}:accumulator"),
            Loop(LOADER, PROJECT, f"{_READ}:loader"),
        ),
        reference=TAPEFLOW,
        bars=(Bar(TAPEFLOW, READER, at_most=1 / 20),),
        warm_up=1,
        rounds=5,
        unit="s",
        prepare=make_runs,
    ),
    Benchmark(
        name="summary_callback",
        title="fit, MNIST MLP 784-64-64-10, batch 64, with and without the scalars of every batch",
        contenders=(
            Loop(PLAIN, PROJECT, _FIT, {"package": "tapeflow", "task": "mlp"}),
            Loop(LOGGED, PROJECT, _FIT, {"package": "tapeflow", "task": "mlp", "is_logged": True}),
        ),
        reference=PLAIN,
        bars=(Bar(LOGGED, PLAIN, at_most=1.03),),
        steps=epoch_steps("mlp"),
        warm_up=epoch_steps("mlp"),
        rounds=15,
    ),
)
