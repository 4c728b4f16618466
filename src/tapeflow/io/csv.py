"""Comma-separated values: `tf.io.decode_csv`, and the columns that csv datasets are made of."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import DType, as_dtype, float32, float64, int32, int64, string
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import invalid
from tapeflow.ops.strings.text import read_strings

_KINDS = (float32, float64, int32, int64, string)


class Columns:
    """The dtypes and default values of the columns of a csv file, and how fields become values.

    A default is a value, or a dtype (or an empty tensor) for a column that must have one.
    """

    def __init__(
        self, defaults: Sequence[Any], na_value: str, where: str, select: Sequence[int] | None
    ) -> None:
        self.where, self.na_value, self.select = where, na_value, None if select is None else list(select)
        if self.select is not None and (
            sorted(set(self.select)) != self.select or len(self.select) != len(defaults)
        ):
            raise ValueError(
                f"{where} expected select_cols in growing order, one for each default; got "
                f"select_cols={self.select} for {len(defaults)} defaults."
            )
        read = [_default(d, where) for d in defaults]
        self.dtypes = [dtype for dtype, _ in read]
        self.defaults = [value for _, value in read]

    def values(self, fields: Sequence[str], number: str) -> list[Any]:
        """The values of one record, whose `number` errors name."""
        if self.select is None and len(fields) != len(self.dtypes):
            raise invalid(
                f"{self.where} expected as many fields as defaults: expect {len(self.dtypes)} fields but have "
                f"{len(fields)} in record{number}."
            )
        chosen = range(len(fields)) if self.select is None else self.select
        if chosen and max(chosen) >= len(fields):
            raise invalid(
                f"{self.where} expected records with all selected columns: expect at least {max(chosen) + 1} "
                f"fields but have {len(fields)} in record{number}."
            )
        return [self._value(i, fields[c], number) for i, c in enumerate(chosen)]

    def _value(self, column: int, field: str, number: str) -> Any:
        dtype = self.dtypes[column]
        if field == "" or field == self.na_value:
            found = self.defaults[column]
            if found is None:
                raise invalid(
                    f"{self.where} expected a value in column {column}: field {column} is required but missing "
                    f"in record{number}!"
                )
            return found
        if dtype is string:
            return field.encode("utf-8", "surrogateescape")
        try:
            if dtype.is_integer:
                found = int(field)
                if not dtype.min <= found <= dtype.max:
                    raise ValueError
                return found
            return float(field)
        except ValueError:
            raise invalid(
                f"{self.where} expected numbers in column {column}: field {column} in record{number} is not a "
                f"valid {dtype.name}: {field}."
            ) from None


def _default(value: object, where: str) -> tuple[DType, Any]:
    if isinstance(value, DType):
        dtype, found = as_dtype(value), None
    else:
        tensor = convert_to_tensor(value)
        dtype, array = tensor.dtype, np.asarray(tensor.numpy(), object).reshape(-1)
        if array.size > 1:
            raise invalid(f"{where} expected one default value for a column; got {value!r}.")
        found = array[0] if array.size else None
    if dtype not in _KINDS:
        raise TypeError(f"{where} expected columns of {[k.name for k in _KINDS]}; got {dtype.name}.")
    return dtype, found


def reader(lines: Iterable[str], delimiter: str, is_quoted: bool) -> Iterator[list[str]]:
    """The fields of each record."""
    quoting = csv.QUOTE_MINIMAL if is_quoted else csv.QUOTE_NONE
    return csv.reader(lines, delimiter=delimiter, quoting=quoting)


def decode_csv(
    records: TensorLike,
    record_defaults: Sequence[Any],
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """The columns of csv records, a tensor in the records' shape for each.

    >>> [t.numpy() for t in tf.io.decode_csv("1,x", [[0], [""]])]
    [np.int32(1), b'x']

    Args:
        records: strings, each a record.
        record_defaults: for each column a list of its default value, or an empty one if it must be there;
            its dtype is the column's.
        field_delim: the separator of fields.
        use_quote_delim: whether quotes may stand around fields.
        na_value: another string for missing values.
        select_cols: the numbers of the columns that are wanted.
        name: ignored.
    """
    where = "tf.io.decode_csv"
    if any(isinstance(d, DType) for d in record_defaults):
        raise ValueError(f"{where} expected default values; got a dtype. Use tf.constant([], dtype=...).")
    columns = Columns(record_defaults, na_value, where, select_cols)
    array = read_strings(records, where, "records")
    rows = []
    for number, text in enumerate(array.reshape(-1)):
        line = io.StringIO(text.decode("utf-8", "surrogateescape"), newline="")
        fields = next(reader(line, field_delim, use_quote_delim), [""])
        if use_quote_delim and b'"' in text:
            _check_quotes(text.decode("utf-8", "surrogateescape"), field_delim, where)
        rows.append(columns.values(fields, f" {number}"))
    return [
        convert_to_tensor(column_array([r[i] for r in rows], dtype).reshape(array.shape))
        for i, dtype in enumerate(columns.dtypes)
    ]


def _check_quotes(text: str, delimiter: str, where: str) -> None:
    """Raise if a quote stands within a field that does not begin with one."""
    is_inside, is_start = False, True
    for character in text:
        if character == '"':
            if not is_inside and not is_start:
                raise invalid(
                    f"{where} expected quotes around whole fields: unquoted fields cannot have quotes/CRLFs "
                    f"inside; got {text!r}."
                )
            is_inside = not is_inside
        elif not is_inside:
            is_start = character == delimiter
    if is_inside:
        raise invalid(f"{where} expected quotes in pairs; got {text!r}.")


def column_array(values: Sequence[Any], dtype: DType) -> np.ndarray:
    """Values of one column as an array."""
    if dtype is not string:
        return np.array(values, dtype.as_numpy_dtype)
    found = np.empty(len(values), object)
    found[:] = values
    return found
