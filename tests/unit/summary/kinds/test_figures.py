"""`figure`: a Matplotlib figure as a picture."""

from __future__ import annotations

import io
from typing import Any

import pytest
from PIL import Image

from tapeflow import summary
from tapeflow.summary.files import FileWriter


class Figure:
    """What of a Matplotlib figure matters here."""

    def __init__(self, size: tuple[int, int] = (30, 20)) -> None:
        self.size = size

    def savefig(self, file: Any, format: str) -> None:
        Image.new("RGB", self.size).save(file, format)


def test_it_is_drawn_when_it_is_given(writer: FileWriter) -> None:
    figure = Figure()
    with writer.as_default():
        assert summary.figure("f", figure, step=3, description="about")
        figure.size = (1, 1)
        assert summary.figure("f", [Figure(), Figure()], step=4)
    series = summary.read(writer.logdir)["f"]
    assert (series.plugin, series.description, series.steps.tolist()) == ("images", "about", [3, 4])
    width, height, data = series.values[0]
    assert (width, height) == (b"30", b"20")
    assert Image.open(io.BytesIO(data)).size == (30, 20)
    assert len(series.values[1]) == 4


def test_without_a_writer_nothing_is_drawn() -> None:
    figure = Figure()
    figure.savefig = None  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(TypeError, match=r"expected a Matplotlib figure; got .* of type Figure.*plt.gcf"):
        summary.figure("f", figure, step=0)
    assert summary.figure("f", Figure(), step=0) is False


def test_matplotlib_figures_are_closed_only_if_asked(writer: FileWriter) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, _ = pyplot.subplots(figsize=(2, 1), dpi=50)
    with writer.as_default(step=0):
        summary.figure("f", figure)
        assert pyplot.fignum_exists(figure.number)
        summary.figure("f", figure, close=True)
        assert not pyplot.fignum_exists(figure.number)
    values = summary.read(writer.logdir)["f"].values
    assert [value[:2].tolist() for value in values] == [[b"100", b"50"]] * 2
