"""The cases of `benchmarks.sweep`: convolutions, pooling and products, drawn from a grid of shapes."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

_IMAGES = (1, 2, 3, 4, 7, 8, 14, 16, 28, 32, 56, 64)
_CHANNELS = (1, 3, 8, 16, 32, 64, 128, 256, 512, 1024, 2048)
_BATCHES = (1, 2, 8, 16, 32, 64, 128)
_SIZES = (1, 2, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 5000, 16384)
_STACKS = (1, 1, 1, 8, 64)
_MOST_OPERATIONS, _MOST_NUMBERS = 4e9, 3e7


@dataclass(frozen=True)
class Convolution:
    """A convolution, or its gradient for one of its arguments: `result` is "forward", "input" or "filter"."""

    result: str
    batch: int
    image: int
    inputs: int
    outputs: int
    size: int
    stride: int
    dilation: int
    groups: int
    padding: str

    @property
    def places(self) -> int:
        """Rows, and columns, of the result."""
        extent = (self.size - 1) * self.dilation + 1
        cells = self.image if self.padding == "SAME" else self.image - extent + 1
        return max(0, -(-cells // self.stride))

    @property
    def pads(self) -> tuple[int, int]:
        """Cells of padding before and after."""
        extent = (self.size - 1) * self.dilation + 1
        total = max((self.places - 1) * self.stride + extent - self.image, 0) if self.padding == "SAME" else 0
        return total // 2, total - total // 2

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Of the image, the filters and the result: NHWC and HWIO."""
        return (
            (self.batch, self.image, self.image, self.inputs),
            (self.size, self.size, self.inputs // self.groups, self.outputs),
            (self.batch, self.places, self.places, self.outputs),
        )

    @property
    def operations(self) -> float:
        """Multiplications and additions."""
        return 2.0 * math.prod(self.shapes[2]) * math.prod(self.shapes[1][:3])


@dataclass(frozen=True)
class Pooling:
    """Pooling by "max" or "avg", or its gradient."""

    kind: str
    is_gradient: bool
    batch: int
    image: int
    channels: int
    size: int
    stride: int
    padding: str

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Of the image and the result."""
        cells = self.image if self.padding == "SAME" else self.image - self.size + 1
        places = max(0, -(-cells // self.stride))
        return (
            (self.batch, self.image, self.image, self.channels),
            (self.batch, places, places, self.channels),
        )

    @property
    def operations(self) -> float:
        """Numbers read."""
        return 1.0 * math.prod(self.shapes[1]) * self.size**2


@dataclass(frozen=True)
class Product:
    """A product of two stacks of matrices, `rows x inner` and `inner x columns`, each stored transposed or not."""

    stack: int
    rows: int
    inner: int
    columns: int
    transpose_a: bool
    transpose_b: bool

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Of both factors, and of the result."""
        a, b = (self.rows, self.inner), (self.inner, self.columns)
        stack = () if self.stack == 1 else (self.stack,)
        return (
            (*stack, *(a[::-1] if self.transpose_a else a)),
            (*stack, *(b[::-1] if self.transpose_b else b)),
            (*stack, self.rows, self.columns),
        )

    @property
    def operations(self) -> float:
        """Multiplications and additions."""
        return 2.0 * self.stack * self.rows * self.inner * self.columns


Case = Convolution | Pooling | Product


def draw(kind: str, seed: int, count: int) -> list[Case]:
    """The first cases of a kind ("conv", "pool" or "product") for a seed: small enough to be timed in a moment."""
    rng = random.Random(f"{kind} {seed}")
    make = {"conv": _convolution, "pool": _pooling, "product": _product}[kind]
    cases: list[Case] = []
    while len(cases) < count:
        case = make(rng)
        numbers = sum(map(math.prod, case.shapes))
        is_small = case.operations <= _MOST_OPERATIONS and numbers <= _MOST_NUMBERS
        if is_small and math.prod(case.shapes[-1]) and case not in cases:
            cases.append(case)
    return cases


def _convolution(rng: random.Random) -> Convolution:
    inputs, outputs = rng.choice(_CHANNELS), rng.choice(_CHANNELS)
    groups = rng.choice((1, 1, 1, 1, 1, 2, 4, 32, inputs))
    if groups == inputs:
        outputs = inputs
    elif inputs % groups or outputs % groups:
        groups = 1
    stride, dilation = rng.choice(((1, 1), (1, 1), (2, 1), (2, 1), (1, 2)))
    return Convolution(
        rng.choice(("forward", "input", "filter")),
        rng.choice(_BATCHES),
        rng.choice(_IMAGES),
        inputs,
        outputs,
        rng.choice((1, 3, 3, 5, 7)),
        stride,
        dilation,
        groups,
        rng.choice(("SAME", "SAME", "VALID")),
    )


def _pooling(rng: random.Random) -> Pooling:
    return Pooling(
        rng.choice(("max", "avg")),
        rng.random() < 0.5,
        rng.choice(_BATCHES),
        rng.choice(_IMAGES),
        rng.choice(_CHANNELS),
        *rng.choice(((2, 2), (2, 1), (3, 2), (3, 1), (5, 3))),
        rng.choice(("SAME", "VALID")),
    )


def _product(rng: random.Random) -> Product:
    return Product(
        rng.choice(_STACKS),
        rng.choice(_SIZES),
        rng.choice(_SIZES),
        rng.choice(_SIZES),
        rng.random() < 0.5,
        rng.random() < 0.5,
    )
