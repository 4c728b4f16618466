"""Names of symbolic tensors and of Variables that layers make; all of them are Keras 2's."""

from typing import Any

import pytest

import tapeflow as tf

keras, layers = tf.keras, tf.keras.layers
IMAGE, ROW, TIMES = (8, 8, 3), (4,), (5, 2)


@pytest.mark.parametrize(
    ("make", "shape", "name"),
    [
        (lambda: layers.Dense(3, name="x"), ROW, "x/BiasAdd:0"),
        (lambda: layers.Dense(3, use_bias=False, name="x"), ROW, "x/MatMul:0"),
        (lambda: layers.Dense(3, activation="softmax", name="x"), ROW, "x/Softmax:0"),
        (lambda: layers.Conv2D(3, 3, activation="relu", name="x"), IMAGE, "x/Relu:0"),
        (lambda: layers.MaxPooling2D(name="x"), IMAGE, "x/MaxPool:0"),
        (lambda: layers.BatchNormalization(name="x"), IMAGE, "x/FusedBatchNormV3:0"),
        (lambda: layers.Flatten(name="x"), IMAGE, "x/Reshape:0"),
        (lambda: layers.Activation("tanh", name="x"), ROW, "x/Tanh:0"),
        (lambda: layers.LSTM(2, name="x"), TIMES, "x/PartitionedCall:0"),
        (lambda: layers.Embedding(3, 4, name="x"), ROW, "x/embedding_lookup/Identity:0"),
        (lambda: _Own(name="x"), ROW, "x/output_0:0"),
    ],
    ids=[
        "dense",
        "no_bias",
        "softmax",
        "conv",
        "pool",
        "norm",
        "flatten",
        "activation",
        "lstm",
        "embedding",
        "own",
    ],
)
def test_a_symbol_is_named_after_the_op_that_its_layer_ends_with(make: Any, shape: Any, name: str) -> None:
    layer, x = make(), keras.Input(shape)
    assert layer(x).name == layer.output.name == name
    assert layer(x).name == name


def test_calls_of_functions_are_named_after_them() -> None:
    x = keras.Input(ROW)
    assert tf.nn.relu(x).name.endswith("/Relu:0")
    assert (x * 2).name.endswith("/Mul:0")
    assert tf.math.log_sigmoid(x).name.endswith("/LogSigmoid:0")


class _Own(layers.Layer):
    def build(self, input_shape: Any) -> None:
        self.a = tf.Variable(1.0, name="a")
        self.inner = layers.Dense(2, name="inner")
        self.b = self.add_weight("b", shape=())

    def call(self, inputs: Any) -> Any:
        with tf.init_scope():
            if "late" not in vars(self):
                self.late = tf.Variable(1.0, name="late")
        return self.inner(inputs) * self.a * self.b * self.late


def test_variables_made_in_build_and_call_are_named_below_the_layer() -> None:
    layer = _Own(name="own")
    layer(tf.ones((1, 4)))
    names = {v.name for v in layer.weights}
    assert names == {"own/a:0", "own/b:0", "own/late:0", "own/inner/kernel:0", "own/inner/bias:0"}
    assert tf.Variable(1.0, name="outside").name == "outside:0"


def test_submodules_begin_with_those_of_inputs_and_outputs() -> None:
    stack = [
        layers.Dense(2, input_shape=(3,), name="one"),
        layers.Dense(2, name="two"),
        layers.Dense(1, name="three"),
    ]
    assert [m.name for m in keras.Sequential(stack).submodules] == ["one_input", "three", "one", "two"]
