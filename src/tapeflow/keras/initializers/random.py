"""Initializers that draw numbers.

An initializer with a seed gives the same values at every call and in every run. One without draws a key
when it is first called, from the generator that `tf.random.set_seed` resets, and keeps it: as in Keras,
a second call gives the same values again (and warns), so each weight should have its own initializer.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.random import counter_for
from tapeflow.engine.values.annotations import Shape
from tapeflow.engine.values.dtypes import DType
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.initializers.initializer import Initializer, read_dtype, read_float_dtype, read_shape

_SEED_BITS = (1 << 64) - 1
_MODES = ("fan_in", "fan_out", "fan_avg")
_DISTRIBUTIONS = ("uniform", "truncated_normal", "untruncated_normal")
# The standard deviation of a standard normal number that is known to lie within two of them.
_TRUNCATED_STDDEV = 0.87962566103423978


class RandomInitializer(Initializer):
    """The base of those that draw: holds the seed, or the key drawn instead of one."""

    def __init__(self, seed: int | None = None) -> None:
        if seed is not None and not isinstance(seed, (int, np.integer)):
            raise ValueError(
                f"{type(self).__name__} expected an integer or None as the seed; got seed={seed!r}."
            )
        self.seed = seed
        self._key: tuple[int, ...] | None = None if seed is None else (int(seed) & _SEED_BITS,)
        self._used = False

    def generator(self, kwargs: dict[str, Any]) -> np.random.Generator:
        """A fresh generator that starts at this initializer's key."""
        if self._key is None:
            self._key = counter_for(None).next_words()
        key = self._key
        offset = kwargs.get("partition_offset")
        if offset is not None:
            key = (*key, *(int(start) for start in offset))
        elif self._used and self.seed is None:
            warnings.warn(
                f"The initializer {type(self).__name__} is unseeded and being called multiple times, which "
                "will return identical values each time (even if the initializer is unseeded). Please "
                "update your code to provide a seed to the initializer, or avoid using the same "
                "initializer instance more than once.",
                stacklevel=3,
            )
        self._used = True
        # The quickest of numpy's generators: a large embedding should not be waited for.
        return np.random.Generator(np.random.SFC64(np.random.SeedSequence(key)))

    def get_config(self) -> dict[str, Any]:
        return {"seed": self.seed}


def _drawn_dtype(dtype: DType) -> Any:
    """The type to draw in: numpy draws 32 and 64 bits, narrower floats are rounded."""
    return np.float64 if dtype == tf.float64 else np.float32


def _uniform(
    generator: np.random.Generator, shape: tuple[int, ...], low: Any, high: Any, dtype: DType
) -> Tensor:
    if dtype.is_integer:
        return tf.constant(generator.integers(low, high, shape, dtype.as_numpy_dtype))
    values = generator.random(shape, dtype=_drawn_dtype(dtype))
    values *= high - low
    values += low
    return tf.constant(values.astype(dtype.as_numpy_dtype, copy=False))


def _normal(
    generator: np.random.Generator,
    shape: tuple[int, ...],
    mean: float,
    stddev: float,
    dtype: DType,
    truncated: bool,
) -> Tensor:
    values = generator.standard_normal(shape, dtype=_drawn_dtype(dtype))
    if truncated:
        flat = values.reshape(-1)
        far = np.flatnonzero(np.abs(flat) > 2)
        while far.size:
            drawn = generator.standard_normal(far.size, dtype=_drawn_dtype(dtype))
            flat[far] = drawn
            far = far[np.abs(drawn) > 2]
    values *= stddev
    values += mean
    return tf.constant(values.astype(dtype.as_numpy_dtype, copy=False))


class RandomUniform(RandomInitializer):
    """Numbers from `minval` up to `maxval`, each as likely as the other; integers if `dtype` is."""

    def __init__(self, minval: float = -0.05, maxval: float = 0.05, seed: int | None = None) -> None:
        super().__init__(seed)
        self.minval = minval
        self.maxval = maxval

    def __call__(self, shape: Shape, dtype: DType | None = None, **kwargs: Any) -> Tensor:
        found = read_dtype(dtype)
        if not found.is_floating and not found.is_integer:
            raise ValueError(f"Expected float or integer dtype, got {found}.")
        sizes = read_shape(shape, kwargs)
        return _uniform(self.generator(kwargs), sizes, self.minval, self.maxval, found)

    def get_config(self) -> dict[str, Any]:
        return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed}


class RandomNormal(RandomInitializer):
    """Normally distributed numbers."""

    _truncated = False

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
        super().__init__(seed)
        self.mean = mean
        self.stddev = stddev

    def __call__(self, shape: Shape, dtype: DType | None = None, **kwargs: Any) -> Tensor:
        found = read_float_dtype(dtype)
        sizes = read_shape(shape, kwargs)
        if tf.is_tensor(self.mean) or tf.is_tensor(
            self.stddev
        ):  # perhaps of a tf.function: new numbers at each call
            draw = tf.random.truncated_normal if self._truncated else tf.random.normal
            return draw(sizes, self.mean, self.stddev, found, seed=self.seed)
        return _normal(self.generator(kwargs), sizes, self.mean, self.stddev, found, self._truncated)

    def get_config(self) -> dict[str, Any]:
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}


class TruncatedNormal(RandomNormal):
    """Normally distributed numbers, drawn again where they are over two deviations from the mean."""

    _truncated = True


class VarianceScaling(RandomInitializer):
    """Numbers whose variance is `scale` divided by how many inputs or outputs a unit has.

    `input_axes` and `output_axes`, given together, say which axes those are.
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        input_axes: Sequence[int] | None = None,
        output_axes: Sequence[int] | None = None,
    ) -> None:
        super().__init__(seed)
        if scale <= 0.0:
            raise ValueError(f"`scale` must be positive float. Received: scale={scale}.")
        if mode not in _MODES:
            raise ValueError(f"Invalid `mode` argument: {mode}. Please use one of {', '.join(_MODES)}.")
        distribution = distribution.lower()
        if distribution == "normal":
            distribution = "truncated_normal"
        if distribution not in _DISTRIBUTIONS:
            raise ValueError(
                f"Invalid `distribution` argument: {distribution}. "
                f"Allowed distributions: {', '.join(_DISTRIBUTIONS)}."
            )
        self.scale = scale
        self.mode = mode
        self.distribution = distribution
        self.input_axes = input_axes
        self.output_axes = output_axes

    def __call__(self, shape: Any, dtype: DType | None = None, **kwargs: Any) -> Tensor:
        found = read_float_dtype(dtype)
        sizes = read_shape(shape, kwargs)
        fan_in, fan_out = compute_fans(sizes, self.input_axes, self.output_axes)
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        variance = self.scale / max(1.0, fan)
        generator = self.generator(kwargs)
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * variance)
            return _uniform(generator, sizes, -limit, limit, found)
        truncated = self.distribution == "truncated_normal"
        stddev = math.sqrt(variance) / (_TRUNCATED_STDDEV if truncated else 1.0)
        return _normal(generator, sizes, 0.0, stddev, found, truncated)

    def get_config(self) -> dict[str, Any]:
        return {
            "scale": self.scale,
            "mode": self.mode,
            "distribution": self.distribution,
            "seed": self.seed,
            **self._axes_config(),
        }

    def _axes_config(self) -> dict[str, Any]:
        """The axes, if they are given: Keras 2 knows no such arguments."""
        axes = {"input_axes": self.input_axes, "output_axes": self.output_axes}
        return {key: list(value) for key, value in axes.items() if value is not None}


class _Preset(VarianceScaling):
    """A `VarianceScaling` with a name."""

    _arguments: tuple[float, str, str]

    def __init__(
        self,
        seed: int | None = None,
        input_axes: Sequence[int] | None = None,
        output_axes: Sequence[int] | None = None,
    ) -> None:
        super().__init__(*self._arguments, seed=seed, input_axes=input_axes, output_axes=output_axes)

    def get_config(self) -> dict[str, Any]:
        return {"seed": self.seed, **self._axes_config()}


class GlorotUniform(_Preset):
    """Uniform, with variance 2 / (fan_in + fan_out): what most layers use; also called Xavier."""

    _arguments = (1.0, "fan_avg", "uniform")


class GlorotNormal(_Preset):
    """Truncated normal, with variance 2 / (fan_in + fan_out)."""

    _arguments = (1.0, "fan_avg", "truncated_normal")


class HeUniform(_Preset):
    """Uniform, with variance 2 / fan_in: for layers followed by relu."""

    _arguments = (2.0, "fan_in", "uniform")


class HeNormal(_Preset):
    """Truncated normal, with variance 2 / fan_in: for layers followed by relu."""

    _arguments = (2.0, "fan_in", "truncated_normal")


class LecunUniform(_Preset):
    """Uniform, with variance 1 / fan_in."""

    _arguments = (1.0, "fan_in", "uniform")


class LecunNormal(_Preset):
    """Truncated normal, with variance 1 / fan_in: for layers followed by selu."""

    _arguments = (1.0, "fan_in", "truncated_normal")


class Orthogonal(RandomInitializer):
    """A matrix with orthonormal columns, or rows if it is wide, times `gain`.

    A shape of more than two axes is taken as the matrix of all but the last against the last.
    """

    def __init__(self, gain: float = 1.0, seed: int | None = None) -> None:
        super().__init__(seed)
        self.gain = gain

    def __call__(self, shape: Shape, dtype: DType | None = None, **kwargs: Any) -> Tensor:
        found = read_float_dtype(dtype)
        sizes = read_shape(shape, kwargs)
        if len(sizes) < 2:
            raise ValueError(
                "The tensor to initialize must be at least two-dimensional. Received: "
                f"shape={sizes} of rank {len(sizes)}."
            )
        rows, columns = math.prod(sizes[:-1]), sizes[-1]
        tall = (max(rows, columns), min(rows, columns))
        drawn = self.generator(kwargs).standard_normal(tall, dtype=_drawn_dtype(found))
        q, r = np.linalg.qr(drawn)
        q *= np.sign(np.diagonal(r))  # makes the decomposition, and so the distribution, unique
        matrix = q if rows >= columns else q.T
        return tf.constant((self.gain * matrix).reshape(sizes).astype(found.as_numpy_dtype))

    def get_config(self) -> dict[str, Any]:
        return {"gain": self.gain, "seed": self.seed}


def compute_fans(
    shape: tuple[int, ...],
    input_axes: Sequence[int] | None = None,
    output_axes: Sequence[int] | None = None,
) -> tuple[int, int]:
    """How many inputs and outputs a unit of a weight of this shape has; leading axes are a kernel's field."""
    if input_axes is not None and output_axes is not None:
        return math.prod(shape[axis] for axis in input_axes), math.prod(shape[axis] for axis in output_axes)
    if len(shape) == 0:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    field = math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field


random_uniform = RandomUniform
random_normal = RandomNormal
truncated_normal = TruncatedNormal
variance_scaling = VarianceScaling
glorot_uniform = GlorotUniform
glorot_normal = GlorotNormal
he_uniform = HeUniform
he_normal = HeNormal
lecun_uniform = LecunUniform
lecun_normal = LecunNormal
orthogonal = Orthogonal
OrthogonalInitializer = Orthogonal
