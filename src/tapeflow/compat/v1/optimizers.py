"""The optimizers of `tf.compat.v1.train`, in eager code and in a `tf.function`, and the class to derive others from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable
from tapeflow.ops.array.indexed_slices import IndexedSlices
from tapeflow.ops.debugging.introspection import inside_function

Pair = tuple[Any, Variable]


class Optimizer:
    """The base class: a subclass defines `_create_slots`, `_prepare` and `_resource_apply_dense`.

    Args:
        use_locking: without effect.
        name: its name, which those of its Variables begin with.
    """

    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2

    def __init__(self, use_locking: bool, name: str) -> None:
        if not name:
            raise ValueError(
                "Must specify the optimizer name: tf.compat.v1.train.Optimizer expected one; got none."
            )
        self._use_locking = use_locking
        self._name = name
        self._slots: dict[str, dict[Any, Variable]] = {}
        self._non_slot_dict: dict[str, Variable] = {}

    def get_name(self) -> str:
        """The name."""
        return self._name

    def minimize(
        self,
        loss: Any,
        global_step: Variable | None = None,
        var_list: Sequence[Variable] | None = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: TensorLike | None = None,
    ) -> Any:
        """`compute_gradients`, and `apply_gradients`."""
        pairs = self.compute_gradients(loss, var_list, grad_loss=grad_loss)
        if all(gradient is None for gradient, _ in pairs):
            names = [variable.name for _, variable in pairs]
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not support gradients, "
                f"between variables {names} and loss {loss}."
            )
        return self.apply_gradients(pairs, global_step, name)

    def compute_gradients(
        self,
        loss: Any,
        var_list: Sequence[Variable] | None = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: TensorLike | None = None,
    ) -> list[Pair]:
        """Pairs of gradient and Variable; a gradient may be None.

        Args:
            loss: a function without arguments; inside a `tf.function` also a tensor.
            var_list: the Variables; those that the function reads by default.
            grad_loss: the gradient of the loss, if not 1.
        """
        if callable(loss):
            with tf.GradientTape() as tape:
                value = loss()
            variables = list(var_list if var_list is not None else tape.watched_variables())
            gradients = tape.gradient(value, variables, grad_loss)
        elif inside_function() and var_list is not None:
            variables = list(var_list)
            gradients = tf.gradients(loss, variables, grad_loss)
        else:
            raise RuntimeError(
                "`loss` passed to Optimizer.compute_gradients should be a function when eager execution is enabled; "
                f"got loss={loss!r}. Pass lambda: loss, or compute gradients with tf.GradientTape."
            )
        return list(zip(gradients, variables, strict=True))

    def apply_gradients(
        self, grads_and_vars: Iterable[Pair], global_step: Variable | None = None, name: str | None = None
    ) -> Any:
        """Move the Variables, and count the step if there is a counter."""
        pairs = [(gradient, variable) for gradient, variable in grads_and_vars if gradient is not None]
        if not pairs:
            raise ValueError(
                "No gradients provided for any variable: Optimizer.apply_gradients expected one that is not None."
            )
        with tf.init_scope():
            self._create_slots([variable for _, variable in pairs])
        self._prepare()
        for gradient, variable in pairs:
            if isinstance(gradient, IndexedSlices):
                self._resource_apply_sparse_duplicate_indices(gradient.values, variable, gradient.indices)
            else:
                self._resource_apply_dense(gradient, variable)
            if variable.constraint is not None:
                variable.assign(variable.constraint(variable.value()))
        self._finish([], name or self._name)
        return None if global_step is None else global_step.assign_add(1)

    # What subclasses define

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        """Make what is remembered of each Variable."""

    def _prepare(self) -> None:
        """Make ready what all Variables of a step have in common."""

    def _resource_apply_dense(self, grad: Tensor, handle: Variable) -> Any:
        return self._apply_dense(grad, handle)

    def _apply_dense(self, grad: Tensor, var: Variable) -> Any:
        raise NotImplementedError(
            f"{type(self).__name__} expected its class to define _resource_apply_dense(self, grad, handle); got none. "
            "Write it, or derive from one of tf.keras.optimizers."
        )

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Tensor, handle: Variable, indices: Tensor
    ) -> Any:
        summed, rows = _summed(grad, indices)
        return self._resource_apply_sparse(summed, handle, rows)

    def _resource_apply_sparse(self, grad: Tensor, handle: Variable, indices: Tensor) -> Any:
        whole = IndexedSlices(grad, indices, list(handle.shape))
        return self._resource_apply_dense(tf.convert_to_tensor(whole), handle)

    def _finish(self, update_ops: Sequence[Any], name_scope: str) -> Any:
        """Change what is left to change at the end of a step."""

    # What it remembers

    def _slot_dict(self, slot_name: str) -> dict[Any, Variable]:
        return self._slots.setdefault(slot_name, {})

    def _get_or_make_slot(self, var: Variable, val: TensorLike, slot_name: str, op_name: str) -> Variable:
        slots = self._slot_dict(slot_name)
        if var.ref() not in slots:
            others = sum(var.ref() in kept for kept in self._slots.values())
            name = f"{var.name.partition(':')[0]}/{op_name}{f'_{others}' if others else ''}"
            slots[var.ref()] = Variable(val, trainable=False, name=name)
        return slots[var.ref()]

    def _get_or_make_slot_with_initializer(
        self, var: Variable, initializer: Any, shape: Any, dtype: Any, slot_name: str, op_name: str
    ) -> Variable:
        return self._get_or_make_slot(var, initializer(shape, dtype=dtype), slot_name, op_name)

    def _zeros_slot(self, var: Variable, slot_name: str, op_name: str) -> Variable:
        return self._get_or_make_slot(var, tf.zeros(var.shape, var.dtype), slot_name, op_name)

    def get_slot(self, var: Variable, name: str) -> Variable | None:
        """What is remembered of a Variable under a name."""
        return self._slots.get(name, {}).get(var.ref())

    def get_slot_names(self) -> list[str]:
        """The names of what is remembered of Variables."""
        return sorted(self._slots)

    def _create_non_slot_variable(self, initial_value: TensorLike, name: str, colocate_with: Any) -> Variable:
        if name not in self._non_slot_dict:
            self._non_slot_dict[name] = Variable(initial_value, trainable=False, name=name)
        return self._non_slot_dict[name]

    def _get_non_slot_variable(self, name: str, graph: Any = None) -> Variable | None:
        return self._non_slot_dict.get(name)

    def _call_if_callable(self, param: Any) -> Any:
        return param() if callable(param) and not isinstance(param, Variable) else param

    def variables(self) -> list[Variable]:
        """All that it remembers."""
        kept = [*self._non_slot_dict.values(), *(v for slots in self._slots.values() for v in slots.values())]
        return sorted(kept, key=lambda variable: variable.name)

    def _number(self, value: Any, like: Variable) -> Tensor:
        """A hyperparameter in the dtype of a Variable."""
        return tf.cast(self._call_if_callable(value), like.dtype)


def _summed(values: Tensor, indices: Any) -> tuple[Tensor, Tensor]:
    rows, places = tf.unique(indices)
    return tf.math.unsorted_segment_sum(values, places, tf.size(rows)), rows


class GradientDescentOptimizer(Optimizer):
    """Steps along the gradient."""

    def __init__(self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent") -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _resource_apply_dense(self, grad: Tensor, handle: Variable) -> Any:
        return handle.assign_sub(self._number(self._learning_rate, handle) * grad)


class MomentumOptimizer(Optimizer):
    """Steps along what the gradients have summed up to."""

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._momentum, self._use_nesterov = learning_rate, momentum, use_nesterov

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for variable in var_list:
            self._zeros_slot(variable, "momentum", self._name)

    def _resource_apply_dense(self, grad: Tensor, handle: Variable) -> Any:
        kept = self._slot_dict("momentum")[handle.ref()]
        rate, share = self._number(self._learning_rate, handle), self._number(self._momentum, handle)
        kept.assign(share * kept + grad)
        return handle.assign_sub(rate * (grad + share * kept if self._use_nesterov else kept))


class AdagradOptimizer(Optimizer):
    """Steps divided by the root of the sum of squared gradients."""

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._initial_accumulator_value = learning_rate, initial_accumulator_value

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for variable in var_list:
            first = tf.fill(list(variable.shape), tf.cast(self._initial_accumulator_value, variable.dtype))
            self._get_or_make_slot(variable, first, "accumulator", self._name)

    def _resource_apply_dense(self, grad: Tensor, handle: Variable) -> Any:
        kept = self._slot_dict("accumulator")[handle.ref()]
        kept.assign_add(tf.square(grad))
        return handle.assign_sub(self._number(self._learning_rate, handle) * grad * tf.math.rsqrt(kept))


class RMSPropOptimizer(Optimizer):
    """Steps divided by the root of the mean squared gradient."""

    def __init__(
        self,
        learning_rate: Any,
        decay: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._decay, self._momentum = learning_rate, decay, momentum
        self._epsilon, self._centered = epsilon, centered

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for variable in var_list:
            self._get_or_make_slot(variable, tf.ones(variable.shape, variable.dtype), "rms", self._name)
            self._zeros_slot(variable, "momentum", self._name)
            if self._centered:
                self._zeros_slot(variable, "mg", self._name)

    def _resource_apply_dense(self, grad: Tensor, handle: Variable) -> Any:
        square, moved = (self._slot_dict(name)[handle.ref()] for name in ("rms", "momentum"))
        rate, decay, share, least = (
            self._number(value, handle)
            for value in (self._learning_rate, self._decay, self._momentum, self._epsilon)
        )
        square.assign(decay * square + (1 - decay) * tf.square(grad))
        below: Any = square + least
        if self._centered:
            mean = self._slot_dict("mg")[handle.ref()]
            mean.assign(decay * mean + (1 - decay) * grad)
            below = below - tf.square(mean)
        moved.assign(share * moved + rate * grad * tf.math.rsqrt(below))
        return handle.assign_sub(moved)


class AdamOptimizer(Optimizer):
    """Steps along the mean gradient, divided by the root of the mean squared one."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        super().__init__(use_locking, name)
        self._lr, self._beta1, self._beta2, self._epsilon = learning_rate, beta1, beta2, epsilon

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        first = min(var_list, key=lambda variable: variable.name)
        self._create_non_slot_variable(self._number(self._beta1, first), "beta1_power", first)
        self._create_non_slot_variable(self._number(self._beta2, first), "beta2_power", first)
        for variable in var_list:
            self._zeros_slot(variable, "m", self._name)
            self._zeros_slot(variable, "v", self._name)

    def _resource_apply_dense(self, grad: Tensor, handle: Variable) -> Any:
        mean, square = (self._slot_dict(name)[handle.ref()] for name in ("m", "v"))
        rate, beta1, beta2, least = (
            self._number(value, handle) for value in (self._lr, self._beta1, self._beta2, self._epsilon)
        )
        power1, power2 = (tf.cast(self._non_slot_dict[f"beta{k}_power"], handle.dtype) for k in (1, 2))
        mean.assign(beta1 * mean + (1 - beta1) * grad)
        square.assign(beta2 * square + (1 - beta2) * tf.square(grad))
        rate = rate * tf.sqrt(1 - power2) / (1 - power1)
        return handle.assign_sub(rate * mean / (tf.sqrt(square) + least))

    def _finish(self, update_ops: Sequence[Any], name_scope: str) -> Any:
        for name, beta in (("beta1_power", self._beta1), ("beta2_power", self._beta2)):
            power = self._non_slot_dict[name]
            power.assign(power * self._number(beta, power))


class AdadeltaOptimizer(Optimizer):
    """Steps as large as the earlier ones, by the root of the mean squared gradient."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._lr, self._rho, self._epsilon = learning_rate, rho, epsilon

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for variable in var_list:
            self._zeros_slot(variable, "accum", self._name)
            self._zeros_slot(variable, "accum_update", self._name)

    def _resource_apply_dense(self, grad: Tensor, handle: Variable) -> Any:
        square, moved = (self._slot_dict(name)[handle.ref()] for name in ("accum", "accum_update"))
        rate, rho, least = (self._number(value, handle) for value in (self._lr, self._rho, self._epsilon))
        square.assign(rho * square + (1 - rho) * tf.square(grad))
        update = tf.sqrt(moved + least) * tf.math.rsqrt(square + least) * grad
        moved.assign(rho * moved + (1 - rho) * tf.square(update))
        return handle.assign_sub(rate * update)


class FtrlOptimizer(Optimizer):
    """Follows the regularized leader: leaves weights at zero that do not earn their penalty."""

    def __init__(
        self,
        learning_rate: Any,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate, self._learning_rate_power = learning_rate, learning_rate_power
        self._initial_accumulator_value = initial_accumulator_value
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength
        self._l2_shrinkage = l2_shrinkage_regularization_strength
        self._accum_name, self._linear_name = accum_name, linear_name

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        for variable in var_list:
            first = tf.fill(list(variable.shape), tf.cast(self._initial_accumulator_value, variable.dtype))
            self._get_or_make_slot(variable, first, "accum", self._accum_name or self._name)
            self._zeros_slot(variable, "linear", self._linear_name or self._name)

    def _resource_apply_dense(self, grad: Tensor, handle: Variable) -> Any:
        square, linear = (self._slot_dict(name)[handle.ref()] for name in ("accum", "linear"))
        rate = self._number(self._learning_rate, handle)
        before = tf.pow(square.value(), -self._learning_rate_power)
        square.assign_add(tf.square(grad))
        after = tf.pow(square.value(), -self._learning_rate_power)
        pulled = grad + 2.0 * self._l2_shrinkage * handle if self._l2_shrinkage else grad
        linear.assign_add(pulled - (after - before) / rate * handle)
        moved = tf.clip_by_value(linear, -self._l1, self._l1) - linear
        return handle.assign(moved / (after / rate + 2.0 * self._l2))
