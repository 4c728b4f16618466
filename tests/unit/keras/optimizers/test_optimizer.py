"""What an optimizer does around its arithmetic."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.keras.optimizers import SGD, Adam, Optimizer, RMSprop


def step(optimizer: Any, variable: tf.Variable, gradient: Any) -> None:
    optimizer.apply_gradients([(tf.constant(gradient), variable)])


def test_minimize_a_function() -> None:
    x, y = tf.Variable(1.0), tf.Variable(2.0)
    count = SGD(0.1).minimize(lambda: x * x + y, [x, y])
    assert float(x) == pytest.approx(0.8)
    assert float(y) == pytest.approx(1.9)
    assert int(count) == 1


def test_minimize_with_variables_given_later() -> None:
    made: list[tf.Variable] = []

    def loss() -> tf.Tensor:
        if not made:
            made.append(tf.Variable(2.0))
        return made[0] * made[0]

    SGD(0.25).minimize(loss, lambda: made)
    assert float(made[0]) == pytest.approx(1.0)


def test_minimize_a_tensor_needs_its_tape() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        loss = x * x
    SGD(0.5).minimize(loss, [x], tape=tape)
    assert float(x) == pytest.approx(0.0)
    with pytest.raises(ValueError, match="`tape` is required when a `Tensor` loss is passed"):
        SGD(0.5).minimize(loss, [x])


def test_apply_gradients_takes_a_zip_and_returns_the_counter() -> None:
    x = tf.Variable([1.0, 2.0])
    optimizer = SGD(1.0)
    found = optimizer.apply_gradients(zip([tf.constant([0.5, 0.5])], [x], strict=True), name="mine")
    assert found is optimizer.iterations
    np.testing.assert_allclose(x.numpy(), [0.5, 1.5])
    assert int(optimizer.apply_gradients([])) == 1
    optimizer.apply_gradients([(tf.ones(2), x)], experimental_aggregate_gradients=False)
    optimizer.apply_gradients([(tf.ones(2), x)], skip_gradients_aggregation=True)
    assert int(optimizer.iterations) == 3


def test_numpy_gradients() -> None:
    x = tf.Variable([1.0, 2.0])
    SGD(1.0).apply_gradients([(np.array([1.0, 1.0]), x)])
    np.testing.assert_allclose(x.numpy(), [0.0, 1.0])


def test_gradients_none_are_left_out() -> None:
    x, y = tf.Variable(1.0, name="x"), tf.Variable(1.0, name="y")
    optimizer = Adam(0.1)
    with pytest.warns(UserWarning, match=r"Gradients do not exist for variables \['y:0'\] when minimizing"):
        optimizer.apply_gradients([(tf.constant(1.0), x), (None, y)])
    assert float(y) == 1.0
    assert float(x) == pytest.approx(0.9, rel=1e-5)
    assert len(optimizer.variables) == 5  # slots for both
    with pytest.raises(ValueError, match=r"No gradients provided for any variable: \['x:0', 'y:0'\]"):
        optimizer.apply_gradients([(None, x), (None, y)])


def test_indexed_slices() -> None:
    for shape in (tf.constant([3, 2]), None):
        x = tf.Variable(np.ones((3, 2), "float32"))
        rows = tf.IndexedSlices(tf.ones((3, 2)), tf.constant([0, 2, 0]), shape)
        SGD(0.1).apply_gradients([(rows, x)])
        np.testing.assert_allclose(x.numpy(), [[0.8, 0.8], [1.0, 1.0], [0.9, 0.9]], rtol=1e-6)


def test_wrong_gradient_shape() -> None:
    x = tf.Variable([1.0, 2.0])
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="expected each gradient to have its variable's shape"
    ):
        SGD().apply_gradients([(tf.ones((3, 2)), x)])


def test_unknown_variable() -> None:
    x, y = tf.Variable(1.0), tf.Variable(1.0, name="other")
    optimizer = Adam()
    step(optimizer, x, 1.0)
    with pytest.raises(KeyError, match="The optimizer cannot recognize variable other:0"):
        step(optimizer, y, 1.0)


def test_variables_updated_in_turns() -> None:
    x, y = tf.Variable(1.0), tf.Variable(1.0)
    optimizer = SGD(0.1, momentum=0.5)
    optimizer.build([x, y])
    step(optimizer, y, 1.0)
    step(optimizer, x, 1.0)
    assert (float(x), float(y)) == (pytest.approx(0.9), pytest.approx(0.9))


def test_constraint_is_applied_after_the_step() -> None:
    x = tf.Variable([1.0, -1.0], constraint=lambda w: tf.maximum(w, 0.0))
    step(SGD(0.1), x, [1.0, 1.0])
    np.testing.assert_allclose(x.numpy(), [0.9, 0.0], rtol=1e-6)


def test_clipping() -> None:
    for options, expected in (
        ({"clipnorm": 1.0}, [0.6, 0.8]),
        ({"global_clipnorm": 0.5}, [0.3, 0.4]),
        ({"clipvalue": 3.5}, [3.0, 3.5]),
    ):
        x = tf.Variable([0.0, 0.0])
        step(SGD(1.0, **options), x, [3.0, 4.0])  # pyright: ignore[reportArgumentType]
        np.testing.assert_allclose(x.numpy(), np.negative(expected), rtol=1e-6)


def test_global_norm_that_is_not_finite_shows() -> None:
    x = tf.Variable([0.0, 0.0])
    step(SGD(1.0, global_clipnorm=1.0), x, [np.inf, 1.0])
    assert np.isnan(x.numpy()).all()


def test_weight_decay_and_its_exceptions() -> None:
    w, bias, other = (tf.Variable(2.0, name=n) for n in ("kernel", "bias", "other"))
    optimizer = SGD(1.0, weight_decay=0.004)
    optimizer.exclude_from_weight_decay(var_list=[other], var_names=["bias"])
    zero = tf.constant(0.0)
    optimizer.apply_gradients([(zero, w), (zero, bias), (zero, other)])
    assert [float(v) for v in (w, bias, other)] == [pytest.approx(1.992), 2.0, 2.0]
    with pytest.raises(ValueError, match="can only be configured before the optimizer is built"):
        optimizer.exclude_from_weight_decay(var_list=[w])


def test_moving_averages() -> None:
    x = tf.Variable(1.0)
    optimizer = SGD(1.0, use_ema=True, ema_momentum=0.5)
    step(optimizer, x, 1.0)
    step(optimizer, x, 1.0)
    assert float(x) == -1.0
    optimizer.finalize_variable_values([x])
    assert float(x) == pytest.approx(0.5 * (0.5 * 1.0 + 0.0) + 0.5 * -1.0)


def test_accumulation_makes_one_step_of_several() -> None:
    x = tf.Variable(0.0)
    optimizer = SGD(1.0, gradient_accumulation_steps=3)
    seen = []
    for gradient in (1.0, 2.0, 6.0, 3.0):
        step(optimizer, x, gradient)
        seen.append((float(x), int(optimizer.iterations)))
    assert seen == [(0.0, 0), (0.0, 0), (-3.0, 1), (-3.0, 1)]


def test_loss_scale_factor() -> None:
    x = tf.Variable(1.0)
    optimizer = SGD(0.1, loss_scale_factor=8.0)
    with tf.GradientTape() as tape:
        loss = optimizer.scale_loss(x * x)
    assert float(loss) == 8.0
    optimizer.apply(tape.gradient(loss, [x]), [x])
    assert float(x) == pytest.approx(0.8)
    assert SGD().scale_loss(2.0) == 2.0
    y = tf.Variable(1.0)
    optimizer = SGD(0.1, loss_scale_factor=8.0)
    optimizer.minimize(lambda: y * y, [y])
    assert float(y) == pytest.approx(0.8)


def test_apply_as_in_keras_3() -> None:
    x = tf.Variable(1.0)
    optimizer = SGD(0.5)
    with pytest.raises(ValueError, match="the optimizer must already be built on a list of variables"):
        optimizer.apply([tf.constant(1.0)])
    optimizer.build([x])
    optimizer.apply([tf.constant(1.0)])
    assert float(x) == 0.5
    with pytest.raises(ValueError, match="expected a gradient for each variable; got 2 gradients for 1"):
        optimizer.apply([tf.constant(1.0)] * 2)


def test_hyperparameters_may_be_changed() -> None:
    x = tf.Variable(0.0)
    optimizer = SGD(1.0)
    step(optimizer, x, 1.0)
    optimizer.momentum = 0.5
    step(optimizer, x, 1.0)
    step(optimizer, x, 1.0)
    assert float(x) == pytest.approx(-1.0 - 1.0 - 1.5)
    optimizer.clipvalue = 0.1
    optimizer.momentum = 0.0
    step(optimizer, x, 1.0)
    assert float(x) == pytest.approx(-3.6)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"use_ema": True, "ema_momentum": 1.5}, "`ema_momentum` must be in the range"),
        (
            {"use_ema": True, "ema_overwrite_frequency": -1},
            "`ema_overwrite_frequency` must be an integer >= 1",
        ),
        ({"clipnorm": 1.0, "global_clipnorm": 1.0}, "At most one of `clipnorm` and `global_clipnorm`"),
        ({"gradient_accumulation_steps": 1}, "`gradient_accumulation_steps` must be an integer >= 2"),
    ],
)
def test_wrong_options(options: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        Adam(**options)


def test_unknown_argument() -> None:
    with pytest.raises(TypeError, match="nonsense is not a valid argument: Adam expected the arguments"):
        Adam(nonsense=1)  # pyright: ignore[reportCallIssue]


class Plain(Optimizer):
    """As the Keras 2 guide writes its own optimizer."""

    def __init__(self, learning_rate: Any = 0.1, name: str = "Plain", **kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)
        self._learning_rate = self._build_learning_rate(learning_rate)

    def build(self, var_list: Any) -> None:
        super().build(var_list)
        if getattr(self, "_built", False):
            return
        self.seen = [
            self.add_variable_from_reference(model_variable=v, variable_name="seen") for v in var_list
        ]
        self._built = True

    def update_step(self, gradient: Any, variable: tf.Variable) -> None:  # pyright: ignore
        rate = tf.cast(self.learning_rate, variable.dtype)
        self.seen[self._index_dict[self._var_key(variable)]].assign_add(gradient)
        variable.assign_sub(gradient * rate)

    def get_config(self) -> dict[str, Any]:
        rate = self._serialize_hyperparameter(self._learning_rate)
        return {**super().get_config(), "learning_rate": rate}


class Modern(Optimizer):
    """As the Keras 3 guide writes one."""

    def __init__(self, learning_rate: float = 0.1, **kwargs: Any) -> None:
        super().__init__(learning_rate, **kwargs)

    def build(self, variables: Any) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().build(variables)
        self.seen = [self.add_variable_from_reference(reference_variable=v, name="seen") for v in variables]

    def update_step(self, gradient: Any, variable: tf.Variable, learning_rate: Any) -> None:  # pyright: ignore
        rate = tf.cast(learning_rate, variable.dtype)
        self.assign_add(self.seen[self._get_variable_index(variable)], gradient)
        self.assign_sub(variable, gradient * rate)


@pytest.mark.parametrize("kind", [Plain, Modern])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"clipnorm": 0.5},
        {"clipvalue": 0.2, "weight_decay": 0.1},
        {"global_clipnorm": 0.3, "use_ema": True, "ema_overwrite_frequency": 2},
        {"gradient_accumulation_steps": 2, "loss_scale_factor": 2.0},
    ],
)
def test_own_optimizers_do_all_that_built_in_ones_do(kind: Any, options: dict[str, Any]) -> None:
    own, known = tf.Variable([1.0, 2.0]), tf.Variable([1.0, 2.0])
    first, second = kind(0.1, **options), SGD(0.1, **options)  # pyright: ignore[reportArgumentType]

    @tf.function
    def staged(gradient: tf.Tensor) -> None:
        first.apply_gradients([(gradient, own)])

    for i in range(4):
        gradient = tf.constant([0.5, -1.0]) * (i + 1.0)
        staged(gradient)
        second.apply_gradients([(gradient, known)])
        np.testing.assert_allclose(own.numpy(), known.numpy(), rtol=1e-6)
    assert [v.name for v in first.variables][-1].endswith("seen/Variable:0")
    assert int(first._iterations) == 4


def test_own_optimizer_without_update_step() -> None:
    with pytest.raises(NotImplementedError, match="expected its class to override `update_step"):
        step(Optimizer(learning_rate=0.1), tf.Variable(1.0), 1.0)


def test_one_program_a_step_with_metrics_after_it(counting: Any) -> None:
    x = tf.Variable([1.0, 2.0])
    total, count = tf.Variable(0.0), tf.Variable(0.0)
    optimizer = Adam(0.1)

    def loop(steps: int) -> None:
        for _ in range(steps):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(x * x)
            optimizer.apply_gradients(zip(tape.gradient(loss, [x]), [x], strict=True))
            total.assign_add(loss)
            count.assign_add(1.0)

    loop(3)
    total.numpy()
    with counting() as spent:
        loop(5)
        total.numpy()
    assert (spent.dispatched, spent.compiled) == (5, 0)


def test_one_program_a_step_without_a_tape(counting: Any) -> None:
    x = tf.Variable([1.0, 2.0])
    optimizer = Adam(0.1)
    step(optimizer, x, [1.0, 1.0])
    with counting() as spent:
        for _ in range(4):
            step(optimizer, x, [1.0, 1.0])
    assert (spent.dispatched, spent.compiled) == (4, 0)


def test_old_decay() -> None:
    x = tf.Variable(0.0)
    optimizer = SGD(1.0, decay=0.5)
    for _ in range(3):
        step(optimizer, x, 1.0)
    assert float(x) == pytest.approx(-(1 + 1 / 1.5 + 1 / 2.0))
    assert float(optimizer.lr) == 1.0
    assert SGD.from_config(optimizer.get_config()).get_config()["decay"] == 0.5


def test_old_lr() -> None:
    with pytest.warns(UserWarning, match="`lr` is an old name: RMSprop uses it as `learning_rate`"):
        assert float(RMSprop(lr=0.25).learning_rate) == 0.25
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RMSprop(learning_rate=0.25)


def test_base_class_step_without_a_tape_is_numerically_the_same_in_a_function() -> None:
    x, y = tf.Variable(1.0), tf.Variable(1.0)
    first, second = Adam(0.1), Adam(0.1)
    staged = tf.function(lambda g: second.apply_gradients([(g, y)]))
    for i in range(3):
        step(first, x, 1.0 + i)
        staged(tf.constant(1.0 + i))
    assert float(x) == float(y)


@pytest.mark.parametrize("name", ["Adam", "Adamax", "Nadam", "RMSprop", "Adagrad", "Adadelta"])
def test_no_epsilon_is_keras_own(name: str) -> None:
    optimizer = getattr(tf.keras.optimizers, name)(learning_rate=0.1, epsilon=None)
    assert optimizer.epsilon == tf.keras.backend.epsilon()
