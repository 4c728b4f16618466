"""`Metric`: numbers gathered over many batches, and the result they stand for."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.annotations import DTypeLike
from tapeflow.engine.values.dtypes import DType
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable
from tapeflow.keras import initializers, mixed_precision
from tapeflow.keras.annotations import InitializerLike
from tapeflow.keras.layers.base.naming import snake_case, unique_name
from tapeflow.keras.losses.ragged import same_rows
from tapeflow.keras.saving.load_budget import spend

_KERAS_2_ORDER = ("name", "shape", "aggregation", "synchronization", "initializer", "dtype")
_KERAS_3_ORDER = ("shape", "initializer", "dtype", "name")


class Metric(tf.Module):
    """The base class of metrics: state in Variables, changed by `update_state`, read by `result`.

    A subclass makes its Variables in `__init__` with `self.add_weight`, changes them in `update_state`
    and computes from them in `result`, which gives a tensor or a dict of tensors. Nothing in
    `update_state` may look at a value: it runs inside the compiled training step.

    Args:
        name: the key in logs; the class name in snake case, made unique, if not given.
        dtype: of the Variables and the result; that of the global policy's Variables if not given.

    >>> class Largest(tf.keras.metrics.Metric):
    ...     def __init__(self, name="largest", **kwargs):
    ...         super().__init__(name=name, **kwargs)
    ...         self.value = self.add_weight(name="value", initializer="zeros")
    ...
    ...     def update_state(self, y_true, y_pred, sample_weight=None):
    ...         self.value.assign(tf.maximum(self.value, tf.reduce_max(y_pred)))
    ...
    ...     def result(self):
    ...         return self.value
    >>> largest = Largest()
    >>> float(largest([0.0], [2.5]))
    2.5
    """

    # A metric function may be a method of a model, whose Variables are not the metric's.
    _TF_MODULE_IGNORED_PROPERTIES = frozenset({"_fn", "_fn_kwargs"})

    stateful = True

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "update_state" in vars(cls) and cls.__module__.startswith("tapeflow."):
            setattr(cls, "update_state", _taking_ragged(vars(cls)["update_state"]))  # noqa: B010 - pyright
        if "result" in vars(cls):
            setattr(cls, "result", _giving_tensors(vars(cls)["result"]))  # noqa: B010 - pyright

    def __init__(self, name: str | None = None, dtype: Any = None) -> None:
        # Module.__init__ is not called: it takes identifiers only, and a metric may be called "top-5".
        self._name = name if name is not None else unique_name(snake_case(type(self).__name__))
        self._name_scope = tf.name_scope(self._name)
        self._dtype = _variable_dtype(dtype)
        self._weights: list[Any] = []

    @property
    def dtype(self) -> str:
        """The name of the dtype of its Variables."""
        return self._dtype

    def update_state(self, *args: Any, **kwargs: Any) -> Any:
        """Add a batch, usually `(y_true, y_pred, sample_weight=None)`."""
        raise NotImplementedError(
            f"{type(self).__name__}.update_state expected an implementation: Must be implemented in "
            "subclasses. Define update_state(self, y_true, y_pred, sample_weight=None)."
        )

    def result(self) -> Any:
        """The value over all batches so far, as a tensor or a dict of them."""
        raise NotImplementedError(
            f"{type(self).__name__}.result expected an implementation: Must be implemented in subclasses. "
            "Define result(self) to return a tensor computed from the metric's Variables."
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Add a batch and give the result over all so far."""
        self.update_state(*args, **kwargs)
        result = self.result()
        if type(result) is Tensor:
            result._metric_obj = self  # for Layer.add_metric
        return result

    def reset_state(self) -> None:
        """Forget all batches."""
        if type(self).reset_states is not Metric.reset_states:
            warnings.warn(
                f"Metric {type(self).__name__} implements a `reset_states()` method; rename it to "
                '`reset_state()` (without the final "s"). The name `reset_states()` is the old one.',
                stacklevel=2,
            )
            self.reset_states()
        else:
            self._set_zero()

    def reset_states(self) -> None:
        """The old name of `reset_state`; a subclass may still define it."""
        if type(self).reset_state is Metric.reset_state:
            self._set_zero()
        else:
            self.reset_state()

    def _set_zero(self) -> None:
        for variable in self.variables:
            variable.assign(np.zeros(variable.shape, variable.dtype.as_numpy_dtype))

    def merge_state(self, metrics: Iterable[Metric]) -> None:
        """Add the state of other metrics of this kind, each of which has seen other batches."""
        for metric in metrics:
            if len(metric.weights) != len(self.weights):
                raise ValueError(
                    f"{type(self).__name__}.merge_state expected metrics of the same class; got {metric!r} "
                    f"with {len(metric.weights)} Variables instead of {len(self.weights)}. Metric {metric!r} "
                    f"is not compatible with {self!r}."
                )
            for mine, theirs in zip(self.weights, metric.weights, strict=True):
                mine.assign_add(theirs)

    def add_weight(self, *args: str, **kwargs: Any) -> Any:
        """Make a Variable of this metric's state.

        Called as in Keras 2, `(name, shape=(), aggregation=None, synchronization=None,
        initializer=None, dtype=None)`, or as in Keras 3, `(shape=(), initializer=None, dtype=None,
        name=None)`. Without an initializer it starts at zero.
        """
        is_keras_3 = bool(args) and not (args[0] is None or isinstance(args[0], str))
        order = _KERAS_3_ORDER if is_keras_3 else _KERAS_2_ORDER
        given = dict(zip(order, args, strict=False))
        if len(args) > len(order) or given.keys() & kwargs.keys() or kwargs.keys() - set(_KERAS_2_ORDER):
            raise TypeError(
                f"{type(self).__name__}.add_weight expected each of {', '.join(_KERAS_2_ORDER)} at most "
                f"once; got {args!r} and {kwargs!r}. Pass them by name."
            )
        return self._new_weight(**given, **kwargs)

    add_variable = add_weight

    def _new_weight(
        self,
        name: str | None = None,
        shape: int | Iterable[Any] = (),
        aggregation: Any = None,
        synchronization: Any = None,
        initializer: InitializerLike = None,
        dtype: DTypeLike | None = None,
    ) -> Variable:
        sizes = (shape,) if isinstance(shape, int) else tuple(int(n) for n in shape)
        wanted = tf.as_dtype(self._dtype if dtype is None else dtype)
        spend(math.prod(sizes) * wanted.size, f"a variable of metric {self._name!r} of shape {sizes}")
        with tf.init_scope():  # a metric may come into being in a step that is recorded
            variable = tf.Variable(
                _initial_value(initializer, sizes, wanted),
                trainable=False,
                name=name,
                dtype=wanted,
                aggregation=aggregation,
                synchronization=synchronization,
            )
        self._weights.append(variable)
        return variable

    @property
    def variables(self) -> Any:
        """A list of its Variables in the order they were made, then those of metrics inside it."""
        found = {id(v): v for v in self._weights}
        held = self._flatten(
            recursive=False,
            predicate=lambda leaf: isinstance(
                leaf, (tf.Variable, Metric)
            ),  # no layers: a network stays as it is
            attribute_traversal_key=lambda _: 0,  # as they were assigned
        )
        for leaf in held:
            for variable in (leaf,) if isinstance(leaf, tf.Variable) else leaf.variables:
                found.setdefault(id(variable), variable)
        return list(found.values())

    @property
    def weights(self) -> Any:
        """The same as `variables`."""
        return self.variables

    @property
    def trainable_variables(self) -> Any:
        """None of them: an empty list."""
        return []

    @property
    def non_trainable_variables(self) -> Any:
        """The same as `variables`."""
        return self.variables

    trainable_weights = trainable_variables
    non_trainable_weights = non_trainable_variables

    def get_weights(self) -> list[np.ndarray]:
        """The state as numpy arrays."""
        return [variable.numpy() for variable in self.weights]

    def set_weights(self, weights: Iterable[Any]) -> None:
        """Take over a state that `get_weights` gave."""
        given = list(weights)
        if len(given) != len(self.weights):
            raise ValueError(
                f"{type(self).__name__}.set_weights expected {len(self.weights)} arrays, one for each "
                f"Variable; got {len(given)}. Pass what get_weights() gave."
            )
        for variable, value in zip(self.weights, given, strict=True):
            variable.assign(value)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make a metric like this one."""
        return {"name": self.name, "dtype": self.dtype}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Metric:
        """The metric that `get_config` described, with nothing counted yet."""
        return cls(**config)

    def __deepcopy__(self, memo: dict[int, Any]) -> Metric:
        copied = type(self).from_config(self.get_config())
        memo[id(self)] = copied
        if len(copied.weights) == len(self.weights):
            copied.set_weights(self.get_weights())
        return copied

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}>"

    def __str__(self) -> str:
        return f"{type(self).__name__}(name={self.name},dtype={self.dtype})"


def _taking_ragged(update_state: Callable[..., Any]) -> Callable[..., Any]:
    """`update_state` of a metric of ours, for which each value of a ragged tensor is one sample."""

    @functools.wraps(update_state)
    def wrapped(self: Metric, *args: Any, **kwargs: Any) -> Any:
        for value in args:
            if type(value) is not Tensor and isinstance(value, tf.RaggedTensor):
                args, kwargs = _flat_samples(type(self).__name__, args, kwargs)
                break
        else:
            if kwargs and any(isinstance(value, tf.RaggedTensor) for value in kwargs.values()):
                args, kwargs = _flat_samples(type(self).__name__, args, kwargs)
        return update_state(self, *args, **kwargs)

    return wrapped


def _flat_samples(where: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """The same arguments without rows: labels and predictions, or values, and their weights."""
    given = {**dict(zip(("y_true", "y_pred", "sample_weight"), args, strict=False)), **kwargs}
    values = given.pop("values", None)
    weight = given.pop("sample_weight", None)
    pair = [given.get("y_true", values), given.get("y_pred")]
    if values is not None or (pair[1] is None or len(args) == 1):
        true, _, rows = same_rows(where, pair[0], pair[0])
        found: tuple[Any, ...] = (true,)
    else:
        true, pred, rows = same_rows(where, *pair)
        # Single numbers are samples of one value, not one sample of many.
        found = tuple(tf.expand_dims(y, -1) for y in (true, pred)) if len(pred.shape) == 1 else (true, pred)
    if weight is None:
        return found, {}
    if isinstance(weight, tf.RaggedTensor):
        return found, {"sample_weight": same_rows(where, weight, rows)[0]}
    each = tf.cast(tf.convert_to_tensor(weight), "float32")
    if each.shape:
        each = tf.gather(tf.reshape(each, [-1]), rows.value_rowids())  # one for each row
    return found, {"sample_weight": each}


def _giving_tensors(result: Callable[..., Any]) -> Callable[..., Any]:
    """`result`, giving the value of a Variable now rather than the Variable, which will change."""

    @functools.wraps(result)
    def wrapped(self: Metric, *args: Any, **kwargs: Any) -> Tensor:
        found = result(self, *args, **kwargs)
        return found if type(found) is Tensor else tf.nest.map_structure(_as_tensor, found)

    return wrapped


def _as_tensor(value: object) -> Tensor:
    return value if type(value) is Tensor else tf.identity(value)


def _variable_dtype(dtype: Any) -> str:
    if dtype is None:
        dtype = mixed_precision.global_policy()
    # A dtype policy has the dtype of Variables as an attribute.
    return tf.as_dtype(getattr(dtype, "variable_dtype", dtype)).name


def _initial_value(initializer: InitializerLike, shape: tuple[int, ...], dtype: DType) -> np.ndarray:
    if initializer is None or initializer in ("zeros", "zero", "Zeros"):
        return np.zeros(shape, dtype.as_numpy_dtype)
    return initializers.get(initializer)(shape, dtype=dtype)
