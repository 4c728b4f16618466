"""Strings as numbers of buckets: `tf.strings.to_hash_bucket`, `_fast` and `_strong`.

The hashes are TensorFlow's, so that buckets learnt there mean the same here: FarmHash's fingerprint of 64
bits, SipHash-2-4 under a key, and a variant of MurmurHash.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import invalid, read_int
from tapeflow.ops.strings.text import read_strings

_MASK = (1 << 64) - 1
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F


def to_hash_bucket_fast(input: TensorLike, num_buckets: TensorLike, name: str | None = None) -> Tensor:
    """The bucket of each string: its FarmHash fingerprint modulo `num_buckets`.

    >>> tf.strings.to_hash_bucket_fast(["Hello", "TensorFlow"], 1000).numpy().tolist()
    [151, 254]
    """
    return _buckets("tf.strings.to_hash_bucket_fast", input, num_buckets, fingerprint64)


def to_hash_bucket(input: TensorLike, num_buckets: TensorLike, name: str | None = None) -> Tensor:
    """The bucket of each string; `to_hash_bucket_fast` spreads them better."""
    return _buckets("tf.strings.to_hash_bucket", input, num_buckets, _murmur)


def to_hash_bucket_strong(
    input: TensorLike, num_buckets: TensorLike, key: Sequence[int], name: str | None = None
) -> Tensor:
    """The bucket of each string under a key of two numbers, which makes collisions hard to find."""
    where = "tf.strings.to_hash_bucket_strong"
    if len(key) != 2:
        raise invalid(f"{where} expected a key of two numbers: key must have 2 elements; got key={key!r}.")
    words = int(key[0]) & _MASK, int(key[1]) & _MASK
    return _buckets(where, input, num_buckets, lambda text: siphash(text, words))


def _buckets(
    where: str, input: TensorLike, num_buckets: float | TensorLike, hashed: Callable[[bytes], int]
) -> Tensor:
    count = read_int(num_buckets, where, "num_buckets")
    if count < 1:
        raise invalid(f"{where} expected num_buckets of at least 1; got num_buckets={count}.")
    array = read_strings(input, where)
    known = {text: hashed(text) % count for text in set(array.reshape(-1))}
    hashes = np.array([known[text] for text in array.reshape(-1)], np.int64)
    return convert_to_tensor(hashes.reshape(array.shape))


def _word(text: bytes, at: int) -> int:
    return int.from_bytes(text[at : at + 8], "little")


def _turned(value: int, by: int) -> int:
    return (value >> by | value << (64 - by)) & _MASK


def _shifted(value: int) -> int:
    return value ^ (value >> 47)


def _mixed(u: int, v: int, mul: int) -> int:
    a = _shifted((u ^ v) * mul & _MASK)
    b = _shifted((v ^ a) * mul & _MASK)
    return b * mul & _MASK


def fingerprint64(text: bytes) -> int:
    """FarmHash's Fingerprint64."""
    size = len(text)
    if size <= 16:
        return _up_to_16(text, size)
    if size <= 32:
        return _up_to_32(text, size)
    if size <= 64:
        return _up_to_64(text, size)
    return _longer(text, size)


def fingerprint_cat(first: int, second: int) -> int:
    """One fingerprint of two, whose order matters."""
    mul = 0xC6A4A7935BD1E995
    mixed = first ^ mul ^ (_shifted(second * mul & _MASK) * mul & _MASK)
    return _shifted(_shifted(mixed * mul & _MASK) * mul & _MASK)


def _up_to_16(text: bytes, size: int) -> int:
    mul = (_K2 + size * 2) & _MASK
    if size >= 8:
        a, b = (_word(text, 0) + _K2) & _MASK, _word(text, size - 8)
        c, d = _turned(b, 37) * mul + a, (_turned(a, 25) + b) * mul
        return _mixed(c & _MASK, d & _MASK, mul)
    if size >= 4:
        first, last = (int.from_bytes(text[i : i + 4], "little") for i in (0, size - 4))
        return _mixed(size + (first << 3), last, mul)
    if not size:
        return _K2
    y = text[0] + (text[size >> 1] << 8)
    z = size + (text[-1] << 2)
    return _shifted((y * _K2 ^ z * _K0) & _MASK) * _K2 & _MASK


def _up_to_32(text: bytes, size: int) -> int:
    mul = (_K2 + size * 2) & _MASK
    a, b = _word(text, 0) * _K1 & _MASK, _word(text, 8)
    c, d = _word(text, size - 8) * mul & _MASK, _word(text, size - 16) * _K2 & _MASK
    u = _turned((a + b) & _MASK, 43) + _turned(c, 30) + d
    v = a + _turned((b + _K2) & _MASK, 18) + c
    return _mixed(u & _MASK, v & _MASK, mul)


def _up_to_64(text: bytes, size: int) -> int:
    mul = (_K2 + size * 2) & _MASK
    a, b = _word(text, 0) * _K2 & _MASK, _word(text, 8)
    c, d = _word(text, size - 8) * mul & _MASK, _word(text, size - 16) * _K2 & _MASK
    y = (_turned((a + b) & _MASK, 43) + _turned(c, 30) + d) & _MASK
    z = _mixed(y, (a + _turned((b + _K2) & _MASK, 18) + c) & _MASK, mul)
    e, f = _word(text, 16) * mul & _MASK, _word(text, 24)
    g = (y + _word(text, size - 32)) * mul & _MASK
    h = (z + _word(text, size - 24)) * mul & _MASK
    u = _turned((e + f) & _MASK, 43) + _turned(g, 30) + h
    v = e + _turned((f + a) & _MASK, 18) + g
    return _mixed(u & _MASK, v & _MASK, mul)


def _weak(text: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    w, x, y, z = (_word(text, at + i) for i in (0, 8, 16, 24))
    a = (a + w) & _MASK
    b = _turned((b + a + z) & _MASK, 21)
    c = a
    a = (a + x + y) & _MASK
    b = (b + _turned(a, 44)) & _MASK
    return (a + z) & _MASK, (b + c) & _MASK


def _longer(text: bytes, size: int) -> int:
    seed = 81
    y = (seed * _K1 + 113) & _MASK
    z = _shifted((y * _K2 + 113) & _MASK) * _K2 & _MASK
    x = (seed * _K2 + _word(text, 0)) & _MASK
    v = w = (0, 0)
    end = (size - 1) // 64 * 64
    for at in range(0, end, 64):
        x, y, z, v, w = _round(text, at, x, y, z, v, w, _K1, 1)
    mul = (_K1 + ((z & 0xFF) << 1)) & _MASK
    w = ((w[0] + ((size - 1) & 63)) & _MASK, w[1])
    v = ((v[0] + w[0]) & _MASK, v[1])
    w = ((w[0] + v[0]) & _MASK, w[1])
    x, y, z, v, w = _round(text, end + ((size - 1) & 63) - 63, x, y, z, v, w, mul, 9)
    first = _mixed(v[0], w[0], mul) + _shifted(y) * _K0 + z
    return _mixed(first & _MASK, (_mixed(v[1], w[1], mul) + x) & _MASK, mul)


def _round(
    text: bytes, at: int, x: int, y: int, z: int, v: tuple[int, int], w: tuple[int, int], mul: int, times: int
) -> tuple[int, int, int, tuple[int, int], tuple[int, int]]:
    x = _turned((x + y + v[0] + _word(text, at + 8)) & _MASK, 37) * mul & _MASK
    y = _turned((y + v[1] + _word(text, at + 48)) & _MASK, 42) * mul & _MASK
    x ^= w[1] * times & _MASK
    y = (y + v[0] * times + _word(text, at + 40)) & _MASK
    z = _turned((z + w[0]) & _MASK, 33) * mul & _MASK
    v = _weak(text, at, v[1] * mul & _MASK, (x + w[0]) & _MASK)
    w = _weak(text, at + 32, (z + w[1]) & _MASK, (y + _word(text, at + 16)) & _MASK)
    return z, y, x, v, w


def siphash(text: bytes, key: tuple[int, int]) -> int:
    """SipHash-2-4."""
    k0, k1 = key
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]
    whole = len(text) // 8 * 8
    last = int.from_bytes(text[whole:], "little") | (len(text) & 0xFF) << 56
    for word in [*[_word(text, at) for at in range(0, whole, 8)], last]:
        v[3] ^= word
        _sip_rounds(v, 2)
        v[0] ^= word
    v[2] ^= 0xFF
    _sip_rounds(v, 4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def _sip_rounds(v: list[int], count: int) -> None:
    for _ in range(count):
        for a, b, c, d, by, other in ((0, 1, 2, 3, 13, 16), (2, 1, 0, 3, 17, 21)):
            v[a] = (v[a] + v[b]) & _MASK
            v[c] = (v[c] + v[d]) & _MASK
            v[b] = _turned(v[b], 64 - by) ^ v[a]
            v[d] = _turned(v[d], 64 - other) ^ v[c]
            v[a] = _turned(v[a], 32)


def _murmur(text: bytes) -> int:
    mul, seed = 0xC6A4A7935BD1E995, 0xDECAFCAFFE
    state = (seed ^ (len(text) * mul)) & _MASK
    whole = len(text) // 8 * 8
    for at in range(0, whole, 8):
        word = _word(text, at) * mul & _MASK
        word = (word ^ (word >> 47)) * mul & _MASK
        state = (state ^ word) * mul & _MASK
    if whole < len(text):
        state = (state ^ int.from_bytes(text[whole:], "little")) * mul & _MASK
    state = (state ^ (state >> 47)) * mul & _MASK
    return state ^ (state >> 47)
