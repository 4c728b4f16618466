"""Looks at exported programs before they run: all their operations, and those of their gradients.

A program in a file is code. XLA's operations compute and do nothing else, with a few exceptions that are refused
here: calls of native functions but for those in `native_calls`, exchange with the host or other devices, numbers
drawn at random inside a comparison, and unstable sorting, for which a comparison that contradicts itself leads out
of the array.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jax import export as jax_export
from jax._src.interpreters import mlir
from jaxlib.mlir import ir

from tapeflow.engine.backend import jax
from tapeflow.engine.exporting.native_calls import ForeignCall, check_call

_DIALECTS = ("builtin", "func", "stablehlo", "chlo")
_OUTSIDE = {
    "stablehlo.all_gather",
    "stablehlo.all_reduce",
    "stablehlo.all_to_all",
    "stablehlo.collective_broadcast",
    "stablehlo.collective_permute",
    "stablehlo.cross-replica-sum",
    "stablehlo.infeed",
    "stablehlo.outfeed",
    "stablehlo.partition_id",
    "stablehlo.recv",
    "stablehlo.reduce_scatter",
    "stablehlo.replica_id",
    "stablehlo.rng",
    "stablehlo.send",
}
_MAX_GRADIENTS = 3
_OPEN_SIZE = "rows"


class RefusedProgram(Exception):
    """A program that is not run; `str` goes on after "got FILE, which"."""


def refused(where: str, why: object) -> ValueError:
    """The error for a program that is not run."""
    return ValueError(
        f"Loading expected a StableHLO program that computes and does nothing else; got {where!r}, which {why}. It is "
        "not run: check where the file comes from, or use another copy."
    )


def opened(data: bytes, safe_mode: bool = True) -> Any:
    """The program in `data`, as JAX has it, after it has been looked at.

    Bytes that are none of ours may end or hang the process in here: try those in another one first (`program_trial`).

    Raises:
        RefusedProgram: the bytes are no program, or it may do something else than compute.
    """
    try:
        exported = jax_export.deserialize(bytearray(data))
        for program in with_gradients(exported) if safe_mode else ():
            _check_header(program)
            has_open_calls(program)
    except (RefusedProgram, ForeignCall) as refusal:
        raise RefusedProgram(str(refusal)) from None
    except Exception as error:  # a broken program breaks its reader in any way
        raise RefusedProgram(f"cannot be read ({type(error).__name__}: {str(error)[:200]})") from error
    return exported


def with_gradients(exported: Any) -> Iterator[Any]:
    """A program, that of its gradient, and so on."""
    for _ in range(_MAX_GRADIENTS):
        yield exported
        if not exported.has_vjp():
            return
        exported = exported.vjp()
    raise RefusedProgram("has gradients of gradients without end")


def has_open_calls(program: Any) -> bool:
    """Whether a program calls native functions with sizes that are known only when it is called.

    Raises:
        RefusedProgram, ForeignCall: it may do something else than compute.
    """
    with mlir.make_ir_context():
        is_open = _scan(program.mlir_module(serialized=False))
    if is_open and not program.uses_global_constants:
        raise RefusedProgram("calls native functions with sizes that it does not know")
    return is_open


def check_at(exported: Any, rows: int) -> None:
    """Look at a program and its gradients as they are for this number of rows, when all sizes are known.

    Raises:
        RefusedProgram: a native function would be called with sizes that contradict each other.
    """
    for program in with_gradients(exported):
        if program.uses_global_constants:
            module = mlir.refine_polymorphic_shapes(lowered(program, rows).compiler_ir("stablehlo"))
            try:
                is_open = _scan(module)
            except ForeignCall as refusal:
                raise RefusedProgram(str(refusal)) from None
            if is_open:
                raise RefusedProgram("calls native functions with sizes that it does not know")


def lowered(program: Any, rows: int) -> Any:
    """A program for this number of rows, ready to be compiled."""
    specs = [
        jax.ShapeDtypeStruct([d if isinstance(d, int) else rows for d in aval.shape], aval.dtype)
        for aval in program.in_avals
    ]
    args, kwargs = jax.tree_util.tree_unflatten(program.in_tree, specs)
    return jax.jit(program.call).lower(*args, **kwargs)


def _check_header(program: Any) -> None:
    """Raise unless a program is for one device, has no effects, and no sizes open but the number of rows."""
    shapes = [aval.shape for aval in (*program.in_avals, *program.out_avals)]
    is_open = [bool(shape) and str(shape[0]) == _OPEN_SIZE for shape in shapes]
    if program.nr_devices != 1:
        raise RefusedProgram(f"is for {program.nr_devices} devices")
    if program.ordered_effects or program.unordered_effects or program.disabled_safety_checks:
        raise RefusedProgram("has effects")
    if not all(isinstance(size, int) for s, o in zip(shapes, is_open, strict=True) for size in s[o:]):
        raise RefusedProgram("has open sizes other than the number of rows")
    if any(is_open) and not program.uses_global_constants:
        raise RefusedProgram("does not say what its open sizes are")


def _scan(module: ir.Module) -> bool:
    """Whether native functions are called with open sizes, after all operations have been looked at."""
    is_open = False
    waiting: list[ir.Operation] = [module.operation]
    while waiting:
        operation = waiting.pop()
        if operation.name == "stablehlo.custom_call":
            is_open |= check_call(operation)
        else:
            _check_operation(operation)
        waiting += [inner.operation for region in operation.regions for block in region for inner in block]
    return is_open


def _check_operation(operation: ir.Operation) -> None:
    if operation.name.partition(".")[0] not in _DIALECTS or operation.name in _OUTSIDE:
        raise RefusedProgram(f"uses {operation.name!r}")
    if operation.name == "stablehlo.sort":
        attributes = operation.attributes
        if "is_stable" not in attributes or not ir.BoolAttr(attributes["is_stable"]).value:
            raise RefusedProgram("sorts without keeping the order of equal values")
