"""`FusedOptimizer`: optimizers whose whole step is one op.

A subclass names its rule, makes its slots and says which hyperparameters the rule takes. If a user's
subclass overrides `update_step`, its variables are moved one by one through that instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable
from tapeflow.keras.optimizers.optimizer import Optimizer
from tapeflow.ops.training.optimizer_kernels import Plan, step_of, update_variables

_Layout = tuple[Any, list[Variable]]
# Setting these changes values of Variables, which are inputs of a step.
_VALUES = frozenset({"lr", "learning_rate", "iterations", "built"})


def _plain(value: Any) -> Any:
    """A hyperparameter as a Python number: numpy's would carry their dtype into the arithmetic."""
    return value if value is None or isinstance(value, bool) else float(value)


class FusedOptimizer(Optimizer):
    """The base of Keras's own optimizers."""

    _rule: ClassVar[str]
    _slot_names: ClassVar[tuple[str, ...]] = ()
    _layouts: dict[Any, _Layout]
    _has_advanced = False

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        if not name.startswith("_") and name not in _VALUES:
            self._layouts = {}  # a hyperparameter is part of the step that was prepared

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_layouts": {}}  # prepared for the Variables of the original

    def build(self, var_list: Sequence[Variable]) -> None:
        """Make the slots of these variables."""
        if self.built:
            return
        super().build(var_list)
        self._built = True

    def _create_slots(self, var_list: list[Variable]) -> None:
        """Make the slots; in the old way another optimizer may call this on one that it holds."""
        if self.built:
            self._make_slots(var_list)
        else:
            self.build(var_list)

    def _make_slots(self, var_list: list[Variable]) -> None:
        """Make what is remembered of each variable."""
        raise NotImplementedError

    def _slots(self) -> Sequence[Sequence[Variable]]:
        """What is remembered: a list for each kind, one Variable in it for each variable."""
        raise NotImplementedError

    def _slots_of(self, index: int) -> list[Variable]:
        return [kind[index] for kind in self._slots()]

    def _shared(self) -> list[Variable]:
        """What is remembered of all variables together."""
        return []

    def _statics(self) -> dict[str, Any]:
        """The hyperparameters of the rule."""
        raise NotImplementedError

    def _plain_statics(self) -> tuple[tuple[str, Any], ...]:
        return tuple((name, _plain(value)) for name, value in self._statics().items())

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "learning_rate": self._serialize_hyperparameter(self._learning_rate),
            **self._own_config(),
        }

    def _own_config(self) -> dict[str, Any]:
        """The constructor's arguments that only this optimizer has."""
        return self._statics()

    def _update(self, gradients: list[Any], variables: list[Variable], rate: float, guard: Any) -> None:
        if self._is_old_way or type(self).update_step is not FusedOptimizer.update_step:
            self._has_advanced = False
            super()._update(gradients, variables, rate, guard)
            return
        key = (guard is None, *[id(v) for v in variables])
        layout = self._layouts.get(key)
        if layout is None:
            layout = self._layouts[key] = self._layout(variables, guard is not None)
        instance, targets = layout
        others = gradients if guard is None else [guard, *gradients]
        update_variables(instance, self._iterations, rate, others, targets)

    def _layout(self, variables: list[Variable], is_guarded: bool) -> _Layout:
        """The op of a step on these variables, and all the Variables it changes."""
        indices = [self._get_variable_index(v) for v in variables]
        slots = [self._slots_of(i) for i in indices]
        decay = _plain(self.weight_decay)
        plan = Plan(
            rule=self._rule,
            statics=self._plain_statics(),
            slot_counts=tuple(len(s) for s in slots),
            clipnorm=_plain(self.clipnorm),
            global_clipnorm=_plain(self.global_clipnorm),
            clipvalue=_plain(self.clipvalue),
            weight_decay=decay,
            decayed=() if decay is None else tuple(self._use_weight_decay(v) for v in variables),
            ema_momentum=_plain(self.ema_momentum) if self.use_ema else None,
            ema_overwrite_frequency=self.ema_overwrite_frequency if self.use_ema else None,
            accumulation=self.gradient_accumulation_steps,
            scale=_plain(self.loss_scale_factor),
            is_guarded=is_guarded,
        )
        targets = [*self._shared(), *variables, *[s for row in slots for s in row]]
        if self.use_ema:
            targets += [self._averages[i] for i in indices]
        if self.gradient_accumulation_steps:
            targets += [self._accumulated_gradients[i] for i in indices]
        return step_of(plan), targets

    def update_step(self, gradient: Tensor, variable: Variable, *rate: Any) -> None:
        """Move one variable by the rule alone; for subclasses that do something around it."""
        self._move(gradient, variable, rate[0] if rate else self.learning_rate)

    def _move(self, gradient: Tensor, variable: Variable, rate: Any) -> None:
        slots = self._slots_of(self._get_variable_index(variable))
        plan = Plan(
            self._rule,
            self._plain_statics(),
            (len(slots),),
            counts=False,
            advances=not self._has_advanced,
        )
        self._has_advanced = True
        targets = [*self._shared(), variable, *slots]
        update_variables(step_of(plan), self._iterations, rate, [gradient], targets)

    def get_slot(self, var: Variable, slot_name: str) -> Variable:
        """An optimizer slot of a variable, by its old name: `m` and `v` for Adam."""
        if slot_name not in self._slot_names:
            return super().get_slot(var, slot_name)
        slots = self._slots_of(self._get_variable_index(var))
        return dict(zip(self._slot_names, slots, strict=False))[slot_name]
