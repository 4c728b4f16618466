"""`tf.fingerprint`: eight bytes that stand for each row of a tensor."""

from __future__ import annotations

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.dtypes import string
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import describe, invalid, read_value
from tapeflow.ops.strings.hashing import fingerprint64


def _word(value: int) -> bytes:
    return value.to_bytes(8, "little")


def fingerprint(data: TensorLike, method: str = "farmhash64", name: str | None = None) -> Tensor:
    """FarmHash's fingerprint of each row, as bytes; TensorFlow's, the same on every machine.

    >>> tf.fingerprint(["ab"]).numpy().tolist()
    [[30, 165, 173, 66, 82, 110, 141, 170]]
    """
    where = "tf.fingerprint"
    tensor = convert_to_tensor(data)
    if method != "farmhash64":
        raise invalid(
            f"{where} expected method 'farmhash64': unsupported fingerprint method; got method={method!r}."
        )
    if not tensor.ndim:
        raise invalid(f"{where} expected data with at least one dimension; got data {describe(tensor)}.")
    array = read_value(tensor)
    rows = array.reshape(len(array), -1) if array.size else np.zeros((len(array), 0), array.dtype)
    if tensor.dtype is string:  # of several strings in a row the fingerprint of their fingerprints
        hashes = [[fingerprint64(text) for text in row] for row in rows]
        found = [h[0] if array.ndim == 1 else fingerprint64(b"".join(map(_word, h))) for h in hashes]
    else:
        found = [fingerprint64(row.tobytes()) for row in rows]
    flat = np.frombuffer(b"".join(map(_word, found)), np.uint8)
    return convert_to_tensor(flat.reshape(len(found), 8).copy())
