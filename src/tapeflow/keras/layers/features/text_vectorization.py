"""`TextVectorization`: texts as numbers of words, or as vectors of how often each word occurs."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np

import tapeflow as tf
from tapeflow.engine.recording.sketch import NotSketchable
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import InputShape, PathLike
from tapeflow.keras.layers.features.category_numbers import check_mode
from tapeflow.keras.layers.features.feature_scaling import PreprocessingLayer
from tapeflow.keras.layers.features.index_lookup import file_of, without_file
from tapeflow.keras.layers.features.vocabulary_lookup import StringLookup
from tapeflow.keras.saving.registry import get_registered_name, get_registered_object
from tapeflow.ops.ragged.recorded import RecordedRagged
from tapeflow.ops.strings.deferred import find_terms, is_deferred, split_and_find

_PUNCTUATION = re.compile(rb"[!\"#$%&()\*\+,-\./:;<=>?@\[\\\]^_`{|}~\']")
_STANDARDS = ("lower_and_strip_punctuation", "lower", "strip_punctuation")
_SPLITS = ("whitespace", "character")


class TextVectorization(PreprocessingLayer):
    """Standardize texts, split them into words, and map the words to indices in a vocabulary.

    Args:
        max_tokens: how many words there may be, those for padding and for unknown words included.
        standardize: "lower_and_strip_punctuation", "lower", "strip_punctuation", a function, or None.
        split: "whitespace", "character", a function, or None.
        ngrams: also take sequences of words: up to this many, or of these lengths.
        output_mode: "int" for the number of each word; "multi_hot", "count" or "tf_idf" for a vector of a text.
        output_sequence_length: cut or fill up texts to so many words.
        pad_to_max_tokens: make vectors as long as `max_tokens` however many words there are.
        vocabulary: the words, or a file with one a line; learned with `adapt` if not given.
        idf_weights: how much each word counts with `output_mode="tf_idf"`.
        sparse: whether vectors are sparse tensors.
        ragged: give a RaggedTensor of numbers instead of filling up with 0.
        encoding: of the texts.
        **kwargs: see `Layer`.

    >>> layer = tf.keras.layers.TextVectorization(output_sequence_length=4)
    >>> layer.adapt(["The cat sat.", "the dog"])
    >>> layer(["the cat ran"]).numpy()
    array([[2, 5, 1, 0]])
    """

    _knows_output_shape: ClassVar[bool] = True

    def __init__(
        self,
        max_tokens: int | None = None,
        standardize: Any = "lower_and_strip_punctuation",
        split: Any = "whitespace",
        ngrams: Any = None,
        output_mode: str = "int",
        output_sequence_length: int | None = None,
        pad_to_max_tokens: bool = False,
        vocabulary: Any = None,
        idf_weights: Any = None,
        sparse: bool = False,
        ragged: bool = False,
        encoding: str = "utf-8",
        **kwargs: Any,
    ) -> None:
        mode = check_mode("TextVectorization", output_mode, ("int", "count", "multi_hot", "tf_idf"), sparse)
        size = kwargs.pop("vocabulary_size", None)
        kwargs.pop("dtype", None)  # Keras calls it "string", which is that of the inputs
        super().__init__(dtype="int64" if mode == "int" else "float32", **kwargs)
        self.standardize = _choice("standardize", standardize, _STANDARDS)
        self.split = _choice("split", split, _SPLITS)
        if output_sequence_length is not None and mode != "int":
            raise ValueError(
                "`output_sequence_length` must not be set if `output_mode` is not 'int'. Received "
                f"output_sequence_length={output_sequence_length}."
            )
        if ragged and mode != "int":
            raise ValueError(
                f"`ragged` must not be true if `output_mode` is not `'int'`. Received: ragged={ragged}"
            )
        self._lengths = _lengths_of(ngrams)
        self.max_tokens, self.ngrams = max_tokens, ngrams
        self.output_mode, self.output_sequence_length = mode, output_sequence_length
        self.pad_to_max_tokens, self.sparse, self.ragged = pad_to_max_tokens, sparse, ragged
        self.encoding = encoding
        self._lookup = StringLookup(
            max_tokens,
            mask_token="" if mode == "int" else None,
            vocabulary=vocabulary,
            idf_weights=idf_weights,
            output_mode=mode,
            pad_to_max_tokens=pad_to_max_tokens,
            encoding=encoding,
            vocabulary_size=size,
        )

    def build(self, input_shape: InputShape) -> None:
        self.built = True

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[str]:
        """The words in the order of their numbers."""
        return self._lookup.get_vocabulary(include_special_tokens)

    def vocabulary_size(self) -> int:
        """The vocabulary size, including padding and unknown words."""
        return self._lookup.vocabulary_size()

    def set_vocabulary(self, vocabulary: PathLike | TensorLike, idf_weights: Any = None) -> None:
        """Give the words, with or without the special ones before them, or a file with one a line."""
        self._lookup.set_vocabulary(vocabulary, idf_weights)

    def save_own_variables(self, store: dict[str, Any]) -> None:
        """The state that is saved with a model's weights, as in Keras."""
        self._lookup.save_own_variables(store)

    def load_own_variables(self, store: Any) -> None:
        """Take what `save_own_variables` gave."""
        self._lookup.load_own_variables(store)

    def load_vocabulary(self, lines: list[str]) -> None:
        """Load the words that Keras saved with a model's weights, after the existing ones."""
        self._lookup.load_vocabulary(lines)

    def update_state(self, data: Any) -> None:
        """Count the words of a batch of texts."""
        rows = self._words(data)
        self._lookup.update_state(tf.ragged.constant([list(row) for row in rows], tf.string) if rows else [])

    def finalize_state(self) -> None:
        """Make the vocabulary of what was counted."""
        self._lookup.finalize_state()

    def reset_state(self) -> None:
        """Forget what was learned."""
        self._lookup.reset_state()

    def _words(self, texts: Any) -> list[list[Any]]:
        """The words of each text."""
        tensor = self._flat(tf.convert_to_tensor(texts))
        if callable(self.standardize):
            tensor = self.standardize(tensor)
        if callable(self.split):
            split = self.split(self._standard(tensor) if isinstance(self.standardize, str) else tensor)
            rows = (
                split.to_list()
                if isinstance(split, tf.RaggedTensor)
                else np.asarray(split.numpy(), object).tolist()
            )
        else:
            found = self._standard(tensor)
            rows = [self._split_one(t) for t in np.asarray(found.numpy(), object).ravel().tolist()]
        return rows if self._lengths is None else [self._with_ngrams(row) for row in rows]

    def _flat(self, texts: Any) -> Any:
        """Texts without the last axis, of size 1, if they have two."""
        if len(texts.shape) < 2:
            return texts
        if texts.shape[-1] != 1:
            raise ValueError(
                "When using `TextVectorization` to tokenize strings, the input rank must be 1 or the last shape "
                f"dimension must be 1. Received: inputs.shape={texts.shape} with rank={len(texts.shape)}"
            )
        return tf.squeeze(texts, -1)

    def _standard(self, tensor: Any) -> Any:
        if not isinstance(self.standardize, str):
            return tensor
        if is_deferred(tensor):
            lowered = tf.strings.lower(tensor) if self.standardize.startswith("lower") else tensor
            strips = self.standardize.endswith("punctuation")
            return tf.strings.regex_replace(lowered, _PUNCTUATION.pattern, "") if strips else lowered
        texts = np.asarray(tensor.numpy(), object)
        out = np.empty(texts.size, object)
        for i, text in enumerate(texts.ravel().tolist()):
            lowered = text.lower() if self.standardize.startswith("lower") else text
            out[i] = _PUNCTUATION.sub(b"", lowered) if self.standardize.endswith("punctuation") else lowered
        return tf.constant(out.reshape(texts.shape), tf.string)

    def _split_one(self, text: bytes) -> list[bytes]:
        if self.split == "whitespace":
            return text.split()
        if self.split == "character":
            return [c.encode(self.encoding) for c in text.decode(self.encoding, errors="replace")]
        return [text]

    def _with_ngrams(self, words: list[bytes]) -> list[bytes]:
        lengths = self._lengths or ()
        fitting = lengths[: len(words)] if isinstance(lengths, range) else lengths
        return [b" ".join(words[i : i + n]) for n in fitting for i in range(len(words) - n + 1)]

    def call(self, inputs: TensorLike) -> Any:
        self._lookup.check_vocabulary(self.name)
        tensor = tf.convert_to_tensor(inputs)
        is_one = len(tensor.shape) == 0
        if is_deferred(tensor):
            found = self._recorded(tf.reshape(tensor, [1]) if is_one else tensor)
            return found[0] if is_one else found
        rows = self._words([inputs] if is_one else inputs)
        if self.output_mode != "int":
            found = [
                self._lookup(tf.constant(np.array(row, object), tf.string)) if row else self._nothing()
                for row in rows
            ]
            vectors = found[0] if is_one else tf.stack(found)
            return tf.sparse.from_dense(vectors) if self.sparse else vectors
        numbers = [[self._lookup._place(word) for word in row] for row in rows]
        length = self.output_sequence_length
        if self.ragged and not is_one:
            return tf.ragged.constant([row[:length] for row in numbers], tf.int64, ragged_rank=1)
        width = length if length is not None else max(map(len, numbers), default=0)
        padded = np.zeros((len(numbers), width), np.int64)
        for i, row in enumerate(numbers):
            padded[i, : len(row)] = row[:width]
        return tf.constant(padded[0] if is_one else padded)

    def _recorded(self, inputs: Tensor) -> Any:
        """The result for texts without values, in a function that is written as TensorFlow's ops."""
        if self.sparse:
            raise NotSketchable("TextVectorization is written with dense or ragged results.")
        texts = self._flat(inputs)
        texts = self.standardize(texts) if callable(self.standardize) else self._standard(texts)
        is_int, lookup = self.output_mode == "int", self._lookup
        if callable(self.split) or self.ragged:
            places = self._places_by_rows(texts)
        else:
            places = split_and_find(
                texts,
                lookup.known_places(),
                1 if is_int else 0,
                split=self.split,
                widths=None if self._lengths is None else tuple(self._lengths),
                length=self.output_sequence_length,
                filling=0 if is_int else -1,
            )
        if is_int:
            return places
        counts = tf.reduce_sum(tf.one_hot(places, lookup._depth(), dtype=self.compute_dtype), -2)
        if self.output_mode == "multi_hot":
            return tf.minimum(counts, tf.ones_like(counts))
        return counts if self.output_mode == "count" else counts * tf.constant(lookup.idf_weights)

    def _places_by_rows(self, texts: Any) -> Any:
        """The places of the words that a function of the user's finds, or as rows of different lengths."""
        is_cut = self.ragged and self.output_sequence_length is not None
        if self._lengths is not None or is_cut or not (callable(self.split) or self.split == "whitespace"):
            raise NotSketchable(
                "TextVectorization is written without ngrams if `split` is a function, and if `ragged` is true, with "
                "split='whitespace' and no output_sequence_length."
            )
        words = self.split(texts) if callable(self.split) else tf.strings.split(texts)
        if not isinstance(words, RecordedRagged):
            raise NotSketchable("TextVectorization is written with a `split` that calls tf.strings.split.")
        is_int = self.output_mode == "int"
        places = find_terms(words.values, self._lookup.known_places(), 1 if is_int else 0, 1)
        found = words.with_values(places)
        return (
            found
            if self.ragged
            else found.to_tensor(0 if is_int else -1, shape=[None, self.output_sequence_length])
        )

    def _nothing(self) -> Any:
        return tf.zeros([self._lookup._depth()], tf.float32)

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        shape = tuple(input_shape)
        kept = shape[:-1] if len(shape) > 1 else shape
        width = self.output_sequence_length if self.output_mode == "int" else self._lookup._depth()
        return tf.TensorShape((*kept, width))

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        layer = super().from_config(without_file(config))
        layer._lookup.unread_file = file_of(config)
        return layer

    def get_config(self) -> dict[str, Any]:
        lookup = self._lookup.get_config()
        return {
            **super().get_config(),
            "dtype": "string",  # that of the inputs, as in Keras
            "max_tokens": self.max_tokens,
            "standardize": _serialized(self.standardize),
            "split": _serialized(self.split),
            "ngrams": self.ngrams,
            "output_mode": self.output_mode,
            "output_sequence_length": self.output_sequence_length,
            "pad_to_max_tokens": self.pad_to_max_tokens,
            "sparse": self.sparse,
            "ragged": self.ragged,
            "vocabulary": lookup["vocabulary"],
            "idf_weights": lookup["idf_weights"],
            "encoding": self.encoding,
            "vocabulary_size": lookup["vocabulary_size"],
        }


def _lengths_of(ngrams: Any) -> Sequence[int] | None:
    """The lengths of sequences of words to take."""
    if ngrams is None:
        return None
    lengths = range(1, ngrams + 1) if isinstance(ngrams, int) else tuple(ngrams)
    if not lengths or (isinstance(lengths, tuple) and min(lengths) < 1):
        raise ValueError(
            f"`ngrams` must be `None`, an integer, or a tuple of integers of at least 1. Received: ngrams={ngrams}"
        )
    return lengths


def _choice(name: str, value: Any, allowed: tuple[str, ...]) -> str | Callable[..., Any] | None:
    """One of some names, None, or a function, which may come by its registered name."""
    if value is None or callable(value) or value in allowed:
        return value
    function = get_registered_object(value) if isinstance(value, str) else None
    if not callable(function) or inspect.isclass(function):
        raise ValueError(
            f"Unknown value for `{name}` argument of layer TextVectorization. If restoring a model and `{name}` is a "
            f"custom callable, register it with tf.keras.utils.register_keras_serializable. Allowed values are: "
            f"`None`, a `Callable`, or one of the following values: {allowed}. Received: {value}"
        )
    return function


def _serialized(value: object) -> Any:
    return get_registered_name(value) if callable(value) else value
