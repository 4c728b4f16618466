"""The bar of files that take a while."""

from __future__ import annotations

from pathlib import Path

import pytest

from tapeflow.keras.saving.progress import SavingProgress


def test_only_large_files_show_a_bar(capsys: pytest.CaptureFixture[str]) -> None:
    with SavingProgress(Path("small.h5"), 1000) as progress:
        progress.add(1000)
    assert capsys.readouterr().out == ""
    with SavingProgress(Path("large.h5"), 300 << 20) as progress:
        progress.add(200 << 20)
        progress.add(200 << 20)
    shown = capsys.readouterr().out
    assert "Saving large.h5" in shown
    assert "300/300" in shown
    with pytest.raises(KeyboardInterrupt), SavingProgress(Path("large.h5"), 300 << 20):
        raise KeyboardInterrupt
    assert "300/300" not in capsys.readouterr().out
