"""`Optimizer`: the base class, and what every optimizer does around its own arithmetic.

A subclass of the user's own overrides `build` (its variables) and `update_step` (one variable at a
time, with tf ops). Keras's own derive from `fused.FusedOptimizer`, which does a whole step in one op.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self, TypedDict

import tapeflow as tf
from tapeflow.engine.functions.staging import require_first_call
from tapeflow.engine.programs.steps import end_untaped_step
from tapeflow.engine.recording.name_scope import op_scope
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable
from tapeflow.keras.annotations import CustomObjects, RateLike
from tapeflow.keras.optimizers import schedules
from tapeflow.keras.optimizers.gradients import Pair, dense, with_gradient
from tapeflow.keras.optimizers.old_way import OldWay
from tapeflow.ops.math.clip import clip_by_global_norm, clip_by_norm, clip_by_value
from tapeflow.ops.training.optimizer_options import Clip, accumulated, averaged, clipped, decay_of, is_due

_CLIP = Clip(clip_by_norm, lambda grads, limit: clip_by_global_norm(grads, limit)[0], clip_by_value)


class Options(TypedDict, total=False):
    """The keyword arguments all optimizers share; see `Optimizer`."""

    weight_decay: float | None
    clipnorm: float | None
    clipvalue: float | None
    global_clipnorm: float | None
    use_ema: bool
    ema_momentum: float
    ema_overwrite_frequency: int | None
    jit_compile: bool
    gradient_accumulation_steps: int | None
    loss_scale_factor: float | None
    lr: Any
    decay: float
    is_legacy_optimizer: bool


class Optimizer(OldWay):
    """The base class of optimizers.

    Args:
        name: its name, which its variables' names begin with.
        weight_decay: this share of a variable, times the learning rate, is taken off at each step.
        clipnorm: scale each gradient down to at most this norm.
        clipvalue: bring each element of a gradient into this distance of zero.
        global_clipnorm: scale all gradients down to at most this norm together.
        use_ema: keep a moving average of every variable.
        ema_momentum: how much of the average stays at each step.
        ema_overwrite_frequency: after so many steps the averages become the variables; None leaves that
            to `finalize_variable_values`.
        jit_compile: changes nothing, as everything is compiled.
        gradient_accumulation_steps: so many calls make one step, on the mean of their gradients.
        loss_scale_factor: what `scale_loss` multiplies by, and gradients are divided by.
        learning_rate: a number, a schedule or a function; subclasses in the style of Keras 2 set
            `self._learning_rate = self._build_learning_rate(learning_rate)` instead.
        kwargs: `lr`, an old name of `learning_rate`, and `decay`, which divides the rate by
            `1 + decay * iterations`.
    """

    _is_scaled_by_wrapper = False

    def __init__(
        self,
        name: Any = None,
        weight_decay: float | None = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        jit_compile: bool = True,
        gradient_accumulation_steps: int | None = None,
        loss_scale_factor: float | None = None,
        learning_rate: RateLike | None = None,
        **kwargs: Any,
    ) -> None:
        if name is not None and not isinstance(name, str):  # Keras 3 has the learning rate first
            name, learning_rate = None, name
        self.name = name or type(self).__name__
        self.weight_decay = weight_decay
        self.clipnorm = clipnorm
        self.clipvalue = clipvalue
        self.global_clipnorm = global_clipnorm
        self.use_ema = use_ema
        self.ema_momentum = ema_momentum
        self.ema_overwrite_frequency = ema_overwrite_frequency
        self.jit_compile = jit_compile
        self.gradient_accumulation_steps = gradient_accumulation_steps
        self.loss_scale_factor = loss_scale_factor
        self._require_options()
        self._start_state()
        self._undecayed: tuple[set[int], list[str]] = (set(), [])
        learning_rate = self._old_arguments(learning_rate, dict(kwargs))
        if learning_rate is not None:
            self._learning_rate = self._build_learning_rate(learning_rate)

    def _require_options(self) -> None:
        if self.use_ema and not 0 <= self.ema_momentum <= 1:
            raise ValueError(
                f"`ema_momentum` must be in the range [0, 1]. Received: ema_momentum={self.ema_momentum}"
            )
        frequency = self.ema_overwrite_frequency
        if self.use_ema and frequency and (not isinstance(frequency, int) or frequency < 1):
            raise ValueError(
                "`ema_overwrite_frequency` must be an integer >= 1 or None. Received: "
                f"ema_overwrite_frequency={frequency}"
            )
        if self.clipnorm is not None and self.global_clipnorm is not None:
            raise ValueError(
                "At most one of `clipnorm` and `global_clipnorm` can be set. Received: "
                f"clipnorm={self.clipnorm}, global_clipnorm={self.global_clipnorm}."
            )
        steps = self.gradient_accumulation_steps
        if steps is not None and (not isinstance(steps, int) or steps < 2):
            raise ValueError(
                "`gradient_accumulation_steps` must be an integer >= 2. Received: "
                f"gradient_accumulation_steps={steps}"
            )

    def _old_arguments(self, learning_rate: Any, kwargs: dict[str, Any]) -> Any:
        """The learning rate, after looking at arguments from before Keras 2.11."""
        kwargs.pop("is_legacy_optimizer", None)
        self._decay = kwargs.pop("decay", None) or 0.0
        lr = kwargs.pop("lr", None)
        if kwargs:
            raise TypeError(
                f"{next(iter(kwargs))} is not a valid argument: {type(self).__name__} expected the arguments "
                f"of its signature; got {', '.join(kwargs)}."
            )
        if lr is None:
            return learning_rate
        warnings.warn(f"`lr` is an old name: {type(self).__name__} uses it as `learning_rate`.", stacklevel=4)
        return lr

    def minimize(
        self,
        loss: TensorLike | Callable[[], TensorLike],
        var_list: Any,
        tape: tf.GradientTape | None = None,
        grad_loss: TensorLike | None = None,
        name: str | None = None,
    ) -> Any:
        """Compute gradients of the loss and apply them.

        Args:
            loss: a function that gives it, or a tensor together with the tape that watched it.
            var_list: the variables, or a function that gives them.
            tape: the tape of a tensor `loss`.
            grad_loss: the gradient of the loss, if not 1: of optimizers before Keras 2.11.
            name: the name scope of variables that are made now: of these, too.
        """
        given: dict[str, Any] = {} if grad_loss is None else {"grad_loss": grad_loss}
        pairs = self.compute_gradients(loss, var_list, tape, **given)
        named: dict[str, Any] = {} if name is None else {"name": name}
        return self.apply_gradients(pairs, **named)

    def compute_gradients(
        self,
        loss: TensorLike | Callable[[], TensorLike],
        var_list: Any,
        tape: tf.GradientTape | None = None,
        grad_loss: TensorLike | None = None,
    ) -> list[Pair]:
        """Pairs of gradient and variable; a gradient may be None."""
        is_function = callable(loss)
        if not is_function and tape is None:
            raise ValueError(
                f"`tape` is required when a `Tensor` loss is passed. Received: loss={loss}, tape={tape}."
            )
        tape = tf.GradientTape() if tape is None else tape
        if is_function:
            with tape:
                if not callable(var_list):
                    tape.watch(list(var_list))
                loss = loss()
        variables: Any = var_list() if callable(var_list) else var_list
        variables = list(variables)
        seed = self._seed(loss)
        if grad_loss is not None:
            seed = grad_loss if seed is None else seed * grad_loss
        gradients = tape.gradient(loss, variables, output_gradients=seed)
        return list(zip(gradients, variables, strict=True))

    def _seed(self, loss: Any) -> Any:
        """What the gradients of the loss are multiplied by, as those of a scaled loss are; None for nothing."""
        factor = self.loss_scale_factor
        return None if factor is None else tf.constant(factor, loss.dtype)

    def aggregate_gradients(self, grads_and_vars: Iterable[Pair]) -> list[Pair]:
        """The pairs as they are: gradients of several devices are summed by the program."""
        return list(grads_and_vars)

    def apply_gradients(
        self,
        grads_and_vars: Iterable[Pair],
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
        experimental_aggregate_gradients: bool = True,
    ) -> Variable:
        """Move the variables along their gradients.

        Args:
            grads_and_vars: pairs; those whose gradient is None are left out, with a warning.
            name: the name scope of variables that are made now; the optimizer's name otherwise.
            skip_gradients_aggregation: `aggregate_gradients` is not called.
            experimental_aggregate_gradients: the opposite, as it was spelled once.

        Returns:
            The Variable that counts steps.
        """
        pairs = list(grads_and_vars)
        if not skip_gradients_aggregation and experimental_aggregate_gradients:
            pairs = self.aggregate_gradients(pairs)
        if pairs:
            self._apply(pairs, name)
        return self._iterations

    def apply(self, grads: Sequence[Any], trainable_variables: Sequence[Variable] | None = None) -> None:
        """Keras 3's `apply_gradients`: the variables may be left out once it is built on them."""
        if trainable_variables is None:
            if not self.built:
                raise ValueError(
                    "When passing `grads` without `variables`, the optimizer must already be built on a list "
                    "of variables. Call `optimizer.build(trainable_variables)` first."
                )
            trainable_variables = self._trainable_variables
        if len(grads) != len(trainable_variables):
            raise ValueError(
                "Optimizer.apply expected a gradient for each variable; got "
                f"{len(grads)} gradients for {len(trainable_variables)} variables."
            )
        self.apply_gradients(zip(grads, trainable_variables, strict=True))

    def _apply(self, pairs: Sequence[Pair], name: str | None = None, guard: Any = None) -> None:
        """One step. With a `guard`, a boolean tensor, only the counter moves where it is false."""
        if not self.built:
            require_first_call(f"{type(self).__name__}.apply_gradients")
            with tf.name_scope(name or self.name):
                self.build([v for _, v in pairs])
        pairs = with_gradient(pairs)
        variables = [v for _, v in pairs]
        with op_scope(name or self.name):
            self._update([dense(g, v) for g, v in pairs], variables, self._rate_now(), guard)
            for variable in variables:
                if variable.constraint is not None:
                    variable.assign(variable.constraint(variable.value()))
        end_untaped_step()

    def _update(self, gradients: list[Any], variables: list[Variable], rate: float, guard: Any) -> None:
        """Apply `update_step` to each variable, and all that goes with it."""
        if self.loss_scale_factor is not None:
            gradients = [g / self.loss_scale_factor for g in gradients]
        is_done = guard
        if self.gradient_accumulation_steps:
            gradients, is_due = self._accumulate(gradients, variables)
            is_done = is_due if guard is None else tf.logical_and(guard, is_due)
        changed = [v for v in (*variables, *self._variables) if v is not self._iterations]
        before = [] if is_done is None else [v.value() for v in changed]
        gradients = self._clip_gradients(gradients)
        self._apply_weight_decay(variables)
        call = self._step_caller(rate)
        for gradient, variable in zip(gradients, variables, strict=True):
            self._get_variable_index(variable)
            call(gradient, variable)
        self._average(variables)
        for variable, value in zip(changed, before, strict=False):
            if not any(variable is a for a in self._accumulated_gradients):
                variable.assign(tf.where(is_done, variable, value))
        self._iterations.assign_add(1)

    def _step_caller(self, rate: float) -> Callable[[Any, Variable], Any]:
        """`update_step`, which takes the learning rate in Keras 3 and not in Keras 2, or the old way to move one."""
        if self._is_old_way:
            takes_state = "apply_state" in inspect.signature(self._resource_apply_dense).parameters
            given = {"apply_state": self._prepare(self._trainable_variables)} if takes_state else {}
            return lambda gradient, variable: self._resource_apply_dense(gradient, variable, **given)
        if len(inspect.signature(self.update_step).parameters) > 2:
            return lambda gradient, variable: self.update_step(gradient, variable, rate)
        return self.update_step

    def update_step(self, gradient: Tensor, variable: Variable, *rate: Any) -> Any:
        """Move one variable; overridden by subclasses, with or without a third argument, the rate."""
        return self._move(gradient, variable, *rate)

    def _accumulate(self, gradients: list[Any], variables: list[Variable]) -> tuple[list[Any], Any]:
        """The mean gradients so far, and whether they are due to be applied."""
        steps = self.gradient_accumulation_steps or 1
        is_applied = is_due(self._iterations, steps)
        means = []
        for gradient, variable in zip(gradients, variables, strict=True):
            kept = self._accumulated_gradients[self._get_variable_index(variable)]
            total, mean = accumulated(gradient, kept, steps)
            kept.assign(tf.where(is_applied, tf.zeros_like(total), total))
            means.append(mean)
        return means, is_applied

    def _clip_gradients(self, grads: list[Any]) -> list[Any]:
        return clipped(grads, self, _CLIP)

    def exclude_from_weight_decay(
        self, var_list: Sequence[Variable] | None = None, var_names: Sequence[str] | None = None
    ) -> None:
        """Name variables that do not decay; before the optimizer is built.

        Args:
            var_list: the variables.
            var_names: regular expressions; a variable whose name one of them is found in does not decay.
        """
        if self.built:
            raise ValueError(
                "`exclude_from_weight_decay()` can only be configured before the optimizer is built."
            )
        self._undecayed = ({self._var_key(v) for v in var_list or ()}, list(var_names or ()))

    def _use_weight_decay(self, variable: Variable) -> bool:
        keys, names = self._undecayed
        return self._var_key(variable) not in keys and not any(re.search(n, variable.name) for n in names)

    def _apply_weight_decay(self, variables: Sequence[Variable]) -> None:
        if self.weight_decay is None:
            return
        for variable in variables:
            if self._use_weight_decay(variable):
                rate = tf.cast(self.learning_rate, variable.dtype)
                variable.assign_sub(decay_of(variable, self.weight_decay, rate))

    def _average(self, variables: Sequence[Variable]) -> None:
        """Move the averages towards the variables, and the variables onto them when that is due."""
        if not self.use_ema:
            return
        for variable in variables:
            average = self._averages[self._get_variable_index(variable)]
            average.assign(averaged(average, variable, self.ema_momentum))
            if self.ema_overwrite_frequency:
                is_overwritten = is_due(self.iterations, self.ema_overwrite_frequency)
                variable.assign(tf.where(is_overwritten, average, variable))

    def finalize_variable_values(self, var_list: Sequence[Variable]) -> None:
        """Give the variables their moving averages, if those are kept; `fit` does so at its end."""
        if self.use_ema:
            for variable in var_list:
                variable.assign(self._averages[self._get_variable_index(variable)])

    @property
    def _model_variables_moving_average(self) -> list[Variable]:
        return self._averages

    def scale_loss(self, loss: Any) -> Any:
        """The loss times `loss_scale_factor`."""
        return loss if self.loss_scale_factor is None else loss * self.loss_scale_factor

    def assign(self, variable: Variable, value: object) -> None:
        """`variable.assign`, as Keras 3 spells it inside optimizers."""
        variable.assign(value)

    def assign_add(self, variable: Variable, value: object) -> None:
        """`variable.assign_add`."""
        variable.assign_add(value)

    def assign_sub(self, variable: Variable, value: object) -> None:
        """`variable.assign_sub`."""
        variable.assign_sub(value)

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments; a subclass adds its own."""
        found = {
            "name": self.name,
            "weight_decay": self.weight_decay,
            "clipnorm": self.clipnorm,
            "global_clipnorm": self.global_clipnorm,
            "clipvalue": self.clipvalue,
            "use_ema": self.use_ema,
            "ema_momentum": self.ema_momentum,
            "ema_overwrite_frequency": self.ema_overwrite_frequency,
            "jit_compile": self.jit_compile,
            "is_legacy_optimizer": False,
        }
        optional = {
            "gradient_accumulation_steps": self.gradient_accumulation_steps,
            "loss_scale_factor": self.loss_scale_factor,
            "decay": self._decay or None,
        }
        found.update({k: v for k, v in optional.items() if v is not None})
        return found

    @classmethod
    def from_config(cls, config: Mapping[str, Any], custom_objects: CustomObjects = None) -> Self:
        """The optimizer that `get_config` described, without its state."""
        found = dict(config)
        if isinstance(found.get("learning_rate"), dict):
            found["learning_rate"] = schedules.deserialize(found["learning_rate"], custom_objects)
        return cls(**found)
