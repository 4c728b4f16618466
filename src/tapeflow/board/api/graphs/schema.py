"""What the graphs panel gives, as types."""

from __future__ import annotations

from typing import Literal, TypedDict

from tapeflow.board.schema import Note

GraphKind = Literal["model", "ops", "profile"]


class GraphStats(TypedDict):
    """What a run took: microseconds and bytes for each node of the graph, in its order; -1 where nothing is known."""

    micros: list[float]
    bytes: list[float]


class GraphBlob(TypedDict):
    """A graph in columns.

    Of nodes: names (paths, with `/` between scopes), and the place of their op, device, dtype and output shapes in
    `texts`; `parameters` counts elements of Variables. Of edges: source and target, places of nodes, the place of
    the tensor's shape in `texts`, and whether it only says what comes first. `total` counts the nodes there are,
    `lost` edges to nodes that are not there; `notes`, and `problem` in one text, say what is left out, or why nothing
    is shown.
    """

    kind: GraphKind
    problem: str
    notes: list[Note]
    total: int
    lost: int
    texts: list[str]
    names: list[str]
    ops: list[int]
    devices: list[int]
    dtypes: list[int]
    outputs: list[int]
    parameters: list[int]
    sources: list[int]
    targets: list[int]
    shapes: list[int]
    controls: list[int]
    stats: GraphStats | None


class GraphAttribute(TypedDict):
    """An attribute of a node as text; `nbytes` is its size in the file, of which the text may be a part."""

    name: str
    text: str
    nbytes: int


class GraphNode(TypedDict):
    """All that is known of one node. Inputs are as the file has them."""

    name: str
    op: str
    device: str
    inputs: list[str]
    outputs: list[str]
    attributes: list[GraphAttribute]
