"""Raw ops do what their public functions do."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.compat.inner import raw_ops


def test_every_raw_op_has_a_function() -> None:
    for name in dir(raw_ops):
        assert callable(getattr(raw_ops, name)), name


def test_names_of_arguments_are_those_of_graphs() -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert raw_ops.Sum(input=x, axis=[0], keep_dims=True).numpy().tolist() == [[4.0, 6.0]]
    assert raw_ops.MatMul(a=x, b=x, transpose_b=True).numpy().tolist() == [[5, 11], [11, 25]]
    assert raw_ops.ConcatV2(values=[x, x], axis=0).shape == (4, 2)
    assert raw_ops.Cast(x=x, DstT=tf.int32, name="cast").dtype == tf.int32
    assert [t.shape[1] for t in raw_ops.SplitV(value=x, size_splits=[1, 1], axis=1, num_split=2)] == [1, 1]
    assert raw_ops.MatrixDiagPartV2(input=x, k=0, padding_value=0.0).numpy().tolist() == [1.0, 4.0]


def test_arguments_that_only_kernels_need_are_refused() -> None:
    with pytest.raises(TypeError, match=r"tf\.raw_ops\.Sum expected arguments among .* got \['T'\]"):
        raw_ops.Sum(input=[1.0], axis=0, T=tf.float32)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        operator.attrgetter("Nothing")(raw_ops)


def test_axes_over_which_gradients_are_summed() -> None:
    found = raw_ops.BroadcastGradientArgs(s0=[2, 1, 3], s1=[4, 3])
    assert (found.r0.numpy().tolist(), found.r1.numpy().tolist()) == ([1], [0])
    same = raw_ops.BroadcastGradientArgs(s0=[2, 3], s1=[2, 3])
    assert (same.r0.numpy().tolist(), same.r1.numpy().tolist()) == ([], [])


def test_derivatives_of_the_gamma_distribution() -> None:
    a, x, step = 2.0, 1.5, 1e-2
    slope = (tf.math.igamma(a + step, x) - tf.math.igamma(a - step, x)) / (2 * step)
    assert float(raw_ops.IgammaGradA(a=a, x=x)) == pytest.approx(float(slope), rel=1e-3)
    # A sample moves so that its probability stays: minus the derivative by a, over the density.
    density = x * np.exp(-x)
    assert float(raw_ops.RandomGammaGrad(alpha=a, sample=x)) == pytest.approx(
        -float(slope) / density, rel=1e-3
    )


def test_different_rows() -> None:
    found = raw_ops.UniqueWithCountsV2(x=[[2, 2], [1, 1], [2, 2]], axis=[0])
    assert found.y.numpy().tolist() == [[2, 2], [1, 1]]
    assert found.idx.numpy().tolist() == [0, 1, 0]
    assert found.count.numpy().tolist() == [2, 1]
    assert raw_ops.UniqueV2(x=[3, 1, 3], axis=np.array([], np.int64)).y.numpy().tolist() == [3, 1]


def test_gradients_that_must_not_be() -> None:
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape, pytest.raises(LookupError, match="explicitly disabled. Reason: 'no'"):
        tape.gradient(raw_ops.PreventGradient(input=x * x, message="no"), x)


def test_images_through_projections() -> None:
    images = tf.reshape(tf.range(16.0), (1, 4, 4, 1))
    shifted = raw_ops.ImageProjectiveTransformV3(
        images=images,
        transforms=[[1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0]],
        output_shape=[2, 3],
        fill_value=0.0,
        interpolation="NEAREST",
    )
    assert shifted.numpy()[0, :, :, 0].tolist() == [[1, 2, 3], [5, 6, 7]]


@pytest.mark.parametrize("is_training", [True, False])
def test_batch_norm_kernels(is_training: bool) -> None:
    x = tf.random.normal([2, 3, 3, 4])
    vectors = {
        "scale": tf.fill([4], 2.0),
        "offset": tf.ones([4]),
        "mean": tf.zeros([4]),
        "variance": tf.ones([4]),
    }
    found = raw_ops.FusedBatchNormV3(x=x, **vectors, is_training=is_training, epsilon=0.001)
    assert len(found) == 6
    axes = (0, 1, 2)
    mean, spread = (np.mean(x, axes), np.var(x, axes)) if is_training else (0, 1)
    np.testing.assert_allclose(found.y, (x - mean) / np.sqrt(spread + 0.001) * 2 + 1, atol=1e-5)


def test_optimizers_kernels_change_variables_in_place() -> None:
    var, accum = tf.Variable([1.0, -2.0]), tf.Variable([0.5, 0.5])
    raw_ops.ResourceApplyKerasMomentum(
        var=var.handle, accum=accum.handle, lr=0.1, grad=[1.0, 2.0], momentum=0.9, use_nesterov=True
    )
    np.testing.assert_allclose(accum, [0.35, 0.25])
    np.testing.assert_allclose(var, [1.215, -1.975], rtol=1e-6)
    var, accum = tf.Variable([1.0, -2.0]), tf.Variable([0.0, 3.0])
    raw_ops.ResourceApplyProximalAdagrad(var=var, accum=accum, lr=0.5, l1=0.2, l2=1.0, grad=[2.0, 1.0])
    np.testing.assert_allclose(accum, [4.0, 4.0])
    np.testing.assert_allclose(var, [0.36, -1.76], rtol=1e-6)
