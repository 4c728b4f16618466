"""The tape loop: MNIST MLP 784-128-10, Adam, batch 128, loss and accuracy accumulated in Variables.

The hand-written JAX contenders run on the project's own JAX, so that their ratio shows what
TapeFlow adds and nothing else.
"""

from benchmarks.contenders import PEERS, PROJECT, Loop
from benchmarks.harness import Bar, Benchmark

_TAPE, _JAX = "benchmarks.scripts.mlp_tape:contender", "benchmarks.scripts.mlp_jax:contender"
_TORCH = "benchmarks.scripts.mlp_torch:contender"

JIT, SCAN = "JAX by hand, one jit call a step", "JAX by hand, scan of 16"
PLAIN, STAGED = "TapeFlow, undecorated", "TapeFlow, tf.function"
TORCH = "PyTorch eager"
TF_PLAIN, TF_STAGED = "TensorFlow eager", "TensorFlow tf.function"

BENCHMARKS = (
    Benchmark(
        name="tape_loop",
        title="MNIST MLP 784-128-10, Adam, batch 128, tape loop, two metrics",
        contenders=(
            Loop(JIT, PROJECT, _JAX, {"is_fused": False}),
            Loop(SCAN, PROJECT, _JAX, {"is_fused": True}),
            Loop(PLAIN, PROJECT, _TAPE, {"package": "tapeflow", "is_staged": False}),
            Loop(STAGED, PROJECT, _TAPE, {"package": "tapeflow", "is_staged": True}),
            Loop(TORCH, PEERS, _TORCH),
            Loop(TF_PLAIN, PEERS, _TAPE, {"package": "tensorflow", "is_staged": False}, steps=48),
            Loop(TF_STAGED, PEERS, _TAPE, {"package": "tensorflow", "is_staged": True}),
        ),
        reference=JIT,
        bars=(
            Bar(PLAIN, JIT, at_most=1.5),
            Bar(STAGED, JIT, at_most=1.08),
            Bar(PLAIN, (TORCH, TF_STAGED), at_most=1.0),
            Bar(PLAIN, TF_PLAIN, at_most=0.1),
        ),
        steps=288,
        warm_up=48,
        rounds=11,
    ),
)
