"""Networks people train: a step of `fit`, the same as a tape loop, and the memory they take.

The networks are those of scripts/network_models.py: the same lines for TapeFlow, Keras 3 and Keras 2. A round is one
steady epoch of a few batches, shuffled, silent, with the loss alone. PyTorch runs the same layers by hand, images
channels last. With `--quick`, each network is trained by `fit` with its first size and batch alone.
"""

from benchmarks.contenders import PEERS, PROJECT, Loop
from benchmarks.harness import Bar, Benchmark
from benchmarks.scripts.network_data import TASKS

_KERAS, _TORCH = "benchmarks.scripts.keras_fit:fit_network", "benchmarks.scripts.network_torch:fit"
_TAPE = "benchmarks.scripts.network_tape:contender"
TAPEFLOW, KERAS_JAX = "TapeFlow", "Keras 3, JAX"
KERAS_2, TORCH, COMPILED = "tf_keras (Keras 2)", "PyTorch by hand", "PyTorch, torch.compile"
PLAIN, STAGED, TF_STAGED = "TapeFlow, undecorated", "TapeFlow, tf.function", "TensorFlow tf.function"
_LOSSES = 0.1
"""How far the mean losses of first epochs may differ: weights and the order of the samples are everybody's own."""
_ADVERSARIAL_LOSSES = 0.3
"""The same for two networks that train against each other, whose losses depend on their weights from the start."""
_ROUNDS = {True: 9, False: 5}
"""Rounds of a network's first size and batch, and of its others."""


def _fit(name: str) -> Benchmark:
    task = TASKS[name]

    def keras(contender: str, package: str) -> Loop:
        interpreter = PROJECT if contender == TAPEFLOW else PEERS
        return Loop(contender, interpreter, _KERAS, {"package": package, "task": name})

    # A train_step with tapes is written for TensorFlow's API, which Keras 3 on JAX does not have.
    keras_jax = () if task.network == "dcgan" else (keras(KERAS_JAX, "keras-jax"),)
    peers = (*(loop.name for loop in keras_jax), KERAS_2, TORCH)
    compiled = (Loop(COMPILED, PEERS, _TORCH, {"task": name, "is_compiled": True}),) if task.is_first else ()
    return Benchmark(
        name=f"network_{name}",
        title=f"fit, {task.title}, batch {task.batch}",
        contenders=(
            keras(TAPEFLOW, "tapeflow"),
            *keras_jax,
            keras(KERAS_2, "tf_keras"),
            Loop(TORCH, PEERS, _TORCH, {"task": name}),
            *(() if task.network == "dcgan" else compiled),
        ),
        reference=KERAS_2,
        bars=(
            Bar(TAPEFLOW, peers, at_most=1.0),
            Bar(TAPEFLOW, KERAS_2, at_most=1.0, fact="peak_mb"),
        ),
        steps=task.steps,
        warm_up=task.steps,
        tolerance=_ADVERSARIAL_LOSSES if task.network == "dcgan" else _LOSSES,
        rounds=_ROUNDS[task.is_first],
        is_extra=not task.is_first,
    )


def _tape(name: str) -> Benchmark:
    task = TASKS[name]

    def loop(contender: str, is_staged: bool) -> Loop:
        package = "tensorflow" if contender == TF_STAGED else "tapeflow"
        interpreter = PEERS if contender == TF_STAGED else PROJECT
        arguments = {"package": package, "task": name, "is_staged": is_staged}
        return Loop(contender, interpreter, _TAPE, arguments)

    return Benchmark(
        name=f"network_{name}_tape",
        title=f"tape loop, {task.title}, batch {task.batch}",
        contenders=(loop(PLAIN, False), loop(STAGED, True), loop(TF_STAGED, True)),
        reference=TF_STAGED,
        bars=(Bar(STAGED, TF_STAGED, at_most=1.0), Bar(PLAIN, STAGED, at_most=1.1)),
        steps=task.steps,
        warm_up=task.steps,
        tolerance=_LOSSES,
        rounds=5,
        is_extra=True,
    )


BENCHMARKS = (
    *(_fit(name) for name in TASKS),
    *(_tape(name) for name, task in TASKS.items() if task.is_first and task.network != "dcgan"),
)
