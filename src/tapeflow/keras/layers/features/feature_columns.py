"""The columns of `tf.feature_column`: what becomes of one column of a table, or of several crossed.

TensorFlow has left them for preprocessing layers, and many an old script has them. A categorical column gives class
numbers as a matrix with a row for each sample, in which -1 stands for nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.annotations import DTypeLike, Shape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable
from tapeflow.keras.annotations import InitializerLike

Features = Mapping[str, Any]


class Column:
    """One column: its name, and what an example file must hold for it."""

    name: str
    parse_spec: dict[str, Any]


class DenseColumn(Column):
    """A column that gives numbers: `size` of them for each sample."""

    size: int

    def build(self, add_weight: Callable[..., Any]) -> Any:
        """The weight that it needs, if it does."""
        return None

    def numbers(self, features: Features, weight: Variable) -> Any:
        """The numbers of each sample."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its numbers are.")


class CategoricalColumn(Column):
    """A column that gives class numbers."""

    num_buckets: int

    def ids(self, features: Features) -> Any:
        """The class numbers of each sample."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its class numbers are.")

    def weights(self, features: Features) -> Any:
        """What each of them counts; None if all count alike."""
        return None


class NumericColumn(DenseColumn):
    """Numbers as they are; see `numeric_column`."""

    def __init__(
        self,
        key: str,
        shape: tuple[int, ...],
        default: Any,
        dtype: Any,
        normalizer: Callable[..., Any] | None,
    ) -> None:
        self.key, self.name, self.shape, self.default_value = key, key, shape, default
        self.dtype, self.normalizer_fn = tf.as_dtype(dtype), normalizer
        self.size = math.prod(shape)
        self.parse_spec = {key: tf.io.FixedLenFeature(shape, self.dtype, default)}

    def numbers(self, features: Features, weight: Variable | None = None) -> Tensor:
        given = _feature(features, self.key)
        values = tf.sparse.to_dense(given) if isinstance(given, tf.SparseTensor) else given
        values = tf.cast(values, "float32")
        if self.normalizer_fn is not None:
            values = self.normalizer_fn(values)
        return tf.reshape(values, [-1, self.size])


class BucketizedColumn(DenseColumn, CategoricalColumn):
    """The bins that numbers lie in; see `bucketized_column`."""

    def __init__(self, source: NumericColumn, boundaries: Sequence[float]) -> None:
        self.source_column, self.boundaries = source, tuple(boundaries)
        self.name = f"{source.name}_bucketized"
        self.bins = len(self.boundaries) + 1
        self.num_buckets = self.size = self.bins * source.size
        self.parse_spec = source.parse_spec

    def _bins(self, features: Features) -> Tensor:
        values = self.source_column.numbers(features)
        edges = tf.constant(self.boundaries, "float32")
        flat = tf.searchsorted(edges, tf.reshape(values, [-1]), side="right")
        return tf.reshape(flat, [-1, self.source_column.size])

    def ids(self, features: Features) -> Tensor:
        bins = self._bins(features)
        return tf.cast(bins + tf.range(self.source_column.size, dtype=bins.dtype) * self.bins, "int64")

    def numbers(self, features: Features, weight: Variable | None = None) -> Tensor:
        return tf.reshape(tf.one_hot(self._bins(features), self.bins), [-1, self.size])


class HashedColumn(CategoricalColumn):
    """Hashes of texts or whole numbers; see `categorical_column_with_hash_bucket`."""

    def __init__(self, key: str, size: int, dtype: Any) -> None:
        self.key, self.name, self.num_buckets, self.dtype = key, key, size, tf.as_dtype(dtype)
        self.parse_spec = {key: tf.io.VarLenFeature(self.dtype)}

    def ids(self, features: Features) -> Tensor:
        values = _matrix(features, self.key)
        text = values if values.dtype == tf.string else tf.as_string(values)
        buckets = tf.strings.to_hash_bucket_fast(text, self.num_buckets)
        return tf.where(_is_there(values), buckets, -tf.ones_like(buckets))


class VocabularyColumn(CategoricalColumn):
    """Places in a list of terms; see `categorical_column_with_vocabulary_list`."""

    def __init__(self, key: str, terms: list[Any], dtype: Any, default: int, oov: int) -> None:
        self.key, self.name, self.dtype = key, key, tf.as_dtype(dtype)
        self.vocabulary_list, self.default_value, self.num_oov_buckets = tuple(terms), default, oov
        self.num_buckets = len(terms) + oov
        self.parse_spec = {key: tf.io.VarLenFeature(self.dtype)}
        self._table: Any = None

    def ids(self, features: Features) -> Tensor:
        values = _matrix(features, self.key)
        if values.dtype != tf.string:
            values = tf.cast(values, "int64")
        if self._table is None:
            keys = tf.constant(self.vocabulary_list, values.dtype)
            places = tf.range(len(self.vocabulary_list), dtype=tf.int64)
            initializer = tf.lookup.KeyValueTensorInitializer(keys, places)
            self._table = tf.lookup.StaticHashTable(initializer, -1)
        indices = self._table.lookup(values)
        other = tf.fill(tf.shape(indices), tf.constant(self.default_value, indices.dtype))
        if self.num_oov_buckets:
            text = values if values.dtype == tf.string else tf.as_string(values)
            other = tf.strings.to_hash_bucket_fast(text, self.num_oov_buckets) + len(self.vocabulary_list)
        indices = tf.where(indices < 0, other, indices)
        return tf.where(_is_there(values), indices, -tf.ones_like(indices))


class IdentityColumn(CategoricalColumn):
    """Whole numbers that are class numbers already; see `categorical_column_with_identity`."""

    def __init__(self, key: str, size: int, default: int | None) -> None:
        self.key, self.name, self.num_buckets, self.default_value = key, key, size, default
        self.parse_spec = {key: tf.io.VarLenFeature(tf.int64)}

    def ids(self, features: Features) -> Tensor:
        identities = tf.cast(_matrix(features, self.key), "int64")
        is_inside = tf.logical_and(identities >= 0, identities < self.num_buckets)
        if self.default_value is None:
            tf.debugging.Assert(
                tf.reduce_all(tf.logical_or(is_inside, identities < 0)),
                [
                    f"{self.name} expected class numbers below {self.num_buckets}. Give a default_value for others."
                ],
            )
            return identities
        other = tf.fill(tf.shape(identities), tf.constant(self.default_value, identities.dtype))
        return tf.where(tf.logical_or(is_inside, tf.equal(identities, -1)), identities, other)


class CrossedColumn(CategoricalColumn):
    """Hashes of what several columns say together; see `crossed_column`."""

    def __init__(self, keys: Sequence[Any], size: int, hash_key: int | None) -> None:
        self.keys, self.num_buckets, self.hash_key = tuple(keys), size, hash_key
        self.name = "_X_".join(
            sorted(leaf if isinstance(leaf, str) else leaf.name for leaf in self._leaves())
        )
        self.parse_spec = {}
        for key in self.keys:
            own = {key: tf.io.VarLenFeature(tf.string)} if isinstance(key, str) else key.parse_spec
            self.parse_spec.update(own)

    def _leaves(self) -> list[Any]:
        return [
            leaf for key in self.keys for leaf in (key._leaves() if isinstance(key, CrossedColumn) else [key])
        ]

    def ids(self, features: Features) -> Tensor:
        parts = []
        for leaf in self._leaves():
            part = _feature(features, leaf) if isinstance(leaf, str) else leaf.ids(features)
            is_row = not isinstance(part, tf.SparseTensor) and len(part.shape) == 1
            parts.append(tf.expand_dims(part, -1) if is_row else part)
        crossed = tf.sparse.cross_hashed(parts, self.num_buckets, self.hash_key)
        return tf.sparse.to_dense(crossed, default_value=-1)


class WeightedColumn(CategoricalColumn):
    """Class numbers that do not count alike; see `weighted_categorical_column`."""

    def __init__(self, column: CategoricalColumn, key: str, dtype: Any) -> None:
        self.categorical_column, self.weight_feature_key = column, key
        self.name, self.num_buckets = f"{column.name}_weighted_by_{key}", column.num_buckets
        self.parse_spec = {**column.parse_spec, key: tf.io.VarLenFeature(tf.as_dtype(dtype))}

    def ids(self, features: Features) -> Tensor:
        return self.categorical_column.ids(features)

    def weights(self, features: Features) -> Tensor:
        return tf.cast(_matrix(features, self.weight_feature_key, missing=0.0), "float32")


class IndicatorColumn(DenseColumn):
    """How often each class occurs in a sample; see `indicator_column`."""

    def __init__(self, column: CategoricalColumn) -> None:
        self.categorical_column, self.name = column, f"{column.name}_indicator"
        self.size, self.parse_spec = column.num_buckets, column.parse_spec

    def numbers(self, features: Features, weight: Variable | None = None) -> Tensor:
        spread = tf.one_hot(self.categorical_column.ids(features), self.size)
        counted = self.categorical_column.weights(features)
        return tf.reduce_sum(spread if counted is None else spread * tf.expand_dims(counted, -1), 1)


class EmbeddingColumn(DenseColumn):
    """A learned vector for each class; see `embedding_column`."""

    def __init__(
        self,
        column: CategoricalColumn,
        dimension: int,
        combiner: str,
        initializer: InitializerLike,
        max_norm: float | None,
        trainable: bool,
    ) -> None:
        self.categorical_column, self.dimension, self.combiner = column, dimension, combiner
        self.initializer, self.max_norm, self.trainable = initializer, max_norm, trainable
        self.name, self.size, self.parse_spec = f"{column.name}_embedding", dimension, column.parse_spec

    def build(self, add_weight: Callable[..., Any]) -> Variable:
        initial = self.initializer
        if initial is None:
            initial = tf.keras.initializers.TruncatedNormal(stddev=1 / math.sqrt(self.dimension))
        return add_weight(
            f"{self.name}/embedding_weights",
            shape=(self.categorical_column.num_buckets, self.dimension),
            initializer=initial,
            trainable=self.trainable,
        )

    def numbers(self, features: Features, weight: Variable) -> Tensor:
        ids = self.categorical_column.ids(features)
        counted = tf.cast(ids >= 0, weight.dtype)
        given = self.categorical_column.weights(features)
        if given is not None:
            counted = counted * given
        rows = tf.gather(weight, tf.maximum(ids, 0))
        if self.max_norm is not None:
            rows = tf.clip_by_norm(rows, self.max_norm, axes=[-1])
        total = tf.reduce_sum(rows * tf.expand_dims(counted, -1), 1)
        if self.combiner == "sum":
            return total
        of_each = counted if self.combiner == "mean" else tf.square(counted)
        size = tf.reduce_sum(of_each, 1, keepdims=True)
        return tf.math.divide_no_nan(total, size if self.combiner == "mean" else tf.sqrt(size))


def _feature(features: Features, key: str) -> Any:
    if key not in features:
        raise ValueError(
            f"A feature column expected the feature {key!r}; got {sorted(map(str, features))}. Feature {key} is not "
            "in features dictionary."
        )
    value = features[key]
    return value if isinstance(value, (tf.SparseTensor, tf.RaggedTensor)) else tf.convert_to_tensor(value)


def _matrix(features: Features, key: str, missing: float | None = None) -> Tensor:
    """A feature with a row for each sample; where there is nothing, '' or -1."""
    value = _feature(features, key)
    if isinstance(value, (tf.SparseTensor, tf.RaggedTensor)):
        nothing = ("" if value.dtype == tf.string else -1) if missing is None else missing
        if isinstance(value, tf.RaggedTensor):
            return value.to_tensor(nothing)
        return tf.sparse.to_dense(value, default_value=nothing)
    return tf.expand_dims(value, -1) if len(value.shape) == 1 else value


def _is_there(values: Tensor) -> Tensor:
    return tf.not_equal(values, "" if values.dtype == tf.string else -1)


def numeric_column(
    key: str,
    shape: Shape = (1,),
    default_value: Any = None,
    dtype: DTypeLike = tf.float32,
    normalizer_fn: Any = None,
) -> NumericColumn:
    """Numbers, as they are or as a function makes them.

    >>> column = tf.feature_column.numeric_column("age")
    >>> tf.keras.layers.DenseFeatures(column)({"age": [[30.0], [40.0]]}).numpy().tolist()
    [[30.0], [40.0]]
    """
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    if not (tf.as_dtype(dtype).is_integer or tf.as_dtype(dtype).is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {dtype}, key: {key}")
    return NumericColumn(key, sizes, default_value, dtype, normalizer_fn)


def bucketized_column(source_column: NumericColumn, boundaries: Sequence[float]) -> BucketizedColumn:
    """The bins that a column's numbers lie in; a number on an edge is in the bin above."""
    if not isinstance(source_column, NumericColumn):
        raise ValueError(
            f"source_column must be a column generated with numeric_column(). Given: {source_column}"
        )
    if not boundaries or list(boundaries) != sorted(boundaries):
        raise ValueError(f"boundaries must be a sorted list. Given: {boundaries}")
    return BucketizedColumn(source_column, boundaries)


def categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: DTypeLike = tf.string
) -> HashedColumn:
    """Texts or whole numbers as hashes."""
    if hash_bucket_size < 1:
        raise ValueError(
            f"hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, key: {key}"
        )
    return HashedColumn(key, hash_bucket_size, dtype)


def categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[Any],
    dtype: DTypeLike | None = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> VocabularyColumn:
    """Texts or whole numbers as their places in a list."""
    terms = list(np.asarray(vocabulary_list, object).ravel())
    if not terms or len(set(terms)) < len(terms):
        raise ValueError(
            f"vocabulary_list must be non-empty, and without duplicate keys. vocabulary_list: {terms}, key: {key}"
        )
    if num_oov_buckets and default_value != -1:
        raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
    term_dtype = dtype or (tf.string if isinstance(terms[0], (str, bytes)) else tf.int64)
    return VocabularyColumn(key, terms, term_dtype, default_value, num_oov_buckets)


def categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: str,
    vocabulary_size: int | None = None,
    dtype: DTypeLike = tf.string,
    default_value: int | None = None,
    num_oov_buckets: int = 0,
    file_format: str | None = None,
) -> VocabularyColumn:
    """The same with a file that has a term in each line."""
    lines = Path(vocabulary_file).read_text(encoding="utf-8").splitlines()[:vocabulary_size]
    terms: list[Any] = lines if tf.as_dtype(dtype) == tf.string else [int(line) for line in lines]
    default = -1 if default_value is None else default_value
    return categorical_column_with_vocabulary_list(key, terms, dtype, default, num_oov_buckets)


def categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> IdentityColumn:
    """Whole numbers below `num_buckets` as they are."""
    if num_buckets < 1 or (default_value is not None and not 0 <= default_value < num_buckets):
        raise ValueError(
            f"default_value {default_value} not in range [0, {num_buckets}), column_name {key}; num_buckets must be "
            "at least 1."
        )
    return IdentityColumn(key, num_buckets, default_value)


def crossed_column(keys: Sequence[Any], hash_bucket_size: int, hash_key: int | None = None) -> CrossedColumn:
    """What several columns, or texts by their names, say together, as hashes."""
    is_fitting = all(
        isinstance(k, (str, CategoricalColumn)) and not isinstance(k, HashedColumn) for k in keys
    )
    if len(keys) < 2 or not is_fitting:
        raise ValueError(
            "keys must be a list with length > 1 of names and categorical columns, and no hashed ones, whose names "
            f"will do. Given: {list(keys)}"
        )
    return CrossedColumn(keys, hash_bucket_size, hash_key)


def weighted_categorical_column(
    categorical_column: CategoricalColumn, weight_feature_key: str, dtype: DTypeLike = tf.float32
) -> WeightedColumn:
    """Class numbers, and what each of them counts."""
    return WeightedColumn(categorical_column, weight_feature_key, dtype)


def indicator_column(categorical_column: CategoricalColumn) -> IndicatorColumn:
    """How often each class occurs in a sample."""
    return IndicatorColumn(categorical_column)


def embedding_column(
    categorical_column: CategoricalColumn,
    dimension: int,
    combiner: str = "mean",
    initializer: InitializerLike = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> EmbeddingColumn:
    """A learned vector for each class; those of a sample become one by `combiner`: mean, sum or sqrtn."""
    if dimension is None or dimension < 1:
        raise ValueError(f"Invalid dimension {dimension}.")
    if combiner not in ("mean", "sum", "sqrtn") or ckpt_to_load_from is not None:
        raise ValueError(
            "embedding_column expected combiner to be 'mean', 'sum' or 'sqrtn', and no ckpt_to_load_from; got "
            f"combiner={combiner!r}, ckpt_to_load_from={ckpt_to_load_from!r}. Load weights into the model."
        )
    return EmbeddingColumn(categorical_column, dimension, combiner, initializer, max_norm, trainable)


def make_parse_example_spec(feature_columns: Sequence[Column]) -> dict[str, Any]:
    """What `tf.io.parse_example` must be asked for."""
    return {key: spec for column in feature_columns for key, spec in column.parse_spec.items()}
