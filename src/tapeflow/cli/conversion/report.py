"""The tables that `tapeflow convert` prints."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from tapeflow.cli.conversion.forms import PARTS, Form
from tapeflow.keras.saving.saved_model_file import ServedModel


def layer_table(model: Any) -> list[str]:
    """A line for each layer of a model, with its weights and parameters; for each weight, if no layers are known."""
    layers = list(getattr(model, "layers", []))
    if not layers:
        rows = [("weight", "shape")]
        rows += [(weight.name, str(list(weight.shape))) for weight in model.weights]
        return [*aligned(rows), f"{_parameters(model):,} parameters"]
    rows = [("layer", "class", "weights", "parameters")]
    for layer in layers:
        rows.append((layer.name, type(layer).__name__, str(len(layer.weights)), f"{_parameters(layer):,}"))
    count = f"{len(layers)} {'layer' if len(layers) == 1 else 'layers'}"
    return [*aligned(rows, (2, 3)), f"{count}, {_parameters(model):,} parameters"]


def part_table(model: Any, source: Form, target: Form, names: tuple[str, str]) -> list[str]:
    """What of a model is in the source and in the target."""
    missing = set() if getattr(model, "optimizer", None) is not None else {"compile", "state"}
    missing |= {"layers"} if isinstance(model, ServedModel) else set()
    there = source.holds - missing
    rows = [("", *names)]
    for part, title in PARTS.items():
        rows.append((title, _yes(part in there), _yes(part in there and part in target.holds)))
    return aligned(rows)


def aligned(rows: Sequence[Sequence[str]], right: Iterable[int] = ()) -> list[str]:
    """Lines of cells in columns."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    to_right = set(right)
    lines = []
    for row in rows:
        cells = [
            c.rjust(w) if i in to_right else c.ljust(w)
            for i, (c, w) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def _parameters(owner: Any) -> int:
    return sum(math.prod(weight.shape) for weight in owner.weights)


def _yes(is_there: bool) -> str:
    return "yes" if is_there else "no"
