"""Reading label sequences off CTC scores. How long they are depends on the scores, so this runs on the host."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import constant, convert_to_tensor
from tapeflow.engine.values.dtypes import int64
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import describe, invalid, read_ints, read_value
from tapeflow.ops.math.casting import cast
from tapeflow.ops.sparse.tensor import SparseTensor

_NEVER = -np.inf


def _read(where: str, inputs: TensorLike, sequence_length: Any) -> tuple[np.ndarray, tuple[int, ...]]:
    scores = convert_to_tensor(inputs)
    lengths = read_ints(sequence_length, where, "sequence_length")
    if (
        scores.ndim != 3
        or len(lengths) != scores.spec.shape[1]
        or max(lengths, default=0) > scores.spec.shape[0]
    ):
        raise invalid(
            f"{where} expected inputs of shape [time, batch, classes] and a sequence_length of at most time for each; "
            f"got inputs {describe(scores)} and sequence_length={list(lengths)}."
        )
    return read_value(scores), lengths


def _sparse(rows: list[list[int]]) -> SparseTensor:
    places = [[b, i] for b, row in enumerate(rows) for i in range(len(row))]
    values = np.array([label for row in rows for label in row], np.int64)
    indices = np.array(places, np.int64).reshape(-1, 2)
    shape = np.array([len(rows), max(map(len, rows), default=0)], np.int64)
    return SparseTensor(constant(indices), constant(values), constant(shape))


class Collapsed(NamedTuple):
    """What `collapse_repeated` returns."""

    labels: Tensor
    lengths: Tensor


def collapse_repeated(labels: TensorLike, seq_length: TensorLike, name: str | None = None) -> Collapsed:
    """Rows of labels with repeats left out, filled up with 0, and their new lengths."""
    where = "tf.nn.collapse_repeated"
    found = read_value(convert_to_tensor(labels))
    lengths = read_ints(seq_length, where, "seq_length")
    rows = [_merged(row[:n].tolist()) for row, n in zip(found, lengths, strict=True)]
    out = np.zeros((len(rows), max(map(len, rows), default=0)), found.dtype)
    for i, row in enumerate(rows):
        out[i, : len(row)] = row
    return Collapsed(constant(out), constant(np.array([len(r) for r in rows], np.int32)))


def _merged(row: list[int]) -> list[int]:
    return [label for i, label in enumerate(row) if i == 0 or label != row[i - 1]]


def ctc_greedy_decoder(
    inputs: TensorLike,
    sequence_length: TensorLike,
    merge_repeated: bool = True,
    blank_index: int | None = None,
) -> tuple[list[SparseTensor], Tensor]:
    """The labels of the best class at each step, without blanks.

    Args:
        inputs: scores, shape (time, batch, classes).
        sequence_length: the number of steps of each sequence.
        merge_repeated: count a class once when it comes several times in a row.
        blank_index: the class that stands for no label; the last one if not given.

    Returns:
        A list of one SparseTensor of labels, and minus the sum of the best scores of each sequence.
    """
    where = "tf.nn.ctc_greedy_decoder"
    scores, lengths = _read(where, inputs, sequence_length)
    classes = scores.shape[2]
    blank = classes - 1 if blank_index is None else int(blank_index)
    blank += classes if blank < 0 else 0
    rows, sums = [], np.zeros((len(lengths), 1), scores.dtype)
    for b, length in enumerate(lengths):
        best = scores[:length, b].argmax(1).tolist()
        sums[b, 0] = -scores[:length, b].max(1).sum()
        kept = _merged(best) if merge_repeated else best
        rows.append([label for label in kept if label != blank])
    return [_sparse(rows)], constant(sums)


def ctc_beam_search_decoder(
    inputs: TensorLike, sequence_length: TensorLike, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Tensor]:
    """The likeliest label sequences, keeping the best `beam_width` beginnings at every step.

    Args:
        inputs: scores, shape (time, batch, classes); the last class is the blank.
        sequence_length: the number of steps of each sequence.
        beam_width: how many beginnings to keep.
        top_paths: how many sequences to give.

    Returns:
        A SparseTensor of labels for each path, and the log-probabilities, shape (batch, top_paths).
    """
    where = "tf.nn.ctc_beam_search_decoder"
    scores, lengths = _read(where, inputs, sequence_length)
    if top_paths > beam_width:
        raise invalid(
            f"{where} expected top_paths of at most beam_width={beam_width}; got top_paths={top_paths}."
        )
    logs = scores - scores.max(2, keepdims=True)
    logs = logs - np.log(np.exp(logs).sum(2, keepdims=True))
    found = [_searched(logs[:n, b].astype(float), beam_width)[:top_paths] for b, n in enumerate(lengths)]
    if any(len(paths) < top_paths for paths in found):
        raise invalid(
            f"{where} expected enough different sequences for top_paths={top_paths}; there are fewer."
        )
    paths = [_sparse([list(paths[k][0]) for paths in found]) for k in range(top_paths)]
    chances = np.array([[p[1] for p in paths] for paths in found], scores.dtype)
    return paths, constant(chances.reshape(len(lengths), top_paths))


def _searched(logs: np.ndarray, width: int) -> list[tuple[tuple[int, ...], float]]:
    """Label sequences and their log-probabilities, best first.

    A beginning is known by its labels, with the chance that it ends in a blank and that it ends in a label.
    """
    blank = logs.shape[1] - 1
    beams: dict[tuple[int, ...], tuple[float, float]] = {(): (0.0, _NEVER)}
    for now in logs:
        after: dict[tuple[int, ...], list[float]] = {}
        for labels, (in_blank, in_label) in beams.items():
            either = np.logaddexp(in_blank, in_label)
            _add(after, labels, 0, either + now[blank])
            if labels:
                _add(after, labels, 1, in_label + now[labels[-1]])
            for label in range(blank):
                is_repeat = bool(labels) and labels[-1] == label
                _add(after, (*labels, label), 1, (in_blank if is_repeat else either) + now[label])
        best = sorted(after.items(), key=lambda kv: -np.logaddexp(kv[1][0], kv[1][1]))[:width]
        beams = {labels: (pair[0], pair[1]) for labels, pair in best}
    return sorted(((k, float(np.logaddexp(v[0], v[1]))) for k, v in beams.items()), key=lambda kv: -kv[1])


def _add(beams: dict[tuple[int, ...], list[float]], labels: tuple[int, ...], kind: int, log: float) -> None:
    pair = beams.setdefault(labels, [_NEVER, _NEVER])
    pair[kind] = float(np.logaddexp(pair[kind], log))


def ctc_unique_labels(labels: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The different labels of each row, filled up with 0, and for each label which of them it is."""
    found = read_value(cast(labels, int64))
    unique, places = np.zeros_like(found), np.zeros(found.shape, np.int32)
    for i, row in enumerate(found):
        known = list(dict.fromkeys(row.tolist()))
        unique[i, : len(known)] = known
        places[i] = [known.index(label) for label in row.tolist()]
    return constant(unique), constant(places)
