"""`tf.keras` as it is used: `fit`, `evaluate`, `predict`, a tape loop, the first epoch, the memory.

The models are those of scripts/keras_models.py: the same lines for TapeFlow, Keras 3 and Keras 2. A round of
`fit` is one steady epoch, shuffled, silent, with loss and accuracy; the loops by hand shuffle and gather their
batches from memory as `fit` does, and keep both metrics.
"""

from benchmarks.contenders import PEERS, PROJECT, Loop, Script
from benchmarks.harness import Bar, Benchmark
from benchmarks.scripts.keras_data import epoch_steps

_KERAS, _TORCH = "benchmarks.scripts.keras_fit", "benchmarks.scripts.fit_torch"
_JAX, _TAPE = "benchmarks.scripts.fit_jax:contender", "benchmarks.scripts.keras_tape:contender"
_MLP_JAX, _MLP_TORCH = "benchmarks.scripts.mlp_jax:contender", "benchmarks.scripts.mlp_torch:contender"

TAPEFLOW, KERAS_2 = "TapeFlow", "tf_keras (Keras 2)"
KERAS_JAX, KERAS_TF = "Keras 3, JAX", "Keras 3, TensorFlow"
KERAS_JAX_32 = "Keras 3, JAX, steps_per_execution=32"
SCAN, JIT = "JAX by hand, scan of 32", "JAX by hand, one jit call a step"
TORCH, TORCH_LAST = "PyTorch by hand", "PyTorch by hand, channels last"
PLAIN, STAGED = "TapeFlow, undecorated", "TapeFlow, tf.function"
TF_PLAIN, TF_STAGED = "TensorFlow eager", "TensorFlow tf.function"

_PACKAGES = {
    TAPEFLOW: "tapeflow",
    KERAS_JAX: "keras-jax",
    KERAS_TF: "keras-tensorflow",
    KERAS_2: "tf_keras",
}
_EPOCHS = 0.05
"""How far the mean losses of first epochs may differ: the order of the samples is everybody's own."""


def _keras(name: str, method: str = "fit", **arguments: object) -> Loop:
    interpreter = PROJECT if name == TAPEFLOW else PEERS
    return Loop(name, interpreter, f"{_KERAS}:{method}", {"package": _PACKAGES[name], **arguments})


def _mlp() -> Benchmark:
    faster = Loop(
        KERAS_JAX_32,
        PEERS,
        f"{_KERAS}:fit",
        {"package": "keras-jax", "task": "mlp", "steps_per_execution": 32},
    )
    return Benchmark(
        name="fit_mlp",
        title="fit, MNIST MLP 784-64-64-10, RMSprop, batch 64, one metric",
        contenders=(
            Loop(SCAN, PROJECT, _JAX, {"is_fused": True}),
            Loop(JIT, PROJECT, _JAX, {"is_fused": False}),
            *[_keras(name, task="mlp") for name in (TAPEFLOW, KERAS_JAX)],
            faster,
            *[_keras(name, task="mlp") for name in (KERAS_TF, KERAS_2)],
            Loop(TORCH, PEERS, f"{_TORCH}:fit", {"task": "mlp"}),
        ),
        reference=SCAN,
        bars=(
            Bar(TAPEFLOW, SCAN, at_most=1.08),
            Bar(TAPEFLOW, KERAS_JAX, at_most=1 / 1.5),
            Bar(TAPEFLOW, KERAS_2, at_most=1 / 3),
        ),
        steps=epoch_steps("mlp"),
        warm_up=epoch_steps("mlp"),
        tolerance=_EPOCHS,
        rounds=9,
    )


def _cnn(first: int, second: int) -> Benchmark:
    task = f"cnn_{first}_{second}"
    peers = (KERAS_JAX, KERAS_TF, KERAS_2)
    return Benchmark(
        name=f"fit_{task}",
        title=f"fit, CNN {first}-{second}, 3x3 on 32x32x3, Adam, batch 32",
        contenders=(
            *[_keras(name, task=task) for name in (TAPEFLOW, *peers)],
            Loop(TORCH, PEERS, f"{_TORCH}:fit", {"task": task}),
            Loop(TORCH_LAST, PEERS, f"{_TORCH}:fit", {"task": task, "is_channels_last": True}),
        ),
        reference=KERAS_JAX,
        bars=(Bar(TAPEFLOW, peers, at_most=1.0), Bar(TAPEFLOW, TORCH, at_most=1.15)),
        steps=epoch_steps(task),
        warm_up=epoch_steps(task),
        tolerance=_EPOCHS,
        rounds=7,
    )


def _measured(name: str, title: str, method: str, task: str | None = None) -> Benchmark:
    """One that need only not be slower than Keras 3 on JAX."""
    arguments = {} if task is None else {"task": task}
    return Benchmark(
        name=name,
        title=title,
        contenders=(
            *[_keras(package, method, **arguments) for package in (TAPEFLOW, KERAS_JAX, KERAS_2)],
            Loop(TORCH, PEERS, f"{_TORCH}:{method}", arguments),
        ),
        reference=KERAS_JAX,
        bars=(Bar(TAPEFLOW, KERAS_JAX, at_most=1.0),),
        steps=epoch_steps(task or "mlp"),
        warm_up=epoch_steps(task or "mlp"),
        tolerance=_EPOCHS,
        rounds=7,
    )


def _tape() -> Benchmark:
    def tape(name: str, is_staged: bool, steps: int | None = None) -> Loop:
        is_ours = name in (PLAIN, STAGED)
        arguments = {"package": "tapeflow" if is_ours else "tensorflow", "is_staged": is_staged}
        return Loop(name, PROJECT if is_ours else PEERS, _TAPE, arguments, steps)

    return Benchmark(
        name="keras_tape",
        title="Tape loop with Keras layers, loss, Adam, two metrics, MLP 784-128-10, batch 128",
        contenders=(
            Loop(JIT, PROJECT, _MLP_JAX, {"is_fused": False}),
            tape(PLAIN, False),
            tape(STAGED, True),
            Loop(TORCH, PEERS, _MLP_TORCH),
            tape(TF_PLAIN, False, steps=48),
            tape(TF_STAGED, True),
        ),
        reference=JIT,
        bars=(Bar(PLAIN, JIT, at_most=1.8), Bar(STAGED, JIT, at_most=1.1)),
        steps=288,
        warm_up=48,
        rounds=11,
    )


def _first_epoch() -> Benchmark:
    def script(name: str, package: str, interpreter=PEERS) -> Script:
        argv = ("-m", "benchmarks.scripts.first_epoch", package)
        return Script(name, interpreter, argv, {"TAPEFLOW_CACHE": "off"}, times_itself=True)

    return Benchmark(
        name="first_epoch",
        title="First epoch of fit, MLP 784-64-64-10, in a new process, nothing compiled before",
        contenders=(
            script(TAPEFLOW, "tapeflow", PROJECT),
            script(KERAS_JAX, "keras-jax"),
            script(KERAS_TF, "keras-tensorflow"),
            script(SCAN, "jax", PROJECT),
        ),
        reference=KERAS_JAX,
        bars=(
            Bar(TAPEFLOW, KERAS_JAX, at_most=0.5),
            Bar(TAPEFLOW, KERAS_JAX, at_most=0.5, fact="total_s"),
            Bar(TAPEFLOW, KERAS_JAX, at_most=1.0, fact="peak_mb"),
        ),
        rounds=5,
        unit="s",
    )


BENCHMARKS = (
    _mlp(),
    _cnn(8, 16),
    _cnn(32, 64),
    _tape(),
    _first_epoch(),
    _measured("evaluate", "evaluate, MLP 784-64-64-10, batch 64, one metric", "evaluate"),
    _measured("predict", "predict, MLP 784-64-64-10, batch 64", "predict"),
    _measured("fit_lstm", "fit, LSTM of 64 units over 50 steps of 32, Adam, batch 32", "fit", "lstm"),
    _measured(
        "fit_transformer",
        "fit, attention of 4 heads and two Dense on 64 tokens of 64, Adam, batch 32",
        "fit",
        "transformer",
    ),
)
