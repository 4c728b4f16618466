"""What `StringLookup` and `IntegerLookup` share: a vocabulary, learned or given, and lookups in it.

The vocabulary lives on the host, as strings do. Numbers are looked up by ops, so that a model with an
`IntegerLookup` in it is one program.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.annotations import DTypeLike, TensorLike
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import InputShape, PathLike
from tapeflow.keras.layers.features.category_numbers import MODES, check_mode, encoded_inputs, encoded_shape
from tapeflow.keras.layers.features.feature_scaling import PreprocessingLayer
from tapeflow.keras.saving.function_body import is_load_safe

_MAX_OOV_INDICES = 1 << 20


class IndexLookup(PreprocessingLayer):
    """Terms as their places in a vocabulary, or places as terms.

    The vocabulary begins with the mask token, if there is one, and one term for each out-of-vocabulary
    place; then come the terms, most frequent first and among equals the last in order first.
    """

    def __init__(
        self,
        max_tokens: int | None,
        num_oov_indices: int,
        mask_token: Any,
        oov_token: Any,
        vocabulary: Any,
        idf_weights: Sequence[float] | None,
        invert: bool,
        output_mode: str,
        sparse: bool,
        pad_to_max_tokens: bool,
        vocabulary_dtype: DTypeLike,
        **kwargs: Any,
    ) -> None:
        name = type(self).__name__
        if max_tokens is not None and max_tokens <= 1:
            raise ValueError(
                f"If set, `max_tokens` must be greater than 1. Received: max_tokens={max_tokens}"
            )
        if pad_to_max_tokens and max_tokens is None:
            raise ValueError("If pad_to_max_tokens is True, must set `max_tokens`. Received: max_tokens=None")
        if not 0 <= num_oov_indices <= _MAX_OOV_INDICES:
            raise ValueError(
                "`num_oov_indices` must be greater than or equal to 0, and at most "
                f"{_MAX_OOV_INDICES}. Received: num_oov_indices={num_oov_indices}"
            )
        mode = check_mode(name, output_mode, MODES, sparse)
        if invert and mode != "int":
            raise ValueError(
                f"`output_mode` must be `'int'` when `invert` is true. Received: output_mode={mode}"
            )
        # What the vocabulary will have, in the config of a layer of Keras's whose terms are in another file.
        self._expected_size: int | None = kwargs.pop("vocabulary_size", None)
        kwargs.setdefault("dtype", vocabulary_dtype if invert else "int64" if mode == "int" else "float32")
        super().__init__(**kwargs)
        self.max_tokens, self.num_oov_indices = max_tokens, num_oov_indices
        self.mask_token, self.oov_token = mask_token, oov_token
        self.invert, self.output_mode, self.sparse = invert, mode, sparse
        self.pad_to_max_tokens = pad_to_max_tokens
        self.vocabulary_dtype = tf.as_dtype(vocabulary_dtype)
        self.input_vocabulary = vocabulary
        self._terms: list[Any] = []
        self._places: dict[Any, int] = {}
        self.unread_file: Any = None
        self.idf_weights: np.ndarray | None = None
        self._seen: Counter[Any] = Counter()
        self._documents: Counter[Any] = Counter()
        self._count = 0
        if vocabulary is not None:
            self.set_vocabulary(vocabulary, idf_weights)

    def build(self, input_shape: InputShape) -> None:
        self.built = True

    # -- the vocabulary ---------------------------------------------------------------------------

    def _term(self, value: object) -> Any:
        """A term as the vocabulary holds it."""
        raise NotImplementedError

    def _special_tokens(self) -> list[Any]:
        oov = [self.oov_token] * self.num_oov_indices
        has_mask = self.mask_token is not None and self.output_mode == "int"
        return [self.mask_token, *oov] if has_mask else oov

    @property
    def _mask_count(self) -> int:
        return len(self._special_tokens()) - self.num_oov_indices

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[Any]:
        """The terms in the order of their places."""
        return [*self._special_tokens(), *self._terms] if include_special_tokens else list(self._terms)

    def vocabulary_size(self) -> int:
        """The vocabulary size, including the mask and unknown terms."""
        return len(self._terms) + len(self._special_tokens())

    vocab_size = vocabulary_size

    def set_vocabulary(self, vocabulary: PathLike | TensorLike, idf_weights: Any = None) -> None:
        """Give the terms, with or without the special ones before them, or a file with one a line."""
        if (idf_weights is not None) != (self.output_mode == "tf_idf"):
            if idf_weights is not None:
                raise ValueError(
                    "`idf_weights` should only be set if `output_mode` is `'tf_idf'`. Received: "
                    f"output_mode={self.output_mode}"
                )
            raise ValueError(
                "`idf_weights` must be set if `output_mode` is `'tf_idf'` and a vocabulary is given. Received: None"
            )
        if isinstance(vocabulary, (str, Path)):
            vocabulary = _lines_of(vocabulary)
        elif isinstance(vocabulary, tf.Tensor):
            vocabulary = vocabulary.numpy()
        terms = [self._term(v) for v in np.asarray(vocabulary, dtype=object).ravel().tolist()]
        special = self._special_tokens()
        if special and terms[: len(special)] == special:
            terms = terms[len(special) :]
        self._check_terms(terms, special)
        self._set_terms(terms)
        if idf_weights is not None:
            self._set_weights(np.asarray(idf_weights, np.float32))

    def save_own_variables(self, store: dict[str, Any]) -> None:
        """The state that is saved with a model's weights, as in Keras."""
        if self.idf_weights is not None:
            store["idf_weights"] = self.idf_weights

    def load_own_variables(self, store: Any) -> None:
        """Take what `save_own_variables` gave."""
        weights = store.get("idf_weights")
        if weights is not None and self.output_mode == "tf_idf":
            self.idf_weights = np.asarray(weights, np.float32)

    def load_vocabulary(self, lines: list[str]) -> None:
        """Load the terms that Keras saved with a model's weights, after the existing ones."""
        self.set_vocabulary(lines, self.idf_weights)

    def _check_terms(self, terms: list[Any], special: list[Any]) -> None:
        if not terms:
            raise ValueError("Cannot set an empty vocabulary, you passed [].")
        repeated = [t for t, n in Counter(terms).items() if n > 1]
        if repeated:
            raise ValueError(
                "The passed vocabulary has at least one repeated term. Please uniquify your dataset. The repeated "
                f"terms are {repeated}"
            )
        for token in {t for t in special if t in set(terms)}:
            raise ValueError(
                f"Found reserved token in unexpected location in `vocabulary`: {token!r}. Leave special tokens out, or "
                f"begin with all of them: {special}"
            )
        if self.max_tokens is not None and len(terms) + len(special) > self.max_tokens:
            raise ValueError(
                "Attempted to set a vocabulary larger than the maximum vocab size. Passed vocab size is "
                f"{len(terms) + len(special)}, max vocab size is {self.max_tokens}."
            )

    def _set_terms(self, terms: list[Any]) -> None:
        self._terms = terms
        start = len(self._special_tokens())
        self._places = {term: start + i for i, term in enumerate(terms)}

    def _set_weights(self, weights: np.ndarray) -> None:
        """Weights of the terms; an unknown term counts their mean."""
        if len(weights) == len(self._terms):
            unknown = np.full(self.num_oov_indices, weights.mean() if len(weights) else 0)
            weights = np.concatenate([unknown, weights])
        width = self.max_tokens if self.pad_to_max_tokens and self.max_tokens else len(weights)
        self.idf_weights = np.pad(weights, (0, width - len(weights))).astype(np.float32)

    # -- learning ---------------------------------------------------------------------------------

    def update_state(self, data: Any) -> None:
        """Count the terms of a batch."""
        if self.input_vocabulary is not None:
            raise ValueError(
                "Cannot adapt a layer that has been initialized with a vocabulary: set it with `set_vocabulary`, or "
                "leave `vocabulary` out."
            )
        for row in self._rows(data):
            terms = [self._term(v) for v in row]
            self._seen.update(terms)
            self._documents.update(set(terms))
            self._count += 1

    def _rows(self, data: Any) -> list[list[Any]]:
        """The terms of each sample."""
        if isinstance(data, tf.RaggedTensor):
            return [list(_flat(row)) for row in data.to_list()]
        array = np.asarray(tf.convert_to_tensor(data).numpy(), object)
        return [[array.item()]] if array.ndim == 0 else [np.ravel(row).tolist() for row in array]

    def finalize_state(self) -> None:
        """Make the vocabulary of what was counted."""
        if self.input_vocabulary is not None or not self._count:
            return
        special = self._special_tokens()
        found = [(t, n) for t, n in self._seen.items() if t not in special and t != self.mask_token]
        found = sorted(sorted(found, key=lambda kv: kv[0], reverse=True), key=lambda kv: -kv[1])
        room = None if self.max_tokens is None else self.max_tokens - len(special)
        self._set_terms([term for term, _ in found][:room])
        if self.output_mode == "tf_idf":
            seen = np.array([self._documents[t] for t in self._terms])
            self._set_weights(np.log(1 + self._count / (1 + seen)).astype(np.float32))
        self._seen, self._documents, self._count = Counter(), Counter(), 0

    def reset_state(self) -> None:
        """Forget what was learned."""
        if self.input_vocabulary is None:
            self._set_terms([])
            self._seen, self._documents, self._count = Counter(), Counter(), 0

    # -- looking up -------------------------------------------------------------------------------

    def _found(self, inputs: Tensor) -> Any:
        """The place of each term, as int64."""
        raise NotImplementedError

    def _named(self, inputs: Tensor) -> Any:
        """The term at each place."""
        raise NotImplementedError

    def check_vocabulary(self, name: str) -> None:
        """Raise unless there is a vocabulary to look things up in."""
        if not self._terms:
            file = self.unread_file
            unread = (
                f" Its config names the file {file!r}, which loading does not open."
                if file is not None
                else ""
            )
            raise tf.errors.FailedPreconditionError(
                None,
                None,
                f"{name} expected a vocabulary: Table not initialized; got a call before adapt() or "
                f"set_vocabulary(). Call one of them first.{unread}",
            )

    def call(self, inputs: TensorLike) -> Any:
        self.check_vocabulary(self.name)
        if not self.invert:
            return encoded_inputs(self, inputs, self._found, self._depth(), self.idf_weights)
        if isinstance(inputs, tf.SparseTensor):
            return inputs.with_values(self._named(inputs.values))
        if isinstance(inputs, tf.RaggedTensor):
            return inputs.with_flat_values(self._named(inputs.flat_values))
        return self._named(tf.convert_to_tensor(inputs))

    def _depth(self) -> int:
        if self.pad_to_max_tokens and self.max_tokens is not None:
            return self.max_tokens
        return self.vocabulary_size() if self._terms else self._expected_size or self.vocabulary_size()

    def compute_output_shape(self, input_shape: InputShape) -> TensorShape:
        return encoded_shape(input_shape, self.output_mode, self._depth())

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        layer = super().from_config(without_file(config))
        layer.unread_file = file_of(config)
        return layer

    def get_config(self) -> dict[str, Any]:
        # The terms are part of it, learned or read from a file: a loaded model needs neither the data nor the file.
        has_terms = self.input_vocabulary is not None and not isinstance(self.input_vocabulary, (str, Path))
        given = self.input_vocabulary if has_terms else (self._terms or None)
        weights = None if self.idf_weights is None else self.idf_weights[self.num_oov_indices :]
        return {
            **super().get_config(),
            "invert": self.invert,
            "max_tokens": self.max_tokens,
            "num_oov_indices": self.num_oov_indices,
            "oov_token": self.oov_token,
            "mask_token": self.mask_token,
            "output_mode": self.output_mode,
            "sparse": self.sparse,
            "pad_to_max_tokens": self.pad_to_max_tokens,
            "idf_weights": None if weights is None else weights[: len(self._terms)].tolist(),
            "vocabulary": _listed(given),
            "vocabulary_size": self.vocabulary_size(),
        }


def file_of(config: dict[str, Any]) -> Any:
    """The vocabulary file that a config names, as Keras writes it; None if it has the terms, or none."""
    given = config.get("vocabulary")
    return given if isinstance(given, (str, bytes, os.PathLike)) else None


def without_file(config: dict[str, Any]) -> dict[str, Any]:
    """A config that names no file: whoever wrote the config must not choose what is opened.

    Keras keeps the terms of such a layer beside the model's weights, from where they are loaded.
    """
    return config if file_of(config) is None else {**config, "vocabulary": None}


def _lines_of(path: str | Path) -> list[str]:
    if is_load_safe():
        raise ValueError(
            f"Loading expected the vocabulary in the model file; got the path {str(path)!r}, and a model file must "
            "not choose which other files are opened. If you trust who wrote it, pass safe_mode=False to load_model."
        )
    file = Path(path)
    if not file.is_file():
        raise ValueError(
            f"Vocabulary file {str(path)!r} does not exist. Pass a list of terms or a file of one a line."
        )
    return file.read_text(encoding="utf-8").splitlines()


def _listed(value: object) -> Any:
    if value is None:
        return None
    return [v.item() if isinstance(v, np.generic) else v for v in np.asarray(value, object).ravel()]


def _flat(value: object) -> Any:
    if isinstance(value, list):
        for part in value:
            yield from _flat(part)
    else:
        yield value
