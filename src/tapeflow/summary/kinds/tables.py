"""`tf.summary.table`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, SupportsInt

import numpy as np

from tapeflow.summary import hooks
from tapeflow.summary.context import recording_writer
from tapeflow.summary.emission import emit_together, tag_of
from tapeflow.summary.event_files import encoding

PLUGIN = "tables"


def table(
    name: str,
    rows: Any,
    columns: Sequence[str] | None = None,
    step: SupportsInt | None = None,
    description: str | None = None,
) -> bool:
    """Write a table: its cells as texts under `name`, and as Markdown, which TensorBoard shows, under `name/text`.

    Args:
        name: the tag; the name scope is put in front of it.
        rows: a pandas DataFrame, a list of dicts, a dict of columns, a list of rows, or a tensor of rank 2. Cells
            may be numbers, texts, or tensors that hold one number.
        columns: the names of the columns, unless `rows` has them.
        step: the step, unless there is a default one.
        description: a text about the tag, in Markdown.

    Returns:
        Whether it was recorded.

    >>> tf.summary.table("scores", [{"class": "cat", "f1": 0.91}, {"class": "dog", "f1": 0.88}], step=epoch)
    """
    writer = recording_writer()
    if writer is None:
        return False
    header, cells = _parts(rows, columns)
    tag = tag_of(name, "table")
    data_meta = encoding.metadata(PLUGIN, description=description)
    text_meta = encoding.metadata("text", description=description)
    emit_together(writer, tag, cells, step, data_meta, partial(table_strings, header))

    def markdown(*cells: np.ndarray) -> str:
        return markdown_of(table_strings(header, *cells))

    return emit_together(writer, f"{tag}/text", cells, step, text_meta, markdown)


def _parts(rows: Any, columns: Sequence[str] | None) -> tuple[list[str], list[Any]]:
    """The names of the columns, and the cells: one array of rank 2, or one by one."""
    if type(rows).__module__.startswith("pandas"):
        return [str(c) for c in columns or rows.columns], [rows.to_numpy(dtype=object)]
    if isinstance(rows, Mapping):
        header = [str(c) for c in columns or rows]
        lengths = {len(column) for column in rows.values()}
        if len(lengths) > 1 or len(header) != len(rows):
            raise _uneven(f"columns of {sorted(lengths)} cells and {len(header)} names")
        return header, [cell for row in zip(*rows.values(), strict=True) for cell in row]
    if isinstance(rows, (list, tuple)) and rows and isinstance(rows[0], Mapping):
        keys = list(dict.fromkeys(key for row in rows for key in row))
        if columns is not None and len(columns) != len(keys):
            raise _uneven(f"{len(columns)} columns and rows with the keys {keys}")
        return [str(c) for c in columns or keys], [row.get(key, "") for row in rows for key in keys]
    if isinstance(rows, (list, tuple)):
        widths = {len(row) for row in rows}
        if len(widths) > 1 or (columns is not None and widths and widths != {len(columns)}):
            raise _uneven(
                f"rows of {sorted(widths)} cells" + (f" and {len(columns)} columns" if columns else "")
            )
        width = widths.pop() if widths else len(columns or ())
        return _header(columns, width), [cell for row in rows for cell in row]
    array = hooks.value(rows)
    if len(array.shape) != 2:
        raise ValueError(
            f"tf.summary.table expected rows of rank 2, a DataFrame, or lists; got rows of shape {array.shape}."
        )
    if columns is not None and len(columns) != array.shape[1]:
        raise _uneven(f"rows of {array.shape[1]} cells and {len(columns)} columns")
    return _header(columns, array.shape[1]), [array]


def _header(columns: Sequence[str] | None, width: int) -> list[str]:
    return [str(c) for c in columns] if columns else [str(i) for i in range(width)]


def _uneven(found: str) -> ValueError:
    return ValueError(
        f"tf.summary.table expected as many cells in every row as there are columns; got {found}."
    )


def table_strings(header: list[str], *cells: np.ndarray) -> np.ndarray:
    """What a table summary holds: texts of shape `[1 + rows, columns]`, the names of the columns first."""
    if len(cells) == 1 and cells[0].ndim == 2:
        texts = [_text(cell) for cell in cells[0].ravel().tolist()]
    else:
        texts = [_text(cell.item() if cell.ndim == 0 else cell.tolist()) for cell in cells]
    found = np.array([*header, *texts], dtype=object)
    return found.reshape(-1, len(header)) if header else np.zeros((1, 0), object)


def _text(cell: object) -> str:
    if isinstance(cell, float):
        return f"{cell:.6g}"
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else "" if cell is None else str(cell)


def markdown_of(table: np.ndarray) -> str:
    """A table of texts, the names of the columns first, as Markdown."""
    lines = ["| " + " | ".join(map(_escaped, row)) + " |" for row in table.tolist()]
    return "\n".join([lines[0], "|" + " --- |" * table.shape[1], *lines[1:]])


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("\r", " ")
