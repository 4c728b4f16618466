"""Models that are loaded, written, and loaded again to be compared."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.cli.conversion.forms import Form, source_form
from tapeflow.cli.failure import Failure
from tapeflow.keras.saving.saved_model_file import ServedModel
from tapeflow.saved_model.model_inputs import input_structure
from tapeflow.saved_model.reading.loader import load_saved_model

Predict = Callable[[list[np.ndarray]], list[np.ndarray]]
"""What a model gives for its inputs, both as flat lists."""


def load(source: Path, model: Path | None, is_trusted: bool) -> Any:
    """The model of a source; weights need the model that they are of.

    Args:
        source: a model or weights.
        model: a model, for weights.
        is_trusted: whether code in the files may run.

    Raises:
        Failure: a source of weights comes without a model.
    """
    form, place = source_form(source)
    if form.is_model and model is None:
        return _loaded(place, is_trusted)
    if form.is_model:
        raise Failure(f"expected --model for weights alone; got it with {form.title}. Leave --model out.", 2)
    if model is None:
        raise Failure(
            f"expected --model MODEL, since {form.title} does not say what its weights are of; got {str(source)!r} "
            "alone. Add the model that they are of."
        )
    of_model, at = source_form(model)
    if not of_model.is_model:
        raise Failure(f"expected a model for --model; got {of_model.title}.", 2)
    found = _loaded(at, is_trusted)
    _load_weights(found, form, place)
    return found


def _loaded(path: Path, is_trusted: bool) -> Any:
    with warnings.catch_warnings():
        # A file without a training configuration is none the worse for being converted.
        warnings.filterwarnings("ignore", "No training configuration")
        found = tf.keras.models.load_model(str(path), safe_mode=not is_trusted)
    if isinstance(found, ServedModel) and not found.built:
        _, specs = found.signatures["serving_default"].structured_input_signature
        values = {name: tf.zeros([n or 2 for n in s.shape], s.dtype) for name, s in specs.items()}
        found(next(iter(values.values())) if len(values) == 1 else values)
    return found


def _load_weights(model: Any, form: Form, place: Path) -> None:
    status = model.load_weights(str(place))
    if "checkpoint" in form.name:
        status.expect_partial()


def write(model: Any, form: Form, target: Path, opset: int | None) -> None:
    """Write a model in a form.

    Raises:
        Failure: the form is of layers, and those of the model are not known.
    """
    place = str(target)
    if isinstance(model, ServedModel) and form.name in ("keras", "h5"):
        raise Failure(
            f"expected a model whose layers are known for {form.title}; got a SavedModel that says what is computed, "
            "and not by which layers. Convert it to a SavedModel or to ONNX."
        )
    if form.name == "onnx":
        model.export(place, format="onnx", opset_version=opset)
    elif form.name == "saved-model" and isinstance(model, ServedModel):
        model.export(place)
    elif form.name == "saved-model":
        model.save(place, save_format="tf")
    elif form.is_model:
        model.save(place, save_format=form.name)
    elif form.name == "tensorflow-checkpoint":
        model.save_weights(place.removesuffix(".index"), save_format="tf")
    elif form.name == "h5-weights":
        model.save_weights(place, save_format="h5")
    else:
        model.save_weights(place)


def written(target: Path, form: Form) -> Path | None:
    """What is there already where a target would be written; None if nothing is."""
    index = Path(f"{str(target).removesuffix('.index')}.index")
    tensors = Path(f"{target}.safetensors")
    places = {"tensorflow-checkpoint": index, "checkpoint": tensors}
    place = places.get(form.name, target)
    is_empty_folder = place.is_dir() and form.name == "saved-model" and not any(place.iterdir())
    return place if place.exists() and not is_empty_folder else None


def predictor(model: Any, like: Any = None) -> Predict:
    """A model, called for prediction; its inputs have the structure of those of another one if there is one."""
    structure = input_structure(model if like is None else like)

    def predict(inputs: list[np.ndarray]) -> list[np.ndarray]:
        packed = tf.nest.pack_sequence_as(structure, [tf.constant(x) for x in inputs])
        return [np.asarray(y) for y in tf.nest.flatten(model(packed, training=False))]

    return predict


def target_predictor(
    target: Path, form: Form, original: Any, load_again: Callable[[], Any], is_trusted: bool
) -> Predict | None:
    """What was written, loaded and ready to predict; None if nothing is installed that runs it.

    Args:
        target: where it was written.
        form: what was written.
        original: the model that it was written from.
        load_again: gives another model like the original one, for weights.
        is_trusted: whether code in the target may run, as in the source that it was written from.
    """
    if form.name == "onnx":
        return _in_onnxruntime(target)
    if form.name == "saved-model":  # the TensorFlow ops in it, not `model.keras` beside them
        return predictor(ServedModel(load_saved_model(target)), original)
    if form.is_model:
        return predictor(_loaded(target, is_trusted), original)
    again = load_again()
    for weight in again.weights:
        weight.assign(tf.zeros_like(weight))
    _load_weights(again, form, Path(str(target).removesuffix(".index")))
    return predictor(again, original)


def _in_onnxruntime(target: Path) -> Predict | None:
    try:
        import onnxruntime  # optional
    except ModuleNotFoundError:
        return None
    session = onnxruntime.InferenceSession(str(target))
    names = [given.name for given in session.get_inputs()]
    return lambda inputs: [np.asarray(y) for y in session.run(None, dict(zip(names, inputs, strict=True)))]
