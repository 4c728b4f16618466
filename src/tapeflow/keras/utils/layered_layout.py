"""A layered layout of a directed graph: boxes in ranks, edges from one rank to the next.

The steps are Sugiyama's: cycles are broken, nodes ranked by their longest path from a source, edges over
several ranks given a place in each, ranks ordered by barycentres, and coordinates chosen so that
neighbours lie under each other. Everything flows downwards; whoever draws may turn it.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

_SWEEPS = 12
_PLACEHOLDER_WIDTH = 16.0

Size = tuple[float, float]
Point = tuple[float, float]


@dataclass(frozen=True)
class Layout:
    """Where things go.

    Attributes:
        size: of the whole.
        centres: of the nodes.
        routes: for each edge, in the order given, the points it goes through, from border to border.
    """

    size: Size
    centres: dict[Hashable, Point]
    routes: list[list[Point]]


def layered_layout(
    sizes: Mapping[Hashable, Size],
    edges: Sequence[tuple[Hashable, Hashable]],
    gap: float = 28.0,
    rank_gap: float = 38.0,
) -> Layout:
    """Lay a graph out.

    Args:
        sizes: width and height of each node; of nodes that could change places the first comes first.
        edges: pairs of nodes.
        gap: the least distance between nodes beside each other.
        rank_gap: the distance between ranks.
    """
    downward = _downward(list(sizes), edges)
    ranks = _ranks(list(sizes), downward)
    chains = [_chain(i, edge, ranks) for i, edge in enumerate(downward)]
    layers: list[list[Hashable]] = [[] for _ in range(max(ranks.values(), default=-1) + 1)]
    for node, rank in ranks.items():
        layers[rank].append(node)
    for chain in chains:
        for k, step in enumerate(chain[1:-1], 1):
            layers[ranks[chain[0]] + k].append(step)
    above: dict[Hashable, list[Hashable]] = {n: [] for layer in layers for n in layer}
    below: dict[Hashable, list[Hashable]] = {n: [] for layer in layers for n in layer}
    for chain in chains:
        for a, b in itertools.pairwise(chain):
            above[b].append(a)
            below[a].append(b)
    _order(layers, above, below)
    widths = {n: sizes[n][0] if n in sizes else _PLACEHOLDER_WIDTH for n in above}
    x = _columns(layers, above, below, widths, gap)
    return _finished(layers, sizes, widths, x, chains, edges, downward, rank_gap)


def _downward(
    nodes: list[Hashable], edges: Sequence[tuple[Hashable, Hashable]]
) -> list[tuple[Hashable, Hashable]]:
    """The edges with those that close a cycle turned round."""
    following: dict[Hashable, list[Hashable]] = {n: [] for n in nodes}
    for a, b in edges:
        following[a].append(b)
    state: dict[Hashable, int] = {}  # 1 while on the path, 2 when done
    closing: set[tuple[Hashable, Hashable]] = set()
    for root in nodes:
        stack = [] if root in state else [(root, iter(following[root]))]
        state.setdefault(root, 1)
        while stack:
            node, rest = stack[-1]
            child = next(rest, None)
            if child is None:
                state[node] = 2
                stack.pop()
            elif child not in state:
                state[child] = 1
                stack.append((child, iter(following[child])))
            elif state[child] == 1:
                closing.add((node, child))
    return [(b, a) if (a, b) in closing else (a, b) for a, b in edges]


def _ranks(nodes: list[Hashable], edges: list[tuple[Hashable, Hashable]]) -> dict[Hashable, int]:
    """The length of the longest path to each node; a source sits just above the first that needs it."""
    ranks = dict.fromkeys(nodes, 0)
    for _ in nodes:
        raised = [(a, b) for a, b in edges if a != b and ranks[b] <= ranks[a]]
        if not raised:
            break
        for a, b in raised:
            ranks[b] = max(ranks[b], ranks[a] + 1)
    for node in nodes:
        targets = [ranks[b] for a, b in edges if a == node and b != node]
        if targets and not any(b == node for a, b in edges if a != b):
            ranks[node] = min(targets) - 1
    return ranks


def _chain(number: int, edge: tuple[Hashable, Hashable], ranks: dict[Hashable, int]) -> list[Hashable]:
    """An edge as its ends and a placeholder in each rank between them."""
    a, b = edge
    return [a, *[("edge", number, r) for r in range(ranks[a] + 1, ranks[b])], b]


def _order(
    layers: list[list[Hashable]], above: dict[Hashable, list[Hashable]], below: dict[Hashable, list[Hashable]]
) -> None:
    """Sort each rank by the mean place of its neighbours, downwards and upwards, and keep the best."""
    best, fewest = [list(layer) for layer in layers], _crossings(layers, below)
    for sweep in range(_SWEEPS):
        is_down = sweep % 2 == 0
        neighbours = above if is_down else below
        order = range(1, len(layers)) if is_down else range(len(layers) - 2, -1, -1)
        for r in order:
            places = {n: i for i, n in enumerate(layers[r - 1 if is_down else r + 1])}
            now = {n: i for i, n in enumerate(layers[r])}

            def centre(
                n: Hashable, places: dict = places, now: dict = now, found: dict = neighbours
            ) -> float:
                seen = [places[m] for m in found[n] if m in places]
                return sum(seen) / len(seen) if seen else now[n]

            layers[r].sort(key=centre)
        count = _crossings(layers, below)
        if count < fewest:
            best, fewest = [list(layer) for layer in layers], count
    layers[:] = best


def _crossings(layers: list[list[Hashable]], below: dict[Hashable, list[Hashable]]) -> int:
    count = 0
    for upper, lower in itertools.pairwise(layers):
        places = {n: i for i, n in enumerate(lower)}
        ends = [sorted(places[m] for m in below[n] if m in places) for n in upper]
        for i, left in enumerate(ends):
            count += sum(1 for right in ends[i + 1 :] for a in left for b in right if a > b)
    return count


def _columns(
    layers: list[list[Hashable]],
    above: dict[Hashable, list[Hashable]],
    below: dict[Hashable, list[Hashable]],
    widths: dict[Hashable, float],
    gap: float,
) -> dict[Hashable, float]:
    """The x coordinate of every centre: near the mean of its neighbours, in order, without overlap."""
    x: dict[Hashable, float] = {}
    for layer in layers:
        x.update(_spread(layer, dict.fromkeys(layer, 0.0), widths, gap))
    for sweep in range(2 * _SWEEPS):
        order = layers if sweep % 2 == 0 else layers[::-1]
        for layer in order:
            wanted = {}
            for n in layer:
                near = [x[m] for m in (above[n] if sweep % 2 == 0 else below[n])] or [x[n]]
                wanted[n] = sum(near) / len(near)
            x.update(_spread(layer, wanted, widths, gap))
    return x


def _spread(
    layer: list[Hashable], wanted: dict[Hashable, float], widths: dict[Hashable, float], gap: float
) -> dict[Hashable, float]:
    """The places nearest to those wanted, by least squares, that keep the order and the gaps."""
    offsets, total = [], 0.0
    for i, n in enumerate(layer):
        if i:
            total += widths[layer[i - 1]] / 2 + gap + widths[n] / 2
        offsets.append(total)
    # Without the offsets it is a monotone regression: pool neighbours that would overlap.
    blocks: list[list[float]] = []  # mean, count
    for n, offset in zip(layer, offsets, strict=True):
        blocks.append([wanted[n] - offset, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            mean, count = blocks.pop()
            last = blocks[-1]
            last[0] = (last[0] * last[1] + mean * count) / (last[1] + count)
            last[1] += count
    means = [mean for mean, count in blocks for _ in range(int(count))]
    return {n: mean + offset for n, mean, offset in zip(layer, means, offsets, strict=True)}


def _finished(
    layers: list[list[Hashable]],
    sizes: Mapping[Hashable, Size],
    widths: dict[Hashable, float],
    x: dict[Hashable, float],
    chains: list[list[Hashable]],
    edges: Sequence[tuple[Hashable, Hashable]],
    downward: list[tuple[Hashable, Hashable]],
    rank_gap: float,
) -> Layout:
    left = min((x[n] - widths[n] / 2 for n in x), default=0.0)
    width = max((x[n] + widths[n] / 2 for n in x), default=0.0) - left
    centres: dict[Hashable, Point] = {}
    spans: dict[Hashable, tuple[float, float]] = {}  # of the rank a node is in
    top = 0.0
    for layer in layers:
        height = max((sizes[n][1] for n in layer if n in sizes), default=0.0)
        centres.update({n: (x[n] - left, top + height / 2) for n in layer})
        spans.update(dict.fromkeys(layer, (top, top + height)))
        top += height + rank_gap
    routes = []
    for chain, edge, turned in zip(chains, edges, downward, strict=True):
        (ax, ay), (bx, by) = centres[chain[0]], centres[chain[-1]]
        start, end = (ax, ay + sizes[chain[0]][1] / 2), (bx, by - sizes[chain[-1]][1] / 2)
        # Straight past the boxes of a rank; it bends between ranks.
        between = [(centres[step][0], y) for step in chain[1:-1] for y in spans[step]]
        route = [start, *between, end]
        routes.append(route if edge == turned else route[::-1])
    found = {n: centres[n] for n in sizes}
    return Layout((width, max(top - rank_gap, 0.0)), found, routes)
