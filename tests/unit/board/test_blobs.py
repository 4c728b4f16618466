from __future__ import annotations

import numpy as np
import pytest

from tapeflow.board.api.tables import blob
from tapeflow.board.api.tables.blob import table_blob
from tapeflow.board.api.text.blob import text_blob
from tapeflow.board.blobs import KINDS, facts_of, kind_of, sample_of
from tapeflow.summary.event_files.values import Value


def value(array: object, plugin: str) -> Value:
    return Value("tag", np.array(array, dtype=object), plugin, b"", "")


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n....", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF....WEBPVP8 ", "image/webp"),
        (b"RIFF....WAVEfmt ", "audio/wav"),
        (b"....ftypisom", "video/mp4"),
        (b"\x1aE\xdf\xa3", "video/webm"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'>", "application/octet-stream"),
        (b"<html>", "application/octet-stream"),
        (b"", "application/octet-stream"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_kinds_are_found_from_the_bytes(data: bytes, kind: str) -> None:
    assert KINDS[kind_of(data)] == kind


def test_pictures_with_sizes_that_are_none() -> None:
    assert facts_of(value([b"-5", b"9" * 30, b"GIF89a"], "images")) == (1, 0, 0, KINDS.index("image/gif"))
    assert facts_of(value([b"640", b"480"], "images"))[:3] == (0, 640, 480)
    assert sample_of(value([b"1", b"1"], "images"), 0) is None
    assert sample_of(value([b"1", b"1", b"x"], "images"), 0) == b"x"
    assert sample_of(value(b"x", "images"), 0) is None
    assert sample_of(value([[b"a", b"label"], [b"b", b""]], "audio"), 1) == b"b"


def test_long_texts_are_cut_and_that_is_said() -> None:
    assert text_blob(value(["x" * (1 << 20), "more"], "text")) == {
        "shape": [1],
        "texts": ["x" * (1 << 20)],
        "is_cut": True,
    }
    assert text_blob(value([[b"\xff", "b"]], "text")) == {
        "shape": [1, 2],
        "texts": ["\ufffd", "b"],
        "is_cut": False,
    }


def test_texts_without_number_are_cut_and_that_is_said() -> None:
    found = text_blob(value([b""] * 30_000, "text"))
    assert (found["shape"], len(found["texts"]), found["is_cut"]) == ([10_000], 10_000, True)


def test_tables_of_absurd_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blob, "MOST_CELLS", 10)
    found = table_blob(value([["a"] * 4] * 6, "tables"))
    assert (len(found["columns"]), len(found["rows"]), found["row_total"]) == (4, 1, 5)
    found = table_blob(value([["a"] * 40] * 6, "tables"))
    assert (len(found["columns"]), found["rows"], found["row_total"]) == (10, [], 5)


def test_long_and_empty_tables() -> None:
    found = table_blob(value([["n"], *[[str(i)] for i in range(20_000)]], "tables"))
    assert (found["columns"], len(found["rows"]), found["row_total"]) == (["n"], 10_000, 20_000)
    assert table_blob(value(np.zeros((1, 0), object), "tables")) == {
        "columns": [],
        "rows": [],
        "row_total": 0,
    }
    assert table_blob(value(["a", "b"], "tables"))["rows"] == [["b"]]
