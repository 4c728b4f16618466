"""A SavedModel's folder, opened and checked before anything is made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from google.protobuf import text_format
from google.protobuf.message import DecodeError

from tapeflow.io.folder_part import part_of
from tapeflow.saved_model.constants import (
    ASSETS_DIRECTORY,
    ASSETS_KEY,
    SAVED_MODEL_FILENAME_PB,
    SAVED_MODEL_FILENAME_PBTXT,
    VARIABLES_DIRECTORY,
)
from tapeflow.saved_model.interpreter.library import Library
from tapeflow.summary.protos import message
from tapeflow.train.open_file import OpenFile
from tapeflow.train.tensor_bundle import TensorBundle

_MOST_BYTES = 1 << 31  # what a message may have
_MOST_FUNCTIONS = 100_000


class SavedModelFolder:
    """The files of a SavedModel, and the one of its graphs that is wanted.

    Args:
        path: the folder.
        tags: those of the graph; None for the only one there is.
        safe_mode: whether ops that reach out of the program are refused.

    Raises:
        ValueError: it is damaged, or has no graph with these tags.
    """

    def __init__(self, path: Path, tags: Iterable[str] | str | None, safe_mode: bool) -> None:
        self.path = path
        self.graph = _with_tags(_parsed(path), tags)
        definition = self.graph.graph_def
        functions = {f.signature.name: f for f in definition.library.function}
        if len(functions) != len(definition.library.function) or len(functions) > _MOST_FUNCTIONS:
            raise self.broken("two of its functions have one name, or there are far too many")
        self.library = Library(functions, str(path), safe_mode)
        self.library.asset_path = self._checked_asset
        for gradient in definition.library.registered_gradients:
            self.library.gradients[gradient.registered_op_type] = gradient.gradient_func
            self.library.captures[gradient.gradient_func] = _captured(self.graph.object_graph_def, gradient)
        self.assets = _assets(self.graph)
        self._safe_mode = safe_mode

    def broken(self, why: str) -> ValueError:
        """What to raise for a folder that cannot be read."""
        return broken(self.path, why)

    def bundle(self) -> TensorBundle | None:
        """The values of the Variables; None if there are none."""
        try:
            prefix = part_of(part_of(self.path, VARIABLES_DIRECTORY), VARIABLES_DIRECTORY)
            part_of(prefix.parent, f"{prefix.name}.index")
        except ValueError as error:
            raise self.broken(str(error)) from error
        if not prefix.with_name(f"{prefix.name}.index").is_file():
            return None
        return TensorBundle(str(prefix))

    def has_values(self) -> bool:
        """Whether there are values of Variables."""
        return (self.path / VARIABLES_DIRECTORY / f"{VARIABLES_DIRECTORY}.index").is_file()

    def asset(self, index: int) -> str:
        """The path of an asset, which lies in the folder."""
        if not 0 <= index < len(self.assets):
            raise self.broken(f"it has no asset {index}")
        return self._asset(self.assets[index].filename)

    def _asset(self, name: str) -> str:
        folder = self.path / ASSETS_DIRECTORY
        if not name or Path(name).is_absolute() or ".." in Path(name).parts:
            raise self.broken(f"its asset {name!r} is outside the folder")
        try:
            part_of(self.path, ASSETS_DIRECTORY)
            return str(part_of(folder, name))
        except ValueError as error:
            raise self.broken(str(error)) from error

    def _checked_asset(self, path: bytes) -> bytes:
        """The path that a table reads: one of the assets, wherever the folder lay when it was written."""
        given = Path(path.decode("utf-8", "surrogateescape"))
        folder = self.path / ASSETS_DIRECTORY
        if given.is_relative_to(folder):
            return self._asset(str(given.relative_to(folder))).encode("utf-8", "surrogateescape")
        if given.name in {a.filename for a in self.assets}:  # where it lay then
            return self._asset(given.name).encode("utf-8", "surrogateescape")
        if self._safe_mode:
            raise PermissionError(
                f"A SavedModel expected to read its own assets; got {str(given)!r}, which is outside "
                f"{str(folder)!r}. It is not read."
            )
        return path


def _captured(objects: Any, gradient: Any) -> list[tuple[str, str]]:
    """The tensors of a function that its gradient takes, with the function's name; none if it takes anything else."""
    if gradient.gradient_func not in objects.concrete_functions:
        return []
    numbers = objects.concrete_functions[gradient.gradient_func].bound_inputs
    nodes = [objects.nodes[n] for n in numbers if 0 <= n < len(objects.nodes)]
    if len(nodes) < len(numbers) or any(node.WhichOneof("kind") != "captured_tensor" for node in nodes):
        return []
    return [(node.captured_tensor.name, node.captured_tensor.concrete_function) for node in nodes]


def _assets(graph: Any) -> list[Any]:
    """What describes the files of a graph; TensorFlow 1 has it in a collection."""
    found = list(graph.asset_file_def)
    if not found and ASSETS_KEY in graph.collection_def:
        made = message("AssetFileDef")
        found = [made.FromString(a.value) for a in graph.collection_def[ASSETS_KEY].any_list.value]
    return found


def broken(path: Path, why: str) -> ValueError:
    """What to raise for a folder that cannot be read."""
    return ValueError(
        f"tf.saved_model.load expected a whole SavedModel; got {str(path)!r}, which cannot be read: {why}. It may be "
        "truncated or damaged: use another copy."
    )


def is_saved_model(path: Path) -> bool:
    """Whether a folder holds a SavedModel of TensorFlow's."""
    return (path / SAVED_MODEL_FILENAME_PB).is_file() or (path / SAVED_MODEL_FILENAME_PBTXT).is_file()


def _parsed(path: Path) -> Any:
    name = (
        SAVED_MODEL_FILENAME_PB if (path / SAVED_MODEL_FILENAME_PB).is_file() else SAVED_MODEL_FILENAME_PBTXT
    )
    found = read_message(path, name, "SavedModel")
    if found.saved_model_schema_version != 1:
        raise broken(path, f"it has version {found.saved_model_schema_version} of the format")
    return found


def read_message(path: Path, name: str, kind: str) -> Any:
    """A message from a file of the folder, which may be text."""
    try:
        file = OpenFile(part_of(path, name))
    except ValueError as error:
        raise broken(path, str(error)) from error
    try:
        if file.size > _MOST_BYTES:
            raise broken(path, f"{name!r} is too long for what it should hold")
        data = file.bytes(0, file.size)
    finally:
        file.close()
    parse: Callable[[], Any] = lambda: message(kind).FromString(data)  # noqa: E731
    if name.endswith(".pbtxt"):
        parse = lambda: text_format.Parse(data.decode("utf-8"), message(kind)())  # noqa: E731
    try:
        return parse()
    except (DecodeError, text_format.ParseError, UnicodeDecodeError, RecursionError) as error:
        raise broken(path, f"{name!r} is no {kind} message: {error}") from error


def _with_tags(saved: Any, tags: Iterable[str] | str | None) -> Any:
    graphs = saved.meta_graphs
    found = [sorted(g.meta_info_def.tags) for g in graphs]
    if tags is None:
        if len(graphs) != 1:
            raise ValueError(
                "tf.saved_model.load expected tags: Importing a SavedModel with `tf.saved_model.load` requires a "
                f"`tags=` argument if there is more than one MetaGraph. Got `tags=None`, but there are {len(graphs)} "
                f"MetaGraphs in the SavedModel with tag sets: {found}."
            )
        return graphs[0]
    wanted = sorted({tags} if isinstance(tags, str) else set(tags))
    for graph, its_tags in zip(graphs, found, strict=True):
        if sorted(set(its_tags)) == wanted:
            return graph
    raise ValueError(
        f"tf.saved_model.load expected tags of a graph in the SavedModel; got tags={wanted}: could not be found in "
        f"{found}. Pass one of these."
    )
