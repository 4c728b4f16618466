"""`MultiHeadAttention`: attention in several projections at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import tapeflow as tf
from tapeflow.engine.values.annotations import ShapeLike, TensorLike
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable
from tapeflow.keras import constraints, initializers, regularizers
from tapeflow.keras.annotations import ConstraintLike, InitializerLike, InputShape, RegularizerLike
from tapeflow.keras.layers.base.inner_build import build_inside, inside
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.layers.base.seed import SeedGenerator
from tapeflow.keras.layers.sequence.attention_equations import AttentionEquations, attention_equations
from tapeflow.ops.nn.attention import attention_op, heads_op


class _Projection(Layer):
    """A product over the last axes of its input: to heads, or back from them."""

    def __init__(
        self,
        sizes: tuple[int, ...],
        bound: int,
        use_bias: bool,
        settings: dict[str, Any],
        name: str,
        dtype: Any,
    ) -> None:
        super().__init__(name=name, dtype=dtype, activity_regularizer=settings["activity_regularizer"])
        self._sizes = sizes
        self._bound = bound
        self._settings = settings
        self._use_bias = use_bias
        self.bias: Any = None

    def build(self, input_shape: InputShape) -> None:
        bound = tuple(input_shape)[-self._bound :]
        self.kernel = self._weight("kernel", (*bound, *self._sizes))
        if self._use_bias:
            self.bias = self._weight("bias", self._sizes)
        self.built = True

    def _weight(self, name: str, shape: tuple[Any, ...]) -> Variable:
        return self.add_weight(
            name,
            shape=shape,
            initializer=_cloned(self._settings[f"{name}_initializer"]),
            regularizer=self._settings[f"{name}_regularizer"],
            constraint=self._settings[f"{name}_constraint"],
        )

    def call(self, inputs: Tensor) -> Tensor:
        if self.bias is None:
            return heads_op(inputs, self.kernel, bound=self._bound)
        return heads_op(inputs, self.kernel, self.bias, bound=self._bound)


def _filled(query: TensorLike, key: TensorLike, value: TensorLike) -> tuple[Any, Any, Any]:
    """The arguments with rows filled up, key and value to one length; what is filled in counts, as in Keras."""
    given = [x for x in (key, value) if isinstance(x, tf.RaggedTensor)]
    width = max((int(x.bounding_shape()[1]) for x in given), default=0)

    def dense(x: Any, width: int | None) -> Any:
        shape = [None, width, *[None] * (len(x.shape) - 2)]
        return x.to_tensor(shape=shape) if isinstance(x, tf.RaggedTensor) else x

    return dense(query, None), dense(key, width), dense(value, width)


def _cloned(initializer: InitializerLike) -> Any:
    """An initializer of its own for each weight, so that they do not get the same values."""
    if isinstance(initializer, initializers.Initializer):
        return type(initializer).from_config(initializer.get_config())
    return initializer


class MultiHeadAttention(Layer):
    """Multi-head attention of a query over keys and values.

    Args:
        num_heads: how many heads.
        key_dim: the size of a head for query and key.
        value_dim: the size of a head for the value; `key_dim` unless given.
        dropout: the share of the attention weights that is dropped in training.
        use_bias: whether the projections have biases.
        output_shape: the shape of a position of the output; the query's size unless given.
        attention_axes: the axes attended over; all but batch and features unless given.
        kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer, kernel_constraint,
        bias_constraint: of the projections' weights.
        activity_regularizer: what to add to the losses for outputs of the projections and of the layer.
        softmax_robust_masking: set masked scores, instead of lowering them by much.
        **kwargs: see `Layer`; `seed` of the dropout.

    Call arguments:
        query: (batch, T, features).
        value: (batch, S, features).
        key: (batch, S, features); the value unless given.
        attention_mask: (batch, T, S): 0 where a position of the query is not to attend to one of the value.
        return_attention_scores: give the attention weights too.
        training: whether to drop out.
        use_causal_mask: let each position attend to those up to itself.
        query_mask, value_mask, key_mask: (batch, T) or (batch, S); those that the tensors carry unless given.

    >>> layer = tf.keras.layers.MultiHeadAttention(num_heads=2, key_dim=3)
    >>> layer(tf.zeros((1, 8, 16)), tf.zeros((1, 4, 16))).shape
    TensorShape([1, 8, 16])
    """

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        dropout: float = 0.0,
        use_bias: bool = True,
        output_shape: ShapeLike | None = None,
        attention_axes: Sequence[int] | None = None,
        kernel_initializer: InitializerLike = "glorot_uniform",
        bias_initializer: InitializerLike = "zeros",
        kernel_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        softmax_robust_masking: bool = False,
        **kwargs: Any,
    ) -> None:
        seed = kwargs.pop("seed", None)
        kwargs.pop("flash_attention", None)
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.supports_masking = True
        self._num_heads = num_heads
        self._key_dim = key_dim
        self._value_dim = value_dim or key_dim
        self._dropout = dropout
        self._use_bias = use_bias
        self._output_shape = output_shape
        self._attention_axes = _as_tuple(attention_axes)
        self._softmax_robust_masking = softmax_robust_masking
        self._settings: dict[str, Any] = {
            "kernel_initializer": initializers.get(kernel_initializer),
            "bias_initializer": initializers.get(bias_initializer),
            "kernel_regularizer": regularizers.get(kernel_regularizer),
            "bias_regularizer": regularizers.get(bias_regularizer),
            "activity_regularizer": regularizers.get(activity_regularizer),
            "kernel_constraint": constraints.get(kernel_constraint),
            "bias_constraint": constraints.get(bias_constraint),
        }
        self.seed = seed
        self.seed_generator = SeedGenerator(seed)
        self._built_from_signature = False
        self._query_shape: Any = None
        self._key_shape: Any = None
        self._value_shape: Any = None

    @property
    def num_heads(self) -> int:
        """How many heads."""
        return self._num_heads

    @property
    def key_dim(self) -> int:
        """The size of a head for query and key."""
        return self._key_dim

    @property
    def value_dim(self) -> int:
        """The size of a head for the value."""
        return self._value_dim

    @property
    def attention_axes(self) -> Any:
        """The axes attended over."""
        return self._attention_axes

    def build(self, query_shape: Any, value_shape: Any = None, key_shape: Any = None) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Make the weights, if the value's shape is known too; otherwise the first call does."""
        if value_shape is not None:
            self._build_from_signature(query_shape, value_shape, key_shape)
        self.built = True

    def _build_from_signature(self, query: Any, value: Any, key: Any = None) -> None:
        """Make the projections for these tensors, or tensors of these shapes."""
        self._built_from_signature = True
        self._query_shape = tf.TensorShape(getattr(query, "shape", query))
        self._value_shape = tf.TensorShape(getattr(value, "shape", value))
        self._key_shape = self._value_shape if key is None else tf.TensorShape(getattr(key, "shape", key))
        of_keys, of_values = (self._num_heads, self._key_dim), (self._num_heads, self._value_dim)
        rank = len(self._query_shape) + 1
        if self._attention_axes is None:
            self._attention_axes = tuple(range(1, rank - 2))
        ends = _as_tuple(self._output_shape) or (self._query_shape[-1],)
        self._query_dense = self._projection("query", of_keys, self._query_shape)
        self._key_dense = self._projection("key", of_keys, self._key_shape)
        self._value_dense = self._projection("value", of_values, self._value_shape)
        self._output_dense = self._projection("attention_output", ends, (None, *of_values), bound=2)

    def _symbolic_call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Make the projections from the shapes of symbols: in those of the sketch no dimension is None."""
        given = {**dict(zip(("query", "value", "key"), args, strict=False)), **kwargs}
        if given.get("value") is not None and not self._built_from_signature:
            with inside(self):
                self._build_from_signature(given["query"], given["value"], given.get("key"))
        return super()._symbolic_call(args, kwargs)

    def _projection(
        self, name: str, sizes: tuple[int, ...], input_shape: InputShape, bound: int = 1
    ) -> _Projection:
        made = _Projection(sizes, bound, self._use_bias, self._settings, name, self._policy)
        build_inside(made, input_shape)
        return made

    def call(
        self,
        query: Any,
        value: TensorLike,
        key: Any = None,
        attention_mask: Tensor | None = None,
        return_attention_scores: bool = False,
        training: bool | None = None,
        use_causal_mask: bool = False,
        query_mask: Any = None,
        value_mask: Any = None,
        key_mask: Any = None,
    ) -> Any:
        if not self._built_from_signature:
            self._build_from_signature(query, value, key)
        key = value if key is None else key
        lengths = query.nested_row_lengths() if isinstance(query, tf.RaggedTensor) else None
        query, key, value = _filled(query, key, value)
        masks = (
            _mask_of(query, query_mask),
            _mask_of(value, value_mask),
            _mask_of(key, key_mask) if key is not value else key_mask,
        )
        attention_mask = _joined_mask(query, value, masks, attention_mask, use_causal_mask)
        attended, scores = self._compute_attention(
            self._query_dense(query), self._key_dense(key), self._value_dense(value), attention_mask, training
        )
        outputs = self._output_dense(attended)
        if lengths is not None:
            outputs = tf.RaggedTensor.from_tensor(outputs, lengths=lengths)
        return (outputs, scores) if return_attention_scores else outputs

    # Subclasses that compute attention themselves use the next four, by Keras's names.
    @property
    def _dot_product_equation(self) -> str:
        return self._equations.dot_product

    @property
    def _combine_equation(self) -> str:
        return self._equations.combine

    def _masked_softmax(self, attention_scores: Any, attention_mask: Tensor | None = None) -> Any:
        """Scores as weights: over the axes of the values, and with those of masked values near 0."""
        count = len(self._attention_axes)
        if attention_mask is not None:
            for _ in range(attention_scores.shape.rank - attention_mask.shape.rank):
                attention_mask = tf.expand_dims(attention_mask, -2 * count - 1)
        axes = tuple(range(-count, 0))
        return tf.keras.layers.Softmax(axis=axes)(attention_scores, attention_mask)

    def _dropout_layer(self, attention_scores: Tensor, training: bool | None = None) -> Tensor:
        """Attention weights, in training with some dropped."""
        is_training = tf.keras.backend.learning_phase() if training is None else training
        return tf.nn.dropout(attention_scores, self._dropout) if is_training else attention_scores

    @property
    def _equations(self) -> AttentionEquations:
        return attention_equations(len(self._query_shape) + 1, tuple(self._attention_axes))

    def _compute_attention(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attention_mask: Tensor | None = None,
        training: bool | None = None,
    ) -> tuple[Any, Any]:
        """Attention of projected query, key and value, (batch, ..., heads, size); subclasses may have another."""
        rate = float(self._dropout) if training else 0.0
        rest = [] if attention_mask is None else [attention_mask]
        if rate:
            rest.append(self.seed_generator.next_key())
        return attention_op(
            query,
            key,
            value,
            *rest,
            axes=self._attention_axes,
            scale=1.0 / math.sqrt(self._key_dim),
            has_mask=attention_mask is not None,
            is_robust=self._softmax_robust_masking,
            dropout=rate,
        )

    def compute_output_shape(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, query_shape: Any, value_shape: ShapeLike | None = None, key_shape: ShapeLike | None = None
    ) -> TensorShape:
        query = tf.TensorShape(query_shape)
        value = tf.TensorShape(query_shape if value_shape is None else value_shape)
        key = value if key_shape is None else tf.TensorShape(key_shape)
        if query[-1] != value[-1]:
            raise ValueError(
                f"The last dimension of `query_shape` and `value_shape` must be equal, but are {query[-1]}, "
                f"{value[-1]}. Received: query_shape={query_shape}, value_shape={value_shape}"
            )
        if tuple(value)[1:-1] != tuple(key)[1:-1]:
            raise ValueError(
                "All dimensions of `value` and `key`, except the last one, must be equal. Received "
                f"{value_shape} and {key_shape}"
            )
        ends = _as_tuple(self._output_shape) or (query[-1],)
        return tf.TensorShape((*tuple(query)[:-1], *ends))

    def get_config(self) -> dict[str, Any]:
        config: dict[str, Any] = {
            **super().get_config(),
            "num_heads": self._num_heads,
            "key_dim": self._key_dim,
            "value_dim": self._value_dim,
            "dropout": self._dropout,
            "use_bias": self._use_bias,
            "output_shape": self._output_shape,
            "attention_axes": self._attention_axes,
        }
        for name, value in self._settings.items():
            family = {"initializer": initializers, "regularizer": regularizers, "constraint": constraints}
            config[name] = family[name.rsplit("_", 1)[1]].serialize(value)
        for name in ("query_shape", "key_shape", "value_shape"):
            shape = getattr(self, f"_{name}")
            config[name] = None if shape is None else tuple(shape)
        config["softmax_robust_masking"] = self._softmax_robust_masking
        return {**config, "seed": self.seed} if self.seed is not None else config

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        config = dict(config)
        shapes = [config.pop(name, None) for name in ("query_shape", "value_shape", "key_shape")]
        layer = cls(**config)
        if None not in shapes:
            with inside(layer):
                layer._build_from_signature(*shapes)
        return layer


def _as_tuple(value: Any) -> Any:
    return value if value is None else (value,) if isinstance(value, int) else tuple(value)


def _mask_of(tensor: TensorLike, given: object) -> Any:
    return getattr(tensor, "_keras_mask", None) if given is None else given


def _joined_mask(
    query: Tensor,
    value: Any,
    masks: tuple[Tensor | None, ...],
    attention_mask: Tensor | None,
    is_causal: bool,
) -> Tensor | None:
    """All masks as one, (batch, T, S), True where to attend; None if there is none."""
    found: list[Any] = []
    for mask, axis in zip(masks, (-1, 1, 1), strict=True):
        if mask is not None:
            found.append(tf.expand_dims(tf.cast(mask, tf.bool), axis))
    if is_causal:
        ones = tf.ones((1, query.shape[1], value.shape[1]), tf.bool)
        found.append(tf.linalg.band_part(ones, -1, 0))
    if not found:
        return attention_mask
    if attention_mask is not None:
        found.insert(0, tf.cast(attention_mask, tf.bool))
    joined = found[0]
    for mask in found[1:]:
        joined = tf.logical_and(joined, mask)
    return joined
