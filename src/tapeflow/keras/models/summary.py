"""`model.summary()`: a table of layers, output shapes and numbers of parameters, as Keras 2 prints it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tapeflow.keras.layers.base.layer import Layer
    from tapeflow.keras.models.functional import Functional

_PLAIN_WIDTH, _PLAIN_STOPS = 65, (0.45, 0.85, 1.0)
_WIRED_WIDTH, _WIRED_STOPS = 98, (0.3, 0.6, 0.70, 1.0)
_BREAKS = re.compile(r"[)}\]'],")  # a cell goes on in the next line after the end of one of its parts


def print_summary(
    model: Any,
    line_length: int | None = None,
    positions: Sequence[float] | None = None,
    print_fn: Callable[[str], Any] | None = None,
    expand_nested: bool = False,
    show_trainable: bool = False,
    layer_range: Any = None,
) -> None:
    """Print a model's layers.

    Args:
        model: a built model.
        line_length: the width of the table.
        positions: where columns end, as shares of the width or in characters.
        print_fn: given each line; `print` unless told otherwise.
        expand_nested: show the layers of models inside too.
        show_trainable: add a column that says which layers are trained.
        layer_range: the first and last layer to show, by name or regular expression.
    """
    is_plain = _is_chain(model)
    width = line_length or (_PLAIN_WIDTH if is_plain else _WIRED_WIDTH)
    stops = list(positions or (_PLAIN_STOPS if is_plain else _WIRED_STOPS))
    ends = [int(width * s) for s in stops] if stops[-1] <= 1 else [int(s) for s in stops]
    titles = ["Layer (type)", "Output Shape", "Param #"] + ([] if is_plain else ["Connected to"])
    if show_trainable:
        width += 11
        ends.append(width)
        titles.append("Trainable")
    calls = None if is_plain else {id(c) for c in model._calls}
    table = _Table(print_fn or print, width, ends[: len(titles)], calls, expand_nested, show_trainable)
    table.say(f'Model: "{model.name}"')
    table.say("_" * width)
    table.row(titles, 0)
    table.say("=" * width)
    for layer in _in_range(model.layers, layer_range):
        table.layer(layer, 0, is_last=False)
    table.say("=" * width)
    trained, fixed = model.trainable_weights, model.non_trainable_weights
    for title, weights in (("Total", trained + fixed), ("Trainable", trained), ("Non-trainable", fixed)):
        size = sum(math.prod(w.shape) * w.dtype.size for w in weights)
        table.say(f"{title} params: {_count(weights)} ({_bytes(size)})")
    table.say("_" * width)


class _Table:
    """Says rows of cells; models inside stand in boxes."""

    def __init__(
        self,
        say: Callable[[str], Any],
        width: int,
        ends: list[int],
        calls: set[int] | None,
        expands: bool,
        shows_trainable: bool,
    ) -> None:
        self.say = say
        self._width = width
        self._ends = ends
        self._calls = calls
        self._expands = expands
        self._shows_trainable = shows_trainable

    def layer(self, layer: Layer, depth: int, is_last: bool) -> None:
        """A layer, and what is inside it if models are to be expanded."""
        self.row(self._cells(layer), depth)
        inner = getattr(layer, "layers", None) if self._expands else None
        if inner:
            self._rule("¯", depth, depth + 1)
            for i, child in enumerate(inner):
                self.layer(child, depth + 1, is_last=i == len(inner) - 1)
            self._rule("¯", depth, depth)
        elif not is_last:
            self._rule(" ", depth, depth)

    def _rule(self, mark: str, depth: int, bars: int) -> None:
        self.say("|" * bars + mark * (self._width - 2 * bars) + "|" * bars)

    def _cells(self, layer: Layer) -> list[str]:
        is_unused = not layer.built and not layer.weights
        cells = [f"{layer.name} ({type(layer).__name__})", _shape_text(layer)]
        cells.append("0 (unused)" if is_unused else str(_count(layer.weights)))
        if self._calls is not None:
            sources = [
                f"{x.node.layer.name}[{x.node.node_index}][{x.index}]"
                for node in layer._inbound_nodes
                if id(node) in self._calls
                for x in node.inputs
            ]
            cells.append(str(sources))
        if self._shows_trainable:
            cells.append("Y" if layer.trainable else "N")
        return cells

    def row(self, cells: list[str], depth: int) -> None:
        """A row, on as many lines as its longest cell needs."""
        left = list(cells)
        last = len(self._ends) - 1
        while any(left):
            line = "|" * depth + " "
            for i, (start, end) in enumerate(zip([0, *self._ends], self._ends, strict=False)):
                room = max(1, end - start - (3 if i < last else 0) - (depth if i == 0 else 0))
                part = left[i][:room]
                stop = _BREAKS.search(part)
                part = part[: stop.end()] if stop else part
                left[i] = left[i][len(part) :]
                line += part + ("  " if i < last else "")
                line += " " * (end - len(line) - (depth if i == last else 0))
            self.say(line + "|" * depth)


def _count(weights: list[Any]) -> int:
    return sum(math.prod(w.shape) for w in weights)


def _is_chain(model: Functional) -> bool:
    """Whether every layer takes the output of the one before, so that no column need say so."""
    calls = vars(model).get("_calls")
    if calls is None or type(model).__name__ == "Sequential":
        return True
    layers = {id(c.layer) for c in calls}
    return (
        len(layers) == len(calls)
        and all(len(c.inputs) <= 1 for c in calls)
        and len(model.inputs) == 1
        and all(sum(1 for d in calls for x in d.inputs if x.node is c) <= 1 for c in calls)
        and sum(1 for d in calls for x in d.inputs if x is model.inputs[0]) <= 1
    )


def _in_range(layers: list[Any], layer_range: Any) -> list[Any]:
    if layer_range is None:
        return layers
    if len(layer_range) != 2 or not all(isinstance(name, str) for name in layer_range):
        raise ValueError(
            f"Model.summary expected layer_range to be two names of layers; got layer_range={layer_range!r}."
        )
    matches = [[i for i, x in enumerate(layers) if re.match(name, x.name)] for name in layer_range]
    if not all(matches):
        raise ValueError(
            "Passed layer_names do not match the layer names in the model: Model.summary expected layer_range to "
            f"hold two of {[x.name for x in layers]}; got {layer_range!r}."
        )
    first, last = min(matches[0]), max(matches[1])
    return layers[first : last + 1] if first <= last else layers[min(matches[1]) : max(matches[0]) + 1]


def _shape_text(layer: Layer) -> str:
    try:
        shape = layer.output_shape
    except AttributeError:
        return "multiple"
    is_input = bool(layer._inbound_nodes) and layer._inbound_nodes[0].is_input
    return f"[{shape}]" if is_input else str(shape)


def _bytes(size: int) -> str:
    value, unit = float(size), "Byte"
    for larger in ("KB", "MB", "GB", "TB", "PB"):
        if value < 1024:
            break
        value, unit = value / 1024, larger
    return f"{value:.2f} {unit}"
