"""The half of a layer that owns weights: making them, finding them, reading and setting them."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

import tapeflow as tf
from tapeflow.engine.functions.staging import require_first_call
from tapeflow.engine.module import Module
from tapeflow.engine.recording.name_scope import name_scope
from tapeflow.engine.recording.sketch import init_scope
from tapeflow.engine.values.annotations import DTypeLike, ShapeLike
from tapeflow.engine.values.dtypes import DType
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable
from tapeflow.keras import constraints, initializers, mixed_precision, regularizers
from tapeflow.keras.annotations import ConstraintLike, InitializerLike, RegularizerLike
from tapeflow.keras.layers.base.own_weights import OwnWeights
from tapeflow.keras.layers.base.tracking import Held, is_tracked, once, variables_in
from tapeflow.keras.metrics.metric import Metric
from tapeflow.keras.mixed_precision.autocast import AutoCastVariable
from tapeflow.keras.mixed_precision.policy import POLICIES, Policy
from tapeflow.keras.saving.load_budget import spend, spend_layer

_KERAS_3_ORDER = (
    *("shape", "initializer", "dtype", "trainable", "autocast", "regularizer", "constraint", "aggregation"),
    "name",
)


def _in_either_order(add_weight: Callable[..., Variable]) -> Callable[..., Variable]:
    """`add_weight`, whose arguments are in Keras 3's order if the first of them is a shape."""

    @functools.wraps(add_weight)
    def called(self: WeightOwner, *args: str, **kwargs: Any) -> Variable:
        if args and isinstance(args[0], (tuple, list, int, tf.TensorShape)):
            given = dict(zip(_KERAS_3_ORDER, args, strict=False))
            twice = given.keys() & kwargs.keys()
            if twice or len(args) > len(_KERAS_3_ORDER):
                raise TypeError(
                    f"add_weight expected each of {', '.join(_KERAS_3_ORDER)} at most once; got "
                    f"{len(args)} arguments and {', '.join(sorted(twice)) or 'no more'} by name. Name them all."
                )
            return add_weight(self, **given, **kwargs)
        return add_weight(self, *args, **kwargs)

    return called


class WeightOwner(Module):
    """A Module that makes Variables with `add_weight` and finds those of the layers it holds.

    Its weights come in Keras's order: its own in the order they were made, then those of the layers
    in its attributes, in the order the attributes were set.
    """

    # Attributes in which nothing is looked for: the layer's own bookkeeping.
    _hidden: ClassVar[frozenset[str]] = frozenset(
        {
            *("_given", "_own_weights", "_regularized", "_inbound_nodes"),
            *("_losses", "_callable_losses", "_added_metrics"),
        }
    )
    # Whether weights made inside its call carry its name in front; graphs of layers do not add theirs.
    scopes_names: bool = True
    # Whether the Variables of metrics in its attributes are among its weights: those of models are.
    _counts_metrics: ClassVar[bool] = False
    # Whether the weights of what it holds come before its own: those of models do.
    _children_first: ClassVar[bool] = False

    def __init__(self, name: str, trainable: bool, policy: Policy) -> None:
        spend_layer(name)
        self._name = name
        self._name_scope = name_scope(name)
        self._trainable = bool(trainable)
        self._policy = policy
        self._own_weights: list[Variable] = []
        self._regularized: list[tuple[Variable, Any]] = []

    def __setattr__(self, name: str, value: object) -> None:
        attributes = vars(self)
        old = attributes.get(name)
        if name not in self._hidden and (is_tracked(value) or is_tracked(old)):
            self._track(name, old, value)
        object.__setattr__(self, name, value)
        if self._deferred is not None and (name == "built" or is_tracked(value)):
            self._deferred.take(self)

    def __delattr__(self, name: str) -> None:
        old = vars(self).get(name)
        object.__delattr__(self, name)
        if is_tracked(old):
            self._track(name, old, None)

    def _track(self, name: str, old: object, value: object) -> None:
        """Note that an attribute changes which may hold weights or layers."""
        object.__setattr__(self, "_held", None)
        variables = variables_in(value)
        if "_own_weights" not in vars(self) and (
            variables or (self._counts_metrics and _holds_modules(value))
        ):
            raise RuntimeError(_not_initialised(self))
        if isinstance(old, Variable):
            self._own_weights[:] = [w for w in self._own_weights if w is not old]
        if variables:
            self._own_weights.extend(v for v in variables if all(v is not w for w in self._own_weights))

    # Making weights

    @_in_either_order
    def add_weight(
        self,
        name: str | None = None,
        shape: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        initializer: InitializerLike = None,
        regularizer: RegularizerLike = None,
        trainable: bool | None = None,
        constraint: ConstraintLike = None,
        use_resource: bool | None = None,
        synchronization: Any = None,
        aggregation: Any = None,
        *,
        autocast: bool = True,
        experimental_autocast: bool = True,
        getter: Any = None,
        collections: Any = None,
    ) -> Variable:
        """Make a Variable that belongs to this layer.

        Args:
            name: its name, below the layer's. With a shape in this place the order of all is Keras 3's.
            shape: its shape; `()` unless given.
            dtype: its dtype; the layer's variable dtype unless given.
            initializer: its first value; Glorot uniform for floats and zeros for the rest unless given.
            regularizer: a penalty on it, added to the losses.
            trainable: whether tapes and optimizers follow it; True unless given.
            constraint: a function that the optimizer applies to it after each update.
            autocast: whether reads under mixed precision give the compute dtype.
            getter: a function that gives the Variable, such as one that exists already.
        """
        if "_own_weights" not in vars(self):
            raise RuntimeError(_not_initialised(self))
        dtype_or_none = self._policy.variable_dtype if dtype is None else dtype
        wanted = tf.as_dtype(dtype_or_none or tf.keras.config.floatx())
        sizes = _static_shape(self.name, name, shape)
        spend(math.prod(sizes) * wanted.size, f"a weight of layer {self.name!r} of shape {sizes}")
        value = _initializer_for(self.name, name, initializer, wanted)
        casts = autocast and experimental_autocast and wanted.is_floating
        casts = casts and self._policy.compute_dtype != self._policy.variable_dtype
        make = AutoCastVariable if casts else Variable
        require_first_call(f"{type(self).__name__}.add_weight")
        arguments: dict[str, Any] = {
            "trainable": trainable,
            "name": name,
            "dtype": wanted,
            "constraint": constraints.get(constraint),
            "synchronization": synchronization,
            "aggregation": aggregation,
            "shape": sizes,
        }
        with init_scope():
            if getter is not None:
                weight = getter(initializer=value, **arguments)
            else:
                weight = make(value(sizes, dtype=wanted), **arguments)
        self._own_weights.append(weight)
        if regularizer is not None:
            self._regularized.append((weight, regularizers.get(regularizer)))
        return weight

    add_variable = add_weight

    # Finding weights

    def _children(self) -> list[Any]:
        """The Modules and further Variables held in attributes, once each."""
        return self._holding().found

    def _holding(self) -> Held:
        held = vars(self).get("_held")
        if held is None or not held.is_current:
            held = Held(vars(self), self._hidden)
            object.__setattr__(self, "_held", held)
        return held

    @property
    def trainable(self) -> bool:
        """Whether the weights are to be trained. Setting it sets it for every layer below."""
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        for layer in self._below():
            layer._trainable = bool(value)

    def _modules(self) -> list[Any]:
        """What it holds, in the order of `submodules`."""
        return self._children()

    def _below(self) -> list[WeightOwner]:
        """This layer and every layer below it, each once, parents first."""
        layers: dict[int, WeightOwner] = {}
        stack: list[Any] = [self]
        while stack:
            layer = stack.pop()
            if isinstance(layer, WeightOwner) and id(layer) not in layers:
                layers[id(layer)] = layer
                stack.extend(reversed(layer._children()))
        return list(layers.values())

    def _gather(self, trainable: bool | None) -> list[Variable]:
        """Weights in Keras's order: all, the trainable, or the others."""
        if trainable is True and not self._trainable:
            return []
        counted = trainable if self._trainable else None
        own = [w for w in self._own_weights if counted is None or w.trainable == counted]
        if counted is None:  # in the same order as if it were not frozen
            own.sort(key=lambda w: not w.trainable)
        children: list[Variable] = []
        for child in self._children():
            if isinstance(child, Variable):
                children += [child] if counted is None or child.trainable == counted else []
            elif isinstance(child, WeightOwner):
                children += child._gather(counted)
            elif isinstance(child, Metric) and not self._counts_metrics:
                continue
            elif counted is None:
                children += child.variables
            else:
                children += child.trainable_variables if counted else child.non_trainable_variables
        return once(children + own if self._children_first else own + children)

    @property
    def _trainable_weights(self) -> OwnWeights:
        return OwnWeights(self._own_weights, trainable=True)

    @property
    def _non_trainable_weights(self) -> OwnWeights:
        return OwnWeights(self._own_weights, trainable=False)

    @property
    def trainable_weights(self) -> list[Variable]:
        """The weights an optimizer updates."""
        return self._gather(True)

    @property
    def non_trainable_weights(self) -> list[Variable]:
        """The weights an optimizer leaves alone."""
        return self._gather(False)

    @property
    def weights(self) -> list[Variable]:
        """All weights, the trainable ones first."""
        return once(self.trainable_weights + self.non_trainable_weights)

    @property
    def trainable_variables(self) -> list[Variable]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The same as `trainable_weights`."""
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> list[Variable]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The same as `non_trainable_weights`."""
        return self.non_trainable_weights

    @property
    def variables(self) -> list[Variable]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The same as `weights`."""
        return self.weights

    def count_params(self) -> int:
        """The number of parameters in the weights."""
        if not self.built:  # pyright: ignore[reportAttributeAccessIssue]
            raise ValueError(
                f"You tried to call `count_params` on layer {self.name}, but the layer isn't built. You can "
                f"build it manually via: `{self.name}.build(batch_input_shape)`."
            )
        return sum(w.shape.num_elements() or 0 for w in self.weights)

    # Reading and setting weights

    def get_weights(self) -> list[np.ndarray]:
        """The values of `weights`, as arrays."""
        return [w.numpy() for w in self.weights]

    def set_weights(self, weights: Sequence[np.ndarray]) -> None:
        """Give `weights` these values, in their order."""
        values, variables = list(weights), self.weights
        if len(values) != len(variables):
            raise ValueError(
                f'You called `set_weights(weights)` on layer "{self.name}" with a weight list of length '
                f"{len(values)}, but the layer was expecting {len(variables)} weights. Provided weights: "
                f"{str(values)[:50]}..."
            )
        for variable, value in zip(variables, values, strict=True):
            shape = np.shape(value)
            if tuple(variable.shape) != shape:
                raise ValueError(
                    f"Layer {self.name} weight shape {tuple(variable.shape)} is not compatible with provided "
                    f"weight shape {shape}."
                )
        for variable, value in zip(variables, values, strict=True):
            variable.assign(value)


def _holds_modules(value: object) -> bool:
    return bool(Held({"": value}, frozenset()).found)


def _not_initialised(owner: object) -> str:
    return (
        f"It looks like you are subclassing `Layer` or `Model` ({type(owner).__name__}) and you forgot to call "
        "`super().__init__()`. Always start with this line."
    )


def _static_shape(layer: str, name: Any, shape: Any) -> tuple[int, ...]:
    if shape is None:
        return ()
    sizes = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    if any(s is None for s in sizes):
        raise ValueError(
            f"Layer {layer!r} expected a weight whose shape is known; got shape={sizes} for weight {name!r}. "
            "Give the layer's input a fixed size on that axis."
        )
    return tuple(int(s) for s in sizes)


def _initializer_for(layer: str, name: Any, initializer: InitializerLike, dtype: DType) -> Any:
    if initializer is not None:
        given = initializers.get(initializer)
        return given if isinstance(given, initializers.Initializer) else _plain(given)
    if dtype.is_floating:
        return initializers.get("glorot_uniform")
    if dtype.is_integer or dtype.is_bool:
        return initializers.get("zeros")
    raise ValueError(
        f"An initializer for variable {name} of type {dtype.name} is required for layer {layer}. "
        "Pass initializer=."
    )


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """A user's initializer: any function of a shape, and of a dtype if it takes one."""

    def initial(shape: tuple[int, ...], dtype: DType) -> Tensor:
        try:
            return function(shape, dtype=dtype)
        except TypeError:
            return function(shape)

    return initial


def default_policy(dtype: DTypeLike | None) -> mixed_precision.Policy:
    """The dtype policy that a layer's `dtype` argument means."""
    if isinstance(dtype, mixed_precision.Policy):
        return dtype
    if isinstance(dtype, dict):
        return POLICIES.deserialize(dtype)
    if dtype is None:
        return mixed_precision.global_policy()
    return mixed_precision.Policy(dtype if isinstance(dtype, str) else tf.as_dtype(dtype).name)


def policy_config(policy: mixed_precision.Policy) -> Any:
    """What stands for a policy in a config: a dtype's name, or the policy by its own name."""
    if policy.compute_dtype == policy.variable_dtype:
        return policy.name
    return {"class_name": "Policy", "config": {"name": policy.name}}
