"""Reading arguments: counts, seeds, the signature of a generator, the padding of a batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeflow.data.composites import COMPOSITE_SPECS
from tapeflow.data.pipe import Pipe
from tapeflow.data.specs import common_specs
from tapeflow.data.structure import Structure, flattened, map_parts
from tapeflow.engine import errors
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.dtypes import DType, as_dtype, string
from tapeflow.engine.values.shape import TensorShape, as_shape
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.ops.host_args import read_int


def read_count(value: TensorLike, where: str, name: str) -> int:
    """An integer, as a Python number or a tensor."""
    return int(read_int(value, where, name))


def read_positive(value: Any, where: str, name: str) -> int:
    """An integer above zero."""
    count = read_count(value, where, name)
    if count < 1:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"{where} expected a positive {name}: {name} must be greater than zero; got {name}={count}.",
        )
    return count


def read_or_auto(value: Any, where: str, name: str, least: int = 1) -> int:
    """An integer of at least `least`, or -1, which leaves it open."""
    count = read_count(value, where, name)
    if count < least and count != -1:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"{where} expected {name} to be {least} or more, or tf.data.AUTOTUNE: {name} must be greater than or equal "
            f"to {least}; got {name}={count}.",
        )
    return count


def same_elements(datasets: Any, where: str) -> list[Pipe]:
    """The pipes of datasets that are all of one structure and dtypes."""
    if not datasets:
        raise ValueError(f"{where} expected datasets: `datasets` should not be empty; got {datasets!r}.")
    pipes: list[Pipe] = [d._pipe for d in datasets]
    for pipe in pipes[1:]:
        try:
            if not pipe.structure.matches(pipes[0].structure):
                raise ValueError
            common_specs([pipes[0].specs, pipe.specs])
        except ValueError:
            raise TypeError(
                f"{where} expected datasets of one structure and dtypes: datasets have incompatible elements, "
                f"{pipes[0].structure.specs(pipes[0].specs)!r} and {pipe.structure.specs(pipe.specs)!r}."
            ) from None
    return pipes


def read_seed(seed: Any, where: str) -> int | None:
    """An integer or None."""
    return None if seed is None else read_count(seed, where, "seed")


def read_range(args: tuple[Any, ...], output_type: DTypeLike) -> tuple[int, int, int, DType]:
    """Start, step, count and dtype of `Dataset.range`."""
    where = "tf.data.Dataset.range"
    if not 1 <= len(args) <= 3:
        raise ValueError(
            f"{where} expected one to three numbers: `args` should have length between 1 and 3; got "
            f"{len(args)}. Use range(stop), range(start, stop) or range(start, stop, step)."
        )
    numbers = [read_count(a, where, "args") for a in args]
    start, stop = (0, numbers[0]) if len(numbers) == 1 else numbers[:2]
    step = numbers[2] if len(numbers) == 3 else 1
    if step == 0:
        raise errors.InvalidArgumentError(
            None, None, f"{where} expected a step other than 0: step must be a non-zero integer; got step=0."
        )
    return start, step, len(range(start, stop, step)), as_dtype(output_type)


def generator_signature(
    generator: Any, types: Any, shapes: Any, signature: Any
) -> tuple[Structure, list[TensorSpec]]:
    """Structure and specs of what a generator yields."""
    where = "tf.data.Dataset.from_generator"
    if not callable(generator):
        raise TypeError(
            f"{where} expected a function: `generator` must be a Python callable; got "
            f"generator={generator!r}. Pass the function itself, not what it returns."
        )
    if signature is not None:
        for name, value in (("output_types", types), ("output_shapes", shapes)):
            if value is not None:
                raise TypeError(
                    f"{where} expected only one description of the elements: the `{name}` argument can not be used "
                    f"together with the `output_signature` argument; got {name}={value!r}."
                )
        specs = flattened(map_parts(_only_spec, _without_lists(signature)))
        return Structure(_without_lists(signature)), specs
    if types is None:
        raise TypeError(
            f"{where} expected a description of the elements: to specify the output signature you need to "
            "provide either the `output_signature` argument or the `output_types` argument."
        )
    types = map_parts(as_dtype, _without_lists(types))
    structure = Structure(types)
    dtypes = flattened(types)
    if shapes is None:
        known = [TensorShape(None)] * len(dtypes)
    else:
        known = shapes_like(types, shapes, where, "output_shapes")
    return structure, [TensorSpec(s, d) for s, d in zip(known, dtypes, strict=True)]


def _without_lists(structure: object) -> Any:
    if isinstance(structure, list):
        return tuple(_without_lists(s) for s in structure)
    if isinstance(structure, dict):
        return {k: _without_lists(v) for k, v in structure.items()}
    if type(structure) is tuple:
        return tuple(_without_lists(s) for s in structure)
    return structure


def _only_spec(spec: object) -> Any:
    if not isinstance(spec, (TensorSpec, *COMPOSITE_SPECS)):
        raise TypeError(
            "tf.data.Dataset.from_generator expected output_signature to contain tf.TensorSpec objects: "
            f"`output_signature` must contain objects that are subclass of `tf.TypeSpec`; got {type(spec)}."
        )
    return spec


def shapes_like(template: object, shapes: Any, where: str, name: str) -> list[TensorShape]:
    """Shapes in the structure of `template`, whose own tuples and lists are shapes at its leaves."""
    if isinstance(template, dict):
        if not isinstance(shapes, dict) or shapes.keys() != template.keys():
            raise _unlike(where, name, shapes)
        return [s for k in sorted(template) for s in shapes_like(template[k], shapes[k], where, name)]
    if isinstance(template, tuple):
        if not isinstance(shapes, (tuple, list)) or len(shapes) != len(template):
            raise _unlike(where, name, shapes)
        return [s for t, p in zip(template, shapes, strict=True) for s in shapes_like(t, p, where, name)]
    return [] if template is None else [as_shape(_plain(shapes))]


def _plain(shape: Any) -> list[int | None]:
    """A shape in which -1, as in TensorFlow, means unknown."""
    if isinstance(shape, (tuple, list)):
        return [None if d == -1 else d for d in shape]
    return shape


def _unlike(where: str, name: str, value: object) -> TypeError:
    return TypeError(f"{where} expected {name} in the structure of the elements; got {name}={value!r}.")


def padding(pipe: Pipe, shapes: Any, values: Any) -> tuple[list[list[int | None]], list[Any]]:
    """Shapes and values that a padded batch is padded to and with."""
    where = "tf.data.Dataset.padded_batch"
    template = pipe.structure.template
    for spec in pipe.specs:
        if not isinstance(spec, TensorSpec):
            raise TypeError(
                f"{where} expected elements of tensors: `padded_batch` is only supported for datasets that "
                f"produce tensor elements; got {spec!r}. Use batch for ragged tensors."
            )
    if shapes is None:
        for i, spec in enumerate(pipe.specs):
            if spec.shape.rank is None:
                raise ValueError(
                    f"{where} expected padded_shapes: you must provide `padded_shapes` argument because "
                    f"component {i} has unknown rank."
                )
        found = [list(s.shape) for s in pipe.specs]
    else:
        found = [list(s) for s in shapes_like(template, shapes, where, "padded_shapes")]
    for shape, spec in zip(found, pipe.specs, strict=True):
        if spec.shape.rank is not None and len(shape) != spec.shape.rank:
            raise ValueError(
                f"{where} expected padded_shapes of the components' ranks: the padded shape {tuple(shape)} "
                f"is not compatible with the shape {spec.shape} of the corresponding input component."
            )
    return found, [_filler(v, s) for v, s in zip(_values(template, values), pipe.specs, strict=True)]


def _values(template: object, values: Any) -> list[Any]:
    """One padding value for each leaf; a single one serves all."""
    if isinstance(template, dict):
        given = values if isinstance(values, dict) else dict.fromkeys(template, values)
        return [v for k in sorted(template) for v in _values(template[k], given.get(k))]
    if isinstance(template, tuple):
        given = values if isinstance(values, (tuple, list)) else [values] * len(template)
        return [v for t, p in zip(template, given, strict=True) for v in _values(t, p)]
    return [] if template is None else [values]


def _filler(value: object, spec: TensorSpec) -> Any:
    if spec.dtype is string:
        text = b"" if value is None else value
        return text.encode() if isinstance(text, str) else text
    if value is None:
        return np.zeros((), spec.dtype.as_numpy_dtype)
    array = np.asarray(value)
    if isinstance(value, float) and not spec.dtype.is_floating:
        raise TypeError(
            f"tf.data.Dataset.padded_batch expected padding_values of the components' dtypes; got {value!r} "
            f"for a component of {spec.dtype.name}."
        )
    return array.astype(spec.dtype.as_numpy_dtype)
