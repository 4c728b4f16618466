"""`docs/compatibility.md` says what is so."""

from __future__ import annotations

from pathlib import Path

import pytest

from tapeflow.compat import listing
from tapeflow.compat.differences import DIFFERENCES

pytestmark = pytest.mark.usefixtures("no_real_tensorflow")
DOCUMENT = Path(__file__).parents[3] / "docs" / "compatibility.md"


@pytest.fixture(scope="module")
def text() -> str:
    return DOCUMENT.read_text()


def test_the_document_is_up_to_date(text):
    assert text == listing.document(), "run: python -m tapeflow.compat.listing > docs/compatibility.md"


def test_every_name_is_listed_once(text):
    found = listing.names()
    assert {"Dense", "LSTM"} <= set(found["tf.keras.layers"])
    for space, names in found.items():
        assert len(set(names)) == len(names), space
        section = text.split(f"\n## {space}\n")[1].split("\n## ")[0]
        assert all(f"`{name}`" in section for name in names), space


def test_what_differs_is_there():
    whole = {f"{space.name}.{name}" for space in listing.namespaces() for name in space.partly}
    assert whole == set(DIFFERENCES)


def test_a_name_is_sorted_by_whether_it_is_there_and_does_the_same():
    spaces = {space.name: space for space in listing.namespaces()}
    assert "matmul" in spaces["tf"].yes
    assert "function" in spaces["tf"].partly
    assert "load_op_library" in spaces["tf"].no
