"""The layered layout of graphs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tapeflow.keras.utils.layered_layout import layered_layout


def boxes(layout: object, sizes: dict) -> dict:
    return {
        n: (x - sizes[n][0] / 2, y - sizes[n][1] / 2, x + sizes[n][0] / 2, y + sizes[n][1] / 2)
        for n, (x, y) in layout.centres.items()  # type: ignore[attr-defined]
    }


def test_a_chain_is_a_column() -> None:
    layout = layered_layout(
        {"a": (10, 20), "b": (30, 20), "c": (20, 20)}, [("a", "b"), ("b", "c")], rank_gap=5
    )
    assert layout.size == (30, 70)
    assert layout.centres == {"a": (15, 10), "b": (15, 35), "c": (15, 60)}
    assert layout.routes == [[(15, 20), (15, 25)], [(15, 45), (15, 50)]]


def test_a_diamond_is_symmetric_and_a_skip_passes_beside() -> None:
    sizes = dict.fromkeys("abcd", (20.0, 10.0))
    layout = layered_layout(sizes, [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
    assert layout.centres["a"][0] == pytest.approx(layout.centres["d"][0])
    assert layout.centres["b"][1] == layout.centres["c"][1]
    skip = layered_layout(sizes, [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")])
    left, top, right, bottom = boxes(skip, sizes)["b"]
    assert all(not (left < x < right and top < y < bottom) for x, y in skip.routes[3])
    assert len(skip.routes[3]) == 6


def test_crossings_are_taken_out() -> None:
    sizes = dict.fromkeys("abcxyz", (20.0, 10.0))
    layout = layered_layout(sizes, [("a", "z"), ("b", "y"), ("c", "x")])
    places = {n: x for n, (x, _) in layout.centres.items()}
    pairs = sorted([(places["a"], places["z"]), (places["b"], places["y"]), (places["c"], places["x"])])
    assert [end for _, end in pairs] == sorted(end for _, end in pairs)


def test_cycles_and_loops_have_a_layout() -> None:
    sizes = dict.fromkeys("abc", (20.0, 10.0))
    layout = layered_layout(sizes, [("a", "b"), ("b", "c"), ("c", "b"), ("c", "c")])
    assert len(set(layout.centres.values())) == 3
    assert layout.routes[2] == layout.routes[1][::-1]
    assert layered_layout({}, []).size == (0, 0)


@pytest.mark.parametrize("seed", range(8))
def test_boxes_of_any_graph_keep_apart(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = 14
    sizes = {i: (float(rng.integers(10, 90)), float(rng.integers(10, 40))) for i in range(count)}
    edges = [(int(i), int(j)) for i, j in rng.integers(0, count, (22, 2)) if i != j]
    layout = layered_layout(sizes, edges, gap=6, rank_gap=9)
    found = boxes(layout, sizes)
    for a, b in itertools.combinations(found.values(), 2):
        assert a[2] <= b[0] + 1e-6 or b[2] <= a[0] + 1e-6 or a[3] <= b[1] + 1e-6 or b[3] <= a[1] + 1e-6
    assert min(b[0] for b in found.values()) >= -1e-6
    assert max(b[2] for b in found.values()) <= layout.size[0] + 1e-6
    assert len(layout.routes) == len(edges)
