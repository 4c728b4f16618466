"""Shapes of the functional API: what a call would give, found at two sizes of the unknown dimensions.

A dimension that is None in a KerasTensor gets some size, the call is sketched, and again with another
size: a dimension of the result that differs is None, any other is what it is. So every layer and tf
function has its shapes inferred by the code that runs later, whatever it does with `tf.shape`. A pair of
sizes at which a call fails (a convolution larger than its input) is not the last word: other pairs are
tried, the inputs being sketched again at theirs.
"""

from __future__ import annotations

import re
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import tapeflow as tf
from tapeflow.engine.recording.node import Spec, spec_of
from tapeflow.engine.recording.sketch import NotSketchable, init_scope, sketch
from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import StaticShape
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.keras.annotations import InputShape
from tapeflow.keras.graph.composite_sample import (
    CompositeSample,
    RaggedSample,
    SparseSample,
    joined_spec,
    sample_of_input,
    sample_of_result,
)
from tapeflow.keras.graph.composite_tensor import RaggedKerasTensor, SparseKerasTensor
from tapeflow.keras.graph.keras_tensor import KerasTensor
from tapeflow.keras.graph.registered_types import is_registered
from tapeflow.keras.layers.base.call_errors import add_text

if TYPE_CHECKING:
    from tapeflow.keras.layers.base.layer import Layer

# Multiples of many numbers, so that reshapes divide; small, then large enough for deep stacks of
# convolutions, then small enough for tables of positions.
_PAIRS = ((96, 192), (768, 1536), (12, 24))

_MOST_BATCHES = 16

# The layers whose own `compute_output_shape` is being asked, which may ask back.
_asked: ContextVar[tuple[int, ...]] = ContextVar("_asked", default=())


class Sample(NamedTuple):
    """What stands for a KerasTensor at one size: shape and dtype, the value if the host knows it, a mask."""

    spec: Spec
    value: np.ndarray | None = None
    mask: Sample | None = None  # pyright: ignore[reportIncompatibleMethodOverride]


def sample_of(symbol: KerasTensor, size: int) -> Sample | CompositeSample:
    """The sample of a KerasTensor at a size, found from its history if need be."""
    found = symbol.samples.get(size)
    if found is not None:
        return found
    node = symbol.node
    if node is None or node.is_input:
        if isinstance(symbol, (RaggedKerasTensor, SparseKerasTensor)):
            found = sample_of_input(symbol, size)
        else:
            shape = tuple(size if d is None else d for d in symbol.shape)
            found = Sample(spec_of(shape, symbol.dtype))
        symbol.samples[size] = found
        return found
    samples = nest.flatten(samples_of_call(node.layer, node.args, node.kwargs, size))
    for output, leaf in zip(nest.flatten(node.outputs), samples, strict=True):
        if isinstance(output, KerasTensor):
            output.samples[size] = leaf.sample
    return symbol.samples[size]


class _Leaf:
    """A sample as one leaf of a structure (a NamedTuple would be taken for a structure)."""

    def __init__(self, sample: Any) -> None:
        self.sample = sample


def samples_of_call(layer: Layer, args: tuple[Any, ...], kwargs: dict[str, Any], size: int) -> Any:
    """The samples of a layer's results; anything that is no tensor as it is."""
    made = layer.made_results(args, kwargs)
    if made is not None:
        return nest.map_structure(lambda output: _Leaf(sample_of(output, size)), made)
    if layer.knows_output_shape and not kwargs and len(args) == 1:
        inputs = nest.map_structure(lambda a: _Leaf(sample_of(a, size)), args[0])
        if all(_is_plain(leaf.sample) for leaf in nest.flatten(inputs)):
            shape = layer.compute_output_shape(nest.map_structure(lambda i: i.sample.spec.shape, inputs))
            return _sample_for(layer, shape, size)

    if len(args) == 1 and set(kwargs) <= {"training"}:
        known = layer.known_outputs(args[0])
        if known is not None and all(sample_of(a, size).mask is None for a in nest.flatten(args[0])):
            return nest.map_structure(lambda output: _Leaf(sample_of(output, size)), known)

    def called(positional: Any, keyword: Any) -> Any:
        positional, keyword = nest.map_structure(_restored, (positional, keyword))
        # Not always `layer(...)`: a `__call__` of the user's own is around this call, and may give something else.
        is_own = not type(layer).__call__.__module__.startswith("tapeflow.")
        result = (
            tf.keras.layers.Layer.__call__(layer, *positional, **keyword)
            if is_own
            else layer(*positional, **keyword)
        )
        return nest.map_structure(_sampled, result)

    given = nest.map_structure(lambda a: _Held(a, size) if isinstance(a, KerasTensor) else a, (args, kwargs))
    specs = [s for held in nest.flatten(given) if isinstance(held, _Held) for s in held.specs()]

    def filled(*placeholders: Tensor) -> Any:
        queue = list(placeholders)
        for held in nest.flatten(given):
            if isinstance(held, _Held):
                held.take(queue)
        return called(*given)

    try:
        return sketch(filled, *specs)
    except NotSketchable as refusal:
        computed = (
            _computed_samples(layer, args, size) if len(args) == 1 and id(layer) not in _asked.get() else None
        )
        if computed is not None:
            return computed
        try:
            return _samples_of_trial_call(layer, filled, specs, size)
        except (ArithmeticError, TypeError, ValueError, tf.errors.OpError) as error:
            raise refusal from error


def _samples_of_trial_call(layer: Layer, filled: Any, specs: list[Spec], size: int) -> Any:
    """The samples of a call that needs values: of one on made-up ones, whose number of rows means nothing.

    Nor do the sizes that change with a number among the inputs, such as the end of a slice.
    """
    results = _called_on_made_up(layer, filled, specs, 0)
    others = results
    if any(spec.dtype.is_integer and not spec.shape for spec in specs):
        others = _called_on_made_up(layer, filled, specs, 1)
    return nest.map_structure(lambda a, b: _open(a, b, size) if isinstance(a, _Leaf) else a, results, others)


def _called_on_made_up(layer: Layer, filled: Any, specs: list[Spec], number: int) -> Any:
    """The results for values good for most code: indices in range, numbers that are not zero, conditions that hold."""

    def made_up(spec: Spec) -> Tensor:
        if spec.dtype == tf.string:
            return tf.fill(spec.shape, "")
        if spec.dtype.is_integer:
            return tf.fill(spec.shape, tf.constant(0 if spec.shape else number, spec.dtype))
        return tf.ones(spec.shape, spec.dtype)

    saved = [(v, v.value()) for v in layer.variables]
    try:
        with init_scope():
            return filled(*[made_up(spec) for spec in specs])
    finally:
        for variable, value in saved:
            variable.assign(value)


def _open(leaf: _Leaf, other: _Leaf, size: int) -> _Leaf:
    if not isinstance(leaf.sample, Sample):
        return leaf
    spec = leaf.sample.spec
    pairs = enumerate(zip(spec.shape, other.sample.spec.shape, strict=True))
    dims = tuple(size if k == 0 or a != b else a for k, (a, b) in pairs)
    return _Leaf(Sample(spec_of(dims, spec.dtype)))


def _is_plain(sample: Any) -> bool:
    """Whether a sample is of an array that has no mask."""
    return isinstance(sample, Sample) and sample.mask is None


def _sample_for(layer: Any, shape: StaticShape, size: int) -> _Leaf:
    dims = tuple(size if d is None else d for d in shape)  # open whatever the inputs are: a text's words
    return _Leaf(Sample(spec_of(dims, tf.as_dtype(layer.compute_dtype))))


def _computed_samples(layer: Layer, args: tuple[Any, ...], size: int) -> Any:
    """The samples of results whose shapes the layer's class computes; None if that would sketch the call again."""
    if type(layer).compute_output_shape is tf.keras.layers.Layer.compute_output_shape or layer.gives_sparse:
        return None
    token = _asked.set((*_asked.get(), id(layer)))
    try:
        samples = nest.map_structure(lambda a: _Leaf(sample_of(a, size)), args[0])
        if any(not isinstance(leaf.sample, Sample) for leaf in nest.flatten(samples)):
            return None
        inputs = nest.map_structure(lambda leaf: Shape(leaf.sample.spec.shape), samples)
        shapes = layer.compute_output_shape(nest.map_structure(lambda i: tf.TensorShape(i.shape), inputs))
        return nest.map_structure(lambda s: _sample_for(layer, s.shape, size), shapes_of(shapes))
    except NotSketchable:
        return None
    finally:
        _asked.reset(token)


class _Held:
    """A symbolic argument while its call is sketched."""

    def __init__(self, symbol: KerasTensor, size: int) -> None:
        self.sample = sample_of(symbol, size)
        self.tensor: Any = None

    def specs(self) -> list[Spec]:
        mask = self.sample.mask
        own = [] if self.sample.value is not None else [self.sample.spec]
        return own + ([mask.spec] if mask is not None else [])

    def take(self, placeholders: list[Tensor]) -> None:
        value = self.sample.value
        self.tensor = tf.constant(value) if value is not None else placeholders.pop(0)
        if isinstance(self.sample, (RaggedSample, SparseSample)):
            self.tensor = self.sample.filled(self.tensor)
        if self.sample.mask is not None:
            self.tensor._keras_mask = placeholders.pop(0)


def _restored(leaf: object) -> Any:
    return leaf.tensor if isinstance(leaf, _Held) else leaf


def _sampled(result: Any) -> Any:
    if isinstance(result, (tf.RaggedTensor, tf.SparseTensor)):
        return _Leaf(sample_of_result(result))
    if not isinstance(result, TensorBase) and not is_registered(result):
        return result
    tensor = tf.convert_to_tensor(result)
    mask = getattr(tensor, "_keras_mask", None)
    return _Leaf(Sample(tensor.spec, tensor.host_value(), None if mask is None else Sample(mask.spec)))


class Result:
    """What is known, before there is data, of one tensor among a call's results."""

    def __init__(self, type_spec: Any, samples: dict[int, Any]) -> None:
        self.type_spec = type_spec
        self.shape = type_spec.shape
        self.samples = samples


def infer(layer: Layer, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a layer's call gives: its structure, with a `Result` for each tensor."""
    symbols = [a for a in nest.flatten((args, kwargs)) if isinstance(a, KerasTensor)]
    refusal: Exception | None = None
    waiting = _sizes_to_try(symbols)
    while waiting:
        sizes = waiting.pop(0)
        try:
            found = [samples_of_call(layer, args, kwargs, size) for size in sizes]
        except (ValueError, TypeError, tf.errors.InvalidArgumentError) as error:
            if refusal is None:
                refusal = error
                if any(None in tuple(s.shape) for s in symbols):
                    note = f"A dimension of size {sizes[0]} stands for None: it is not known yet."
                    named = _batches_named(str(error), sizes[0], symbols)
                    is_batch_alone = not any(None in tuple(s.shape)[1:] for s in symbols)
                    waiting = named + waiting if is_batch_alone else waiting + named
                    add_text(error, after=note)
            if not symbols:
                break
            continue
        if len(sizes) == 1:
            given = [s for s in symbols if tuple(s.shape)[:1] == sizes]
            return nest.map_structure(
                lambda a, size=sizes[0], given=given: _alone(a, size, bool(given)), *found
            )
        return nest.map_structure(lambda a, b, sizes=sizes: _joined(a, b, sizes), *found)
    raise refusal or ValueError(f"The shape of what layer {layer.name!r} gives is not known.")


def _sizes_to_try(symbols: list[KerasTensor]) -> list[tuple[int, ...]]:
    """Pairs; what came of a call that suits only one batch size has that size alone."""
    for symbol in symbols:
        if symbol.node is not None and not symbol.node.is_input and len(symbol.samples) == 1:
            return [tuple(symbol.samples)]
    return list(_PAIRS)


def _batches_named(text: str, size: int, symbols: list[KerasTensor]) -> list[tuple[int]]:
    """Batch sizes that a call may have written into it, by what it says of one that does not suit it.

    It names the other size, or the numbers of elements that both sizes make.
    """
    if not any(len(s.shape) and s.shape[0] is None for s in symbols):
        return []
    named = dict.fromkeys(int(n) for n in re.findall(r"\d+", text) if 0 < int(n) < 1 << 31)
    scaled = [size * m // n for m in named for n in named if size * m % n == 0]
    found = [n for n in dict.fromkeys([*named, *scaled]) if n != size and 1 < n <= 4096]
    return [(n,) for n in [*found[:_MOST_BATCHES], 1]]  # 1 last: it suits every other


def _joined(a: Any, b: Any, pair: tuple[int, ...]) -> Any:
    if not isinstance(a, _Leaf):
        return a
    one, two = a.sample, b.sample
    samples = {pair[0]: one, pair[1]: two}
    if not isinstance(one, Sample):
        return Result(joined_spec(one, two), samples)
    shape = tuple(m if m == n else None for m, n in zip(one.spec.shape, two.spec.shape, strict=True))
    return Result(tf.TensorSpec(shape, one.spec.dtype), samples)


def _alone(a: Any, size: int, is_given: bool) -> Any:
    """A result at the one batch size that suits; `is_given` if an input of the call has it, so that it is known."""
    if not isinstance(a, _Leaf):
        return a
    if not isinstance(a.sample, Sample):
        return Result(joined_spec(a.sample, a.sample), {size: a.sample})
    dims = a.sample.spec.shape
    shape = (None, *dims[1:]) if dims and dims[0] == size and not is_given else dims
    return Result(tf.TensorSpec(shape, a.sample.spec.dtype), {size: a.sample})


def inferred_shape(layer: Layer, input_shape: InputShape) -> Any:
    """The shape of a layer's result for inputs of a shape, which may have None in it, or several."""
    if id(layer) in _asked.get():
        raise NotSketchable("The call, which cannot be sketched, is what would tell the shape.")
    dtype = tf.as_dtype(layer.compute_dtype or "float32")
    inputs = nest.map_structure(lambda s: KerasTensor(s.shape, dtype), shapes_of(input_shape))
    results = infer(layer, (inputs,), {})
    return nest.map_structure(lambda r: tf.TensorShape(r.shape), results)


class Shape:
    """A shape as one leaf of a structure."""

    def __init__(self, shape: Any) -> None:
        self.shape = tuple(shape)


def shapes_of(value: Any) -> Any:
    """A structure of shapes (tuples, lists, TensorShapes, dicts of them) with one leaf a shape."""
    if isinstance(value, tf.TensorShape):
        return Shape(value)
    if isinstance(value, dict):
        return {k: shapes_of(v) for k, v in value.items()}
    if all(d is None or isinstance(d, (int, np.integer)) for d in value):
        return Shape(value)
    if not isinstance(value, (list, tuple)):
        return value
    shapes = [shapes_of(v) for v in value]
    is_named = type(value) not in (list, tuple)  # a namedtuple takes its fields one by one
    return type(value)(*shapes) if is_named else type(value)(shapes)
