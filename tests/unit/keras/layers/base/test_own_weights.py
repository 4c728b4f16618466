"""Tests for tapeflow.keras.layers.base.own_weights: lists of weights that packages read and add to."""

from __future__ import annotations

import tapeflow as tf


def test_own_weights_are_told_apart_by_whether_they_are_trained() -> None:
    layer = tf.keras.layers.BatchNormalization()
    layer.build((None, 2))
    assert [w.name for w in layer._trainable_weights] == ["gamma:0", "beta:0"]
    assert [w.name for w in layer._non_trainable_weights] == ["moving_mean:0", "moving_variance:0"]
    layer.trainable = False
    assert len(layer._trainable_weights) == 2
    wrapper = tf.keras.layers.TimeDistributed(layer)
    assert wrapper._trainable_weights == wrapper._non_trainable_weights == []


def test_what_is_added_is_a_weight_of_the_layer_once() -> None:
    layer, extra = tf.keras.layers.Layer(), tf.Variable(1.0)
    layer._trainable_weights.append(extra)
    layer._trainable_weights.extend([extra, tf.Variable(2.0)])
    layer._non_trainable_weights.append(tf.Variable(3.0, trainable=False))
    assert [float(w) for w in layer.trainable_weights] == [1.0, 2.0]
    assert [float(w) for w in layer.weights] == [1.0, 2.0, 3.0]
