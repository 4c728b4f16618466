"""Models in files: saving and loading 500 MB, and what backups cost `fit`.

A step of saving ends when the file is on disk, for everybody. Loading makes the model anew for `.keras` files and
gives a model its weights for the others.
"""

from benchmarks.contenders import PROJECT, Loop
from benchmarks.harness import Bar, Benchmark
from benchmarks.scripts.keras_data import epoch_steps

_SAVE, _READ = "benchmarks.scripts.saving:save", "benchmarks.scripts.saving:read"
_FIT = "benchmarks.scripts.keras_fit:fit"

TAPEFLOW, KERAS = "TapeFlow", "Keras 3 (JAX)"
TENSORS = "TapeFlow, .safetensors"
PLAIN, BACKED_UP = "TapeFlow, fit", "TapeFlow, fit with BackupAndRestore(save_freq=100)"


def _contenders(target: str, name: str) -> tuple[Loop, ...]:
    return (
        Loop(TAPEFLOW, PROJECT, target, {"package": "tapeflow", "name": name}),
        Loop(KERAS, PROJECT, target, {"package": "keras", "name": name}),
    )


def _benchmark(name: str, title: str, target: str, file: str, *more: Loop) -> Benchmark:
    return Benchmark(
        name=name,
        title=title,
        contenders=(*_contenders(target, file), *more),
        reference=KERAS,
        bars=(Bar(TAPEFLOW, KERAS, at_most=1.0),),
        warm_up=1,
        rounds=5,
        unit="s",
    )


BENCHMARKS = (
    _benchmark("save_keras", "saving 500 MB as .keras, to disk", _SAVE, "m.keras"),
    _benchmark("load_keras", "loading 500 MB from .keras", _READ, "m.keras"),
    _benchmark(
        "save_weights",
        "saving weights of 500 MB as .weights.h5, to disk",
        _SAVE,
        "m.weights.h5",
        Loop(TENSORS, PROJECT, _SAVE, {"package": "tapeflow", "name": "m.safetensors"}),
    ),
    _benchmark(
        "load_weights",
        "loading weights of 500 MB from .weights.h5",
        _READ,
        "m.weights.h5",
        Loop(TENSORS, PROJECT, _READ, {"package": "tapeflow", "name": "m.safetensors"}),
    ),
    Benchmark(
        name="backup",
        title="fit, MNIST MLP 784-64-64-10, batch 64, with and without a backup every 100 steps",
        contenders=(
            Loop(PLAIN, PROJECT, _FIT, {"package": "tapeflow", "task": "mlp"}),
            Loop(BACKED_UP, PROJECT, _FIT, {"package": "tapeflow", "task": "mlp", "backup_every": 100}),
        ),
        reference=PLAIN,
        bars=(Bar(BACKED_UP, PLAIN, at_most=1.05),),
        steps=epoch_steps("mlp"),
        warm_up=epoch_steps("mlp"),
        rounds=15,
    ),
)
