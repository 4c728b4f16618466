"""String functions on tensors without values, in functions that are written as TensorFlow's nodes.

Strings live on the host and are read at once, so no program of ours has string ops, but SavedModels have. While their
functions are recorded (`Trace.keeps_strings`), a string function that meets a tensor without a value hands its call
over to the function of the same name below, which records the TensorFlow op that does the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tapeflow.engine.recording.node import spec_of
from tapeflow.engine.recording.op import Op
from tapeflow.engine.recording.sketch import NotSketchable
from tapeflow.engine.recording.symbolic import DispatchTarget, MetSymbolic
from tapeflow.engine.recording.trace import state
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import DType, as_dtype, int32, int64, string
from tapeflow.engine.values.dtypes import bool as boolean
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.ragged.recorded import RecordedRagged, unknown_size


def is_deferred(tensor: Tensor) -> bool:
    """Whether a tensor has no value, and string functions of it are recorded."""
    return bool(state.trace.keeps_strings) and tensor._node.value is None


def defer(tensor: Tensor) -> None:
    """Hand the call of the string function that is running over, if a tensor has no value."""
    if is_deferred(tensor):
        raise MetSymbolic(_DEFERRED)


class _Deferred(DispatchTarget):
    """Takes the calls of string functions over."""

    __slots__ = ()

    def keep_call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        recorded = _FUNCTIONS.get(function.__name__)
        if recorded is None:
            raise NotSketchable(f"{function.__name__} of strings cannot be written as TensorFlow's ops.")
        return recorded(*args, **kwargs)

    def _why_no_array(self) -> str:
        return "A string was read in a function that is only recorded."


_DEFERRED = _Deferred()


def _unrunnable(*_: Any, **statics: Any) -> Any:
    raise NotSketchable(f"{statics.get('node', 'An op of strings')} is written, not run.")


STRING_OP = Op(_unrunnable, name="StringOp", same_dtype=False, differentiable=False)
"""An op of TensorFlow's, named by the static `node`; the other statics are its attributes."""
FIND_TERMS = Op(_unrunnable, name="FindTerms", same_dtype=False, differentiable=False)
"""The places of strings: see `find_terms`."""
SPLIT_STRINGS = Op(_unrunnable, name="SplitStrings", same_dtype=False, differentiable=False)
"""The parts of all strings, and where those of each begin."""
SPLIT_AND_FIND = Op(_unrunnable, name="SplitAndFind", same_dtype=False, differentiable=False)
"""The places of the words of texts: see `split_and_find`."""


def _recorded(node: str, inputs: Sequence[Any], dtype: DType, **attributes: Any) -> Tensor:
    tensors = [convert_to_tensor(x) for x in inputs]
    shape = np.broadcast_shapes(*[t.spec.shape for t in tensors])
    (result,) = STRING_OP.giving((spec_of(shape, dtype),), *tensors, node=node, **attributes)
    return result


def find_terms(texts: Tensor, places: Mapping[bytes, int], unknown: int, buckets: int) -> Tensor:
    """The place of each string.

    Args:
        texts: strings.
        places: those of the known strings.
        unknown: the place of any other string.
        buckets: how many places from `unknown` on the others share, by a hash; with 0, others are an error.
    """
    table = {"terms": tuple(places), "places": tuple(places.values())}
    spec = spec_of(texts.spec.shape, int64)
    (result,) = FIND_TERMS.giving((spec,), texts, **table, unknown=unknown, buckets=buckets)
    return result


def split_and_find(
    texts: Tensor,
    places: Mapping[bytes, int],
    unknown: int,
    *,
    split: str | None,
    widths: Sequence[int] | None,
    length: int | None,
    filling: int,
) -> Tensor:
    """The places of the words of each text; the rows are as long as the longest, or as `length` says.

    Args:
        texts: a vector of strings.
        places, unknown: see `find_terms`.
        split: "whitespace", "character" or None.
        widths: of sequences of words, which are looked up instead of words.
        length: cut or fill up the rows to so many.
        filling: what rows are filled up with.
    """
    rows = texts.spec.shape[0]
    # Nobody knows how many words there are.
    width = unknown_size() if length is None else length
    table = {"terms": tuple(places), "places": tuple(places.values()), "unknown": unknown}
    form = {
        "split": split,
        "widths": None if widths is None else tuple(widths),
        "length": length,
        "filling": filling,
    }
    (result,) = SPLIT_AND_FIND.giving((spec_of((rows, width), int64),), texts, **table, **form)
    return result


def compare(x: Tensor, y: Tensor, is_equal: bool) -> Tensor:
    """Whether strings are equal, or whether they differ."""
    return _recorded("Equal" if is_equal else "NotEqual", [x, y], boolean)


def _lower(input: TensorLike, encoding: str | None = "", name: str | None = None) -> Tensor:
    return _recorded("StringLower", [input], string, encoding=encoding or "")


def _upper(input: TensorLike, encoding: str | None = "", name: str | None = None) -> Tensor:
    return _recorded("StringUpper", [input], string, encoding=encoding or "")


def _strip(input: TensorLike, name: str | None = None) -> Tensor:
    return _recorded("StringStrip", [input], string)


def _length(input: TensorLike, unit: str = "BYTE", name: str | None = None) -> Tensor:
    return _recorded("StringLength", [input], int32, unit=unit)


def _regex_replace(
    input: TensorLike, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None
) -> Tensor:
    texts = {"pattern": _constant(pattern), "rewrite": _constant(rewrite)}
    return _recorded("StaticRegexReplace", [input], string, replace_global=replace_global, **texts)


def _regex_full_match(input: TensorLike, pattern: Any, name: str | None = None) -> Tensor:
    return _recorded("StaticRegexFullMatch", [input], boolean, pattern=_constant(pattern))


def _substr(input: TensorLike, pos: Any, len: Any, unit: str = "BYTE", name: str | None = None) -> Tensor:
    return _recorded(
        "Substr", [input, convert_to_tensor(pos, int32), convert_to_tensor(len, int32)], string, unit=unit
    )


def _join(inputs: Any, separator: Any = "", name: str | None = None) -> Tensor:
    return _recorded("StringJoin", list(inputs), string, separator=_constant(separator or b""))


def _to_number(input: TensorLike, out_type: DTypeLike = "float32", name: str | None = None) -> Tensor:
    dtype = as_dtype(out_type)
    return _recorded("StringToNumber", [input], dtype, out_type=dtype.as_datatype_enum)


def _as_string(
    input: TensorLike,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Tensor:
    form = {
        "precision": precision,
        "scientific": scientific,
        "shortest": shortest,
        "width": width,
        "fill": fill,
    }
    return _recorded("AsString", [input], string, **form)


def _to_hash_bucket_fast(input: Any, num_buckets: Any, name: str | None = None) -> Tensor:
    return _recorded("StringToHashBucketFast", [input], int64, num_buckets=int(num_buckets))


def _to_hash_bucket_strong(
    input: Any, num_buckets: Any, key: Sequence[int], name: str | None = None
) -> Tensor:
    words = tuple(int(k) for k in key)
    return _recorded("StringToHashBucketStrong", [input], int64, num_buckets=int(num_buckets), key=words)


def _split(input: Any, sep: Any = None, maxsplit: int = -1, name: str | None = None) -> RecordedRagged:
    if len(input.spec.shape) != 1:
        raise NotSketchable(
            "tf.strings.split can be written as TensorFlow's ops for a vector of strings only."
        )
    rows = input.spec.shape[0]
    specs = (spec_of((unknown_size(),), string), spec_of((rows + 1,), int64))
    parts, splits = SPLIT_STRINGS.giving(specs, input, sep=_constant(sep or b""), maxsplit=int(maxsplit))
    return RecordedRagged(parts, splits)


def _constant(text: Any) -> bytes:
    """The bytes of a text that must be known."""
    if isinstance(text, str):
        return text.encode()
    return text if isinstance(text, bytes) else bytes(convert_to_tensor(text).numpy())


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "lower": _lower,
    "upper": _upper,
    "split": _split,
    "strip": _strip,
    "length": _length,
    "regex_replace": _regex_replace,
    "regex_full_match": _regex_full_match,
    "substr": _substr,
    "join": _join,
    "to_number": _to_number,
    "as_string": _as_string,
    "to_hash_bucket_fast": _to_hash_bucket_fast,
    "to_hash_bucket_strong": _to_hash_bucket_strong,
}
