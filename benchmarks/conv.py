"""Two small CNNs, forward and backward: conv-relu-maxpool twice and a dense layer, batch 32, SGD.

3x3 convolutions with SAME padding on 32x32x3 images, with 8 and 16 or 32 and 64 channels. The peers by
hand in JAX are the two ways the work is done without TapeFlow: the native convolution, and im2col as
matrix products with the steps fused in a scan. "TapeFlow's kernels" are its ops without its engine.
"""

from benchmarks.contenders import PEERS, PROJECT, Loop
from benchmarks.harness import Bar, Benchmark

_JAX, _TAPE = "benchmarks.scripts.cnn_jax:contender", "benchmarks.scripts.cnn_tape:contender"
_TORCH = "benchmarks.scripts.cnn_torch:contender"

NATIVE, IM2COL = "JAX, native convolution, a jit call a step", "JAX, im2col, scan of 16"
KERNELS, KERNELS_FUSED = "TapeFlow's kernels, a jit call a step", "TapeFlow's kernels, scan of 16"
PLAIN, STAGED = "TapeFlow, undecorated", "TapeFlow, tf.function"
TORCH, TORCH_LAST = "PyTorch eager", "PyTorch eager, channels last"
TF_STAGED = "TensorFlow tf.function"


def _jax(name: str, channels: tuple[int, int], convolution: str, is_fused: bool) -> Loop:
    arguments = {"channels": channels, "convolution": convolution, "is_fused": is_fused}
    return Loop(name, PROJECT, _JAX, arguments)


def _benchmark(channels: tuple[int, int]) -> Benchmark:
    first, second = channels

    def tape(name: str, package: str, is_staged: bool) -> Loop:
        interpreter = PROJECT if package == "tapeflow" else PEERS
        arguments = {"package": package, "channels": channels, "is_staged": is_staged}
        return Loop(name, interpreter, _TAPE, arguments)

    return Benchmark(
        name=f"conv_{first}_{second}",
        title=f"CNN {first}-{second}, 3x3 on 32x32x3, batch 32, forward and backward",
        contenders=(
            _jax(NATIVE, channels, "native", False),
            _jax(IM2COL, channels, "im2col", True),
            _jax(KERNELS, channels, "kernels", False),
            _jax(KERNELS_FUSED, channels, "kernels", True),
            tape(PLAIN, "tapeflow", False),
            tape(STAGED, "tapeflow", True),
            Loop(TORCH, PEERS, _TORCH, {"channels": channels, "is_channels_last": False}),
            Loop(TORCH_LAST, PEERS, _TORCH, {"channels": channels, "is_channels_last": True}),
            tape(TF_STAGED, "tensorflow", True),
        ),
        reference=NATIVE,
        bars=tuple(Bar(name, (NATIVE, IM2COL), at_most=1.0) for name in (KERNELS, PLAIN, STAGED)),
        steps=32 if first < 32 else 16,
        warm_up=32,
        rounds=15,
    )


BENCHMARKS = (_benchmark((8, 16)), _benchmark((32, 64)))
