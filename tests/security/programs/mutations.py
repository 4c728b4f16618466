"""How files are changed: bytes anywhere, or values in a JSON document. Change `number` of a file is always the same."""

from __future__ import annotations

import copy
import random
from typing import Any

HUGE = (1 << 31, 10**9, 10**18, 1 << 63, 10**40, -1, -(10**12))


def mutated(data: bytes, number: int) -> bytes:
    """The file with a few bits, bytes or stretches changed, or its end cut off."""
    choose = random.Random(number)
    changed = bytearray(data)
    for _ in range(choose.choice((1, 1, 2, 8))):
        at = choose.randrange(len(changed))
        kind = choose.randrange(6)
        if kind == 0:
            changed[at] ^= 1 << choose.randrange(8)
        elif kind == 1:
            changed[at] = choose.choice((0, 1, 0x7F, 0x80, 0xFF))
        elif kind == 2:
            changed[at : at + 8] = choose.randrange(1 << 64).to_bytes(8, "little")
        elif kind == 3:
            changed[at : at + choose.randrange(1, 64)] = b""
        elif kind == 4:
            other = choose.randrange(len(changed))
            changed[at:at] = changed[other : other + choose.randrange(1, 64)]
        elif len(changed) > 64 and choose.random() < 0.3:
            del changed[at:]
        if not changed:
            break
    return bytes(changed)


def mutate_message(message: Any, number: int) -> None:
    """Change a few fields of a protobuf message, anywhere below it: to odd values, to one another's, or to nothing."""
    choose = random.Random(number)
    for _ in range(choose.choice((1, 1, 2, 4))):
        owner = message
        while True:
            fields = owner.ListFields()
            if not fields:
                break
            field, value = choose.choice(fields)
            is_map = field.message_type is not None and field.message_type.GetOptions().map_entry
            if is_map and value:
                key = choose.choice(sorted(value, key=str))
                if field.message_type.fields_by_name["value"].message_type is None:
                    value[key] = value[choose.choice(sorted(value, key=str))]
                    break
                if choose.random() < 0.1:
                    del value[key]
                    break
                owner = value[key]
            elif field.message_type is not None and field.is_repeated:
                if choose.random() < 0.1:
                    del value[choose.randrange(len(value)) :]
                    break
                owner = choose.choice(value)
            elif field.message_type is not None:
                owner = value
            elif field.is_repeated:
                value[choose.randrange(len(value))] = _odd_scalar(choose.choice(value), choose)
                break
            else:
                setattr(owner, field.name, _odd_scalar(value, choose))
                break


def _odd_scalar(value: Any, choose: random.Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return choose.choice((0, 1, 2, 7, 9, 20, 21, 127, value + 1, max(value - 1, 0), (1 << 31) - 1))
    if isinstance(value, float):
        return choose.choice((0.0, -1.0, 1e38, float("nan"), float("inf")))
    odd = (
        "",
        "a",
        "../../x",
        "while",
        "PartitionedCall",
        "Const",
        "NoOp",
        "ReadFile",
        "x:0",
        "^x",
        "a:b:99",
        "\0",
    )
    other = choose.choice((*odd, value[: len(value) // 2] if isinstance(value, str) else "b"))
    return other if isinstance(value, str) else other.encode()


def mutated_json(document: Any, number: int) -> Any:
    """The document with a few of its values replaced, dropped, nested or exchanged."""
    choose = random.Random(number)
    changed = copy.deepcopy(document)
    for _ in range(choose.choice((1, 1, 2, 4))):
        places = list(_places(changed))
        owner, key = choose.choice(places)
        kind = choose.randrange(5)
        if kind == 0:
            owner[key] = _odd_value(choose)
        elif kind == 1:
            del owner[key]
        elif kind == 2:
            other_owner, other_key = choose.choice(places)
            owner[key] = copy.deepcopy(other_owner[other_key])
        elif kind == 3:
            owner[key] = [owner[key]] * choose.choice((1, 2, 50))
        else:
            owner[key] = _near(owner[key], choose)
        if not changed:
            break
    return changed


def _places(value: Any) -> Any:
    """Every value in a document, as what holds it and the key or number there."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield value, key
        yield from _places(inner)


def _odd_value(choose: random.Random) -> Any:
    depth = choose.choice((1, 1, 1, 20, 150))
    nested: Any = choose.choice(
        (None, True, "", "x", "Dense", b"\xff".decode("latin-1"), 0, 1.5, float("nan"), [], {})
    )
    if choose.random() < 0.3:
        nested = choose.choice(HUGE)
    for _ in range(depth - 1):
        nested = [nested]
    return nested


def _near(value: Any, choose: random.Random) -> Any:
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return choose.choice((value + 1, value - 1, -value, 0, *HUGE))
    if isinstance(value, float):
        return choose.choice((-value, 0.0, 1e300, float("inf"), float("nan")))
    if isinstance(value, str):
        return choose.choice(
            (value[:-1], value + "x", value.upper(), "../" + value, "/" + value, value * 100)
        )
    if isinstance(value, list):
        return choose.choice((value[1:], value + value, value[::-1]))
    return {} if isinstance(value, dict) else value
