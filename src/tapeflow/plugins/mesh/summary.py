"""Writing meshes, by TensorBoard's names; `tf.summary.mesh` is the same function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, SupportsInt

import numpy as np
import numpy.typing as npt

from tapeflow.summary.event_files.tensors import tensor_bytes
from tapeflow.summary.kinds.meshes import PARTS, mesh_array, mesh_metadata
from tapeflow.summary.kinds.meshes import mesh as mesh
from tapeflow.summary.protos import message

__all__ = ["mesh", "mesh_pb", "op", "pb"]


def op(
    name: str,
    vertices: npt.ArrayLike,
    faces: npt.ArrayLike | None = None,
    colors: npt.ArrayLike | None = None,
    display_name: str | None = None,
    description: str | None = None,
    collections: object = None,
    config_dict: Mapping[str, Any] | None = None,
    step: SupportsInt | None = None,
) -> bool:
    """Write a mesh. See `tf.summary.mesh`; `display_name` and `collections` are ignored."""
    return mesh(name, vertices, faces, colors, config_dict, step, description)


def mesh_pb(
    tag: str,
    vertices: npt.ArrayLike,
    faces: npt.ArrayLike | None = None,
    colors: npt.ArrayLike | None = None,
    config_dict: Mapping[str, Any] | None = None,
    description: str | None = None,
) -> Any:
    """A Summary message with a mesh whose parts are numpy arrays."""
    given = {"vertices": vertices, "faces": faces, "colors": colors}
    parts = {key: np.asarray(data) for key, data in given.items() if data is not None}
    metas = mesh_metadata(tag, {key: part.shape for key, part in parts.items()}, config_dict, description)
    found = message("Summary")()
    for key, part in parts.items():
        value = found.value.add(tag=f"{tag}_{PARTS[key]}")
        value.metadata.MergeFromString(metas[key])
        value.tensor.MergeFromString(tensor_bytes(mesh_array(key, part)))
    return found


def pb(
    name: str,
    vertices: npt.ArrayLike,
    faces: npt.ArrayLike | None = None,
    colors: npt.ArrayLike | None = None,
    display_name: str | None = None,
    description: str | None = None,
    config_dict: Mapping[str, Any] | None = None,
) -> Any:
    """A Summary message with a mesh; `display_name` is ignored."""
    return mesh_pb(name, vertices, faces, colors, config_dict, description)
