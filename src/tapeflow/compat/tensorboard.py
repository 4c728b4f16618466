"""`tensorboard.plugins`: the APIs that programs import to log, resolved to TapeFlow's.

The rest of TensorBoard, if it is installed, stays what it is, so that it can still be run from the same program;
if it is not, the packages in between are empty ones.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from importlib.machinery import PathFinder
from types import ModuleType

from tapeflow.compat.namespace import Namespace

OURS = {
    "tensorboard.plugins.custom_scalar.layout_pb2": "tapeflow.plugins.custom_scalar.layout_pb2",
    "tensorboard.plugins.custom_scalar.summary": "tapeflow.plugins.custom_scalar.summary",
    "tensorboard.plugins.hparams.api": "tapeflow.plugins.hparams.api",
    "tensorboard.plugins.mesh.summary": "tapeflow.plugins.mesh.summary",
    "tensorboard.plugins.mesh.summary_v2": "tapeflow.plugins.mesh.summary",
    "tensorboard.plugins.pr_curve.summary": "tapeflow.plugins.pr_curve.summary",
    "tensorboard.plugins.projector": "tapeflow.plugins.projector",
}


def find(name: str, path: Sequence[str] | None) -> ModuleType | None:
    """The module to give for a name of TensorBoard's; None to leave it to Python."""
    is_ours = name in OURS
    if not is_ours and not any(other.startswith(f"{name}.") for other in OURS):
        return None
    spec = PathFinder.find_spec(name, path)
    places = None if spec is None else spec.submodule_search_locations
    if not is_ours:
        return Namespace(name) if spec is None else None
    module = importlib.import_module(OURS[name])
    if places is None:
        return module
    package = Namespace(name, module)  # what TensorBoard itself needs lies below it
    package.__path__ = list(places)
    return package
