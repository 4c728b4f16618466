"""Weights as Keras 2 keeps them in `.h5` files: a group for each layer of the model, in order.

A layer's group lists the names of its weights, trainable ones first, those of layers inside it included.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import h5py

from tapeflow.engine.values.variable import Variable
from tapeflow.keras.layers.base.weight_owner import WeightOwner
from tapeflow.keras.saving import hdf5
from tapeflow.keras.saving.draft import Draft
from tapeflow.keras.saving.mismatch import WeightMismatch
from tapeflow.keras.saving.weight_tree import assign, own_variables

if TYPE_CHECKING:
    from tapeflow.keras.models.model import Model

# What files say of who wrote them: the layout is that of this version of Keras.
KERAS_VERSION = "2.11.0"
BACKEND = "tensorflow"
_TOP_LEVEL = "top_level_model_weights"


def save_groups(model: Model, root: Draft) -> None:
    """Put down the weights of a model's layers."""
    hdf5.write_names(root.attrs, "layer_names", [layer.name for layer in model.layers])
    root.attrs["backend"] = BACKEND
    root.attrs["keras_version"] = KERAS_VERSION
    # By name, so that a name that begins with another's comes after it.
    for layer in sorted(model.layers, key=lambda x: x.name):
        save_variables(root.create_group(layer.name), _weights(layer))
    save_variables(root.create_group(_TOP_LEVEL), own_variables(model))


def save_variables(group: Draft, variables: list[Variable]) -> None:
    """Put down variables under their names, and the list of these."""
    names = distinct_names(variables)
    hdf5.write_names(group.attrs, "weight_names", names)
    for name, variable in zip(names, variables, strict=True):
        group.put(name, variable)


def distinct_names(variables: list[Variable]) -> list[str]:
    """The names of variables, with numbers where two layers in a layer bear one name."""
    names: dict[str, None] = {}
    for variable in variables:
        name, count = variable.name, 1
        while name in names:
            name = f"{variable.name.removesuffix(':0')}_{count}:0"
            count += 1
        names[name] = None
    return list(names)


def load_variables(group: h5py.Group) -> list[h5py.Dataset]:
    """The datasets of a group, in the order of its list."""
    return [hdf5.dataset(group, name) for name in hdf5.read_names(group, "weight_names")]


def _weights(layer: WeightOwner) -> list[Variable]:
    return layer.trainable_weights + layer.non_trainable_weights


def load_groups(model: Model, root: h5py.Group, by_name: bool = False, skip_mismatch: bool = False) -> None:
    """Give a model the weights of an HDF5 group that `save_groups` or Keras wrote.

    Nothing is changed before all weights have been found to fit.

    Args:
        model: a model with weights.
        root: the group.
        by_name: match layers by name and leave out those without a partner; otherwise by order.
        skip_mismatch: leave out weights that do not fit, with a warning.
    """
    saved = [(name, _group(root, name)) for name in hdf5.read_names(root, "layer_names")]
    pairs: list[tuple[str, list[Variable], list[h5py.Dataset]]] = []
    if by_name:
        for k, (name, group) in enumerate(saved):
            for layer in model.layers:
                if layer.name == name:
                    title = f"layer #{k} (named {name})"
                    pairs.append((title, _weights(layer), load_variables(group)))
    else:
        layers = [layer for layer in model.layers if _weights(layer)]
        filled = [(name, found) for name, group in saved if (found := load_variables(group))]
        if len(filled) != len(layers):
            raise WeightMismatch(
                f"Layer count mismatch when loading weights from file. Model expected {len(layers)} layers, found "
                f"{len(filled)} saved layers."
            )
        for k, (layer, (name, found)) in enumerate(zip(layers, filled, strict=True)):
            title = f"layer #{k} (named {layer.name} in the current model, {name} in the save file)"
            pairs.append((title, _weights(layer), found))
    top_level = hdf5.child(root, _TOP_LEVEL)
    if isinstance(top_level, h5py.Group):
        pairs.append(("the model itself", own_variables(model), load_variables(top_level)))
    fitting = [p for pair in pairs for p in _fitting(*pair, skip_mismatch=skip_mismatch)]
    for variable, found in fitting:
        assign(variable, hdf5.read(found, tuple(variable.shape)))


def _group(root: h5py.Group, name: str) -> h5py.Group:
    found = hdf5.child(root, name)
    if not isinstance(found, h5py.Group):
        raise ValueError(f"Loading expected the weights of layer {name!r} in the file; it has none.")
    return found


def _fitting(
    title: str, variables: list[Variable], found: list[h5py.Dataset], skip_mismatch: bool
) -> list[tuple[Variable, h5py.Dataset]]:
    """The variables that are to be loaded, with what they are to hold."""
    if len(variables) != len(found):
        text = (
            f"Weight count mismatch for {title}. Layer expects {len(variables)} weight(s). Received {len(found)} "
            "saved weight(s)."
        )
        if not skip_mismatch:
            raise WeightMismatch(text)
        warnings.warn(f"Skipping loading of weights: {text}", stacklevel=5)
        return []
    fitting = []
    for variable, saved in zip(variables, found, strict=True):
        if saved.shape == tuple(variable.shape):
            fitting.append((variable, saved))
            continue
        text = (
            f"Shape mismatch in {title} for weight {variable.name}. Weight expects shape {tuple(variable.shape)}. "
            f"Received saved weight with shape {saved.shape}."
        )
        if not skip_mismatch:
            raise WeightMismatch(text)
        warnings.warn(f"Skipping loading of weights: {text}", stacklevel=5)
    return fitting
