"""`tf.summary.confusion_matrix`: which classes are taken for which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import SupportsInt

import numpy as np
import numpy.typing as npt
from google.protobuf.message import DecodeError

from tapeflow.summary import hooks
from tapeflow.summary.context import recording_writer
from tapeflow.summary.emission import emit_together, tag_of
from tapeflow.summary.event_files import encoding
from tapeflow.summary.event_files.tag_series import Series
from tapeflow.summary.kinds.confusion_picture import confusion_strings
from tapeflow.summary.protos import message
from tapeflow.summary.totals import Total, Values
from tapeflow.summary.writer import Prepared

PLUGIN = "confusion_matrix"
_MOST_CLASSES = 4096


def confusion_matrix(
    name: str,
    y_true: npt.ArrayLike,
    y_pred: npt.ArrayLike,
    class_names: Sequence[str] | None = None,
    step: SupportsInt | None = None,
    description: str | None = None,
) -> bool:
    """Write a confusion matrix: how often each class was predicted as each.

    Calls with the same name and step add up, so a matrix may be logged batch by batch; the counts are exact.
    The counts are written as data under `name`, rows being true classes, and as a picture under `name/image`.

    Args:
        name: the tag; the name scope is put in front of it.
        y_true: the true classes: numbers, names of `class_names`, or one-hot rows.
        y_pred: the predicted classes, or a score or probability for each class along the last dimension. Floats
            from 0 to 1 of the shape of `y_true` are probabilities of class 1.
        class_names: the classes, in order; without them they are numbered.
        step: the step, unless there is a default one.
        description: a text about the tag, in Markdown.

    Returns:
        Whether it was recorded.

    >>> for x, y in test_batches:
    ...     tf.summary.confusion_matrix("confusion", y, model(x), ["cat", "dog"], step=epoch)
    """
    writer = recording_writer()
    if writer is None:
        return False
    names = None if class_names is None else [str(name) for name in class_names]
    tag = tag_of(name, "confusion_matrix")
    content = message("ConfusionPluginData")(class_names=names).SerializeToString()
    meta = encoding.metadata(PLUGIN, content, description)
    picture_meta = encoding.metadata("images", description=description)

    def values(counts: np.ndarray) -> Values:
        return [
            (tag, counts, meta),
            (f"{tag}/image", Prepared(confusion_strings, counts, names), picture_meta),
        ]

    total = writer.source((tag, meta), lambda: Total(values))
    true, predicted = hooks.value(y_true), hooks.value(y_pred)
    _check_shapes(true.shape, predicted.shape)
    if isinstance(true, np.ndarray) and isinstance(
        predicted, np.ndarray
    ):  # what is wrong is said here and now
        data, add = (confusion_counts(true, predicted, names),), total.add
    else:
        data = (true, predicted)

        def add(step: int, true: np.ndarray, predicted: np.ndarray) -> None:
            total.add(step, confusion_counts(true, predicted, names))

    return emit_together(writer, tag, data, step, meta, add, takes_step=True)


def confusion_counts(
    y_true: np.ndarray, y_pred: np.ndarray, class_names: Sequence[str] | None = None
) -> np.ndarray:
    """How often each class, in rows, was taken for each, in columns.

    >>> confusion_counts(np.array([0, 1, 1]), np.array([0, 1, 0]))
    array([[1, 0],
           [1, 1]])
    """
    width = y_pred.shape[-1] if _has_scores(y_true.shape, y_pred.shape, y_pred.dtype) else 0
    if width:
        if y_true.shape == y_pred.shape:
            y_true = y_true.argmax(-1)
        y_pred = y_pred.argmax(-1)
    true = _ids("y_true", y_true, class_names)
    predicted = _ids("y_pred", y_pred, class_names)
    classes = max(
        len(class_names or ()), width, int(max(true.max(initial=-1), predicted.max(initial=-1))) + 1
    )
    if class_names and classes > len(class_names):
        raise ValueError(
            f"tf.summary.confusion_matrix expected a name for each class; got {len(class_names)} class_names and "
            f"class {classes - 1}. Add the missing names, or leave class_names out."
        )
    if classes > _MOST_CLASSES:
        raise ValueError(
            f"tf.summary.confusion_matrix expected at most {_MOST_CLASSES} classes; got class {classes - 1}. Are "
            "these class numbers?"
        )
    pairs = np.bincount(true * classes + predicted, minlength=classes * classes)
    return pairs.reshape(classes, classes)


def _has_scores(true: tuple[int, ...], predicted: tuple[int, ...], dtype: np.dtype) -> bool:
    """Whether the last dimension of the predictions runs over classes."""
    if not predicted or predicted[-1] < 2:
        return False
    if predicted[:-1] in (true, true[:-1]) and len(predicted) == len(_plain(true)) + 1:
        return True
    return predicted == true and len(true) > 1 and dtype.kind in "fV"


def _plain(shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape without a last dimension of 1, as labels often have."""
    return shape[:-1] if len(shape) > 1 and shape[-1] == 1 else shape


def _check_shapes(true: tuple[int, ...], predicted: tuple[int, ...]) -> None:
    if _plain(true) != _plain(predicted) and _plain(true) != predicted[:-1]:
        raise ValueError(
            "tf.summary.confusion_matrix expected y_pred to have the shape of y_true, with or without a last "
            f"dimension of classes; got y_true of shape {true} and y_pred of shape {predicted}. Pass the classes, "
            "or the model's output, of the same examples."
        )


def _ids(where: str, labels: np.ndarray, class_names: Sequence[str] | None) -> np.ndarray:
    """Class numbers, flat."""
    kind = labels.dtype.kind
    if kind in "OSU":
        numbers = {name: i for i, name in enumerate(class_names or ())}
        found = [label.decode() if isinstance(label, bytes) else label for label in labels.ravel().tolist()]
        unknown = next((label for label in found if label not in numbers), None)
        if unknown is not None:
            raise ValueError(
                f"tf.summary.confusion_matrix expected {where} to hold names of class_names; got {unknown!r} and "
                f"class_names={class_names!r}."
            )
        return np.array([numbers[label] for label in found], np.int64)
    flat = labels.ravel()
    if kind in "fV":
        floats = flat.astype(np.float64)
        if ((floats >= 0) & (floats <= 1)).all():
            return (floats > 0.5).astype(np.int64)
        if (floats != np.floor(floats)).any():  # NaN is not equal to itself
            raise ValueError(
                f"tf.summary.confusion_matrix expected {where} to hold class numbers or probabilities; got floats "
                f"from {floats.min()} to {floats.max()}. Pass labels, probabilities, or scores of shape [examples, "
                "classes]."
            )
        flat = floats
    found = flat.astype(np.int64)
    if found.min(initial=0) < 0:
        raise ValueError(
            f"tf.summary.confusion_matrix expected class numbers from 0 in {where}; got {found.min()}. Leave out "
            "what has no label."
        )
    return found


def class_names_of(series: Series) -> list[str]:
    """The names of the classes of a logged confusion matrix; numbers if it has none.

    Its counts are the series' values.
    """
    try:
        names = list(message("ConfusionPluginData").FromString(series.content).class_names)
    except DecodeError:
        names = []
    classes = max((counts.shape[0] for counts in series.values if np.ndim(counts)), default=0)
    return names or [str(i) for i in range(classes)]
