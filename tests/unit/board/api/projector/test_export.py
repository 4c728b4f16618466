"""What a saved page carries of the projector."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tapeflow import summary
from tapeflow.board.api.projector import export
from tapeflow.board.api.projector.packing import unpack
from tapeflow.board.api.projector.projections import principal

VECTORS = np.random.default_rng(0).normal(size=(40, 12)).astype(np.float32)
LABELS = [f"word {i}" for i in range(40)]


@pytest.fixture
def exported(tmp_path: Path, load: Callable[..., Any]) -> Callable[[], dict[str, Any]]:
    """Writes two steps with labels and pictures of one colour each, and gives what is carried of them."""
    writer = summary.create_file_writer(str(tmp_path / "runs" / "a"))
    pictures = np.repeat(np.arange(40, dtype=np.uint8) * 6, 4 * 4).reshape(40, 4, 4, 1)
    with writer.as_default():
        for step in (3, 7):
            summary.embedding("words", VECTORS * step, labels=LABELS, images=pictures, step=step)
    writer.close()
    return lambda: export.exports(load(tmp_path / "runs"))


def route(answers: dict[str, Any], name: str) -> Any:
    (found,) = [value for url, value in answers.items() if url.startswith(f"api/v1/projector/{name}")]
    return found


def test_the_newest_step_is_carried_whole(exported: Callable[[], dict[str, Any]]) -> None:
    answers = exported()
    (found,) = route(answers, "sets")["sets"]
    (step,) = found["steps"]
    assert (step["step"], step["sprite"]) == (7, {"width": 4, "height": 4})
    query = f"?run={found['run']}&name=words&step=7&v={step['version']}"
    assert answers[f"api/v1/projector/facts{query}"]["notes"] == []
    head, arrays = unpack(answers[f"api/v1/projector/pca{query}"])
    expected = principal(VECTORS * 7)
    assert head["variance"] == pytest.approx(expected.variance.tolist())
    np.testing.assert_array_equal(np.stack(list(arrays.values())), expected.columns)
    head, arrays = unpack(answers[f"api/v1/projector/column{query}&column=0"])
    assert [head["values"][code] for code in arrays["codes"]] == LABELS
    assert Image.open(io.BytesIO(answers[f"api/v1/projector/sprite{query}"])).size == (28, 28)


def test_of_many_points_some_are_carried_with_their_labels_and_pictures(
    exported: Callable[[], dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "MOST_POINTS", 10)
    answers = exported()
    facts = route(answers, "facts")
    assert facts["points"] == 10
    (note,) = facts["notes"]
    assert note["text"].startswith("this saved page carries 10 of 40 points, drawn at random")
    head, arrays = unpack(route(answers, "column"))
    numbers = [int(head["values"][code].split()[1]) for code in arrays["codes"]]
    assert len(set(numbers)) == 10
    _, places = unpack(route(answers, "pca"))
    np.testing.assert_array_equal(places["0"], principal(VECTORS * 7).columns[0][numbers])
    sprite = np.asarray(Image.open(io.BytesIO(route(answers, "sprite"))))
    assert [int(sprite[4 * (i // 4), 4 * (i % 4)]) for i in range(10)] == [6 * n for n in numbers]


def test_what_is_too_much_or_broken_is_said(
    exported: Callable[[], dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "runs" / "b").mkdir()
    text = 'embeddings { tensor_name: "x" tensor_path: "no.tsv" }'
    (tmp_path / "runs" / "b" / "projector_config.pbtxt").write_text(text)
    monkeypatch.setattr(export, "MOST_SPRITE_BYTES", 10)
    answers = exported()
    assert [note["code"] for note in route(answers, "facts")["notes"]] == ["saved_sprite"]
    found = route(answers, "sets")
    assert found["sets"][0]["steps"][0]["sprite"] is None
    assert [note["text"] for note in found["problems"]] == [
        "b: the projector expected a file 'no.tsv'; got: No such file or directory"
    ]
    monkeypatch.setattr(export, "MOST_SETS", 1)
    assert route(exported(), "sets")["problems"][0]["text"] == "1 more embeddings are not in this saved page"
