"""`tf.keras.export`: functions of models, written as a SavedModel to be served."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import tapeflow as tf
from tapeflow.engine.values import nest
from tapeflow.keras.layers import InputSpec
from tapeflow.keras.models import Functional, Sequential


class ExportArchive:
    """Collects functions of models, with what they need, and writes them into one folder.

    >>> model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    >>> archive = tf.keras.export.ExportArchive()
    >>> archive.track(model)
    >>> _ = archive.add_endpoint("serve", model.call, [tf.TensorSpec([None, 2], tf.float32)])
    >>> archive.write_out("served", verbose=False)
    >>> tf.saved_model.load("served").serve(tf.ones([3, 2])).shape
    TensorShape([3, 1])
    """

    def __init__(self) -> None:
        self._held = tf.Module()
        self._tracked: list[Any] = []
        self._endpoints: dict[str, Any] = {}

    @property
    def variables(self) -> list[tf.Variable]:
        """The Variables of what is tracked."""
        return [v for resource in self._tracked for v in resource.variables]

    @property
    def trainable_variables(self) -> list[tf.Variable]:
        """Those of them that are trained."""
        return [v for v in self.variables if v.trainable]

    @property
    def non_trainable_variables(self) -> list[tf.Variable]:
        """The others."""
        return [v for v in self.variables if not v.trainable]

    def track(self, resource: Any) -> None:
        """Keep a model, a layer or another module whose functions are to be written."""
        if not isinstance(resource, tf.Module):
            raise ValueError(
                "ExportArchive.track expected a model, a layer or a tf.Module; got "
                f"resource={resource!r}. Put what is to be kept into a tf.Module."
            )
        if not getattr(resource, "built", True):
            raise ValueError(
                "The layer provided has not yet been built. It must be built before export: ExportArchive.track got "
                f"{resource!r}. Call it on some data first."
            )
        self._tracked.append(resource)
        setattr(self._held, f"tracked_{len(self._tracked) - 1}", resource)

    def track_and_add_endpoint(
        self, name: str, resource: Any, input_signature: Any = None, **kwargs: Any
    ) -> Any:
        """`track` and `add_endpoint` in one."""
        self.track(resource)
        return self.add_endpoint(name, resource.__call__, input_signature, **kwargs)

    def add_endpoint(
        self, name: str, fn: Callable[..., Any], input_signature: Any = None, **kwargs: Any
    ) -> Any:
        """Add a function under a name, which the loaded object has as a method.

        Args:
            name: the name.
            fn: a function of tensors, or a `tf.function`, which needs no signature once it was called.
            input_signature: for each argument a `tf.TensorSpec`, a `keras.InputSpec`, or a structure of them.
            kwargs: for other backends, ignored.
        """
        if name in self._endpoints:
            raise ValueError(
                f"ExportArchive.add_endpoint expected a new name; got name={name!r}. Endpoint names must be unique: "
                "use another one."
            )
        if input_signature is None and not hasattr(fn, "get_concrete_function"):
            raise ValueError(
                "If the `fn` argument provided is not a `tf.function`, you must provide an `input_signature` to "
                "specify the shape and dtype of the function arguments: ExportArchive.add_endpoint got none for "
                f"{name!r}."
            )
        if input_signature is not None:
            signature = [nest.map_structure(_spec, given) for given in input_signature]
            fn = tf.function(fn, input_signature=signature)
        self._endpoints[name] = fn
        setattr(self._held, name, fn)
        return fn

    def add_variable_collection(self, name: str, variables: Iterable[tf.Variable]) -> None:
        """Keep Variables under a name, which the loaded object has as a list."""
        found = list(variables)
        if not all(isinstance(v, tf.Variable) for v in found):
            raise ValueError(
                f"ExportArchive.add_variable_collection expected Variables; got {found!r}. Leave out what is none."
            )
        setattr(self._held, name, found)

    def write_out(self, filepath: Any, options: Any = None, verbose: bool = True) -> None:
        """Write a SavedModel; its default signature is the first endpoint's."""
        if not self._endpoints:
            raise ValueError(
                "ExportArchive.write_out expected functions to write; got none. Call add_endpoint first."
            )
        signatures = {name: fn for name, fn in self._endpoints.items() if hasattr(fn, "input_signature")}
        signatures["serving_default"] = next(iter(self._endpoints.values()))
        tf.saved_model.save(self._held, filepath, signatures=signatures, options=options)
        if verbose:
            print(f"Saved artifact at '{filepath}': endpoints {', '.join(self._endpoints)}.")  # noqa: T201


def _spec(given: Any) -> Any:
    if isinstance(given, InputSpec):
        return tf.TensorSpec(
            given.shape, given.dtype or tf.keras.config.floatx(), getattr(given, "name", None)
        )
    if isinstance(given, tf.TypeSpec):
        return given
    return tf.TensorSpec(given.shape, given.dtype, getattr(given, "name", None))


def export_saved_model(model: Any, filepath: Any, verbose: bool = True, input_signature: Any = None) -> None:
    """Write the computation of a model: as `model.export`."""
    archive = ExportArchive()
    archive.track(model)
    if input_signature is None:
        if not isinstance(model, (Functional, Sequential)):
            raise ValueError(
                "keras.export.export_saved_model expected an input_signature for a model of a class of its own; got "
                "none. Give a tf.TensorSpec for each argument."
            )
        input_signature = [nest.map_structure(_spec, model.input)]
    archive.add_endpoint("serve", model.__call__, input_signature)
    archive.write_out(filepath, verbose=verbose)
