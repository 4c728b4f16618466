"""The sizes that programs have had, as a text that goes into checkpoints.

How a program runs depends on the sizes that its family has had before. A process that goes on with a training has to
know them, or a step would be compiled for its size here and padded there, which may show in the last bit.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from tapeflow.engine.shapes.family import Family, all_families, on_new_family

_MOST_SAVED = 256  # families, those used last
_MOST_BYTES = 1 << 22  # of the unpacked text, which a checkpoint from elsewhere may have made large
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")

Samples = list[list[int]]

_remembered: dict[str, list[Samples]] = {}


def history() -> str:
    """What the families of this process have had.

    One that has had a single size counts if it is a training step: other programs of one size, such as those that
    restore a checkpoint, are as many as there are processes.
    """
    told = [family for family in all_families() if family.assigns or len(family.exact) > 1]
    found = {name: _samples(family) for name, family in _named(told[-_MOST_SAVED:])}
    if not found and not _remembered:
        return ""
    text = json.dumps({**_remembered, **found}, separators=(",", ":"), sort_keys=True)
    return base64.b85encode(zlib.compress(text.encode(), 1)).decode()


def _samples(family: Family) -> list[Samples]:
    return [
        *[[list(s) for s in sizes] for sizes in (family.exact, family.examples, family.capacities)],
        [list(family.largest)],
        *[
            [[count, *s] for s, count in counts.items()]
            for counts in (family.uses, family.borrowed, family.drafted)
        ],
    ]


def _named(found: list[Family]) -> Iterator[tuple[str, Family]]:
    """Each family with a name that it has in every process: equal ones are counted as they came."""
    seen: Counter[str] = Counter()
    for family in found:
        name = digest(family)
        yield f"{name}-{seen[name]}", family
        seen[name] += 1


def set_history(text: str) -> None:
    """Have families go on from what those of another process have had.

    A text that is not one of ours is of no use: what it says of sizes would not fit any program.
    """
    _remembered.update(_unpacked(text))
    for family in all_families():
        _remind(family)


def _unpacked(text: str) -> dict[str, list[Samples]]:
    try:
        found = json.loads(zlib.decompressobj().decompress(base64.b85decode(text), _MOST_BYTES))
    except (ValueError, zlib.error, RecursionError):
        return {}
    return (
        {name: parts for name, parts in found.items() if _is_sound(parts)} if isinstance(found, dict) else {}
    )


def _is_sound(parts: Any) -> bool:
    return (
        isinstance(parts, list)
        and len(parts) == 7
        and all(isinstance(samples, list) for samples in parts)
        and all(isinstance(s, list) and all(type(n) is int for n in s) for samples in parts for s in samples)
    )


def _remind(family: Family) -> None:
    """Give a family what it had, if it is the next one of its name."""
    if not _remembered:
        return
    name = digest(family)
    for key in sorted(_remembered):
        if key.rpartition("-")[0] == name:
            break
    else:
        return
    exact, examples, capacities, largest, uses, borrowed, drafted = _remembered.pop(key)
    if len({len(sizes) for sizes in (*exact, *examples, *family.exact, *family.examples)}) == 1:
        family.exact = [tuple(sizes) for sizes in exact]
        family.examples = [tuple(sizes) for sizes in examples]
        family.capacities = [tuple(sizes) for sizes in capacities]
        family.largest = tuple(largest[0]) if largest else ()
        family.uses = {tuple(sizes): count for count, *sizes in uses}
        family.borrowed = {tuple(sizes): count for count, *sizes in borrowed}
        family.drafted = {tuple(sizes): count for count, *sizes in drafted}
        family.template = family.made = None


on_new_family.append(_remind)


def digest(family: Family) -> str:
    """A name for what a family does that is the same in every process."""
    if not family.digest:
        text = "".join(_words(family.skeleton))
        family.digest = hashlib.blake2b(text.encode(), digest_size=12).hexdigest()
    return family.digest


def _words(skeleton: Any) -> Iterator[str]:
    """What tells a skeleton from others, in the same order in every process."""
    if isinstance(skeleton, tuple):
        yield "("
        for part in skeleton:
            yield from _words(part)
        yield ")"
    elif isinstance(skeleton, (type, FunctionType)):
        yield f"{skeleton.__module__}.{skeleton.__qualname__},"
    else:
        yield _ADDRESS.sub("", repr(skeleton))
        yield ","
