"""The signatures of native functions, against the calls that JAX itself makes of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export
from jax._src.interpreters import mlir
from jax.scipy.linalg import schur
from jaxlib.mlir import ir

from tapeflow.engine.exporting.native_calls import (
    ForeignCall,
    _attributes,
    _fits,
    _signature,
    _sizes,
    check_call,
)

linalg = jax.lax.linalg
SQUARE = {
    "potrf": lambda x: linalg.cholesky(x),
    "getrf": lambda x: linalg.lu(x),
    "syevd": lambda x: linalg.eigh(x),
    "geev": lambda x: linalg.eig(x),
    "geev left": lambda x: linalg.eig(x, compute_left_eigenvectors=True, compute_right_eigenvectors=False),
    "trsm left": lambda x: linalg.triangular_solve(x, x[..., :2], left_side=True, lower=True),
    "trsm right": lambda x: linalg.triangular_solve(x, x[..., :2, :], left_side=False, unit_diagonal=True),
    "gtsv": lambda x: linalg.tridiagonal_solve(x[..., 0], x[..., 1], x[..., 2], x[..., :2]),
}
ANY = {
    "getrf": lambda x: linalg.lu(x),
    "qr full": lambda x: linalg.qr(x, full_matrices=True),
    "qr thin": lambda x: linalg.qr(x, full_matrices=False),
    "svd full": lambda x: linalg.svd(x, full_matrices=True),
    "svd thin": lambda x: linalg.svd(x, full_matrices=False),
    "svd values": lambda x: linalg.svd(x, compute_uv=False),
}
CASES = [
    *[
        (name, function, shape)
        for name, function in SQUARE.items()
        for shape in ((4, 4), (2, 4, 4), (2, 3, 4, 4))
    ],
    *[(name, function, shape) for name, function in ANY.items() for shape in ((5, 3), (2, 3, 5))],
    ("gees", lambda x: schur(x, output="complex"), (4, 4)),
]


def calls(module: ir.Module) -> Iterator[ir.Operation]:
    waiting = [module.operation]
    while waiting:
        operation = waiting.pop()
        if operation.name == "stablehlo.custom_call":
            yield operation
        waiting += [inner.operation for region in operation.regions for block in region for inner in block]


def changed(kind: ir.Type) -> Iterator[ir.Type]:
    """A type with each of its sizes changed, one more and one less of them, and another element type."""
    sizes, element = list(_sizes(kind)), ir.RankedTensorType(kind).element_type
    for i, size in enumerate(sizes):
        for other in (size - 1, size + 1):
            yield ir.RankedTensorType.get([*sizes[:i], other, *sizes[i + 1 :]], element)
    yield ir.RankedTensorType.get([2, *sizes], element)
    if sizes:
        yield ir.RankedTensorType.get(sizes[1:], element)
    yield ir.RankedTensorType.get(sizes, ir.IntegerType.get_signless(8))


@pytest.mark.parametrize(("name", "function", "shape"), CASES, ids=[f"{c[0]} {c[2]}" for c in CASES])
@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_what_jax_calls_fits_and_nothing_else(name: str, function: Any, shape: Any, dtype: str) -> None:
    if name == "gees" and dtype == "float32":
        dtype = "float64"
    exported = export.export(jax.jit(function))(jax.ShapeDtypeStruct(shape, dtype))
    found = 0
    with mlir.make_ir_context(), ir.Location.unknown():
        for call in calls(exported.mlir_module(serialized=False)):
            found += 1
            assert not check_call(call)
            target = call.attributes["call_target_name"].value
            given = _attributes(call, target)
            signature = _signature(target, given)
            operands = [value.type for value in call.operands]
            kinds = [*operands, *[value.type for value in call.results]]
            letters = f"{signature.operands} {signature.results}"
            for i, kind in enumerate(kinds):
                if letters.split()[i] in ("j", "mi", "jn"):  # LAPACK takes any, or does not write there
                    continue
                for other in changed(kind):
                    lying = [*kinds[:i], other, *kinds[i + 1 :]]
                    assert not _fits(signature, lying[: len(operands)], lying[len(operands) :]), (
                        target,
                        i,
                        other,
                    )
            assert not _fits(signature, operands, kinds[len(operands) :][:-1])
    assert found


def test_other_attributes_are_refused() -> None:
    spec = jax.ShapeDtypeStruct((4, 4), "float32")
    exported = export.export(jax.jit(jnp.linalg.cholesky))(spec)
    with mlir.make_ir_context():
        module = exported.mlir_module(serialized=False)  # which must outlive its operations
        [call] = calls(module)
        for text in ("{uplo = 88 : ui8}", "{}", "{uplo = 76 : ui8, more = 76 : ui8}", '{uplo = "L"}'):
            call.attributes["mhlo.backend_config"] = ir.Attribute.parse(text)
            with pytest.raises(
                ForeignCall, match=r"calls 'lapack_spotrf_ffi' with other attributes than it takes"
            ):
                check_call(call)


def test_open_sizes_are_told() -> None:
    spec = jax.ShapeDtypeStruct(export.symbolic_shape("rows, 4, 4"), np.float32)
    exported = export.export(jax.jit(jnp.linalg.cholesky))(spec)
    with mlir.make_ir_context():
        found = {
            c.attributes["call_target_name"].value: check_call(c) for c in calls(exported.mlir_module(False))
        }
    assert found == {"shape_assertion": False, "lapack_spotrf_ffi": True}
