"""Datasets of csv files: `tf.data.experimental.CsvDataset` and `make_csv_dataset`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tapeflow.data import cardinality as counting
from tapeflow.data.dataset import Dataset
from tapeflow.data.pipe import Iteration, Pipe, State, Step, Stream
from tapeflow.data.rows import OBJECTS, objects
from tapeflow.data.sources.file_stream import FileStream
from tapeflow.data.sources.files import Files, names_of
from tapeflow.data.sources.memory import Fixed
from tapeflow.data.structure import Flat, Structure
from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.dtypes import DType, as_dtype, float32, float64, int32, int64, string
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.io.csv import Columns, column_array, reader
from tapeflow.io.files import matches_of, paths_of
from tapeflow.io.tfrecord import compression_of, open_to_read
from tapeflow.ops.host_args import read_ints


class CsvRows(Fixed):
    """The rows of one csv file."""

    def __init__(
        self, path: str, columns: Columns, compression: str, header: bool, delimiter: str, is_quoted: bool
    ) -> None:
        super().__init__(*_described(columns), counting.UNKNOWN)
        self.path, self.columns, self.compression, self.header = path, columns, compression, header
        self.delimiter, self.is_quoted = delimiter, is_quoted

    def stream(self, iteration: Iteration) -> Stream:
        return _Rows(self)


def _described(columns: Columns) -> tuple[Structure, list[TensorSpec]]:
    return Structure(tuple([0] * len(columns.dtypes))), [TensorSpec((), d) for d in columns.dtypes]


class _Rows(FileStream):
    def __init__(self, pipe: CsvRows) -> None:
        super().__init__(pipe.path, pipe.compression, pipe.columns.where)
        self._pipe = pipe
        self._rows: Iterator[list[str]] = iter(())

    def begin(self, file: Any, at: int) -> None:
        super().begin(file, at)
        pipe = self._pipe
        lines = (line.decode("utf-8", "surrogateescape") for line in iter(file.readline, b""))
        self._rows = reader(lines, pipe.delimiter, pipe.is_quoted)
        if pipe.header and not at:
            next(self._rows, None)

    def read(self, file: Any) -> Flat | None:
        fields = next(self._rows, None)
        while fields == []:  # an empty line
            fields = next(self._rows, None)
        if fields is None:
            return None
        columns = self._pipe.columns
        pairs = zip(columns.values(fields, ""), columns.dtypes, strict=True)
        return tuple([column_array([value], dtype).reshape(()) for value, dtype in pairs])


class CsvDataset(Dataset):
    """The rows of csv files, as tuples of a scalar for each column.

    Args:
        filenames: one or several names, or a dataset of them.
        record_defaults: for each column its default value, or its dtype if it must be there.
        compression_type: "", "GZIP" or "ZLIB".
        buffer_size: ignored.
        header: whether files begin with a line of names.
        field_delim: the separator of fields.
        use_quote_delim: whether quotes may stand around fields.
        na_value: another string for missing values.
        select_cols: the numbers of the columns that are wanted.
        exclude_cols: the numbers of those that are not; one of the two.
    """

    __slots__ = ()

    def __init__(
        self,
        filenames: Any,
        record_defaults: Sequence[Any],
        compression_type: str | None = None,
        buffer_size: TensorLike | None = None,
        header: bool = False,
        field_delim: str = ",",
        use_quote_delim: bool = True,
        na_value: str = "",
        select_cols: Any = None,
        exclude_cols: Any = None,
    ) -> None:
        where = "tf.data.experimental.CsvDataset"
        if select_cols is not None and exclude_cols is not None:
            raise ValueError(f"{where} expected one of select_cols and exclude_cols; got both.")
        chosen = None if select_cols is None else read_ints(select_cols, where, "select_cols")
        if exclude_cols is not None:
            left_out = set(read_ints(exclude_cols, where, "exclude_cols"))
            total = len(record_defaults) + len(left_out)
            chosen = [c for c in range(total) if c not in left_out]
        columns = Columns(record_defaults, na_value, where, chosen)
        kind = compression_of(compression_type, where)

        def rows(path: str) -> Pipe:
            return CsvRows(path, columns, kind, header, field_delim, use_quote_delim)

        specs = tuple([TensorSpec((), d) for d in columns.dtypes])
        super().__init__(Files(names_of(filenames, where), rows, specs, 1, where))


def make_csv_dataset(
    file_pattern: TensorLike,
    batch_size: int,
    column_names: Sequence[str] | None = None,
    column_defaults: Sequence[Any] | None = None,
    label_name: str | None = None,
    select_columns: Sequence[Any] | None = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: int | None = None,
    num_parallel_reads: int | None = None,
    sloppy: bool = False,
    num_rows_for_inference: int | None = 100,
    compression_type: str | None = None,
    ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> Dataset:
    """Batches of csv files: dicts of columns, or pairs of such a dict and the column of labels.

    Args:
        file_pattern: names of files, or patterns of them.
        batch_size: how many rows a batch has.
        column_names: names of the columns; those of the files' first lines unless given.
        column_defaults: for each column its default value or dtype; learnt from the first rows unless given.
        label_name: the column that is the label.
        select_columns: the names or numbers of the columns that are wanted.
        field_delim: the separator of fields.
        use_quote_delim: whether quotes may stand around fields.
        na_value: another string for missing values.
        header: whether files begin with a line of names.
        num_epochs: the number of passes over the files; None for endless.
        shuffle: whether to shuffle, files and rows.
        shuffle_buffer_size: of how many rows.
        shuffle_seed: for the same order again.
        prefetch_buffer_size: the number of batches to prefetch.
        num_parallel_reads: ignored.
        sloppy: ignored.
        num_rows_for_inference: of how many rows dtypes are learnt; of all if it is None.
        compression_type: "", "GZIP" or "ZLIB".
        ignore_errors: whether rows that cannot be read are left out.
        encoding: ignored; bytes are passed on.
    """
    where = "tf.data.experimental.make_csv_dataset"
    paths = sorted({p for one in paths_of(file_pattern, where, "file_pattern") for p in matches_of(one)})
    if not paths:
        raise ValueError(f"{where} expected files: no file matches file_pattern={file_pattern!r}.")
    kind = compression_of(compression_type, where)
    first = _first_rows(paths, kind, field_delim, use_quote_delim, header, num_rows_for_inference)
    names = list(column_names) if column_names is not None else first[0] if header else None
    if names is None:
        raise ValueError(f"{where} expected column_names for files without a header.")
    if len(set(names)) != len(names):
        raise ValueError(f"{where} expected different column names; got column_names={names}.")
    chosen = _chosen(names, select_columns, where)
    kept = [names[c] for c in chosen]
    if label_name is not None and label_name not in kept:
        raise ValueError(
            f"{where} expected the name of a column: `label_name` provided must be one of the columns: {kept}; "
            f"got label_name={label_name!r}."
        )
    defaults = [
        d if isinstance(d, DType) else as_dtype(d) if isinstance(d, str) and d in _NAMES else d
        for d in column_defaults or [_default_of(_kind([r[c] for r in first[1]], na_value)) for c in chosen]
    ]
    if column_defaults is not None and len(defaults) != len(chosen):
        raise ValueError(f"{where} expected {len(chosen)} column_defaults; got {len(defaults)}.")
    files = Dataset.from_tensor_slices(paths)
    if shuffle:
        files = files.shuffle(len(paths), shuffle_seed)
    dataset: Dataset = CsvDataset(
        files,
        defaults,
        compression_type,
        None,
        header,
        field_delim,
        use_quote_delim,
        na_value,
        None if chosen == list(range(len(names))) else chosen,
    )
    if ignore_errors:
        dataset = dataset.ignore_errors()
    if num_epochs != 1 and shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed).repeat(num_epochs)
    elif num_epochs != 1:
        dataset = dataset.repeat(num_epochs)
    elif shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None)

    def named(*columns: int) -> Any:
        features = OrderedDict(zip(kept, columns, strict=True))
        return features if label_name is None else (features, features.pop(label_name))

    dataset = dataset._then(Named(dataset._pipe, named))
    return dataset.prefetch(1 if prefetch_buffer_size is None else prefetch_buffer_size)


class Named(Step):
    """The source's components, arranged as `arrange` arranges its arguments; none is touched."""

    def __init__(self, source: Pipe, arrange: Callable[..., Any]) -> None:
        super().__init__(source, OBJECTS)
        template = arrange(*range(len(source.specs)))
        self._order = [int(i) for i in nest.flatten(template)]
        self._structure = Structure(template)

    @property
    def structure(self) -> Structure:
        return self._structure

    @property
    def specs(self) -> tuple[Any, ...]:
        return tuple([self.source.specs[i] for i in self._order])

    def stream(self, iteration: Iteration) -> Stream:
        return _Arranged(self, iteration, self._order)


class _Arranged(Stream):
    def __init__(self, pipe: Named, iteration: Iteration, order: Sequence[int]) -> None:
        self._rows, self._inner, self._order = pipe.source.rows, pipe.source.stream(iteration), order

    def take(self, count: int) -> np.ndarray:
        elements = self._rows.elements(self._inner.take(count))
        return objects([tuple([e[i] for i in self._order]) for e in elements])

    def state(self) -> State:
        return self._inner.state()

    def restore(self, state: State) -> None:
        self._inner.restore(state)


_NAMES = ("float32", "float64", "int32", "int64", "string")


def _first_rows(
    paths: Sequence[str], kind: str, delimiter: str, is_quoted: bool, header: bool, count: int | None
) -> tuple[list[str], list[list[str]]]:
    """The line of names, and the first rows of the files."""
    names: list[str] = []
    rows: list[list[str]] = []
    for path in paths:
        with open_to_read(path, kind, "tf.data.experimental.make_csv_dataset") as file:
            lines = (line.decode("utf-8", "surrogateescape") for line in iter(file.readline, b""))
            found = reader(lines, delimiter, is_quoted)
            if header:
                own = next(found, [])
                if names and own != names:
                    raise ValueError(
                        "tf.data.experimental.make_csv_dataset expected files with the same header: files have "
                        f"different column names in the header row; got {names} and {own}."
                    )
                names = own
            for row in found:
                if row:
                    rows.append(row)
                if count is not None and len(rows) >= count:
                    break
    return names, rows if count is None else rows[:count]


def _chosen(names: Sequence[str], select: Sequence[Any] | None, where: str) -> list[int]:
    if select is None:
        return list(range(len(names)))
    found = []
    for one in select:
        if (isinstance(one, str) and one not in names) or (isinstance(one, int) and one >= len(names)):
            raise ValueError(f"{where} expected select_columns among {list(names)}; got {one!r}.")
        found.append(names.index(one) if isinstance(one, str) else int(one))
    return sorted(found)


def _kind(fields: Sequence[str], na_value: str) -> DType:
    """The narrowest dtype that a column's values fit."""
    found = {_field_kind(f) for f in fields if f not in ("", na_value)}
    order = [int32, int64, float32, float64, string]
    return order[max((order.index(k) for k in found), default=0)]


def _field_kind(field: str) -> DType:
    try:
        number = int(field)
    except ValueError:
        pass
    else:
        return int32 if int32.min <= number <= int32.max else int64 if abs(number) < 2**63 else float32
    try:
        value = float(field)
    except ValueError:
        return string
    return float32 if not np.isfinite(value) or abs(value) <= float32.max else float64


def _default_of(dtype: DType) -> Any:
    return [b""] if dtype is string else np.zeros(1, dtype.as_numpy_dtype)
