"""Chains of transforms against a plain-Python model of each, with the state saved and restored midway."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tapeflow.data import Dataset

Model = list[Any]
Step = tuple[str, Callable[[Dataset], Dataset], Callable[[Model], Model]]


def _grouped(items: Model, size: int, drop: bool) -> Model:
    groups = [items[i : i + size] for i in range(0, len(items), size)]
    return [g for g in groups if len(g) == size or not drop]


def _filtered(items: Model) -> Model:
    return [x for x in items if _first(x) % 2 == 0]


def _first(x: Any) -> int:
    return x if isinstance(x, int) else _first(x[0])


def _doubled(x: Any) -> Any:
    return x * 2 if isinstance(x, int) else [_doubled(v) for v in x]


def _leading(x: Any) -> Any:
    while x.shape.rank:
        x = x[0]
    return x


counts = st.integers(0, 12)
sizes = st.integers(1, 7)
steps = st.one_of(
    counts.map(lambda n: (f"take({n})", lambda d: d.take(n), lambda m: m[:n])),
    counts.map(lambda n: (f"skip({n})", lambda d: d.skip(n), lambda m: m[n:])),
    st.integers(0, 3).map(lambda n: (f"repeat({n})", lambda d: d.repeat(n), lambda m: m * n)),
    st.tuples(st.integers(1, 4), st.integers(0, 3)).map(
        lambda p: (f"shard{p}", lambda d: d.shard(p[0], p[1] % p[0]), lambda m: m[p[1] % p[0] :: p[0]])
    ),
    st.tuples(sizes, st.booleans()).map(
        lambda p: ("batch", lambda d: d.batch(p[0], drop_remainder=p[1]), lambda m: _grouped(m, *p))
    ),
    st.just(("map", lambda d: d.map(lambda x: x * 2), lambda m: [_doubled(x) for x in m])),
    st.just(
        ("map threads", lambda d: d.map(_slow, num_parallel_calls=2), lambda m: [_doubled(x) for x in m])
    ),
    st.just(("filter", lambda d: d.filter(lambda x: _leading(x) % 2 == 0), _filtered)),
    st.just(("cache", lambda d: d.cache(), lambda m: m)),
    sizes.map(lambda n: ("prefetch", lambda d: d.prefetch(n), lambda m: m)),
    st.just(("shuffle one", lambda d: d.shuffle(1), lambda m: m)),
    st.just(("unique", lambda d: d.unique(), lambda m: [x for i, x in enumerate(m) if x not in m[:i]])),
    counts.map(
        lambda n: (
            "take_while",
            lambda d: d.take_while(lambda x: _leading(x) < n),
            lambda m: m[: next((i for i, x in enumerate(m) if _first(x) >= n), len(m))],
        )
    ),
    st.just(
        ("scan", lambda d: d.scan(np.int64(0), _counted), lambda m: [i + _first(x) for i, x in enumerate(m)])
    ),
    st.just(
        (
            "group_by_window",
            lambda d: d.group_by_window(lambda x: _leading(x) % 2, lambda k, w: w, window_size=3),
            lambda m: _windowed(m, 3),
        )
    ),
    st.tuples(sizes, sizes).map(
        lambda p: (
            "rebatch",
            lambda d: d.batch(p[0]).rebatch(p[1]).unbatch(),
            lambda m: m,
        )
    ),
    st.just(
        (
            "choose",
            lambda d: Dataset.choose_from_datasets([d, d.skip(1)], Dataset.counter().map(lambda i: i % 2)),
            lambda m: [x for pair in itertools.pairwise(m) for x in pair] + m[-1:] if m else [],
        )
    ),
    st.tuples(st.integers(1, 3), st.integers(1, 3)).map(
        lambda p: (
            "interleave",
            lambda d: d.interleave(lambda x: Dataset.from_tensors(x).repeat(2), p[0], p[1]),
            lambda m: _interleaved([[x, x] for x in m], *p),
        )
    ),
    st.just(("concatenate", lambda d: d.concatenate(d.take(2)), lambda m: m + m[:2])),
)


def _counted(number: Any, x: Any) -> Any:
    return number + 1, number + _leading(x)


def _windowed(items: Model, size: int) -> Model:
    """Full windows when they are full, then the others in the order of their keys."""
    held: dict[int, Model] = {}
    found: Model = []
    for x in items:
        window = held.setdefault(_first(x) % 2, [])
        window.append(x)
        if len(window) == size:
            found += held.pop(_first(x) % 2)
    return found + [x for key in sorted(held) for x in held[key]]


def _interleaved(parts: list[Model], cycle: int, block: int) -> Model:
    """`block` elements of each open part in turn; a part that ends gives its place to the next."""
    waiting = [list(p) for p in parts]
    places: list[Model | None] = [None] * cycle
    found: Model = []
    at = 0
    while waiting or any(p is not None for p in places):
        if places[at] is None and waiting:
            places[at] = waiting.pop(0)
        part = places[at]
        if part is not None:
            found += part[:block]
            is_over = len(part) < block
            places[at] = None if is_over else part[block:]
        at = (at + 1) % cycle
    return found


def _slow(x: Any) -> Any:
    """A function that reads a value, and so is not recorded."""
    _ = x.numpy()
    return x * 2


def _built(source: str, chain: list[Step]) -> Dataset:
    if source == "rows":
        dataset = Dataset.from_tensor_slices(np.arange(17))
    else:
        dataset = Dataset.from_generator(lambda: iter(range(17)), np.int64, ())
    for _, transform, _ in chain:
        dataset = transform(dataset)
    return dataset


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    source=st.sampled_from(["rows", "elements"]),
    chain=st.lists(steps, min_size=1, max_size=4),
    where=st.floats(0, 1),
)
def test_chains(source: str, chain: list[Step], where: float) -> None:
    batches = [name for name, *_ in chain if name == "batch"]
    if len(batches) > 1:  # batches of unequal batches cannot be stacked
        chain = [s for s in chain if s[0] != "batch"]
    expected: Model = list(range(17))
    for _, _, model in chain:
        expected = model(expected)
    dataset = _built(source, chain)
    found = [a.tolist() for a in dataset._array_iterator()]
    assert found == expected
    assert int(dataset.cardinality()) in (len(expected), -2)
    iterator = _built(source, chain)._array_iterator()
    taken = int(where * len(expected))
    begun = [next(iterator).tolist() for _ in range(taken)]
    other = _built(source, chain)._array_iterator()
    other.restore(iterator.state())
    assert begun + [a.tolist() for a in other] == expected
