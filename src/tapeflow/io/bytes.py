"""Between strings of bytes and tensors: serialised tensors, raw numbers, base64, compressed bytes."""

from __future__ import annotations

import base64
import binascii
import builtins
import gzip
import zlib
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import as_dtype, string
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import invalid
from tapeflow.ops.strings.text import read_strings, string_tensor
from tapeflow.summary.event_files.tensors import array_of, tensor_bytes
from tapeflow.summary.protos import message


def serialize_tensor(tensor: TensorLike, name: str | None = None) -> Tensor:
    """A tensor as a serialised TensorProto."""
    value = convert_to_tensor(tensor)
    array = np.asarray(value.numpy(), object) if value.dtype is string else np.asarray(value.numpy())
    return string_tensor([tensor_bytes(array)], ())


def make_tensor_proto(values: TensorLike, dtype: DTypeLike | None = None, shape: Any = None) -> Any:
    """A TensorProto message of a tensor or of what can become one; `shape` repeats one value over it."""
    array = np.asarray(convert_to_tensor(values, dtype).numpy())
    if shape is not None:
        array = np.broadcast_to(array, shape) if array.size == 1 else array.reshape(shape)
    return message("TensorProto").FromString(tensor_bytes(array))


def make_ndarray(tensor: TensorLike) -> np.ndarray:
    """The array of a TensorProto message, of an event file's, say.

    >>> tf.make_ndarray(tf.make_tensor_proto([1, 2]))
    array([1, 2], dtype=int32)
    """
    return array_of(tensor)


def parse_tensor(serialized: TensorLike, out_type: DTypeLike, name: str | None = None) -> Tensor:
    """The tensor of a serialised TensorProto.

    >>> tf.io.parse_tensor(tf.io.serialize_tensor([1, 2]), tf.int32).numpy()
    array([1, 2], dtype=int32)
    """
    where = "tf.io.parse_tensor"
    dtype = as_dtype(out_type)
    text = read_strings(serialized, where, "serialized")
    if text.shape:
        raise invalid(f"{where} expected one string; got serialized of shape {list(text.shape)}.")
    try:
        proto = message("TensorProto").FromString(text.item())
        array = array_of(proto)
    except (DecodeError, ValueError) as error:
        raise invalid(
            f"{where} expected a TensorProto: could not parse `serialized` as TensorProto: {error}."
        ) from None
    found = string if array.dtype == object else as_dtype(array.dtype)
    if found is not dtype:
        raise invalid(
            f"{where} expected a tensor of dtype {dtype.name}: type mismatch between parsed tensor "
            f"({found.name}) and dtype ({dtype.name})."
        )
    return convert_to_tensor(array, dtype)


def decode_raw(
    input_bytes: TensorLike,
    out_type: DTypeLike,
    little_endian: bool = True,
    fixed_length: int | None = None,
    name: str | None = None,
) -> Tensor:
    """The bytes of strings, which are all equally long, as numbers.

    >>> tf.io.decode_raw(b"ab", tf.uint8).numpy()
    array([97, 98], dtype=uint8)
    """
    where = "tf.io.decode_raw"
    dtype = as_dtype(out_type)
    kind = np.dtype(dtype.as_numpy_dtype).newbyteorder("<" if little_endian else ">")
    array = read_strings(input_bytes, where, "input_bytes")
    texts = list(array.reshape(-1))
    if fixed_length is not None:
        texts = [t[:fixed_length].ljust(fixed_length, b"\0") for t in texts]
    lengths = {len(t) for t in texts}
    if len(lengths) > 1:
        raise invalid(
            f"{where} expected strings of one length; got lengths {sorted(lengths)}. Use fixed_length."
        )
    length = next(iter(lengths), 0)
    if length % kind.itemsize:
        raise invalid(
            f"{where} expected whole numbers of {dtype.name}: input has length {length} that is not a "
            f"multiple of {kind.itemsize}, the size of {dtype.name}."
        )
    flat = np.frombuffer(b"".join(texts), kind).astype(kind.newbyteorder("="))
    return convert_to_tensor(flat.reshape(*array.shape, length // kind.itemsize))


def encode_base64(input: TensorLike, pad: bool = False, name: str | None = None) -> Tensor:
    """Strings in web-safe base64."""
    array = read_strings(input, "tf.io.encode_base64")
    found = [base64.urlsafe_b64encode(t) for t in array.reshape(-1)]
    return string_tensor([f if pad else f.rstrip(b"=") for f in found], array.shape)


def decode_base64(input: TensorLike, name: str | None = None) -> Tensor:
    """Strings from web-safe base64."""
    where = "tf.io.decode_base64"
    array = read_strings(input, where)

    def decoded(text: builtins.bytes) -> builtins.bytes:
        try:
            whole = text.rstrip(b"=")
            return base64.b64decode(whole + b"=" * (-len(whole) % 4), b"-_", validate=True)
        except binascii.Error as error:
            raise invalid(f"{where} expected web-safe base64; got {text!r}: {error}.") from None

    return string_tensor([decoded(t) for t in array.reshape(-1)], array.shape)


def decode_compressed(bytes: TensorLike, compression_type: str = "", name: str | None = None) -> Tensor:
    """Strings decompressed: "ZLIB", "GZIP" or, as they are, ""."""
    where = "tf.io.decode_compressed"
    unpack = {"": lambda t: t, "ZLIB": zlib.decompress, "GZIP": gzip.decompress}.get(compression_type)
    if unpack is None:
        raise ValueError(
            f'{where} expected compression_type to be "", "ZLIB" or "GZIP"; got {compression_type!r}.'
        )
    array = read_strings(bytes, where, "bytes")
    try:
        return string_tensor([unpack(t) for t in array.reshape(-1)], array.shape)
    except (zlib.error, OSError, EOFError) as error:
        raise invalid(f"{where} expected {compression_type} data; got something else: {error}.") from None
