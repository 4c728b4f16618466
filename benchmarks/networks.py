"""Networks people train, a step of `fit`: residual and mobile ones, an autoencoder, a language model, an LSTM.

The networks are those of scripts/network_models.py: the same lines for TapeFlow, Keras 3 and Keras 2. A round is one
steady epoch of a few batches, shuffled, silent, with the loss alone. PyTorch runs the same layers by hand, images
channels last.
"""

from benchmarks.contenders import PEERS, PROJECT, Loop
from benchmarks.harness import Bar, Benchmark
from benchmarks.scripts.network_data import TASKS

_KERAS, _TORCH = "benchmarks.scripts.keras_fit:fit_network", "benchmarks.scripts.network_torch:fit"
TAPEFLOW, KERAS_JAX = "TapeFlow", "Keras 3, JAX"
KERAS_2, TORCH = "tf_keras (Keras 2)", "PyTorch by hand"
_LOSSES = 0.1
"""How far the mean losses of first epochs may differ: weights and the order of the samples are everybody's own."""


def _benchmark(task: str) -> Benchmark:
    def keras(name: str, package: str) -> Loop:
        interpreter = PROJECT if name == TAPEFLOW else PEERS
        return Loop(name, interpreter, _KERAS, {"package": package, "task": task})

    steps, batch = TASKS[task].steps, TASKS[task].batch
    return Benchmark(
        name=f"network_{task}",
        title=f"fit, {TASKS[task].title}, batch {batch}",
        contenders=(
            keras(TAPEFLOW, "tapeflow"),
            keras(KERAS_JAX, "keras-jax"),
            keras(KERAS_2, "tf_keras"),
            Loop(TORCH, PEERS, _TORCH, {"task": task}),
        ),
        reference=KERAS_2,
        bars=(Bar(TAPEFLOW, (KERAS_JAX, KERAS_2, TORCH), at_most=1.0),),
        steps=steps,
        warm_up=steps,
        tolerance=_LOSSES,
        rounds=9,
    )


BENCHMARKS = tuple(_benchmark(task) for task in TASKS)
