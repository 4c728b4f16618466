"""`python -m benchmarks.collectives [--devices N] [--batch B] [network ...]`: what devices exchange in a training step.

Each network is compiled for virtual CPU devices, in a process that has XLA write down its programs. What is printed is
counted in the text of the training step: the collectives, and the sizes of their arrays. What a link carries follows
from the ring algorithm that devices use: of B bytes, each sends 2 (N - 1) / N x B for an all-reduce, and half of that
for an all-gather, a reduce-scatter or an all-to-all. No step is taken: the process ends when the program is there.

Kernels that TapeFlow has for CPUs alone are left out: what is compiled is what accelerators get.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

NETWORKS = ("mlp", "resnet50", "transformer")
STAGES = (0, 1, 3)
_OP = re.compile(
    r"= (?P<result>\(.*?\)|\S+) (?P<kind>all-reduce|all-gather|reduce-scatter|all-to-all)(?:-start)?\("
)
_ARRAY = re.compile(r"(?P<type>pred|bf16|[a-z]+(?P<bits>\d+))\[(?P<shape>[\d,]*)\]")
_ODD_BYTES = {"pred": 1, "bf16": 2}
_POLL_S = 2.0  # no program takes longer to be written
_SHARE = {"all-reduce": 2.0, "all-gather": 1.0, "reduce-scatter": 1.0, "all-to-all": 1.0}


class Collective(NamedTuple):
    """One exchange between devices.

    Attributes:
        kind: such as "all-reduce".
        nbytes: of the whole array: what is summed, or what has been put together.
    """

    kind: str
    nbytes: int


def collectives(program: str, devices: int) -> Iterator[Collective]:
    """The exchanges in the text of a compiled program; one in a loop is counted once."""
    for match in _OP.finditer(program):
        nbytes = sum(_nbytes(array) for array in _ARRAY.finditer(match["result"]))
        is_part = match["kind"] == "reduce-scatter"
        yield Collective(match["kind"], nbytes * devices if is_part else nbytes)


def _nbytes(array: re.Match[str]) -> int:
    size = _ODD_BYTES.get(array["type"]) or int(array["bits"]) // 8
    return size * math.prod(int(n) for n in array["shape"].split(",") if n)


def sent_by_each(found: Counter[str], devices: int) -> float:
    """The bytes that each device sends in a ring."""
    return sum(_SHARE[kind] * nbytes for kind, nbytes in found.items()) * (devices - 1) / devices


def begin_step(network: str, zero_stage: int, batch: int) -> None:
    """Train a network for one step on all devices; says how many weights it has before the step is compiled."""
    import jax
    import numpy as np

    import tapeflow as tf

    jax.lax.platform_dependent = lambda *arguments, default, **_: default(*arguments)
    strategy = tf.distribute.MirroredStrategy(zero_stage=zero_stage)
    with strategy.scope():
        model, x, y = _made(network, batch * strategy.num_replicas_in_sync)
        model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        model.optimizer.build(model.trainable_variables)
    for variable in model.optimizer.variables:
        variable.value()
    print(sum(int(np.prod(w.shape)) for w in model.trainable_weights), flush=True)
    model.train_on_batch(x, y)


def _made(network: str, batch: int):
    import numpy as np

    import tapeflow as tf

    layers = tf.keras.layers
    if network == "mlp":
        model = tf.keras.Sequential(
            [tf.keras.Input((784,)), layers.Dense(128, "relu"), layers.Dense(128, "relu"), layers.Dense(8)]
        )
        return model, np.zeros((batch, 784), "float32"), np.zeros(batch, "int32")
    if network == "resnet50":
        model = tf.keras.applications.ResNet50(
            weights=None, input_shape=(224, 224, 3), classifier_activation=None
        )
        return model, np.zeros((batch, 224, 224, 3), "float32"), np.zeros(batch, "int32")
    words, width, length = 10000, 768, 128
    tokens = tf.keras.Input((length,), dtype="int32")
    x = layers.Embedding(words, width)(tokens)
    for _ in range(12):
        normal = layers.LayerNormalization()(x)
        x = x + layers.MultiHeadAttention(12, width // 12)(normal, normal)
        hidden = layers.Dense(4 * width, "gelu")(layers.LayerNormalization()(x))
        x = x + layers.Dense(width)(hidden)
    model = tf.keras.Model(tokens, layers.Dense(words)(layers.LayerNormalization()(x)))
    return model, np.zeros((batch, length), "int32"), np.zeros((batch, length), "int32")


class Measured(NamedTuple):
    """What a step exchanges: its weights, and the bytes of each kind of collective."""

    weights: int
    exchanged: Counter[str]


def measure(network: str, zero_stage: int, devices: int, batch: int) -> Measured:
    """Compile a step in a process of its own, and count in the program."""
    with tempfile.TemporaryDirectory() as folder:
        flags = (
            f"--xla_force_host_platform_device_count={devices} --xla_dump_to={folder} --xla_dump_hlo_as_text"
        )
        environment = {**os.environ, "XLA_FLAGS": flags, "TAPEFLOW_CACHE": "off", "JAX_PLATFORMS": "cpu"}
        step = ["--step", network, str(zero_stage), str(batch)]
        command = [sys.executable, "-m", "benchmarks.collectives", *step]
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            weights = int(process.stdout.readline())
            program = _program_of_step(Path(folder), process)
            process.kill()
    counted: Counter[str] = Counter()
    for kind, nbytes in collectives(program, devices):
        counted[kind] += nbytes
    return Measured(weights, counted)


def _program_of_step(folder: Path, process: subprocess.Popen[str]) -> str:
    """The program of the step that a process compiles, as soon as all of it is written."""
    sizes: dict[Path, int] = {}
    while True:
        is_over = process.poll() is not None
        for file in folder.glob("*after_optimizations.txt"):
            size = file.stat().st_size
            if (sizes.get(file) == size or is_over) and _OP.search(text := file.read_text()):
                return text
            sizes[file] = size
        if is_over:
            raise RuntimeError("the step was compiled to a program without collectives")
        time.sleep(_POLL_S)


def main() -> None:
    """Print a row for each network and stage."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.collectives", description=__doc__)
    parser.add_argument("networks", nargs="*", metavar="network", help=f"any of: {', '.join(NETWORKS)}")
    parser.add_argument("--devices", type=int, default=2, metavar="N", help="virtual devices (default: 2)")
    parser.add_argument("--batch", type=int, default=32, metavar="B", help="examples of each (default: 32)")
    parser.add_argument("--step", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        network, stage, batch = options.step
        begin_step(network, int(stage), int(batch))
        return
    unknown = sorted(set(options.networks) - set(NETWORKS))
    if unknown:
        parser.error(f"collectives expected names out of {', '.join(NETWORKS)}; got {', '.join(unknown)}")
    for network in options.networks or NETWORKS:
        for stage in STAGES:
            weights, found = measure(network, stage, options.devices, options.batch)
            listed = ", ".join(f"{kind} {nbytes / 1e6:.2f} MB" for kind, nbytes in sorted(found.items()))
            sent = sent_by_each(found, options.devices)
            print(
                f"{network}, {weights} weights, zero_stage={stage}: {listed}; each of {options.devices} "
                f"devices sends {sent / 1e6:.2f} MB",
                flush=True,
            )


if __name__ == "__main__":
    main()
