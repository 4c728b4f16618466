"""Functions as portable programs: StableHLO, through `jax.export`, and back.

A program takes the values of Variables and the arguments, and returns the results. XLA wants sizes; where the
number of rows is left open, the program is made for one row and mapped over the rows, which is right for
functions that treat each row by itself. Whether one does is tried out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from jax import export as jax_export

from tapeflow.engine.backend import jax
from tapeflow.engine.devices import forking
from tapeflow.engine.exporting.program_scan import (
    RefusedProgram,
    check_at,
    has_open_calls,
    opened,
    refused,
    with_gradients,
)
from tapeflow.engine.exporting.program_trial import remember
from tapeflow.engine.recording.op import op
from tapeflow.engine.recording.recorder import tensor_of
from tapeflow.engine.values import nest
from tapeflow.engine.values.convert import convert_to_tensor, to_node
from tapeflow.engine.values.dtypes import as_dtype
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.engine.values.variable import Variable

_ROWS_TRIED = 3


class Exported(NamedTuple):
    """A program as bytes, what it returns, and which Variables its last results are the new values of."""

    data: bytes
    outputs: Any
    writes: list[int]


def export_program(
    function: Callable[..., Any], variables: Sequence[Variable], specs: Sequence[TensorSpec]
) -> Exported:
    """The program of `function` for arguments of these specs; the first size may be open in all of them.

    Raises:
        ValueError: another size is open, or it is and rows are not treated each by itself.
    """
    is_open = [_is_open(spec) for spec in specs]
    outputs: Any = None
    writes: list[int] = []

    def run(values: Any, *arguments: Any) -> Any:
        nonlocal outputs, writes
        old = [v._node for v in variables]
        try:
            given = [to_node(value) for value in values]
            for variable, node in zip(variables, given, strict=True):
                variable._node = node
            found = function(*[tensor_of(to_node(a)) for a in arguments])
            outputs = nest.map_structure(lambda part: None if part is None else "tensor", found)
            writes = [i for i, v in enumerate(variables) if v._node is not given[i]]
            results = [part for part in nest.flatten(found) if part is not None]
            return [_value(part) for part in [*results, *[variables[i] for i in writes]]]
        finally:
            for variable, node in zip(variables, old, strict=True):
                variable._node = node

    def by_rows(values: Any, *arguments: Any) -> Any:
        def row(*parts: Any) -> Any:
            whole = [p[None] if o else p for p, o in zip(parts, is_open, strict=True)]
            return [found[0] for found in run(values, *whole)]

        return jax.vmap(row, in_axes=[0 if o else None for o in is_open])(*arguments)

    if forking.is_cut_off:
        raise forking.refusal("Exporting a program")
    program = by_rows if any(is_open) else run
    rows = jax_export.symbolic_shape("rows")[0] if any(is_open) else None
    held = [jax.ShapeDtypeStruct(v._node.spec.shape, v._node.spec.np_dtype) for v in variables]
    given = [
        jax.ShapeDtypeStruct((rows, *_sizes(s)[1:]) if o else _sizes(s), np.dtype(s.dtype.as_numpy_dtype))
        for s, o in zip(specs, is_open, strict=True)
    ]
    if any(is_open):
        _try_rows(run, by_rows, variables, specs, is_open)
    exported = jax_export.export(jax.jit(program))(held, *given)
    data = _with_gradient(exported)
    remember(data)
    return Exported(data, outputs, writes)


def _with_gradient(exported: Any) -> bytes:
    """The bytes of a program, with the program of its gradient if it has one."""
    try:
        return bytes(exported.serialize(vjp_order=1))
    except (TypeError, ValueError, NotImplementedError):  # loops of unknown length have none
        return bytes(exported.serialize())


def _try_rows(
    run: Any, by_rows: Any, variables: Sequence[Variable], specs: Sequence[TensorSpec], is_open: list[bool]
) -> None:
    """Raise unless a few rows give the same one by one as together."""
    random = np.random.default_rng(0)
    values = [np.asarray(v.numpy()) for v in variables]
    arguments = []
    for spec, o in zip(specs, is_open, strict=True):
        shape = (_ROWS_TRIED, *_sizes(spec)[1:]) if o else _sizes(spec)
        drawn = random.random(shape) if spec.dtype.is_floating else random.integers(0, 2, shape)
        arguments.append(drawn.astype(spec.dtype.as_numpy_dtype))
    together, apart = jax.jit(run)(values, *arguments), jax.jit(by_rows)(values, *arguments)
    is_same = all(
        a.shape == b.shape and np.allclose(a, b, rtol=1e-3, atol=1e-4, equal_nan=True)
        for a, b in zip(together, apart, strict=True)
    )
    if not is_same:
        raise ValueError(
            "Exporting with an unknown number of rows expected a function that treats each row "
            "separately; this one returns "
            "other results for rows together. Give the input a fixed number of rows."
        )


def _is_open(spec: TensorSpec) -> bool:
    sizes = None if spec.shape.rank is None else spec.shape.as_list()
    if sizes is None or any(s is None for s in sizes[1:]):
        raise ValueError(
            f"Exporting expected inputs whose sizes are known, except for the number of rows; got shape {spec.shape} "
            f"for {spec.name or 'an input'}. Give the input a fixed shape."
        )
    return bool(sizes) and sizes[0] is None


def _sizes(spec: TensorSpec) -> tuple[Any, ...]:
    return tuple(spec.shape.as_list())


def _value(part: Any) -> Any:
    return to_node(part).value if isinstance(part, (TensorBase, Tensor)) else np.asarray(part)


class PortableProgram:
    """A program that `export_program` made, ready to run.

    Args:
        data: its bytes. Those that come from a file are tried in another process first (`program_trial`).
        where: the file, for errors.
        safe_mode: look at what the program may do.

    Raises:
        ValueError: the bytes are no such program, or one that may do something else than compute.
    """

    def __init__(self, data: bytes, where: str, safe_mode: bool = True) -> None:
        if forking.is_cut_off:
            raise forking.refusal("Loading a program")
        self._where = where
        self._checked_rows: set[int] = set()
        try:
            self._exported = opened(data, safe_mode)
            self._has_open_calls = safe_mode and any(map(has_open_calls, with_gradients(self._exported)))
        except RefusedProgram as refusal:
            raise refused(where, refusal) from refusal.__cause__

    @property
    def output_specs(self) -> list[TensorSpec]:
        """The specs of all results; a size that changes with the rows is open."""
        return [
            TensorSpec([d if isinstance(d, int) else None for d in aval.shape], as_dtype(aval.dtype))
            for aval in self._exported.out_avals
        ]

    def __call__(self, variables: Sequence[Variable], *arguments: Any) -> list[Tensor]:
        """The results for the Variables and the arguments; a tape sees through it."""
        wanted = self._exported.in_avals[len(variables) :]
        if len(wanted) != len(arguments):
            raise TypeError(f"The program expected {len(wanted)} arguments; got {len(arguments)}.")
        given = [convert_to_tensor(a, as_dtype(w.dtype)) for a, w in zip(arguments, wanted, strict=True)]
        if not self._exported.out_avals:
            return []
        return list(_saved_program(*variables, *given, program=self, count=len(variables)))

    def run(self, values: list[Any], *arguments: Any) -> tuple[Any, ...]:
        """The results for arrays."""
        if self._has_open_calls:
            self._check_rows([*values, *arguments])
        return tuple(self._exported.call(values, *arguments))

    def _check_rows(self, arrays: list[Any]) -> None:
        """Look at the calls of native functions again now that the number of rows is known."""
        shapes = [(a.shape, w.shape) for a, w in zip(arrays, self._exported.in_avals, strict=True)]
        found = {given[0] for given, wanted in shapes if given and wanted and not isinstance(wanted[0], int)}
        for rows in (found or {1}) - self._checked_rows:
            try:
                check_at(self._exported, rows)
            except RefusedProgram as refusal:
                raise refused(self._where, refusal) from None
            self._checked_rows.add(rows)


@op(name="SavedProgram", same_dtype=False)
def _saved_program(*arrays: Any, program: PortableProgram, count: int) -> Any:
    return program.run(list(arrays[:count]), *arrays[count:])
