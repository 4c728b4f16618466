"""Load a SavedModel of TensorFlow's: objects, or signatures alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from google.protobuf.message import DecodeError

# What fills the table of kernels.
from tapeflow.saved_model.interpreter import (
    array_ops,  # noqa: F401
    composite_ops,  # noqa: F401
    control_ops,  # noqa: F401
    image_ops,  # noqa: F401
    linalg_ops,  # noqa: F401
    list_ops,  # noqa: F401
    math_ops,  # noqa: F401
    nn_ops,  # noqa: F401
    parsing_ops,  # noqa: F401
    random_ops,  # noqa: F401
    resource_ops,  # noqa: F401
    string_ops,  # noqa: F401
)
from tapeflow.saved_model.interpreter.kernels import GraphError
from tapeflow.saved_model.reading.folder import SavedModelFolder, broken
from tapeflow.saved_model.reading.objects import load_objects
from tapeflow.saved_model.reading.sessions import LoadedGraph
from tapeflow.train.tensor_file import BrokenFile

_DAMAGE = (
    GraphError,
    DecodeError,
    KeyError,
    IndexError,
    TypeError,
    AttributeError,
    OverflowError,
    RecursionError,
    EOFError,
    UnicodeError,
)


def load_saved_model(path: Path, tags: Any = None, safe_mode: bool = True) -> Any:
    """What a SavedModel of TensorFlow's holds, ready to be called and trained.

    Args:
        path: the folder.
        tags: those of the graph that is wanted.
        safe_mode: whether ops that reach out of the program are refused.

    Raises:
        ValueError: the folder is damaged, or has no graph with these tags.
        NotImplementedError: making a table needs an op that is not there.
        PermissionError: it needs one that reaches out of the program.
    """
    folder = reading(path, lambda: SavedModelFolder(path, tags, safe_mode))
    has_objects = bool(folder.graph.object_graph_def.nodes)
    return reading(path, lambda: load_objects(folder) if has_objects else LoadedGraph(folder))


def reading(path: Path, read: Callable[[], Any]) -> Any:
    """What a function reads from a folder; whatever is wrong with the folder is one kind of error."""
    try:
        return read()
    except BrokenFile:
        raise
    except _DAMAGE as error:
        why = str(error) if isinstance(error, GraphError) else f"{type(error).__name__}: {error}"
        raise broken(path, why) from error
