"""Image files and their labels as a table of pandas names them, for `ImageDataGenerator.flow_from_dataframe`."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np


class ImageTable:
    """The rows of a table whose files are there and whose class is wanted.

    Args:
        table: a DataFrame.
        directory: what the files' names are relative to.
        x_col: the column of names.
        y_col: the column of labels, or a list of them. A class may be a list of classes, which all apply.
        weight_col: the column of weights.
        classes: the names of the classes, in their order; all there are, sorted, unless given.
        class_mode: as for `flow_from_dataframe`.
        validate: whether to leave out rows without a file.
    """

    def __init__(
        self,
        table: Any,
        directory: str | None,
        x_col: str,
        y_col: Any,
        weight_col: str | None,
        classes: list[str] | None,
        class_mode: str | None,
        validate: bool,
    ) -> None:
        self.table, self.y_col, self.weight_col, self.class_mode = table, y_col, weight_col, class_mode
        self.names = [str(name) for name in table[x_col]]
        self.paths = [str(Path(directory or "") / name) for name in self.names]
        self.rows = list(range(len(self.paths)))
        if validate:
            self.rows = [row for row in self.rows if Path(self.paths[row]).is_file()]
            if len(self.rows) < len(self.paths):
                warnings.warn(
                    f"Found {len(self.paths) - len(self.rows)} invalid image filename(s) in x_col={x_col!r}. These "
                    "filename(s) will be ignored.",
                    stacklevel=4,
                )
        self.indices: dict[str, int] = {}
        self._of_row: list[list[str]] = []
        if class_mode in ("binary", "sparse", "categorical"):
            self._read_classes(classes)
        kind = "validated" if validate else "non-validated"
        known = f" belonging to {len(self.indices)} classes" if self.indices else ""
        print(f"Found {len(self.rows)} {kind} image filenames{known}.")  # noqa: T201 - as Keras does

    def _read_classes(self, classes: list[str] | None) -> None:
        values = [v if isinstance(v, (list, tuple)) else [v] for v in self.table[self.y_col]]
        self._of_row = [[str(name) for name in names] for names in values]
        names = classes or sorted({name for row in self.rows for name in self._of_row[row]})
        self.indices = {str(name): number for number, name in enumerate(names)}
        self._of_row = [[name for name in names if name in self.indices] for names in self._of_row]
        self.rows = [row for row in self.rows if self._of_row[row]]

    def labels(self, rows: list[int]) -> Any:
        """The labels of some rows: numbers of classes, rows of zeros and ones, values, or a list of columns."""
        if self.class_mode == "raw":
            return np.asarray(self.table[self.y_col].iloc[rows])
        if self.class_mode == "multi_output":
            return [np.asarray(self.table[column].iloc[rows]) for column in self.y_col]
        if not self.indices:
            return np.zeros(len(rows), np.int32)
        numbers = [[self.indices[name] for name in self._of_row[row]] for row in rows]
        if all(len(of_row) == 1 for of_row in numbers):
            return np.array([of_row[0] for of_row in numbers], np.int32)
        return np.array([np.isin(range(len(self.indices)), of_row) for of_row in numbers])

    def weights(self, rows: list[int]) -> np.ndarray | None:
        """The weights of some rows, if there are any."""
        return None if self.weight_col is None else np.asarray(self.table[self.weight_col].iloc[rows])
