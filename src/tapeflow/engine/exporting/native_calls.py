"""The native functions that a program from a file may call, and the shapes they must be called with.

XLA hands a native function the memory of its operands and results and believes the program about their sizes.
LAPACK's kernels take the sizes of the matrix and write as many pivots or eigenvalues as it has: a result that is
declared too small would be written past its end. So each function is listed here with all its shapes, and a program
that calls another one, or one of these with other shapes, is not run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from jaxlib.mlir import ir

_MAX_ASSERTED = 32
_VECTORS, _UPLO = {"mode": "NV"}, {"uplo": "LU"}
_ELEMENTS = {  # by LAPACK's letter for it: a type, its real and its complex counterpart
    "s": {"": "f32", "r": "f32", "c": "complex<f32>", "i": "i32"},
    "d": {"": "f64", "r": "f64", "c": "complex<f64>", "i": "i32"},
    "c": {"": "complex<f32>", "r": "f32", "c": "complex<f32>", "i": "i32"},
    "z": {"": "complex<f64>", "r": "f64", "c": "complex<f64>", "i": "i32"},
}
_WORDS = {"": "ui32"}

Sizes = tuple[int | None, ...]
"""A shape; None for a size that is open until the program is called."""


class ForeignCall(Exception):
    """A call that is not allowed; `str` goes on after "which"."""


class Signature(NamedTuple):
    """What a native function takes and gives: for each array the letters of its last sizes, then its type.

    The sizes before those are the same for all arrays. `k` is the smaller one of `m` and `n`; "-" is a number.
    `attributes` are the letters that each attribute may have, or None if they are not looked at.
    """

    operands: str
    results: str
    attributes: Mapping[str, str] | None
    elements: Mapping[str, str]


def check_call(call: ir.Operation) -> bool:
    """Whether sizes of an allowed call are open, so that it must be looked at again once they are known.

    Raises:
        ForeignCall: it is not allowed.
    """
    target = ir.StringAttr(call.attributes["call_target_name"]).value
    if target == "shape_assertion":
        _check_assertion(call)
        return False
    given = _attributes(call, target)
    signature = _signature(target, given)
    if signature is None:
        raise ForeignCall(f"calls {target!r}")
    hidden = _shape_operands(call)
    operands = [value.type for i, value in enumerate(call.operands) if i not in hidden]
    results = [value.type for value in call.results]
    letters = signature.attributes
    if letters is not None and not (
        given.keys() == letters.keys() and all(given[name] in letters[name] for name in letters)
    ):
        raise ForeignCall(f"calls {target!r} with other attributes than it takes")
    is_open = any(None in _sizes(kind) for kind in (*operands, *results))
    if not _fits(signature, operands, results) or (hidden and not is_open):
        raise ForeignCall(f"calls {target!r} with other shapes or types than it takes and gives")
    return is_open


def _check_assertion(call: ir.Operation) -> None:
    """An assertion on sizes: XLA fills numbers into its message, as many as there are."""
    message = ir.StringAttr(call.attributes["error_message"]).value
    count = len(call.operands) - 1
    places = re.findall(r"\{([^{}]*)\}", message)
    is_right = all(p.isdecimal() and int(p) < count for p in places) and 0 <= count <= _MAX_ASSERTED
    if not is_right or len(call.results) or message.count("{") != len(places):
        raise ForeignCall("calls 'shape_assertion' in another way than JAX does")


def _attributes(call: ir.Operation, target: str) -> dict[str, str]:
    """The letters that a native function is called with, by name."""
    names = {named if isinstance(named, str) else named.name for named in call.attributes}
    if "backend_config" in names or "called_computations" in names or "api_version" in names:
        raise ForeignCall(f"calls {target!r} in another way than JAX does")
    if "mhlo.backend_config" not in names:
        return {}
    given = ir.DictAttr(call.attributes["mhlo.backend_config"])
    try:
        return {named.name: chr(ir.IntegerAttr(named.attr).value) for named in given}
    except ValueError as error:
        raise ForeignCall(f"calls {target!r} with other attributes than it takes") from error


def _signature(target: str, given: Mapping[str, str]) -> Signature | None:
    if target in ("cu_threefry2x32_ffi", "hip_threefry2x32_ffi"):
        return Signature("- - - -", "- -", None, _WORDS)
    name = re.fullmatch(r"lapack_([sdcz])(\w+)_ffi", target)
    if name is None:
        return None
    is_real = name[1] in "sd"
    found = _lapack(name[2], is_real, given)
    return None if found is None else Signature(*found, _ELEMENTS[name[1]])


def _lapack(name: str, is_real: bool, given: Mapping[str, str]) -> tuple[str, str, dict[str, str]] | None:
    """Operands, results and attributes of a LAPACK function, of those that the ops of TapeFlow come to."""
    if name == "gesdd":
        # Without vectors ("N") theirs are not written to, and JAX declares them in one way or the other.
        vectors = {"A": "mm nn", "S": "mk kn"}.get(given.get("mode", ""), "mi jn")
        return "mn", f"mn k:r {vectors} -:i", {"mode": "NAS"}
    if name == "trsm":
        matrix = "mm" if given.get("side") == "L" else "nn"
        return f"{matrix} mn", "mn", {"side": "LR", "trans_x": "NTC", "diag": "NU", **_UPLO}
    values = "n n" if is_real else "n"
    functions: dict[str, tuple[str, str, dict[str, str]]] = {
        "potrf": ("nn", "nn -:i", _UPLO),
        "getrf": ("mn", "mn k:i -:i", {}),
        "geqrf": ("mn", "mn k", {}),
        "orgqr" if is_real else "ungqr": ("mn j", "mn", {}),
        "syevd" if is_real else "heevd": ("nn", "nn n:r -:i", {**_VECTORS, **_UPLO}),
        "geev": ("nn", f"{values} nn:c nn:c -:i", {"compute_left": "NV", "compute_right": "NV"}),
        "gees": ("nn", f"nn nn {values} -:i -:i", {**_VECTORS, "sort": "N"}),
        "gtsv": ("n n n nj", "n n n nj -:i", {}),
    }
    return functions.get(name)


def _shape_operands(call: ir.Operation) -> set[int]:
    """Which operands are the sizes of open results; XLA takes them away once the sizes are known."""
    if "indices_of_shape_operands" not in call.attributes:
        return set()
    indices = {int(i) for i in ir.DenseIntElementsAttr(call.attributes["indices_of_shape_operands"])}
    first = len(call.operands) - len(call.results)
    return indices if indices == set(range(first, len(call.operands))) else set()


def _fits(signature: Signature, operands: Sequence[ir.Type], results: Sequence[ir.Type]) -> bool:
    """Whether arrays have the sizes and types of a signature, as far as the sizes are known."""
    wanted = [token.partition(":") for token in f"{signature.operands} {signature.results}".split()]
    if len(operands) != len(signature.operands.split()) or len(wanted) != len(operands) + len(results):
        return False
    known: dict[str, int] = {}
    batches: list[Sizes] = []
    for kind, (letters, _, element) in zip((*operands, *results), wanted, strict=True):
        sizes, letters = _sizes(kind), letters.replace("-", "")
        if len(sizes) < len(letters) or _element(kind) != signature.elements[element]:
            return False
        split = len(sizes) - len(letters)
        batches.append(sizes[:split])
        for letter, size in zip(letters, sizes[split:], strict=True):
            if size is not None and known.setdefault(letter, size) != size:
                return False
            if letter == "n" and {"m", "n"} <= known.keys():
                known.setdefault("k", min(known["m"], known["n"]))
    is_tall = known.get("m", 0) >= known.get("n", 0) >= known.get("j", 0)
    return _are_same(batches) and (is_tall or signature.operands != "mn j")


def _are_same(batches: Sequence[Sizes]) -> bool:
    """Whether shapes are equal where their sizes are known."""
    if len({len(batch) for batch in batches}) > 1:
        return False
    return all(len(set(sizes) - {None}) <= 1 for sizes in zip(*batches, strict=True))


def _sizes(kind: ir.Type) -> Sizes:
    tensor = ir.RankedTensorType(kind)
    return tuple(None if tensor.is_dynamic_dim(i) else tensor.get_dim_size(i) for i in range(tensor.rank))


def _element(kind: ir.Type) -> str:
    return str(ir.RankedTensorType(kind).element_type)
