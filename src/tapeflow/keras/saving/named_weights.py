"""Weights in a `.safetensors` file, under their names: `dense/kernel`. The form other libraries read and write.

Names differ from one run to the next where layers were given none; then weights are matched in their order.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.engine.values.variable import Variable
from tapeflow.keras.saving.layer_groups import distinct_names
from tapeflow.keras.saving.mismatch import WeightMismatch
from tapeflow.keras.saving.progress import SavingProgress
from tapeflow.keras.saving.weight_tree import assign
from tapeflow.train.checkpoint import held
from tapeflow.train.tensor_file import TensorFile, write_tensors

if TYPE_CHECKING:
    from tapeflow.keras.models.model import Model

_FORMAT = "tapeflow-weights"


def named_weights(model: Model) -> tuple[dict[str, Any], dict[str, str]]:
    """What the weights of a model hold now, under their names, and metadata with their order."""
    tensors = {name: held(variable) for name, variable in _named(model).items()}
    return tensors, {"format": _FORMAT, "order": json.dumps(list(tensors))}


def write_held(path: Path, tensors: Mapping[str, Any], metadata: Mapping[str, str]) -> None:
    """Write what Variables held to a file of tensors; what was there before stays until the new one is whole."""
    arrays = {name: np.asarray(value) for name, value in tensors.items()}
    with SavingProgress(path, sum(a.nbytes for a in arrays.values())) as progress:
        write_tensors(path, arrays, metadata, progress.add)


def load_named(model: Model, path: Path, by_name: bool = False, skip_mismatch: bool = False) -> None:
    """Give a model the weights of a file; nothing is changed unless all of them fit.

    Args:
        model: a model with weights.
        path: the file.
        by_name: leave out weights without a partner, on either side.
        skip_mismatch: leave out weights that do not fit, with a warning.
    """
    wanted = _named(model)
    with TensorFile(path) as file:
        found = _partners(wanted, file, by_name)
        pairs: list[tuple[Variable, str]] = []
        for name, saved in found.items():
            variable = wanted[name]
            if file.shape(saved) == tuple(variable.shape):
                pairs.append((variable, saved))
                continue
            text = (
                f"Shape mismatch for weight {name}. Weight expects shape {tuple(variable.shape)}. Received saved "
                f"weight {saved} with shape {file.shape(saved)}."
            )
            if not skip_mismatch:
                raise WeightMismatch(text)
            warnings.warn(f"Skipping loading of weights: {text}", stacklevel=4)
        values = [(variable, file.read(saved)) for variable, saved in pairs]
    for variable, value in values:
        assign(variable, value)


def _named(model: Model) -> dict[str, Variable]:
    variables = model.weights
    names = [name.removesuffix(":0") for name in distinct_names(variables)]
    return dict(zip(names, variables, strict=True))


def _partners(wanted: dict[str, Variable], file: TensorFile, by_name: bool) -> dict[str, str]:
    """For each weight the name of its tensor: its own, or else the one at its place."""
    there = set(file.names)
    if by_name:
        return {name: name for name in wanted if name in there}
    if there == set(wanted):
        return {name: name for name in wanted}
    order = _order(file)
    if len(order) != len(wanted):
        raise ValueError(
            f"load_weights expected {len(wanted)} weights in {str(file.path)!r}; found {len(order)}. Weights of the "
            f"model: {list(wanted)[:5]}..., in the file: {order[:5]}.... With by_name=True those of the same name are "
            "loaded."
        )
    return dict(zip(wanted, order, strict=True))


def _order(file: TensorFile) -> list[str]:
    try:
        order: Any = json.loads(file.metadata.get("order", "null"))
    except (ValueError, RecursionError):
        return file.names
    if not isinstance(order, list) or not all(isinstance(n, str) for n in order):
        return file.names
    return order if sorted(order) == sorted(file.names) else file.names
