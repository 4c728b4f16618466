"""`LossScaleOptimizer`: keeps float16 gradients from vanishing, by scaling the loss.

The loss is multiplied by a large number before gradients are taken of it, and they are divided by it
afterwards. The number is found by trying: it doubles after many good steps and halves when a gradient
is not finite, in which case the step is skipped. All of it is computed in the program: no value is read.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable
from tapeflow.keras.annotations import CustomObjects, RateLike
from tapeflow.keras.optimizers import deserialize, serialize
from tapeflow.keras.optimizers.gradients import Pair, dense, with_gradient
from tapeflow.keras.optimizers.optimizer import Optimizer
from tapeflow.ops.training.optimizer_kernels import loss_scale_update

_INITIAL_SCALE = 2.0**15
_GROWTH_STEPS = 2000
_MULTIPLIER = 2.0


class LossScaleOptimizer(Optimizer):
    """An optimizer around another one, which sees unscaled gradients, and only finite ones.

    `minimize` scales and unscales by itself, and so does `fit`. In a loop of one's own, either
    `get_scaled_loss` and `get_unscaled_gradients` are called around the tape (Keras 2), or `scale_loss`
    alone, after which `apply_gradients` unscales (Keras 3).

    Args:
        inner_optimizer: the optimizer to wrap.
        dynamic: whether the scale changes.
        initial_scale: the scale at first, and for ever if it is not dynamic.
        dynamic_growth_steps: after so many good steps in a row it doubles.
        name: ignored; the name is the inner optimizer's.
    """

    def __init__(
        self,
        inner_optimizer: Optimizer,
        dynamic: Any = True,
        initial_scale: float | None = None,
        dynamic_growth_steps: int | None = None,
        name: str | None = None,
    ) -> None:
        _require_wrappable(inner_optimizer, dynamic)
        if not dynamic and initial_scale is None:
            raise ValueError('"initial_scale" must be specified if "dynamic" is False')
        if not dynamic and dynamic_growth_steps is not None:
            raise ValueError(
                f'"dynamic_growth_steps" must be None if "dynamic" is False, but got: {dynamic_growth_steps}'
            )
        self._inner = inner_optimizer
        inner_optimizer._is_scaled_by_wrapper = True
        inner_optimizer.loss_scale_factor = None  # or gradients would be unscaled twice
        self._initial_scale = float(_INITIAL_SCALE if initial_scale is None else initial_scale)
        self._growth_steps = int(dynamic_growth_steps or _GROWTH_STEPS) if dynamic else None
        self._scale: Variable | None = None
        self._good_steps: Variable | None = None
        if dynamic:
            self._scale = Variable(
                self._initial_scale, name="current_loss_scale", dtype=tf.float32, trainable=False
            )
            self._good_steps = Variable(0, name="good_steps", dtype=tf.int64, trainable=False)
        self._has_scaled = self._has_unscaled = self._unscales_later = self._has_warned = False

    def __getattr__(self, name: str) -> Any:
        # Hyperparameters and what else is not set here are the inner optimizer's.
        if name == "_inner":
            raise AttributeError(name)
        return getattr(self._inner, name)

    @property
    def inner_optimizer(self) -> Optimizer:
        """The optimizer that is wrapped."""
        return self._inner

    @property
    def dynamic(self) -> bool:
        """Whether the scale changes."""
        return self._scale is not None

    @property
    def loss_scale(self) -> tf.Tensor:
        """The scale now, as a float32 tensor."""
        return tf.convert_to_tensor(self._initial_scale if self._scale is None else self._scale)

    @property
    def dynamic_scale(self) -> Variable | None:
        """The Variable that holds the scale; None if it does not change."""
        return self._scale

    @property
    def dynamic_counter(self) -> Variable | None:
        """How many good steps there have been since the scale last changed; None if it does not."""
        return self._good_steps

    step_counter = dynamic_counter

    @property
    def initial_scale(self) -> float:
        """The scale at first."""
        return self._initial_scale

    @property
    def dynamic_growth_steps(self) -> int | None:
        """After so many good steps the scale doubles; None if it does not change."""
        return self._growth_steps

    @property
    def learning_rate(self) -> Any:
        """The inner optimizer's."""
        return self._inner.learning_rate

    @learning_rate.setter
    def learning_rate(self, learning_rate: RateLike) -> None:
        self._inner.learning_rate = learning_rate

    @property
    def iterations(self) -> Any:
        """The inner optimizer's counter."""
        return self._inner.iterations

    @iterations.setter
    def iterations(self, variable: Variable) -> None:
        self._inner.iterations = variable

    @property
    def built(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Whether the inner optimizer is built."""
        return self._inner.built

    @property
    def _variables(self) -> list[Variable]:  # pyright: ignore[reportIncompatibleVariableOverride]
        own = [v for v in (self._scale, self._good_steps) if v is not None]
        return [*self._inner._variables, *own]

    def build(self, var_list: Sequence[Variable]) -> None:
        """Build the inner optimizer."""
        self._inner.build(var_list)

    def update_step(self, gradient: Tensor, variable: Variable, *rate: Any) -> Any:
        """The inner optimizer's."""
        return self._inner.update_step(gradient, variable, *rate)

    def finalize_variable_values(self, var_list: Sequence[Variable]) -> None:
        """The inner optimizer's."""
        self._inner.finalize_variable_values(var_list)

    def get_scaled_loss(self, loss: TensorLike | Callable[[], TensorLike]) -> Any:
        """The loss times the scale; for a function, a function that returns this."""
        self._has_scaled, self._unscales_later = True, False
        if callable(loss):
            return lambda: self._scaled(loss())
        return self._scaled(loss)

    def _scaled(self, loss: TensorLike | Callable[[], TensorLike]) -> Tensor:
        tensor = tf.convert_to_tensor(loss)
        return tensor * tf.cast(self.loss_scale, tensor.dtype)

    def get_unscaled_gradients(self, grads: Iterable[Any]) -> list[Any]:
        """The gradients divided by the scale; None stays."""
        self._has_unscaled = True
        reciprocal = 1.0 / self.loss_scale
        return [None if g is None else self._multiplied(g, reciprocal) for g in grads]

    def _multiplied(self, gradient: Tensor, factor: Any) -> Any:
        if isinstance(gradient, tf.IndexedSlices):
            values = gradient.values * tf.cast(factor, gradient.dtype)
            return tf.IndexedSlices(values, gradient.indices, gradient.dense_shape)
        return gradient * tf.cast(factor, gradient.dtype)

    def scale_loss(self, loss: TensorLike | Callable[[], TensorLike]) -> Tensor:
        """The loss times the scale, for gradients that `apply_gradients` is to unscale: as in Keras 3."""
        self._unscales_later = True
        return self._scaled(loss)

    def compute_gradients(
        self,
        loss: TensorLike | Callable[[], TensorLike],
        var_list: Any,
        tape: tf.GradientTape | None = None,
        grad_loss: TensorLike | None = None,
    ) -> list[Pair]:
        """Unscaled gradients of the loss, taken of the scaled one."""
        pairs = super().compute_gradients(loss, var_list, tape, grad_loss)
        self._has_scaled, self._unscales_later = True, False
        grads = self.get_unscaled_gradients([g for g, _ in pairs])
        return list(zip(grads, [v for _, v in pairs], strict=True))

    def _seed(self, loss: Any) -> Any:
        # As good as a scaled loss, and the tape need not record again for it.
        return tf.cast(self.loss_scale, loss.dtype)

    def apply_gradients(
        self,
        grads_and_vars: Iterable[Pair],
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
        experimental_aggregate_gradients: bool = True,
    ) -> Variable:
        """Let the inner optimizer move the variables, if all gradients are finite."""
        pairs = list(grads_and_vars)
        if not pairs:
            return self._inner._iterations
        if not self.built:
            with tf.name_scope(name or self._inner.name):
                self.build([v for _, v in pairs])
        pairs = with_gradient(pairs)
        if self._unscales_later:
            grads = self.get_unscaled_gradients([g for g, _ in pairs])
            pairs = list(zip(grads, [v for _, v in pairs], strict=True))
        else:
            self._warn_of_scaling()
        if self._scale is None or self._good_steps is None or self._growth_steps is None:
            return self._inner.apply_gradients(pairs, name)
        pairs = [(dense(g, v), v) for g, v in pairs]
        is_finite, scale, good_steps = loss_scale_update(
            self._scale, self._good_steps, [g for g, _ in pairs], self._growth_steps, _MULTIPLIER
        )
        self._scale.assign(scale)
        self._good_steps.assign(good_steps)
        self._inner._apply(pairs, name, guard=is_finite)
        return self._inner._iterations

    def apply(self, grads: Sequence[Any], trainable_variables: Sequence[Variable] | None = None) -> None:
        """Keras 3's `apply_gradients`: of gradients of a scaled loss, which it unscales."""
        self._unscales_later = True
        super().apply(grads, trainable_variables)

    def _warn_of_scaling(self) -> None:
        if self._has_warned or (self._has_scaled and self._has_unscaled):
            return
        self._has_warned = True
        first = "" if self._has_scaled else "LossScaleOptimizer.get_scaled_loss() "
        second = "" if self._has_unscaled else "LossScaleOptimizer.get_unscaled_gradients() "
        warnings.warn(
            f"You forgot to call {first}{'and ' if first and second else ''}{second}before calling "
            "LossScaleOptimizer.apply_gradients(). This will likely result in worse model quality. Write "
            "loss = optimizer.get_scaled_loss(loss) inside the tape, and gradients = "
            "optimizer.get_unscaled_gradients(gradients) after it.",
            stacklevel=3,
        )

    def get_config(self) -> dict[str, Any]:
        return {
            "inner_optimizer": serialize(self._inner),
            "dynamic": self.dynamic,
            "initial_scale": self._initial_scale,
            "dynamic_growth_steps": self._growth_steps,
        }

    @classmethod
    def from_config(
        cls, config: Mapping[str, Any], custom_objects: CustomObjects = None
    ) -> LossScaleOptimizer:
        found = dict(config)
        inner = found.pop("inner_optimizer", None) or found.pop("optimizer")
        found.update(_scale_arguments(found.pop("loss_scale", None)))
        if not isinstance(inner, Optimizer):
            inner = deserialize(inner, custom_objects)
        return cls(inner, **found)


def _scale_arguments(loss_scale: Any) -> dict[str, Any]:
    """The arguments that say the same as the `loss_scale` of TensorFlow 2.3 and older."""
    if loss_scale is None:
        return {}
    if loss_scale == "dynamic":
        return {"dynamic": True}
    if isinstance(loss_scale, (int, float)):
        return {"dynamic": False, "initial_scale": float(loss_scale)}
    kind, arguments = loss_scale.get("class_name"), loss_scale.get("config", {})
    if kind == "FixedLossScale":
        return {"dynamic": False, "initial_scale": arguments["loss_scale_value"]}
    if kind == "DynamicLossScale" and arguments.get("multiplier", 2) == 2:
        named = {"initial_loss_scale": "initial_scale", "increment_period": "dynamic_growth_steps"}
        return {"dynamic": True, **{ours: arguments[old] for old, ours in named.items() if old in arguments}}
    raise ValueError(
        "LossScaleOptimizer expected a loss scale that is fixed, or dynamic with a multiplier of 2; got "
        f"loss_scale={loss_scale!r}. Make the optimizer anew."
    )


def _require_wrappable(inner: Any, dynamic: Any) -> None:
    if not isinstance(inner, Optimizer):
        raise TypeError(
            '"inner_optimizer" must be an instance of `tf.keras.optimizers.Optimizer`, but got: '
            f"{inner}. Make one first: LossScaleOptimizer(tf.keras.optimizers.Adam())."
        )
    if not isinstance(dynamic, bool):
        raise TypeError(
            f'"dynamic" argument to LossScaleOptimizer.__init__ must be a bool, but got: {dynamic!r}'
        )
    if isinstance(inner, LossScaleOptimizer):
        raise TypeError(f"LossScaleOptimizer cannot wrap another LossScaleOptimizer, but got: {inner}")
    if inner._is_scaled_by_wrapper:
        raise ValueError(
            '"inner_optimizer" is already wrapped by a LossScaleOptimizer. An optimizer can only be wrapped '
            "by a single LossScaleOptimizer"
        )
