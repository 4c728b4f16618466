"""What an optimizer remembers: its counter, and Variables that belong to the model's."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.devices import placement
from tapeflow.engine.values.annotations import DTypeLike, StaticShape
from tapeflow.engine.values.variable import Variable
from tapeflow.keras import config as keras_config
from tapeflow.keras import initializers
from tapeflow.keras.annotations import InitializerLike
from tapeflow.keras.optimizers.rate import LearningRate


class _Variables(list[Variable]):
    """A list that may also be called, as `optimizer.variables` was a method once."""

    def __call__(self) -> _Variables:
        return self


def filled_like(variable: Variable, value: float) -> np.ndarray:
    """An array of a variable's shape and dtype; on the host, so that nothing is compiled for it."""
    spec = variable._spec
    return np.full(spec.shape, value, spec.np_dtype)


class OptimizerState(LearningRate):
    """The part of an optimizer that owns its Variables."""

    name: str
    use_ema: bool
    gradient_accumulation_steps: int | None
    # `built` is Keras 3's; Keras 2 has subclasses set `_built` themselves.
    built = False
    _built = False
    # The restored checkpoint that has values for variables which are not made yet.
    _deferred: Any = None

    def _start_state(self) -> None:
        """Make the counter; everything else is made in `build`."""
        self._iterations = Variable(0, name="iteration", dtype=tf.int64, trainable=False)
        self._variables: list[Variable] = [self._iterations]
        # By their place among `_variables`: what belongs to a Variable of the model, and as what.
        self._belongings: dict[int, tuple[Variable, str]] = {}
        self._trainable_variables: list[Variable] = []
        self._index_dict: dict[int, int] = {}
        self._averages: list[Variable] = []
        self._accumulated_gradients: list[Variable] = []

    @property
    def iterations(self) -> Any:
        """How many steps there have been, counting gradients that were accumulated as one."""
        if self.gradient_accumulation_steps:
            return self._iterations // self.gradient_accumulation_steps
        return self._iterations

    @iterations.setter
    def iterations(self, variable: Variable) -> None:
        if self.built:
            raise RuntimeError(
                "Cannot set `iterations` to a new Variable after the Optimizer weights have been created. "
                f"Here it is attempting to set `iterations` to {variable}. Set it before calling "
                "`apply_gradients()`, or use `iterations.assign`."
            )
        self._variables = [variable if v is self._iterations else v for v in self._variables]
        self._iterations = variable

    @property
    def variables(self) -> _Variables:
        """The counter and all that the optimizer remembers; may be called too, as of old."""
        return _Variables(self._variables)

    @property
    def weights(self) -> _Variables:
        """The same as `variables`."""
        return self.variables

    def build(self, var_list: Sequence[Variable]) -> None:
        """Make the variables the optimizer needs for these; overridden to add more."""
        if self.built:
            return
        self.built = True
        self._trainable_variables = list(var_list)
        self._index_dict = {self._var_key(v): i for i, v in enumerate(self._trainable_variables)}
        if self.use_ema:
            self._averages = [
                self.add_variable_from_reference(v, "average", initial_value=v) for v in var_list
            ]
        if self.gradient_accumulation_steps:
            self._accumulated_gradients = [
                self.add_variable_from_reference(v, "gradient_accumulator") for v in var_list
            ]

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        # A deep copy has Variables of its own.
        self._index_dict = {self._var_key(v): i for i, v in enumerate(self._trainable_variables)}

    def _var_key(self, variable: Variable) -> int:
        return id(variable)

    def _get_variable_index(self, variable: Variable) -> int:
        found = self._index_dict.get(self._var_key(variable))
        if found is None:
            raise KeyError(
                f"The optimizer cannot recognize variable {variable.name}. This usually means you are trying "
                "to call the optimizer to update different parts of the model separately. Please call "
                "`optimizer.build(variables)` with the full list of trainable variables before the training "
                "loop, or use an optimizer for each part."
            )
        return found

    def add_variable(
        self,
        shape: StaticShape = (),
        dtype: str | None = None,
        initializer: Any = "zeros",
        name: str | None = None,
    ) -> Variable:
        """A new variable of the optimizer's own; Keras 3 has `initializer` before `dtype`."""
        if callable(dtype) or dtype in ("zeros", "ones"):
            dtype, initializer = (None if initializer == "zeros" else initializer), dtype
        value = initializers.get(initializer)(tuple(shape or ()), dtype=dtype or keras_config.floatx())
        return self._added(value, name or "variable")

    def add_variable_from_reference(
        self,
        model_variable: Any = None,
        variable_name: str | None = None,
        shape: Any = None,
        initial_value: Any = None,
        *,
        reference_variable: Any = None,
        name: str | None = None,
        initializer: Any = "zeros",
    ) -> Variable:
        """A new variable with the dtype and, unless given, the shape of a model's; zeros at first.

        `reference_variable`, `name` and `initializer` are Keras 3's names of the arguments.
        """
        reference = reference_variable if model_variable is None else model_variable
        if isinstance(shape, str) or callable(shape):
            shape, initializer = None, shape
        dims = tuple(reference.shape if shape is None else shape)
        if initial_value is None:
            if initializer == "zeros":  # straight from the host: nothing to compile
                initial_value = np.zeros(dims, reference.dtype.as_numpy_dtype)
            else:
                initial_value = initializers.get(initializer)(dims, dtype=reference.dtype)
        kind = variable_name or name or "var"
        self._belongings[len(self._variables)] = reference, kind
        name = f"{kind}/{reference.name.removesuffix(':0')}"
        return self._added(initial_value, name, reference.dtype, reference)

    def add_optimizer_variables(
        self, trainable_variables: Sequence[Variable], name: Any, initializer: InitializerLike = "zeros"
    ) -> Any:
        """A new variable for each of a list, or several lists of them if several names are given."""
        names = [name] if isinstance(name, str) else list(name)
        kinds = list(initializer) if isinstance(initializer, (list, tuple)) else [initializer] * len(names)
        found: tuple[list[Variable], ...] = tuple([] for _ in names)
        for variable in trainable_variables:
            for into, n, kind in zip(found, names, kinds, strict=True):
                into.append(self.add_variable_from_reference(variable, n, initializer=kind))
        return found[0] if isinstance(name, str) else found

    def _added(
        self, value: object, name: str, dtype: DTypeLike | None = None, reference: Variable | None = None
    ) -> Variable:
        placed = placement.current
        if reference is not None and reference._layout is not None:
            placed = reference._layout.placement.for_slots_of(reference)
        with placement.using(placed), tf.init_scope():  # often made in the first step, which is recorded
            variable = Variable(value, name=name, dtype=dtype, trainable=False)
        self._variables.append(variable)
        if self._deferred is not None:
            self._deferred.take_below(self, ("_variables", str(len(self._variables) - 1)), variable)
        return variable

    def get_weights(self) -> list[np.ndarray]:
        """The values of `variables`."""
        return [v.numpy() for v in self._variables]

    def set_weights(self, weights: Iterable[Any]) -> None:
        """Give `variables` these values, in their order."""
        if not self.built:
            raise ValueError(
                "You are calling `set_weights()` on an optimizer that has not yet been built. Please call "
                "`optimizer.build(trainable_variables)` to create the optimizer weights before calling "
                "`set_weights()`."
            )
        for variable, weight in zip(self._variables, weights, strict=False):
            if tuple(variable.shape) != np.shape(weight):
                raise ValueError(
                    f"Optimizer variable {variable.name} has shape {variable.shape} not compatible with "
                    f"provided weight shape {np.shape(weight)}."
                )
            variable.assign(weight)

    def save_own_variables(self, store: Any) -> None:
        """Put the values into a mapping, under their numbers."""
        for i, variable in enumerate(self._variables):
            store[str(i)] = variable.numpy()

    def load_own_variables(self, store: Any) -> None:
        """Take the values from a mapping that `save_own_variables` filled."""
        if len(store) != len(self._variables):
            warnings.warn(
                f"Skipping variable loading for optimizer '{self.name}', because it has "
                f"{len(self._variables)} variables whereas the saved optimizer has {len(store)} variables. "
                "Build it on the same variables first.",
                stacklevel=2,
            )
            return
        for i, variable in enumerate(self._variables):
            variable.assign(np.asarray(store[str(i)]))
