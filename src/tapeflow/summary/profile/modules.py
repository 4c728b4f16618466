"""Of compiled modules, what each instruction is: which op it comes from, and in what precision it computes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from google.protobuf.message import DecodeError

from tapeflow.summary.protos import message

CONTROL = ("while", "conditional", "call")
_PRODUCTS = {"dot": "matmul", "convolution": "convolution"}
# The numbers XLA gives to element types.
_DTYPES = {
    1: "bool",
    2: "int8",
    3: "int16",
    4: "int32",
    5: "int64",
    6: "uint8",
    7: "uint16",
    8: "uint32",
    9: "uint64",
    10: "float16",
    11: "float32",
    12: "float64",
    15: "complex64",
    16: "bfloat16",
    18: "complex128",
} | dict.fromkeys((19, 20, 23, 24, 25, 28, 29), "float8")
LOW_PRECISION = ("float16", "bfloat16", "float8")


@dataclass(frozen=True)
class Instruction:
    """An instruction of a compiled module.

    Attributes:
        opcode: XLA's name of what it does.
        kind: 'matmul', 'convolution', or JAX's name of the op it comes from, such as 'reduce_sum'; of several that were
            fused, the main one's.
        is_gradient: whether it is part of a backward pass.
        dtype: the type it computes in: for matrix products and convolutions that of their factors.
        shape: the shape of the result.
    """

    opcode: str
    kind: str
    is_gradient: bool
    dtype: str
    shape: tuple[int, ...]


def instructions(data: bytes) -> dict[str, Instruction]:
    """The instructions of a serialised HloProto that can show up in a trace, by name.

    Raises:
        ValueError: it is none.
    """
    proto = message("HloProto")()
    try:
        proto.ParseFromString(data)
    except DecodeError as error:
        raise ValueError(f"a compiled module that is no HloProto: {error}") from None
    computations = {c.id: c for c in proto.hlo_module.computations}
    return {
        i.name: _instruction(i, c, computations)
        for c in proto.hlo_module.computations
        for i in c.instructions
        if i.opcode not in ("parameter", "constant", "tuple", "get-tuple-element")
    }


def _instruction(own: Any, around: Any, computations: dict[int, Any]) -> Instruction:
    inner = [
        computations[i] for i in own.called_computation_ids if own.opcode == "fusion" and i in computations
    ]
    main, holder = own, around
    for computation in inner:
        # Of what is fused a matrix product or a convolution takes the time; else it is named after its result.
        ranked = sorted(
            computation.instructions, key=lambda i: (i.opcode in _PRODUCTS, i.id == computation.root_id)
        )
        if ranked and (ranked[-1].opcode in _PRODUCTS or not own.metadata.op_name):
            main, holder = ranked[-1], computation
    path = main.metadata.op_name or own.metadata.op_name
    computed = main
    if main.opcode in _PRODUCTS:
        by_id = {i.id: i for i in holder.instructions}
        computed = next((by_id[i] for i in main.operand_ids if i in by_id), main)
    return Instruction(
        own.opcode,
        _PRODUCTS.get(main.opcode) or path.rpartition("/")[2] or main.opcode,
        "transpose(" in path,
        _DTYPES.get(computed.shape.element_type, "other"),
        tuple(own.shape.dimensions),
    )
