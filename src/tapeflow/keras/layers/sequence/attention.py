"""`Attention` and `AdditiveAttention`: a query's weighted mean of values, the weights found from keys."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.shape import TensorShape
from tapeflow.engine.values.tensor import Tensor
from tapeflow.keras.annotations import InputShape
from tapeflow.keras.layers.stochastic.dropout import RandomLayer
from tapeflow.ops.random.noise import dropout_op


class DenseAttention(RandomLayer):
    """What both share: scores become weights, by a softmax over the positions of the value.

    Args:
        dropout: the share of the weights that is dropped in training.
        **kwargs: see `Layer`; `seed` of the dropout; `causal`, Keras 2.9's `use_causal_mask`.

    Call arguments:
        inputs: [query, value] or [query, value, key]: (batch, T, size) and (batch, S, size).
        mask: [query_mask, value_mask], (batch, T) and (batch, S): the output is zero, and a position of
            the value does not count, where they are False.
        training: whether to drop out.
        return_attention_scores: give the weights too.
        use_causal_mask: let each position attend to those up to itself.
    """

    def __init__(self, dropout: float = 0.0, **kwargs: Any) -> None:
        self_causal = kwargs.pop("causal", False)
        super().__init__(**kwargs)
        self.dropout = dropout
        self.causal = self_causal

    def _calculate_scores(self, query: Any, key: object) -> Any:
        """(batch, T, S)."""
        raise NotImplementedError(f"{type(self).__name__} expected a method _calculate_scores(query, key).")

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: bool | None = None,
        return_attention_scores: bool = False,
        use_causal_mask: bool = False,
    ) -> Any:
        self._check(inputs, mask)
        if any(isinstance(x, tf.RaggedTensor) for x in inputs):
            return self._over_rows(inputs, training, return_attention_scores, use_causal_mask)
        query, value = inputs[:2]
        key = inputs[2] if len(inputs) > 2 else value
        query_mask, value_mask = mask[:2] if mask else (None, None)
        scores = self._calculate_scores(query=query, key=key)
        keeps = None if value_mask is None else tf.expand_dims(tf.cast(value_mask, tf.bool), -2)
        if self.causal or use_causal_mask:
            sizes = tuple(scores.shape)
            past = tf.linalg.band_part(tf.ones((1,) * (len(sizes) - 2) + sizes[-2:], tf.bool), -1, 0)
            keeps = past if keeps is None else tf.logical_and(keeps, past)
        result, weights = self._apply_scores(scores=scores, value=value, scores_mask=keeps, training=training)
        if query_mask is not None:
            result = result * tf.cast(tf.expand_dims(query_mask, -1), result.dtype)
        return (result, weights) if return_attention_scores else result

    def _over_rows(
        self, inputs: Any, training: bool | None, gives_scores: bool, use_causal_mask: bool
    ) -> Any:
        """The call on sequences of several lengths, filled up and masked; the result is cut to the query's again."""
        dense = [x.to_tensor() if isinstance(x, tf.RaggedTensor) else x for x in inputs]
        query, value = inputs[:2]
        is_there = None
        if isinstance(value, tf.RaggedTensor):
            is_there = tf.sequence_mask(value.row_lengths(), dense[1].shape[1])
        result, weights = self.call(dense, [None, is_there], training, True, use_causal_mask)
        if isinstance(query, tf.RaggedTensor):
            lengths = query.row_lengths()
            result = tf.RaggedTensor.from_tensor(result, lengths=lengths)
            inner = [tf.repeat(value.row_lengths(), lengths)] if is_there is not None else []
            weights = tf.RaggedTensor.from_tensor(weights, lengths=[lengths, *inner])
        return (result, weights) if gives_scores else result

    def _apply_scores(
        self, scores: Tensor, value: Any, scores_mask: TensorLike | None = None, training: bool | None = None
    ) -> tuple[Any, Any]:
        if scores_mask is not None:
            size = 65504.0 if scores.dtype == tf.float16 else 1e9
            scores = scores - size * tf.cast(tf.logical_not(scores_mask), scores.dtype)
        weights = tf.nn.softmax(scores)
        if training and self.dropout > 0:
            key = self.seed_generator.next_key()
            weights = dropout_op(weights, key, rate=float(self.dropout), noise_shape=weights.spec.shape)
        return tf.matmul(weights, value), weights

    def compute_mask(self, inputs: TensorLike, mask: Any = None) -> Tensor | None:
        self._check(inputs, mask)
        return None if not mask or mask[0] is None else tf.convert_to_tensor(mask[0])

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        return tf.TensorShape((*tuple(input_shape[0])[:-1], tuple(input_shape[1])[-1]))

    def _check(self, inputs: TensorLike, mask: TensorLike) -> None:
        name = type(self).__name__
        if not isinstance(inputs, list):
            raise ValueError(
                f"{name} layer must be called on a list of inputs, namely [query, value] or [query, value, key]. "
                f"Received: {inputs}."
            )
        if not 2 <= len(inputs) <= 3:
            raise ValueError(
                f"{name} layer accepts inputs list of length 2 or 3, namely [query, value] or [query, value, key]. "
                f"Received length: {len(inputs)}."
            )
        if mask is None:
            return
        if not isinstance(mask, list):
            raise ValueError(
                f"{name} layer mask must be a list, namely [query_mask, value_mask]. Received: {mask}."
            )
        if not 2 <= len(mask) <= len(inputs):
            raise ValueError(
                f"{name} layer mask must be a list of length 2, namely [query_mask, value_mask]. Received length: "
                f"{len(mask)}."
            )

    def get_config(self) -> dict[str, Any]:
        config = {**super().get_config(), "dropout": self.dropout}
        if self.causal:
            config["causal"] = True
        return {**config, "seed": self.seed} if self.seed is not None else config


class Attention(DenseAttention):
    """Dot-product (Luong) attention: scores are products of query and key.

    Args:
        use_scale: multiply the scores with a weight.
        score_mode: 'dot' for the product, 'concat' for the tanh of the sum of query and key.
        **kwargs: `dropout`; see `Layer`.

    >>> tf.keras.layers.Attention()([tf.zeros((1, 2, 3)), tf.zeros((1, 4, 3))]).shape
    TensorShape([1, 2, 3])
    """

    def __init__(self, use_scale: bool = False, score_mode: str = "dot", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if score_mode not in ("dot", "concat"):
            raise ValueError(f'Received: score_mode={score_mode}. Acceptable values are: ["dot", "concat"]')
        self.use_scale = use_scale
        self.score_mode = score_mode
        self.scale: Any = None
        self.concat_score_weight: Any = None

    def build(self, input_shape: InputShape) -> None:
        if self.use_scale:
            self.scale = self.add_weight("scale", shape=(), initializer="ones")
        if self.score_mode == "concat":
            self.concat_score_weight = self.add_weight("concat_score_weight", shape=(), initializer="ones")
        self.built = True

    def _calculate_scores(self, query: Tensor, key: Any) -> Tensor:
        if self.score_mode == "dot":
            scores = tf.matmul(query, key, transpose_b=True)
            return scores if self.scale is None else scores * self.scale
        sums = tf.expand_dims(query, -2) + tf.expand_dims(key, -3)
        sums = sums if self.scale is None else sums * self.scale
        return self.concat_score_weight * tf.reduce_sum(tf.tanh(sums), axis=-1)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "use_scale": self.use_scale, "score_mode": self.score_mode}


class AdditiveAttention(DenseAttention):
    """Additive (Bahdanau) attention: scores are sums of tanh(query + key).

    Args:
        use_scale: multiply each tanh with a weight.
        **kwargs: `dropout`; see `Layer`.
    """

    def __init__(self, use_scale: bool = True, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.use_scale = use_scale
        self.scale: Any = None

    def build(self, input_shape: Any) -> None:
        if self.use_scale:
            self.scale = self.add_weight("scale", shape=(input_shape[1][-1],), initializer="glorot_uniform")
        self.built = True

    def _calculate_scores(self, query: Any, key: Any) -> Tensor:
        sums = tf.tanh(tf.expand_dims(query, -2) + tf.expand_dims(key, -3))
        return tf.reduce_sum(sums if self.scale is None else self.scale * sums, axis=-1)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "use_scale": self.use_scale}
