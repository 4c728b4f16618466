"""`save_weights` and `load_weights`: a model's weights in a file, in the format that the path means."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import h5py

from tapeflow.io.folder_part import part_of
from tapeflow.keras.annotations import PathLike
from tapeflow.keras.saving import hdf5
from tapeflow.keras.saving.archive import Archive
from tapeflow.keras.saving.destination import as_path, may_write
from tapeflow.keras.saving.draft import Draft, write_draft
from tapeflow.keras.saving.layer_groups import load_groups, save_groups
from tapeflow.keras.saving.load_budget import load_budget
from tapeflow.keras.saving.mismatch import telling_file
from tapeflow.keras.saving.model_file import FOLDER_FILE
from tapeflow.keras.saving.named_weights import load_named, named_weights, write_held
from tapeflow.keras.saving.weight_tree import load_tree, save_tree
from tapeflow.train.background import settle
from tapeflow.train.bundle_writer import write_checkpoint
from tapeflow.train.checkpoint import contents, forget_ours, held
from tapeflow.train.checkpoint_state import check_state_file, file_of, update_checkpoint_state
from tapeflow.train.parts import with_parts
from tapeflow.train.restoration import CheckpointFile, CheckpointLoadStatus, Restoration, is_checkpoint
from tapeflow.train.tensor_bundle import TensorBundle
from tapeflow.train.tensor_file import ENDING as TENSORS
from tapeflow.train.tensor_file import TensorFile

if TYPE_CHECKING:
    from tapeflow.keras.models.model import Model

ENDING = ".weights.h5"
INDEX = ".index"
# Where TensorFlow's SavedModels have their weights.
SAVED_MODEL_WEIGHTS = "variables/variables"
_HDF5_ENDINGS = (".h5", ".hdf5", ".keras")


def save_weights(
    model: Model, filepath: PathLike, overwrite: bool = True, save_format: str | None = None
) -> None:
    """Save a model's weights. The file is written whole beside its place and then renamed.

    Args:
        model: a model with weights.
        filepath: where to. `.weights.h5` gives Keras 3's file, with the optimizer's state in it; `.h5` and
            `.hdf5` Keras 2's; `.safetensors` one that many libraries read. Any other path is taken as TensorFlow
            takes it, as the name of a checkpoint, optimizer included: `ckpt/my` gives `ckpt/my.safetensors`, which
            `load_weights('ckpt/my')` and `tf.train.Checkpoint` find, and a note in `ckpt/checkpoint`.
        overwrite: whether to replace what is there; without it the user is asked, on a terminal.
        save_format: `'h5'`, or `'tf'` for TensorFlow's own format (`ckpt/my.index` and its data), where the path does
            not say it. From a checkpoint in either format a training goes on with the same bits.
    """
    weights_writer(model, filepath, overwrite, save_format)()


def weights_writer(
    model: Model, filepath: PathLike, overwrite: bool = True, save_format: str | None = None
) -> Callable[[], None]:
    """What writes a model's weights as they are now, whenever it is called; as `save_weights`."""
    path = as_path(filepath, "save_weights")
    form = _format(path, save_format)
    if not model.built and not model.weights:  # a model whose step calls its parts is never built itself
        raise ValueError(
            f"Weights of model {model.name!r} cannot be saved because it has not been built: it has none yet. Call it "
            "on some data, or call build(input_shape), first."
        )
    prefix = str(path)
    if form == "checkpoint":
        path = file_of(path)
    elif form == "tensorflow":
        path = Path(f"{path}{INDEX}")
    if path.is_dir():
        raise IsADirectoryError(
            f"save_weights expected a path for a file; got {str(path)!r}, which is a directory."
        )
    if not may_write(path, overwrite):
        return lambda: None
    if form in ("checkpoint", "tensorflow"):
        check_state_file(str(path.parent))
        tensors, metadata = contents(model, held)

        def write() -> None:
            if form == "tensorflow":
                write_checkpoint(prefix, tensors, metadata)
                forget_ours(prefix)
            else:
                write_held(path, tensors, metadata)
            update_checkpoint_state(str(path.parent), prefix, [prefix])

        return write
    if form == "named":
        named, order = named_weights(model)
        return lambda: write_held(path, named, order)
    file = Draft()
    save = save_groups if form == "groups" else save_tree
    save(model, file)
    return lambda: write_draft(path, file)


def _format(path: Path, save_format: str | None) -> str:
    named = None if save_format is None else str(save_format).lower().strip()
    if named not in (None, "tf", "tensorflow", "h5", "hdf5", "keras"):
        raise ValueError(
            f"Unknown format. Received: `save_format`={save_format}. Expected one of {{'tf', 'h5'}}."
        )
    if path.name.endswith(ENDING):
        return "tree"
    if path.suffix == TENSORS:
        return "named"
    is_hdf5 = path.suffix in _HDF5_ENDINGS
    if named in ("tf", "tensorflow") and is_hdf5:
        raise ValueError(
            f'save_weights got save_format="tf"/"tensorflow", but the filepath ({path}) looks like an HDF5 file. Omit '
            'the ".h5"/".keras" when saving in TensorFlow format.'
        )
    if is_hdf5 or named in ("h5", "hdf5", "keras"):
        return "groups"
    return "checkpoint" if named is None else "tensorflow"


def load_weights(model: Model, filepath: PathLike, by_name: bool = False, skip_mismatch: bool = False) -> Any:
    """Give a model the weights of a file; nothing is changed unless all of them fit.

    Args:
        model: the model. If it is compiled and the file has an optimizer's state, that is loaded too.
        filepath: what was given to `save_weights` or `save`; files of Keras 2 and 3 are read.
        by_name: match layers by name, for `.h5` files of Keras 2's layout, and leave out those without a partner.
        skip_mismatch: leave out weights that do not fit, with a warning.

    Returns:
        An object with the methods that TensorFlow's status of a restored checkpoint has.
    """
    settle()
    path = _existing(as_path(filepath, "load_weights"))
    if path.suffix == INDEX:
        return _load_checkpoint(model, TensorBundle(str(path).removesuffix(INDEX)), by_name)
    if path.suffix == TENSORS:
        return _load_tensors(model, path, by_name, skip_mismatch)
    if not model.built:
        raise ValueError(
            "Unable to load weights saved in HDF5 format into a subclassed Model which has not created its variables "
            "yet. Call the Model first, then load the weights."
        )
    if zipfile.is_zipfile(path):
        _require_no_names(by_name, path)
        with telling_file(path), load_budget(path) as budget:
            Archive(path, budget).load_weights(model, skip_mismatch)
        return LoadStatus()
    if not hdf5.is_hdf5(path):
        raise ValueError(
            f"load_weights expected a file of weights; got {str(path)!r}, which is neither HDF5 nor `.keras`. It may "
            "be truncated or damaged: use another copy."
        )
    with telling_file(path), load_budget(path), hdf5.opened(path) as file:
        groups = _layer_groups(file)
        if groups is not None:
            load_groups(model, groups, by_name, skip_mismatch)
        else:
            _require_no_names(by_name, path)
            load_tree(model, file, skip_mismatch)
    return LoadStatus()


def _load_tensors(model: Model, path: Path, by_name: bool, skip_mismatch: bool) -> Any:
    """Load a checkpoint, by structure and perhaps later, or a file of named weights."""
    file = TensorFile(path)
    if is_checkpoint(file):
        return _load_checkpoint(model, with_parts(file), by_name)
    file.close()
    if not model.built:
        raise ValueError(
            f"load_weights expected a model with weights for {str(path)!r}; got {model.name!r}, which has not been "
            "built. Call it on some data, or call build(input_shape), first."
        )
    with telling_file(path):
        load_named(model, path, by_name, skip_mismatch)
    return LoadStatus()


def _load_checkpoint(model: Model, file: CheckpointFile, by_name: bool) -> CheckpointLoadStatus:
    _require_no_names(by_name, file.path)
    status = CheckpointLoadStatus(Restoration(file, model))
    if model.built and model.weights:
        status.assert_nontrivial_match()
    return status


def _layer_groups(file: h5py.File) -> h5py.Group | None:
    """Where a file has weights in Keras 2's layout, if it does."""
    if hdf5.read_names(file, "layer_names"):
        return file
    inner = hdf5.child(file, "model_weights")
    return inner if isinstance(inner, h5py.Group) else None


def _require_no_names(by_name: bool, path: Path) -> None:
    if by_name:
        raise ValueError(
            f"Invalid keyword arguments: `by_name` is for `.h5` files of Keras 2's layout; got {str(path)!r}. Leave "
            "by_name out."
        )


def _existing(path: Path) -> Path:
    """The file that a path given to `load_weights` means."""
    beside = file_of(path)
    if path.is_dir() and (path / FOLDER_FILE).is_file():
        return part_of(path, FOLDER_FILE)
    # A file called `checkpoint` is the note beside checkpoints, of which one may have that name as well.
    places = (beside, path) if path.name == "checkpoint" else (path, beside)
    theirs = (Path(f"{path}{INDEX}"), Path(f"{path / SAVED_MODEL_WEIGHTS}{INDEX}"))
    for candidate in (*places, path.with_name(path.name + ENDING), *theirs):
        if candidate.is_file():
            return candidate
    raise FileNotFoundError(
        f"load_weights expected a file of weights; found neither {str(path)!r} nor {str(beside)!r}, nor TensorFlow's "
        f"{str(path) + INDEX!r}."
    )


class LoadStatus:
    """What TensorFlow gives for a restored checkpoint. Here loading is done, or has raised, by now."""

    def assert_consumed(self) -> LoadStatus:
        """Nothing was left over."""
        return self

    def assert_existing_objects_matched(self) -> LoadStatus:
        """Every weight was found."""
        return self

    def assert_nontrivial_match(self) -> LoadStatus:
        """Something was found."""
        return self

    def expect_partial(self) -> LoadStatus:
        """Nothing to silence."""
        return self
