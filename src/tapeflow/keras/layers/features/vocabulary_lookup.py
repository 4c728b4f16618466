"""`StringLookup` and `IntegerLookup`: strings or whole numbers as their places in a vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.annotations import DTypeLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.layers.features.index_lookup import IndexLookup
from tapeflow.ops.strings.deferred import find_terms, is_deferred
from tapeflow.ops.strings.hashing import fingerprint64


class StringLookup(IndexLookup):
    """Map strings to indices in a vocabulary, or indices to strings.

    Args:
        max_tokens: the largest vocabulary size, including the special terms.
        num_oov_indices: how many places there are for unknown strings; a hash says which one takes it.
        mask_token: a string for place 0, such as `""` for padding.
        oov_token: what unknown strings are called.
        vocabulary: the strings, or a file with one a line; learned with `adapt` if not given.
        idf_weights: how much each string counts with `output_mode="tf_idf"`.
        encoding: of the strings.
        invert: from places to strings.
        output_mode: "int" for places, or vectors: "one_hot", "multi_hot", "count" or "tf_idf".
        sparse: whether vectors are sparse tensors.
        pad_to_max_tokens: make vectors as long as `max_tokens` however many strings there are.
        **kwargs: see `Layer`.

    >>> layer = tf.keras.layers.StringLookup(vocabulary=["a", "b"])
    >>> layer(["b", "z", "a"]).numpy()
    array([2, 0, 1])
    """

    _knows_output_shape: ClassVar[bool] = True

    def __init__(
        self,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        mask_token: str | None = None,
        oov_token: str = "[UNK]",
        vocabulary: Any = None,
        idf_weights: Sequence[float] | None = None,
        encoding: str = "utf-8",
        invert: bool = False,
        output_mode: str = "int",
        sparse: bool = False,
        pad_to_max_tokens: bool = False,
        **kwargs: Any,
    ) -> None:
        self.encoding = encoding
        kwargs.pop("vocabulary_dtype", None)
        super().__init__(
            max_tokens,
            num_oov_indices,
            mask_token,
            oov_token,
            vocabulary,
            idf_weights,
            invert,
            output_mode,
            sparse,
            pad_to_max_tokens,
            "string",
            **kwargs,
        )

    def _term(self, value: object) -> str:
        return value.decode(self.encoding) if isinstance(value, bytes) else str(value)

    def known_places(self) -> dict[bytes, int]:
        """The place of each string that has one of its own, in the encoding of the inputs."""
        masked = {str(self.mask_token).encode(self.encoding): 0} if self._mask_count else {}
        return masked | {term.encode(self.encoding): place for term, place in self._places.items()}

    def _found(self, inputs: Tensor) -> Any:
        if is_deferred(inputs):
            return find_terms(inputs, self.known_places(), self._mask_count, self.num_oov_indices)
        array = np.asarray(inputs.numpy(), object)
        return tf.constant(np.array([self._place(v) for v in array.ravel()], np.int64).reshape(array.shape))

    def _place(self, value: object) -> int:
        text = value if isinstance(value, bytes) else str(value).encode(self.encoding)
        term = text.decode(self.encoding, errors="replace")
        if self._mask_count and term == self.mask_token:
            return 0
        known = self._places.get(term)
        if known is not None:
            return known
        if not self.num_oov_indices:
            raise tf.errors.InvalidArgumentError(
                None,
                None,
                f"When `num_oov_indices=0` all inputs should be in vocabulary, found OOV values [{term!r}], consider "
                "setting `num_oov_indices=1`.",
            )
        return self._mask_count + (
            fingerprint64(text) % self.num_oov_indices if self.num_oov_indices > 1 else 0
        )

    def _named(self, inputs: Tensor) -> Tensor:
        names = self.get_vocabulary()
        if is_deferred(inputs):
            places = tf.cast(inputs, tf.int64)
            is_known = tf.logical_and(places >= 0, places < len(names))
            unknown = tf.fill(tf.shape(places), tf.constant(len(names), tf.int64))
            return tf.gather(tf.constant([*names, self.oov_token]), tf.where(is_known, places, unknown))
        array = np.asarray(inputs.numpy())
        found = [names[i] if 0 <= i < len(names) else self.oov_token for i in array.ravel().tolist()]
        return tf.constant(np.array(found, object).reshape(array.shape), tf.string)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "encoding": self.encoding}


class IntegerLookup(IndexLookup):
    """Map integers to indices in a vocabulary, or indices to integers.

    Args:
        max_tokens: the largest vocabulary size, including the special terms.
        num_oov_indices: how many places there are for unknown numbers; the remainder says which one takes it.
        mask_token: a number for place 0.
        oov_token: what unknown numbers are called; -1.
        vocabulary: the numbers, or a file with one a line; learned with `adapt` if not given.
        vocabulary_dtype: "int64" or "int32".
        idf_weights: how much each number counts with `output_mode="tf_idf"`.
        invert: from places to numbers.
        output_mode: "int" for places, or vectors: "one_hot", "multi_hot", "count" or "tf_idf".
        sparse: whether vectors are sparse tensors.
        pad_to_max_tokens: make vectors as long as `max_tokens` however many numbers there are.
        **kwargs: see `Layer`.

    >>> tf.keras.layers.IntegerLookup(vocabulary=[12, 36])([36, 99, 12]).numpy()
    array([2, 0, 1])
    """

    _knows_output_shape: ClassVar[bool] = True

    def __init__(
        self,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        mask_token: int | None = None,
        oov_token: int = -1,
        vocabulary: Any = None,
        vocabulary_dtype: DTypeLike = "int64",
        idf_weights: Any = None,
        invert: bool = False,
        output_mode: str = "int",
        sparse: bool = False,
        pad_to_max_tokens: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            kwargs.pop("max_values", max_tokens),  # the first names of these
            num_oov_indices,
            kwargs.pop("mask_value", mask_token),
            kwargs.pop("oov_value", oov_token),
            vocabulary,
            idf_weights,
            invert,
            output_mode,
            sparse,
            pad_to_max_tokens,
            vocabulary_dtype,
            **kwargs,
        )

    def _term(self, value: Any) -> int:
        return int(value)

    def _found(self, inputs: Tensor) -> Tensor:
        numbers = tf.cast(inputs, tf.int64)
        order = np.argsort(self._terms)
        terms = tf.constant(np.asarray(self._terms, np.int64)[order])
        near = tf.searchsorted(terms, tf.reshape(numbers, [-1]), out_type=tf.int64)
        near = tf.reshape(tf.minimum(near, len(self._terms) - 1), tf.shape(numbers))
        places = tf.gather(tf.constant(order + len(self._special_tokens()), tf.int64), near)
        is_known = tf.gather(terms, near) == numbers
        if not self.num_oov_indices:
            tf.debugging.Assert(
                tf.reduce_all(is_known),
                [
                    "When `num_oov_indices=0` all inputs should be in vocabulary, found OOV values, consider setting "
                    "`num_oov_indices=1`."
                ],
            )
            unknown = tf.zeros_like(numbers)
        else:
            unknown = tf.math.floormod(numbers, self.num_oov_indices) + self._mask_count
        places = tf.where(is_known, places, unknown)
        if self._mask_count:
            places = tf.where(numbers == self.mask_token, tf.zeros_like(places), places)
        return places

    def _named(self, inputs: Tensor) -> Tensor:
        names = tf.constant(self.get_vocabulary(), self.vocabulary_dtype)
        numbers = tf.cast(inputs, tf.int64)
        is_known = tf.logical_and(numbers >= 0, numbers < len(self.get_vocabulary()))
        found = tf.gather(names, tf.where(is_known, numbers, tf.zeros_like(numbers)))
        return tf.where(is_known, found, tf.fill(tf.shape(found), tf.constant(self.oov_token, found.dtype)))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "vocabulary_dtype": self.vocabulary_dtype.name}
