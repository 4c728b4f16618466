"""A logged table for the page."""

from __future__ import annotations

from tapeflow.board.blobs import strings_of
from tapeflow.board.schema import TableBlob
from tapeflow.summary.event_files.values import Value

MOST_ROWS = 10_000
MOST_CELLS = 1_000_000
_MOST_CHARACTERS = 10_000


def table_blob(value: Value) -> TableBlob:
    """Columns and rows of a table."""
    shape = value.array.shape
    width = shape[-1] if len(shape) > 1 else 1
    if not value.array.size or not width:
        return {"columns": [], "rows": [], "row_total": 0}
    most = min(MOST_ROWS + 1, max(MOST_CELLS // width, 1))
    texts = strings_of(value, min(most * width, MOST_CELLS))
    rows = [[cell[:_MOST_CHARACTERS] for cell in texts[i : i + width]] for i in range(0, len(texts), width)]
    return {"columns": rows[0], "rows": rows[1:], "row_total": value.array.size // width - 1}
