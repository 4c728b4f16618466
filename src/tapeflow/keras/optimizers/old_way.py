"""`OldWay`: what classes written before Keras 2.11 override and call, with slots and hyperparameters by name."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import tapeflow as tf
from tapeflow.engine.values.annotations import DTypeLike, ShapeLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable
from tapeflow.keras import config as keras_config
from tapeflow.keras.annotations import InitializerLike
from tapeflow.keras.optimizers.schedules.schedule import LearningRateSchedule
from tapeflow.keras.optimizers.state import OptimizerState

_Key = tuple[str, Any]
_RENAMED = {"_name": "name", "_initial_decay": "_decay", "_weights": "_variables"}


class OldWay(OptimizerState):
    """The part of an optimizer that a user's class from before Keras 2.11 builds on.

    Such a class calls `_set_hyper` in its constructor, `add_slot` in `_create_slots`, and `get_slot`, `_get_hyper`
    and `_decayed_lr` in `_resource_apply_dense`, which moves one variable. Gradients are always dense.
    """

    _use_locking = False

    def _start_state(self) -> None:
        super()._start_state()
        self._hyper: dict[str, Any] = {}
        self._added_slots: dict[tuple[int, str], Variable] = {}

    def __getattr__(self, name: str) -> Any:
        if name in _RENAMED:
            return getattr(self, _RENAMED[name])
        if name == "decay" and "_hyper" in vars(self):
            return self._decay_variable()
        if name not in vars(self).get("_hyper", {}):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self._get_hyper(name)

    def __setattr__(self, name: str, value: object) -> None:
        # A user's class may mean something else by it.
        if name == "decay" and type(self).__module__.startswith("tapeflow."):
            self._decay_variable().assign(value)
        else:
            super().__setattr__(name, value)

    def _decay_variable(self) -> Variable:
        """What `optimizer.decay` gives, unless a class has an attribute of that name.

        As before Keras 2.11 it is a Variable that says what was given; assigning to it does not change the rate.
        """
        if "decay" not in self._hyper:
            with tf.init_scope():
                self._hyper["decay"] = Variable(
                    self._decay, name="decay", dtype=keras_config.floatx(), trainable=False
                )
        return self._hyper["decay"]

    def _distribution_strategy_scope(self) -> Any:
        """The scope to make Variables in: that of the strategy at hand."""
        return tf.distribute.get_strategy().scope()

    def add_weight(
        self,
        name: str,
        shape: Any,
        dtype: Any = None,
        initializer: Any = "zeros",
        trainable: bool | None = None,
        synchronization: Any = None,
        aggregation: Any = None,
    ) -> Variable:
        """A new variable of the optimizer's own."""
        return self.add_variable(shape, dtype, initializer, name)

    def _track_trackable(self, trackable: Any, name: str, overwrite: bool = False) -> Any:
        """Hold an object under a name, where checkpoints find it."""
        setattr(self, name, trackable)
        return trackable

    # Hyperparameters

    def _set_hyper(self, name: str, value: Any) -> None:
        if name == "learning_rate":
            if self._learning_rate is None:
                self._learning_rate = self._build_learning_rate(value)
            else:
                self.learning_rate = value
        elif name == "decay":
            self._decay = float(value)
        elif isinstance(self._hyper.get(name), Variable) and not callable(value):
            self._hyper[name].assign(value)
        elif name in self._hyper or name not in vars(self):
            self._hyper[name] = value
        else:
            setattr(self, name, value)

    def _get_hyper(self, name: str, dtype: DTypeLike | None = None) -> Any:
        if name == "learning_rate":
            is_schedule = isinstance(self._learning_rate, LearningRateSchedule)
            value = self._learning_rate if is_schedule else self.learning_rate
        elif name == "decay":
            value = self._decay
        else:
            self._create_hypers()
            value = self._hyper[name] if name in self._hyper else vars(self)[name]
        if isinstance(value, LearningRateSchedule):
            return value
        if callable(value) and not isinstance(value, Variable):
            value = value()
        return value if dtype is None else tf.cast(value, dtype)

    def _create_hypers(self) -> None:
        """Put the numbers among the hyperparameters into Variables: a step that was staged reads them anew."""
        for name, value in self._hyper.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                with tf.init_scope():
                    self._hyper[name] = Variable(
                        float(value), name=name, dtype=keras_config.floatx(), trainable=False
                    )

    def _serialize_hyperparameter(self, value: object) -> Any:
        if isinstance(value, str):
            if value == "learning_rate":
                value = self._learning_rate
            else:
                value = self._decay if value == "decay" else self._hyper.get(value, vars(self).get(value))
        return super()._serialize_hyperparameter(value)

    def _decayed_lr(self, var_dtype: Any) -> Any:
        """The learning rate of this step, after decay."""
        return tf.cast(super()._rate_now(), var_dtype)

    def _rate_now(self) -> Any:
        # A class that holds another optimizer may have no rate of its own.
        return None if self._learning_rate is None and self._is_old_way else super()._rate_now()

    # Slots

    def add_slot(
        self,
        var: Variable,
        slot_name: str,
        initializer: InitializerLike = "zeros",
        shape: ShapeLike | None = None,
    ) -> Variable:
        """Make a variable that belongs to another; the same one if there is one of this name already."""
        key = (self._var_key(var), slot_name)
        if key not in self._added_slots:
            is_rule = isinstance(initializer, str) or (
                callable(initializer) and not isinstance(initializer, Variable)
            )
            given: dict[str, Any] = {"initializer" if is_rule else "initial_value": initializer}
            self._added_slots[key] = self.add_variable_from_reference(var, slot_name, shape, **given)
        return self._added_slots[key]

    def get_slot(self, var: Variable, slot_name: str) -> Variable:
        """The variable that `add_slot` made."""
        return self._added_slots[self._var_key(var), slot_name]

    def get_slot_names(self) -> list[str]:
        """The names of slots, in the order they were first made."""
        return list(dict.fromkeys(name for _, name in self._added_slots))

    def _create_slots(self, var_list: list[Variable]) -> None:
        """Overridden to call `add_slot` for each variable."""

    def build(self, var_list: Sequence[Variable]) -> None:
        """Make the variables the optimizer needs for these, slots of the old way among them."""
        if not self.built:
            super().build(var_list)
            self._create_slots(list(var_list))

    # A step

    @property
    def _is_old_way(self) -> bool:
        """Whether a user's class moves the variables in the old way."""
        return type(self)._resource_apply_dense is not OldWay._resource_apply_dense

    @property
    def _dense_apply_args(self) -> list[str]:
        """The arguments of the class's way to move a variable; who holds an optimizer looks for `apply_state`."""
        return ["self", *inspect.signature(self._resource_apply_dense).parameters]

    def _prepare(self, var_list: Sequence[Variable]) -> dict[_Key, dict[str, Any]]:
        """What the variables of one device and dtype have in common in this step."""
        state: dict[_Key, dict[str, Any]] = {}
        for key in dict.fromkeys((v.device, v.dtype.base_dtype) for v in var_list):
            state[key] = {}
            self._prepare_local(*key, state)
        return state

    def _prepare_local(
        self, var_device: str, var_dtype: Any, apply_state: dict[_Key, dict[str, Any]]
    ) -> None:
        if self._learning_rate is not None:
            apply_state[var_device, var_dtype]["lr_t"] = self._decayed_lr(var_dtype)

    def _fallback_apply_state(self, var_device: str, var_dtype: Any) -> dict[str, Any]:
        state: dict[_Key, dict[str, Any]] = {(var_device, var_dtype): {}}
        self._prepare_local(var_device, var_dtype, state)
        return state[var_device, var_dtype]

    def _resource_apply_dense(
        self, grad: Tensor, var: Variable, apply_state: dict[_Key, dict[str, Any]] | None = None
    ) -> Any:
        """Move one variable; overridden by a class in the old way, which may call this one."""
        key = (var.device, var.dtype.base_dtype)
        state = (apply_state or {}).get(key) or self._fallback_apply_state(*key)
        return self._move(grad, var, state.get("lr_t"))

    def _move(self, gradient: Tensor, variable: Variable, rate: Any) -> Any:
        raise NotImplementedError(
            f"{type(self).__name__} expected its class to override `update_step(self, gradient, variable)`, or "
            "`_resource_apply_dense(self, grad, var)` as of old."
        )

    def _resource_scatter_add(self, x: Variable, i: Any, v: Any) -> Any:
        return x.assign(tf.tensor_scatter_nd_add(x, tf.expand_dims(i, -1), v))

    def _resource_scatter_update(self, x: Variable, i: Any, v: Any) -> Any:
        return x.assign(tf.tensor_scatter_nd_update(x, tf.expand_dims(i, -1), v))
