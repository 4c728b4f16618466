"""Two processes on a core each, with `MultiWorkerMirroredStrategy`, and one process on two cores.

A round is one steady epoch of `fit`. All train on the same global batches; the two exchange their gradients over the
loopback in every step.
"""

from benchmarks.contenders import PROJECT, Loop
from benchmarks.harness import Bar, Benchmark
from benchmarks.scripts.keras_data import epoch_steps

ONE, TWO = "one process, two cores", "two processes, a core each"
_FIT = "benchmarks.scripts.distribute_fit:fit"
_TITLES = {
    "mlp": "fit in two processes, MNIST MLP 784-64-64-10, global batch 64",
    "cnn_32_64": "fit in two processes, CNN 32-64, 3x3 on 32x32x3, global batch 32",
}


def _benchmark(task: str) -> Benchmark:
    return Benchmark(
        name=f"distribute_{task}",
        title=_TITLES[task],
        contenders=(
            Loop(ONE, PROJECT, _FIT, {"task": task, "processes": 1, "cores": 2}),
            Loop(TWO, PROJECT, _FIT, {"task": task, "processes": 2, "cores": 1}),
        ),
        reference=ONE,
        bars=(Bar(TWO, ONE, at_most=1 / 0.9),),
        steps=epoch_steps(task),
        warm_up=epoch_steps(task),
        tolerance=0.01,
        rounds=9,
    )


BENCHMARKS = tuple(_benchmark(task) for task in _TITLES)
