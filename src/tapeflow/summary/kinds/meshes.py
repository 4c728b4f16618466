"""`tf.summary.mesh`: points and surfaces in space."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple, SupportsInt

import numpy as np
import numpy.typing as npt
from google.protobuf.message import DecodeError

from tapeflow.summary import hooks
from tapeflow.summary.context import recording_writer
from tapeflow.summary.emission import emit, tag_of
from tapeflow.summary.event_files import encoding
from tapeflow.summary.event_files.tag_series import Series
from tapeflow.summary.protos import message

PLUGIN = "mesh"
PARTS = {"vertices": "VERTEX", "faces": "FACE", "colors": "COLOR"}


def mesh(
    name: str,
    vertices: npt.ArrayLike,
    faces: npt.ArrayLike | None = None,
    colors: npt.ArrayLike | None = None,
    config_dict: Mapping[str, Any] | None = None,
    step: SupportsInt | None = None,
    description: str | None = None,
) -> bool:
    """Write a point cloud, or a surface of triangles.

    Args:
        name: the tag; the name scope is put in front of it.
        vertices: points of shape `[k, points, 3]`, or `[points, 3]` for one cloud.
        faces: triangles of shape `[k, triangles, 3]`, each three numbers of points; without them the points are
            shown.
        colors: of each point, in the shape of `vertices`: integers to 255, or floats to 1.
        config_dict: settings for three.js, such as `{"material": {"cls": "PointsMaterial", "size": 0.1}}`.
        step: the step, unless there is a default one.
        description: a text about the tag, in Markdown.

    Returns:
        Whether it was recorded.
    """
    writer = recording_writer()
    if writer is None:
        return False
    tag = tag_of(name, "mesh_summary")
    given = {"vertices": vertices, "faces": faces, "colors": colors}
    parts = {key: hooks.value(data) for key, data in given.items() if data is not None}
    metas = mesh_metadata(tag, {key: value.shape for key, value in parts.items()}, config_dict, description)
    for key, value in parts.items():
        emit(writer, f"{tag}_{PARTS[key]}", value, step, metas[key], _ENCODERS[key])
    return True


def mesh_metadata(
    tag: str,
    shapes: Mapping[str, tuple[int, ...]],
    config_dict: Mapping[str, Any] | None = None,
    description: str | None = None,
) -> dict[str, bytes]:
    """The SummaryMetadata of each part of a mesh, serialised."""
    kinds = message("MeshPluginData").ContentType
    components = sum(1 << kinds.Value(PARTS[key]) for key in shapes)
    config = "{}" if config_dict is None else json.dumps(config_dict, sort_keys=True)
    found = {}
    for key, shape in shapes.items():
        shape = (1, *shape) if len(shape) == 2 else tuple(shape)
        if len(shape) != 3 or shape[2] != 3:
            raise ValueError(
                f"tf.summary.mesh expected {key} of shape [k, n, 3] or [n, 3]; got shape {tuple(shapes[key])}."
            )
        data = message("MeshPluginData")(
            name=tag,
            content_type=kinds.Value(PARTS[key]),
            components=components,
            shape=shape,
            json_config=config,
        )
        found[key] = encoding.metadata(PLUGIN, data.SerializeToString(), description)
    return found


def mesh_array(key: str, value: np.ndarray) -> np.ndarray:
    """A part of a mesh as it is written."""
    return _ENCODERS[key](value)


def _vertices(value: np.ndarray) -> np.ndarray:
    return _batched(value).astype(np.float32)


def _faces(value: np.ndarray) -> np.ndarray:
    return _batched(value).astype(np.int32)


def _colors(value: np.ndarray) -> np.ndarray:
    if value.dtype.kind in "fV" and value.size and value.max() <= 1:
        value = value.astype(np.float32) * 255
    return np.clip(_batched(value).round(), 0, 255).astype(np.uint8)


def _batched(value: np.ndarray) -> np.ndarray:
    return value[None] if value.ndim == 2 else value


_ENCODERS = {"vertices": _vertices, "faces": _faces, "colors": _colors}


def mesh_part(content: bytes) -> tuple[str, Any]:
    """Which of `PARTS` a series is, and all that its plugin content says; "" for one of no kind that we know."""
    data = message("MeshPluginData")()
    try:
        data.ParseFromString(content)
        kind = data.ContentType.Name(data.content_type)
    except (DecodeError, ValueError):
        return "", data
    return next((key for key, name in PARTS.items() if name == kind), ""), data


class Mesh(NamedTuple):
    """A logged mesh: of each part it has, a series with a value for each step.

    Attributes:
        name: the tag that was given.
        parts: of "vertices", "faces", "colors", those there are.
        config: settings for three.js.
        description: a text about it.
    """

    name: str
    parts: dict[str, Series]
    config: dict[str, Any]
    description: str


def read_meshes(run: Mapping[str, Series]) -> list[Mesh]:
    """The meshes of a run, put together from the tags of their parts."""
    found: dict[str, Mesh] = {}
    for series in run.values():
        key, data = mesh_part(series.content) if series.plugin == PLUGIN else ("", None)
        if not key or data is None:
            continue
        try:
            config = json.loads(data.json_config or "{}")
        except ValueError:
            continue
        mesh = found.setdefault(
            data.name, Mesh(data.name, {}, config if isinstance(config, dict) else {}, series.description)
        )
        mesh.parts[key] = series
    return list(found.values())
