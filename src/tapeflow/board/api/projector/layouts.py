"""t-SNE and UMAP, by the packages of the extra `projector`, with progress: what `worker` runs in its own process."""

from __future__ import annotations

import importlib
import importlib.util
import os
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tapeflow.board.api.projector.notes import NOTES
from tapeflow.board.api.projector.packing import pack
from tapeflow.board.api.projector.projections import filled, principal
from tapeflow.board.notes import REFUSALS
from tapeflow.board.schema import Note

PACKAGES = {"tsne": "openTSNE", "umap": "umap"}
TITLES = {"tsne": "t-SNE", "umap": "UMAP"}
MOST_LAID_OUT = 100_000
MOST_WIDE = 50
_EVERY_S = 0.4
_MOST_EXACT = 5000  # points whose neighbours are looked for one by one
_EARLY = 250  # iterations of t-SNE that pull clusters together

Report = Callable[[int, int, str, np.ndarray | None], None]
"""Takes the iteration, how many there are, what is being done (a code of `notes`, or ""), and the points."""


def missing(method: str) -> str:
    """What a method lacks to run here, in words; "" if nothing."""
    if importlib.util.find_spec(PACKAGES[method]) is not None:
        return ""
    return REFUSALS("no_package", method=TITLES[method])["text"]


def lay_out(vectors: np.ndarray, method: str, parameters: Mapping[str, Any], report: Report) -> np.ndarray:
    """The points in two or three dimensions.

    Wider vectors are first cut to their 50 principal components, as is usual. Of more than 100,000 points that many
    are laid out, drawn at random, always the same; each of the others takes the place of its nearest one among them.
    """
    points = filled(vectors)
    if points.shape[1] > MOST_WIDE:
        report(0, 0, "principal", None)
        points = np.ascontiguousarray(principal(points, MOST_WIDE).columns.T)
    if len(points) <= MOST_LAID_OUT:
        return _METHODS[method](points, parameters, report)
    chosen = np.sort(np.random.default_rng(0).choice(len(points), MOST_LAID_OUT, replace=False))
    nearest = _nearest(points, chosen, report)

    def report_all(iteration: int, total: int, what: str, layout: np.ndarray | None) -> None:
        report(iteration, total, what, None if layout is None else _placed(layout, chosen, nearest))

    return _placed(_METHODS[method](points[chosen], parameters, report_all), chosen, nearest)


def _nearest(points: np.ndarray, chosen: np.ndarray, report: Report) -> np.ndarray:
    """For each point the place among the chosen ones of its nearest, found in a graph of neighbours."""
    report(0, 0, "others", None)
    graph = importlib.import_module("pynndescent").NNDescent(points[chosen], n_neighbors=10, random_state=0)
    found = np.empty(len(points), np.int64)
    found[chosen] = np.arange(len(chosen))
    others = np.setdiff1d(np.arange(len(points)), chosen, assume_unique=True)
    found[others] = graph.query(points[others], k=1)[0][:, 0]
    return found


def _placed(layout: np.ndarray, chosen: np.ndarray, nearest: np.ndarray) -> np.ndarray:
    """A place for every point: its own, or beside that of its nearest, so that they do not hide each other."""
    every = layout[nearest]
    spread = layout.std(0) * 0.004
    jitter = np.random.default_rng(1).standard_normal(every.shape).astype(np.float32)
    jitter[chosen] = 0
    return every + jitter * spread.astype(np.float32)


class _Iterations:
    """What openTSNE calls every few iterations. It counts anew after the early ones; this goes on counting."""

    def __init__(self, early: int, total: int, report: Report) -> None:
        self.early, self.total, self.report = early, total, report
        self.before = self.last = 0
        self.told_at = 0.0

    def __call__(self, iteration: int, error: float, layout: np.ndarray) -> bool:
        del error
        if iteration <= self.last:
            self.before = self.early
        self.last = iteration
        if time.monotonic() - self.told_at > _EVERY_S:
            self.report(self.before + iteration, self.total, "", np.asarray(layout, np.float32))
            self.told_at = time.monotonic()
        return False  # do not stop


def _tsne(points: np.ndarray, parameters: Mapping[str, Any], report: Report) -> np.ndarray:
    total, dimensions = int(parameters["iterations"]), int(parameters["dimensions"])
    early = min(_EARLY, total // 3)
    report(0, total, "neighbors", None)
    found = (
        importlib.import_module("openTSNE")
        .TSNE(
            n_components=dimensions,
            perplexity=min(float(parameters["perplexity"]), max((len(points) - 1) / 3, 1.0)),
            early_exaggeration_iter=early,
            n_iter=total - early,
            metric=parameters["metric"],
            negative_gradient_method="auto" if dimensions < 3 else "bh",
            neighbors="exact" if len(points) <= _MOST_EXACT else "annoy",
            n_jobs=max((os.cpu_count() or 2) - 1, 1),  # a core is left for the server
            random_state=0,
            callbacks=_Iterations(early, total, report),
            callbacks_every_iters=5,
        )
        .fit(points)
    )
    return np.asarray(found, np.float32)


class _Bar:
    """What tqdm writes to: umap tells of its epochs in no other way. The points change in place meanwhile."""

    def __init__(self, total: int, layout: np.ndarray, report: Report) -> None:
        self.total, self.layout, self.report = total, layout, report

    def write(self, text: str) -> None:
        if text.strip().isdecimal():
            self.report(int(text), self.total, "", self.layout)

    def flush(self) -> None:
        """There is nothing to flush."""


def _umap(points: np.ndarray, parameters: Mapping[str, Any], report: Report) -> np.ndarray:
    report(0, 0, "loading", None)
    umap = importlib.import_module("umap.umap_")
    layouts = importlib.import_module("umap.layouts")
    epochs, dimensions = int(parameters["iterations"]), int(parameters["dimensions"])
    close = min(int(parameters["neighbors"]), len(points) - 1)
    report(0, epochs, "compiling", None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that a seed makes it run on one core
        model = umap.UMAP(
            n_neighbors=max(close, 2), metric=parameters["metric"], random_state=0, transform_mode="graph"
        )
        graph = model.fit(points).graph_.tocoo()
    graph.sum_duplicates()
    graph.data[graph.data < graph.data.max() / epochs] = 0.0
    graph.eliminate_zeros()
    layout = np.ascontiguousarray(principal(points, dimensions).columns.T)
    if layout.shape[1] < dimensions:
        layout = np.pad(layout, ((0, 0), (0, dimensions - layout.shape[1])))
    noise = np.random.default_rng(0).normal(scale=1e-4, size=layout.shape)
    layout = (10 * layout / max(float(np.abs(layout).max()), 1e-30) + noise).astype(np.float32, order="C")
    a, b = umap.find_ab_params(1.0, float(parameters["min_dist"]))
    report(0, epochs, "", layout)
    return layouts.optimize_layout_euclidean(
        layout,
        layout,
        graph.row,
        graph.col,
        epochs,
        graph.shape[1],
        umap.make_epochs_per_sample(graph.data, epochs),
        a,
        b,
        np.array([1, 2, 3], np.int64),
        verbose=False,
        tqdm_kwds={
            "file": _Bar(epochs, layout, report),
            "bar_format": "{n_fmt}",
            "mininterval": _EVERY_S,
            "disable": False,
        },
        move_other=True,
    )


_METHODS = {"tsne": _tsne, "umap": _umap}


def packed_layout(layout: np.ndarray, iteration: int, total: int, note: Note | None) -> bytes:
    """A layout, `[points, dimensions]`, for the page."""
    return packed_columns(list(layout.T), iteration=iteration, total=total, note=note)


def packed_columns(
    columns: list[np.ndarray],
    variance: Sequence[float] = (),
    iteration: int = 0,
    total: int = 0,
    note: Note | None = None,
) -> bytes:
    """The same, a column a dimension."""
    message = note["text"] if note else ""
    head = {"iteration": iteration, "total": total, "variance": variance, "message": message, "note": note}
    return pack(head, {str(i): column for i, column in enumerate(columns)})


def note_of(points: int) -> Note | None:
    """What is said of a layout that not every point has a place of its own in."""
    return None if points <= MOST_LAID_OUT else NOTES("laid_out", n=MOST_LAID_OUT, total=points)
