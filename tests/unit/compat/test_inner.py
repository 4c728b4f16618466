"""Inner modules of TensorFlow and Keras that packages import from."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.compat.inner import conv_utils, sparse_matrix, sparse_ops, weights

Run = Callable[..., str]


def test_inner_modules_of_keras(run: Run) -> None:
    run("""
        import tensorflow as tf
        from keras import backend_config
        from keras.engine import keras_tensor, training
        from keras.engine.base_layer import Layer
        from keras.layers.convolutional.base_conv import Conv
        from keras.optimizers.optimizer_v2.optimizer_v2 import OptimizerV2
        from keras.utils import conv_utils, tf_utils
        from tensorflow.python.keras.engine.keras_tensor import KerasTensor

        assert Layer is tf.keras.layers.Layer
        assert training.Model is tf.keras.Model
        assert OptimizerV2 is tf.keras.optimizers.legacy.Optimizer
        assert issubclass(tf.keras.layers.Conv2D, Conv)
        assert backend_config.epsilon() == 1e-7
        symbol = tf.keras.Input((2,))
        assert isinstance(symbol, KerasTensor) and KerasTensor is keras_tensor.KerasTensor
        assert tf_utils.is_symbolic_tensor(symbol) and not tf_utils.is_symbolic_tensor(tf.ones([]))
        try:
            from keras.engine import nosuch
        except ImportError:
            pass
        else:
            raise SystemExit("nosuch was imported")
    """)


def test_inner_modules_of_tensorflow(run: Run) -> None:
    run("""
        import tensorflow as tf
        from tensorflow.python.data.ops.iterator_ops import OwnedIterator
        from tensorflow.python.eager import context
        from tensorflow.python.framework import config
        from tensorflow.python.ops.init_ops import Zeros
        from tensorflow.python.ops.linalg.sparse import sparse
        from tensorflow.python.util.object_identity import Reference

        assert isinstance(iter(tf.data.Dataset.range(1)), OwnedIterator)
        tf.random.set_seed(3)
        assert context.global_seed() == 3 and context.executing_eagerly()
        tf.random.set_seed(None)
        assert context.global_seed() is None
        config.enable_op_determinism()
        assert config.is_op_determinism_enabled() in (True, False)
        config.disable_op_determinism()
        assert Zeros is tf.compat.v1.zeros_initializer
        assert isinstance(tf.ones([]).ref(), Reference)
        assert sparse.CSRSparseMatrix
    """)


def test_sparse_matrices_are_multiplied() -> None:
    dense = np.array([[1.0, 0.0], [0.0, 2.0]], np.float32)
    a = sparse_matrix.CSRSparseMatrix(dense)
    product = sparse_matrix.matmul(a, sparse_matrix.CSRSparseMatrix(tf.sparse.from_dense(dense)))
    assert isinstance(product, sparse_matrix.CSRSparseMatrix)
    assert tf.sparse.to_dense(product.to_sparse_tensor()).numpy().tolist() == (dense @ dense).tolist()
    assert sparse_matrix.matmul(a, tf.ones([2, 1])).numpy().tolist() == [[1.0], [2.0]]
    assert (a.shape, a.dtype) == ((2, 2), tf.float32)


def test_sparse_indices_are_ordered() -> None:
    ordered = sparse_ops.sparse_reorder(tf.constant([[1, 0], [0, 1]], tf.int64), [1.0, 2.0], [2, 2])
    assert ordered.output_indices.numpy().tolist() == [[0, 1], [1, 0]]
    assert ordered.output_values.numpy().tolist() == [2.0, 1.0]


def test_weights_take_the_shape_of_values() -> None:
    assert weights.broadcast_weights([[1], [2]], tf.zeros([2, 2])).numpy().tolist() == [
        [1.0, 1.0],
        [2.0, 2.0],
    ]


def test_arithmetic_of_convolutions() -> None:
    assert conv_utils.normalize_data_format(None) == "channels_last"
    assert conv_utils.normalize_padding("SAME") == "same"
    assert (
        conv_utils.normalize_tuple(2, 2, "strides")
        == conv_utils.normalize_tuple([2, 2], 2, "strides")
        == (2, 2)
    )
    assert conv_utils.normalize_tuple(0, 1, "padding", allow_zero=True) == (0,)
    lengths = [conv_utils.conv_output_length(7, 3, padding, 2) for padding in ("valid", "same", "full")]
    assert lengths == [3, 4, 5]
    assert conv_utils.conv_output_length(None, 3, "valid", 1) is None
    with pytest.raises(ValueError, match="expected a tuple of 2 integers of 1 or more; got strides=0"):
        conv_utils.normalize_tuple(0, 2, "strides")
    with pytest.raises(ValueError, match="`data_format` argument expected .*; got data_format='last'"):
        conv_utils.normalize_data_format("last")
    with pytest.raises(ValueError, match="`padding` argument expected .*; got padding='some'"):
        conv_utils.normalize_padding("some")
    with pytest.raises(ValueError, match="conv_output_length expected padding .*; got padding='some'"):
        conv_utils.conv_output_length(7, 3, "some", 1)


def test_tpu_strategies_can_be_named() -> None:
    assert not isinstance(tf.distribute.get_strategy(), tf.distribute.TPUStrategy)
    assert tf.distribute.experimental.TPUStrategy is tf.distribute.TPUStrategy
    with pytest.raises(NotImplementedError, match=r"tf.distribute.TPUStrategy is not part.*MirroredStrategy"):
        tf.distribute.TPUStrategy()


def test_models_know_their_strategy_and_have_no_loss_before_compile() -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    assert not hasattr(model, "loss")
    assert not model.distribute_strategy.extended._in_multi_worker_mode()
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    with strategy.scope():
        assert tf.keras.Sequential([tf.keras.layers.Dense(1)]).distribute_strategy is strategy
    model.compile("sgd", "mse")
    assert model.loss == "mse"
    assert tf.as_dtype(np.object_) is tf.string
    assert tf.ones([])._numpy() == 1


def test_modules_that_packages_import_to_mention(run: Run) -> None:
    program = """
        import tensorflow as tf
        from keras.engine.base_layer import TensorFlowOpLayer
        from keras.engine.training import _minimum_control_deps, reduce_per_replica
        from tensorflow.experimental import dtensor
        from tensorflow.keras.__internal__.layers import BaseRandomLayer
        from tensorflow.keras.__internal__.losses import LossFunctionWrapper
        from tensorflow.python.ops import clustering_ops

        assert issubclass(tf.keras.layers.Dropout, BaseRandomLayer)
        assert issubclass(tf.keras.losses.MeanSquaredError, LossFunctionWrapper)
        assert not isinstance(tf.keras.layers.Dense(2), TensorFlowOpLayer)
        assert not isinstance(3, dtensor.Layout)
        for use in (lambda: dtensor.Layout(), lambda: clustering_ops.nearest_neighbors()):
            try:
                use()
            except NotImplementedError as error:
                assert "is not part of TapeFlow" in str(error), error
            else:
                raise SystemExit("an absent name was used")
    """
    run(program)


def test_what_packages_import_of_graphs_says_so_when_it_is_used(run: Run) -> None:
    run("""
        import numpy as np
        import tensorflow as tf
        from tensorflow.core.protobuf import meta_graph_pb2
        from tensorflow.python.framework import op_def_registry
        from tensorflow.python.ops import nn_ops, rnn_cell_impl
        from tensorflow.python.trackable import data_structures

        try:
            meta_graph_pb2.MetaGraphDef()
        except NotImplementedError as error:
            assert "SavedModels" in str(error), error
        else:
            raise SystemExit("no error")
        assert data_structures.NoDependency({"a": 1}) == {"a": 1}
        assert rnn_cell_impl._concat(2, [3, 4]).numpy().tolist() == [2, 3, 4]
        assert rnn_cell_impl._concat(2, [3, 4], static=True) == (2, 3, 4)
        x, kernel = tf.ones([1, 4, 4, 1]), tf.ones([3, 3, 1, 1])
        made = nn_ops.Convolution(x.shape, kernel.shape, "VALID", strides=(1, 1), data_format="NHWC")
        np.testing.assert_allclose(made(x, kernel), tf.nn.conv2d(x, kernel, 1, "VALID"))
        assert tf.compat.v1.GraphKeys.GLOBAL_VARIABLES == "variables"
        assert tf.compat.v1.saved_model.constants.MAIN_OP_KEY == "saved_model_main_op"
        assert tf.compat.v1.saved_model.load_v2 is tf.saved_model.load
        layer = tf.keras.__internal__.layers.BaseRandomLayer(seed=3)
        drawn = layer._random_generator.random_uniform([100], 2.0, 3.0)
        assert 2 <= float(tf.reduce_min(drawn)) < float(tf.reduce_max(drawn)) <= 3
        assert layer._random_generator.random_normal([4]).shape == (4,)
        assert layer._random_generator.make_legacy_seed() == 3
    """)


def test_modules_that_packages_import_from(run: Run) -> None:
    run("""
        import tensorflow as tf
        from tensorflow.core.example.feature_pb2 import Feature
        from tensorflow.keras import __version__
        from tensorflow.python import tf2
        from tensorflow.python.client.session import Session
        from tensorflow.python.data.util import nest
        from tensorflow.python.distribute.values import DistributedVariable
        from tensorflow.python.keras.utils.losses_utils import ReductionV2
        from tensorflow.python.ops.rnn_cell import *
        from tensorflow.python.saved_model import tag_constants
        from tensorflow.python.trackable.base import Trackable
        from tensorflow.python.training.optimizer import Optimizer
        from tensorflow.python.types.core import Tensor
        from tensorflow.python.util import function_utils
        from tensorflow.python.util.all_util import remove_undocumented
        from tensorflow.python.util.tf_decorator import make_decorator
        from tensorflow.python.util.tf_export import tf_export

        assert Feature is tf.train.Feature and Tensor is tf.Tensor
        assert __version__ == tf.__version__ and tf2.enabled()
        assert Optimizer is tf.keras.optimizers.legacy.Optimizer
        assert ReductionV2 is tf.keras.losses.Reduction
        assert nest.flatten([1, [2]]) == [1, 2]
        assert not isinstance(tf.Variable(1.0), DistributedVariable)
        assert isinstance(tf.train.Checkpoint(), Trackable)
        assert function_utils.fn_args(lambda a, b=1, **more: a) == ("a", "b")
        assert function_utils.has_kwargs(lambda **more: more) and not function_utils.has_kwargs(len)
        assert tf_export("name")(len) is len and remove_undocumented("x") is None
        assert range(2) == __builtins__.range(2) and "Variable" not in globals()

        class Cell(RNNCell):
            pass

        try:
            Cell()
        except NotImplementedError as error:
            assert "AbstractRNNCell" in str(error)
        else:
            raise SystemExit("a cell was made")
        try:
            tf.estimator.Estimator()
        except NotImplementedError as error:
            assert "tf.keras.Model" in str(error)
        else:
            raise SystemExit("an estimator was made")
    """)


def test_inputs_that_a_model_is_fed() -> None:
    a, b = tf.keras.Input((2,), name="a"), tf.keras.Input((2,), name="b")
    model = tf.keras.Model({"a": a, "b": b}, a + b)
    assert model._feed_inputs == [a, b]
    assert model._feed_input_names == ["a", "b"]
