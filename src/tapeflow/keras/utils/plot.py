"""`plot_model`: a model as a diagram."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tapeflow.engine.values import nest
from tapeflow.keras.utils.diagram import FORMATS, Box, Diagram

if TYPE_CHECKING:
    from tapeflow.keras.models.model import Model

_DIRECTIONS = ("TB", "BT", "LR", "RL")


def plot_model(
    model: Model,
    to_file: str | os.PathLike[str] | None = "model.png",
    show_shapes: bool = False,
    show_dtype: bool = False,
    show_layer_names: bool | None = True,
    rankdir: str = "TB",
    expand_nested: bool = False,
    dpi: int = 96,
    layer_range: Sequence[str] | None = None,
    show_layer_activations: bool = False,
    show_trainable: bool = False,
    **kwargs: Any,
) -> Any:
    """Draw a model's layers and how they are connected into a file. Needs no Graphviz.

    Args:
        model: a built model.
        to_file: the file; its ending says what it is: `.png`, `.svg`, `.jpg`, `.pdf` or `.dot`.
        show_shapes: show the shapes of what layers take and give.
        show_dtype: show the dtypes of layers.
        show_layer_names: show the names of layers.
        rankdir: 'TB' downwards, 'LR' to the right, 'BT' upwards, 'RL' to the left.
        expand_nested: draw the layers of models inside, too.
        dpi: dots per inch.
        layer_range: the names, or patterns of names, of the first and last layer to draw.
        show_layer_activations: show the activations of layers that have one.
        show_trainable: show whether layers are trained.

    Returns:
        In a notebook, an image to show; None elsewhere.
    """
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments: {sorted(kwargs)} given to plot_model.")
    path = Path("model.png" if to_file is None else to_file)
    form = path.suffix[1:].lower() or "png"
    if form not in FORMATS:
        raise ValueError(
            f"plot_model expected to_file to end in one of .{', .'.join(FORMATS)}; got to_file={str(path)!r}."
        )
    diagram = model_to_dot(
        model,
        show_shapes=show_shapes,
        show_dtype=show_dtype,
        show_layer_names=show_layer_names,
        rankdir=rankdir,
        expand_nested=expand_nested,
        dpi=dpi,
        layer_range=layer_range,
        show_layer_activations=show_layer_activations,
        show_trainable=show_trainable,
    )
    path.write_bytes(diagram.create(format=form, dpi=dpi))
    return _shown(path, form)


def _shown(path: Path, form: str) -> Any:
    try:
        from IPython import display  # pyright: ignore[reportMissingImports]
    except ImportError:
        return None
    if form in ("png", "jpg", "jpeg"):
        return display.Image(filename=str(path))
    return display.SVG(filename=str(path)) if form == "svg" else None


def model_to_dot(
    model: Model,
    show_shapes: bool = False,
    show_dtype: bool = False,
    show_layer_names: bool | None = True,
    rankdir: str = "TB",
    expand_nested: bool = False,
    dpi: int = 96,
    subgraph: bool = False,
    layer_range: Sequence[str] | None = None,
    show_layer_activations: bool = False,
    show_trainable: bool = False,
) -> Diagram:
    """A model as a `Diagram`; the arguments are those of `plot_model`.

    In place of pydot's object: `create(format='svg')` gives the picture, `to_string()` the text in Graphviz's
    language.
    """
    if not model.built:
        raise ValueError(
            "This model has not yet been built. Build the model first by calling `build()` or by calling the model "
            "on a batch of data."
        )
    if rankdir not in _DIRECTIONS:
        raise ValueError(f"plot_model expected rankdir to be one of {_DIRECTIONS}; got rankdir={rankdir!r}.")
    shows = _Shows(
        bool(show_shapes),
        bool(show_dtype),
        show_layer_names is None or bool(show_layer_names),
        bool(show_layer_activations),
        bool(show_trainable),
    )
    return _diagram(model, shows, rankdir, expand_nested, layer_range)


class _Shows:
    """What is shown of a layer."""

    def __init__(self, shapes: bool, dtype: bool, names: bool, activations: bool, trainable: bool) -> None:
        self.shapes = shapes
        self.dtype = dtype
        self.names = names
        self.activations = activations
        self.trainable = trainable

    def box(self, layer: Any, calls: list[Any]) -> Box:
        """The box of a layer, which a model makes these calls of."""
        kind = type(layer).__name__
        facts = []
        if self.activations and callable(getattr(layer, "activation", None)):
            facts.append(
                f"Activation: {getattr(layer.activation, '__name__', type(layer.activation).__name__)}"
            )
        if self.dtype:
            facts.append(f"dtype: {layer.dtype}")
        if self.trainable:
            facts.append("Trainable" if layer.trainable else "Not trainable")
        rows = [facts] if facts else []
        if self.shapes and calls:
            given = _shapes([x for call in calls for x in call.inputs]) if calls[0].inputs else None
            made = _shapes([x for call in calls for x in nest.flatten(call.outputs)])
            rows.append(
                [f"Output shape: {made}"]
                if given is None
                else [f"Input shape: {given}", f"Output shape: {made}"]
            )
        return Box(f"{layer.name} ({kind})" if self.names else kind, rows)


def _shapes(symbols: list[Any]) -> str:
    texts = [str(tuple(x.shape)) for x in symbols if getattr(x, "shape", None) is not None]
    return texts[0] if len(texts) == 1 else "[" + ", ".join(texts) + "]"


def _diagram(model: Any, shows: _Shows, rankdir: str, expand: bool, layer_range: Any) -> Diagram:
    diagram = Diagram(rankdir)
    calls = vars(model).get("_calls")
    if calls is None:  # a subclassed model: only its code knows how the layers are connected
        diagram.boxes[model.name] = shows.box(model, [])
        return diagram
    sources = [x.node for x in model.inputs]
    by_layer: dict[int, list[Any]] = {}
    for call in (*sources, *calls):
        by_layer.setdefault(id(call.layer), []).append(call)
    order = list({id(call.layer): call.layer for call in (*sources, *calls)}.values())
    kept = _in_range(order, layer_range)
    for layer in kept:
        box = shows.box(layer, by_layer[id(layer)])
        if expand and vars(layer).get("_calls") is not None:
            box.inside = _diagram(layer, shows, rankdir, expand, None)
        diagram.boxes[layer.name] = box
    names = {id(layer): layer.name for layer in kept}
    for call in calls:
        for x in call.inputs:
            edge = (names.get(id(x.node.layer)), names.get(id(call.layer)))
            if None not in edge and edge not in diagram.edges:
                diagram.edges.append(edge)
    return diagram


def _in_range(layers: list[Any], layer_range: Any) -> list[Any]:
    if layer_range is None:
        return layers
    if len(layer_range) != 2 or not all(isinstance(name, str) for name in layer_range):
        raise ValueError(
            f"layer_range must be of shape (2,) and hold names of layers. Received: layer_range={layer_range!r}."
        )
    found = [[i for i, layer in enumerate(layers) if re.match(name, layer.name)] for name in layer_range]
    if not all(found):
        raise ValueError(
            f"Passed layer_names do not match the layer names in the model. Received: {layer_range!r}. Existing "
            f"layers are {[layer.name for layer in layers]}."
        )
    ends = min(found[0]), max(found[1])
    return layers[min(ends) : max(ends) + 1]
