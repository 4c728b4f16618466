"""The progress bar prints, character by character, what Keras 2 prints on a terminal."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from tapeflow.keras.utils import Progbar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("index", range(6))
def test_keras_2(index: int, fixtures: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = json.loads((fixtures / "progress_bar.json").read_text())[index]
    now_s = 1000.0
    monkeypatch.setattr("time.time", lambda: now_s)
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    bar = Progbar(**case["arguments"])
    for elapsed_s, step, loss in case["updates"]:
        now_s += elapsed_s
        bar.update(step, [("loss", loss), ("acc", loss * 2)])
    assert terminal.getvalue() == case["printed"]
