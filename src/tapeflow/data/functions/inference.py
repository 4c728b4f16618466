"""What a user's function returns, learnt without a real element where that is possible.

The function is sketched on placeholders. Dimensions that are not known get a size, and then another: what
comes out different is not known either. A function that reads a value is called on the source's first
elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tapeflow.autograph.callees import converted
from tapeflow.data.functions.calls import arguments_of, call, isolated_recording, results_of
from tapeflow.data.pipe import Iteration, Pipe
from tapeflow.data.specs import common_specs, spec_of_component
from tapeflow.data.structure import Structure, flattened
from tapeflow.engine import errors
from tapeflow.engine.recording.node import spec_of
from tapeflow.engine.recording.sketch import NotSketchable, sketch
from tapeflow.engine.values.dtypes import string
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.ops.ragged.spec import RaggedTensorSpec

_SIZES = (6, 10)
"""Stand-ins for a dimension that is not known; even, so that halving them works."""


_LOOKED_AT = 3
"""How many elements a function that cannot be sketched is called on."""


class Inferred(NamedTuple):
    """The structure and specs of a function's results."""

    structure: Structure
    specs: tuple[Any, ...]


def inferred(source: Pipe, function: Callable[..., Any]) -> Inferred:
    """What `function` makes of the elements of `source`."""
    specs = _array_specs(source.specs)
    if _can_stand_in(specs):
        are_known = all(s.shape.is_fully_defined() for s in specs)
        try:
            found = [_sketched(source, function, size) for size in (_SIZES[:1] if are_known else _SIZES)]
            return Inferred(found[0].structure, common_specs([f.specs for f in found]))
        except NotSketchable:
            pass
        except (TypeError, ValueError, errors.OpError):  # stand-in sizes may not suit; real ones will
            if are_known:
                raise
    return _from_first(source, function)


def _array_specs(specs: Sequence[Any]) -> list[Any]:
    """Specs in which rows of ragged tensors are what a function gets: tensors."""
    return [
        TensorSpec(s.shape, s.dtype) if isinstance(s, RaggedTensorSpec) and not s.ragged_rank else s
        for s in specs
    ]


def _can_stand_in(specs: Sequence[Any]) -> bool:
    return all(
        isinstance(s, TensorSpec) and s.dtype is not string and s.shape.rank is not None for s in specs
    )


def _sketched(source: Pipe, function: Callable[..., Any], size: int) -> Inferred:
    specs = _array_specs(source.specs)
    stands = [spec_of(tuple(size if d is None else d for d in s.shape), s.dtype) for s in specs]

    def called(*parts: Tensor) -> Any:
        return results_of(converted(function)(*arguments_of(source.structure, parts)))

    with isolated_recording():
        return _described(sketch(called, *stands))


def _from_first(source: Pipe, function: Callable[..., Any]) -> Inferred:
    """What the function makes of the first few elements, which may differ in shape."""
    handles = source.stream(Iteration(is_trial=True)).take(_LOOKED_AT)
    if not len(handles):
        raise ValueError(
            "tf.data.Dataset.element_spec expected at least one element to call the function on, which reads "
            "values and so tells what it returns only when it is called; got an empty dataset."
        )
    with isolated_recording():
        elements = source.rows.elements(handles)
        made = [call(function, source.structure, elements[0])]
        for element in elements[1:]:
            try:
                made.append(call(function, source.structure, element))
            except (
                TypeError,
                ValueError,
                ArithmeticError,
                errors.OpError,
            ):  # it is raised when it is reached
                break
    first, *others = [_described(m) for m in made]
    specs = common_specs([first.specs, *[o.specs for o in others]])
    if any(not isinstance(s, TensorSpec) or not s.shape.is_fully_defined() for s in source.specs):
        specs = tuple([_loosened(s, source.specs) for s in specs])
    return Inferred(first.structure, specs)


def _described(results: Any) -> Inferred:
    specs = [
        TensorSpec(r.shape, r.dtype) if isinstance(r, Tensor) else spec_of_component(r)
        for r in flattened(results)
    ]
    return Inferred(Structure(results), tuple(specs))


def _loosened(spec: object, inputs: Sequence[Any]) -> Any:
    """A result's spec when the first dimension of the inputs, a batch's, is not known."""
    are_batches = all(
        isinstance(s, TensorSpec) and s.shape.rank is not None and s.shape.rank > 0 and s.shape[0] is None
        for s in inputs
    )
    if isinstance(spec, RaggedTensorSpec) and are_batches:
        return RaggedTensorSpec([None, *spec.shape[1:]], spec.dtype, spec.ragged_rank, spec.row_splits_dtype)
    if not isinstance(spec, TensorSpec):
        return spec
    if are_batches:
        return TensorSpec([None, *spec.shape[1:]] if spec.shape.rank else [], spec.dtype)
    if any(isinstance(s, TensorSpec) and s.shape.rank is None for s in inputs) or spec.shape.rank is None:
        return TensorSpec(None, spec.dtype)
    return TensorSpec([None] * spec.shape.rank, spec.dtype)
