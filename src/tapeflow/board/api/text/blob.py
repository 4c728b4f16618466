"""Logged text for the page."""

from __future__ import annotations

from tapeflow.board.blobs import strings_of
from tapeflow.board.schema import TextBlob
from tapeflow.summary.event_files.values import Value

MOST_CHARACTERS = 1 << 20
MOST_TEXTS = 10_000


def text_blob(value: Value) -> TextBlob:
    """The strings of a text, cut where they pass a megabyte or are too many."""
    left, texts, is_cut = MOST_CHARACTERS, [], False
    for text in strings_of(value, MOST_TEXTS):
        texts.append(text[:left])
        is_cut |= len(text) > left
        left = max(left - len(text), 0)
        if not left:
            break
    shape = list(value.array.shape)
    is_cut |= len(texts) < value.array.size
    return {"shape": [len(texts)] if is_cut else shape, "texts": texts, "is_cut": is_cut}
