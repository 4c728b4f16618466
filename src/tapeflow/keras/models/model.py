"""`Model`: layers that are trained together."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import tapeflow as tf
from tapeflow.engine.module import Module
from tapeflow.engine.values import nest
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.keras.annotations import CustomObjects, InputShape, PathLike
from tapeflow.keras.graph.inference import infer, shapes_of
from tapeflow.keras.graph.keras_tensor import KerasTensor
from tapeflow.keras.layers.base.init_arguments import make_layer, noted_arguments
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.layers.base.tracking import once
from tapeflow.keras.layers.base.weight_owner import WeightOwner
from tapeflow.keras.models.kinds import AnyModel
from tapeflow.keras.models.summary import print_summary
from tapeflow.keras.training.trainer import Trainer


class Model(Trainer, AnyModel):
    """A model: layers that are trained together, as a graph of symbolic tensors or a subclass with a `call`.

    Args:
        inputs: symbolic inputs (`tf.keras.Input`), in any structure, for a functional model.
        outputs: symbolic tensors computed from them.
        name: its name.
        trainable: whether its weights are to be trained.

    >>> x = tf.keras.Input((4,))
    >>> model = tf.keras.Model(x, tf.keras.layers.Dense(2)(x))
    >>> model(tf.zeros((3, 4))).shape
    TensorShape([3, 2])
    """

    _counts_metrics: ClassVar[bool] = True
    _children_first: ClassVar[bool] = True
    _hidden: ClassVar[frozenset[str]] = Layer._hidden | {
        *("optimizer", "loss", "history", "compiled_loss", "compiled_metrics", "output_names"),
        *("_compile_arguments", "_staged_steps", "_trainable_at_compile"),
    }
    _TF_MODULE_IGNORED_PROPERTIES: ClassVar[frozenset[str]] = frozenset(
        {"_compile_arguments", "_staged_steps", "_trainable_at_compile"}
    )
    # Lists that are the model's own, not the user's.
    _layer_lists: ClassVar[frozenset[str]] = frozenset({"_graph_layers", "_stack"})

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        if cls is Model and _is_functional(args, kwargs):
            from tapeflow.keras.models.functional import Functional  # cycle

            return Layer.__new__(Functional, *args, **kwargs)  # pyright: ignore[reportReturnType]
        return super().__new__(cls, *args, **kwargs)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if _is_functional(args, kwargs):
            from tapeflow.keras.models.functional import Functional, functional_class  # cycle

            self.__class__ = functional_class(type(self))
            Functional.__init__(self, *args, **kwargs)  # pyright: ignore[reportArgumentType]
            return
        if len(args) > 2:
            raise TypeError(
                f"Model.__init__ expected (inputs, outputs, name=None) or keyword arguments; got {len(args)} "
                "positional arguments."
            )
        Layer.__init__(self, *args, **kwargs)
        self._init_training()

    @property
    def weights(self) -> list[Any]:
        """All weights, layer by layer; of the layers in a list or dict, all that are trainable come first."""
        return self._gather(None)

    def _gather(self, trainable: bool | None) -> list[Any]:
        if trainable is not None:
            return super()._gather(trainable)
        weights: list[Any] = []
        for name, children in self._holding().by_name.items():
            if isinstance(vars(self)[name], Module) or name in self._layer_lists:
                weights += [w for child in children for w in _weights_of(child)]
            else:
                weights += [w for child in children for w in _weights_of(child, True)]
                weights += [w for child in children for w in _weights_of(child, False)]
        return once(weights + self._own_weights)

    def call(self, inputs: TensorLike, training: bool | None = None, mask: TensorLike | None = None) -> Any:
        """The computation of the model; subclasses implement it."""
        raise NotImplementedError(
            f"Unimplemented `tf.keras.Model.call()` in {type(self).__name__}: if you intend to create a `Model` "
            "with the Functional API, please provide `inputs` and `outputs` arguments. Otherwise, subclass `Model` "
            "with an overridden `call()` method."
        )

    def build(self, input_shape: InputShape | None = None) -> None:
        """Create the weights for inputs of this shape."""
        if self.built or type(self).call is Model.call or input_shape is None:
            self.built = True
            return
        dtype = tf.as_dtype(tf.keras.config.floatx())
        inputs = nest.map_structure(lambda s: KerasTensor(s.shape, dtype), shapes_of(input_shape))
        # Called as built, or the call would build again. Names are then those of the layers alone.
        self.built = True
        self.scopes_names = False
        try:
            infer(self, (inputs,), {})
        except Exception:
            self.built = False
            raise
        finally:
            self.scopes_names = True

    def _build_for(self, inputs: TensorLike) -> None:
        if type(self).build is Model.build:
            self.built = True  # the call itself builds the layers
            self._build_input_shape = nest.map_structure(lambda x: tuple(x.shape), inputs)
            if all(isinstance(x, tf.Tensor) for x in nest.flatten(inputs)):
                self._export_inputs = nest.map_structure(
                    lambda x: tf.TensorSpec((None, *x.shape[1:]) if x.shape.rank else x.shape, x.dtype),
                    inputs,
                )
            return
        super()._build_for(inputs)

    # Its parts

    @property
    def layers(self) -> list[Any]:
        """The layers it is made of, not those inside them."""
        return [child for child in self._children() if isinstance(child, Layer)]

    @property
    def submodules(self) -> tuple[Any, ...]:
        """Every layer below it: those that it holds, then those below each."""
        return tuple(_held_first(self, {id(self)}))

    def get_layer(self, name: str | None = None, index: int | None = None) -> Any:
        """Return the layer with a name, or at an index of `layers`."""
        if index is not None and name is not None:
            raise ValueError(
                f"Provide only a layer name or a layer index. Received: index={index}, name={name}."
            )
        if index is not None:
            if len(self.layers) <= index:
                raise ValueError(
                    f"Was asked to retrieve layer at index {index} but model only has {len(self.layers)} layers."
                )
            return self.layers[index]
        if name is None:
            raise ValueError("Provide either a layer name or layer index at `get_layer`.")
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise ValueError(
            f"No such layer: {name}. Existing layers are: {[layer.name for layer in self.layers]}."
        )

    @property
    def stateful(self) -> bool:
        """Whether it has a layer that goes on with the states that the last batch ended with."""
        below = [layer for layer in self._below() if not isinstance(layer, Model)]
        return getattr(self, "_is_stateful", False) or any(layer.stateful for layer in below)  # pyright: ignore[reportAttributeAccessIssue]

    @stateful.setter
    def stateful(self, value: bool) -> None:  # pyright: ignore[reportIncompatibleVariableOverride]
        self._is_stateful = bool(value)

    def reset_states(self) -> None:
        """Reset the states of stateful layers to their initial values."""
        for layer in self._below()[1:]:
            reset = getattr(layer, "reset_states", None)
            if reset is not None and layer.stateful and not isinstance(layer, Model):  # pyright: ignore
                reset()

    @property
    def state_updates(self) -> list[Any]:
        """Empty: assignments in `call` need no collecting."""
        return []

    # What it shows

    def summary(
        self,
        line_length: int | None = None,
        positions: Any = None,
        print_fn: Any = None,
        expand_nested: bool = False,
        show_trainable: bool = False,
        layer_range: Sequence[str] | None = None,
    ) -> None:
        """Print the layers, their output shapes and their numbers of parameters."""
        if not self.built:
            raise ValueError(
                "This model has not yet been built. Build the model first by calling `build()` or by calling the "
                "model on a batch of data."
            )
        print_summary(self, line_length, positions, print_fn, expand_nested, show_trainable, layer_range)

    # What it is saved as

    def __reduce__(self) -> tuple[Any, ...]:
        from tapeflow.keras.saving.copies import reduced  # start-up

        return reduced(self)

    def __deepcopy__(self, memo: Any) -> Any:
        from tapeflow.keras.saving.copies import deep_copy  # start-up

        return deep_copy(self, memo)

    def get_config(self) -> dict[str, Any]:
        """The arguments of a subclass's `__init__`, if they are plain values."""
        config = {"name": self.name, "trainable": self.trainable, **noted_arguments(self)}
        return {k: v for k, v in config.items() if k not in ("inputs", "outputs")}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: CustomObjects = None) -> Self:
        """Create a model from the result of `get_config`."""
        if _takes_graph(cls) and {"layers", "input_layers", "output_layers"} <= set(config):
            from tapeflow.keras.models.functional import graph_model  # cycle

            return graph_model(cls, config, custom_objects)
        with tf.keras.utils.custom_object_scope(custom_objects or {}):
            return make_layer(cls, config)

    def to_json(self, **kwargs: Any) -> str:
        """The architecture as JSON, for `model_from_json`."""
        from tapeflow.keras.saving.architecture import to_json  # start-up

        return to_json(self, **kwargs)

    @property
    def _is_graph_network(self) -> bool:
        """Whether it is a graph of layers, whose inputs are known; libraries that rewrite models ask for it."""
        return getattr(self, "_nested_inputs", None) is not None

    @property
    def _self_tracked_trackables(self) -> list[Any]:
        """Its layers, those of inputs among them; libraries that draw or rewrite models ask for them."""
        return getattr(self, "_stack", None) or self.layers

    def _set_save_spec(
        self, inputs: Tensor, args: tuple[Any, ...] | None = None, kwargs: dict[str, Any] | None = None
    ) -> None:
        """What the model takes, where it is to be saved before it has been called; libraries of models call this.

        Args:
            inputs: `TensorSpec`s or tensors, in the structure of the first argument of `call`.
            args, kwargs: further arguments of `call`, which are left at their defaults when the model is served.
        """
        del args, kwargs
        if "_export_inputs" not in vars(self):
            specs = [TensorSpec(x.shape, x.dtype, getattr(x, "name", None)) for x in nest.flatten(inputs)]
            vars(self)["_export_inputs"] = nest.pack_sequence_as(inputs, specs)

    def save(
        self, filepath: PathLike, overwrite: bool = True, save_format: str | None = None, **kwargs: Any
    ) -> None:
        """Save architecture, weights and training state: `.keras`, `.h5`, or a folder."""
        from tapeflow.keras.saving.model_file import save_model  # start-up

        save_model(self, filepath, overwrite=overwrite, save_format=save_format, **kwargs)

    def export(
        self,
        filepath: PathLike,
        format: str = "tf_saved_model",
        opset_version: int | None = None,
        opset: int | None = None,
        **kwargs: Any,
    ) -> None:
        """Write the model's computation for serving, without the parts that only training needs.

        Args:
            filepath: a folder that is new, empty, or holds an earlier export and nothing else; for ONNX a file.
            format: `'tf_saved_model'` for a SavedModel of ordinary TensorFlow ops, which TensorFlow, its servers and
                its converters load; `'stablehlo'` for StableHLO programs, which only TapeFlow loads; `'onnx'` for an
                ONNX model, which needs the `onnx` package.
            opset_version: the version of ONNX's ops, 18 if it is not given.
            opset: the same.
            **kwargs: of Keras 3 (`verbose`, `input_signature`), ignored.
        """
        formats = {"tf_saved_model": "tensorflow", "stablehlo": "stablehlo"}
        chosen = opset if opset_version is None else opset_version
        if format == "onnx":
            from tapeflow.saved_model.onnx.exporting import export_onnx  # start-up

            export_onnx(self, filepath, chosen)
            return
        if format not in formats:
            raise ValueError(
                f"Model.export expected format to be 'tf_saved_model', 'stablehlo' or 'onnx'; got format={format!r}."
            )
        if chosen is not None:
            raise ValueError(
                f"Model.export expected an opset for format='onnx' alone; got format={format!r}, opset={chosen!r}. "
                "Leave it out."
            )
        tf.saved_model.save(self, filepath, options=tf.saved_model.SaveOptions(format=formats[format]))

    def save_weights(
        self, filepath: PathLike, overwrite: bool = True, save_format: str | None = None, **_: Any
    ) -> None:
        """Save only the weights."""
        from tapeflow.keras.saving.weight_file import save_weights  # start-up

        save_weights(self, filepath, overwrite=overwrite, save_format=save_format)

    def load_weights(
        self,
        filepath: PathLike,
        by_name: bool = False,
        skip_mismatch: bool = False,
        options: Any = None,
        **_: Any,
    ) -> Any:
        """Load weights that `save_weights` or `save` wrote."""
        from tapeflow.keras.saving.weight_file import load_weights  # start-up

        return load_weights(self, filepath, by_name=by_name, skip_mismatch=skip_mismatch)


def _weights_of(child: Any, trainable: bool | None = None) -> list[Any]:
    """The weights of what a model holds: all, the trainable, or the others."""
    if isinstance(child, tf.Variable):
        return [child] if trainable in (None, child.trainable) else []
    if trainable is None:
        return list(child.variables)
    return list(child.trainable_variables if trainable else child.non_trainable_variables)


def _is_functional(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    return (
        len(args) >= 2
        or (len(args) == 1 and "outputs" in kwargs)
        or ("inputs" in kwargs and "outputs" in kwargs)
    )


def _takes_graph(cls: type[Model]) -> bool:
    """Whether a class is made of inputs and outputs, as far as its constructor tells."""
    kinds = {p.kind for p in inspect.signature(cls.__init__).parameters.values()}
    return {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD} <= kinds


def _held_first(layer: WeightOwner, seen: set[int]) -> list[WeightOwner]:
    held: list[WeightOwner] = []
    for child in layer._modules():
        if isinstance(child, WeightOwner) and id(child) not in seen:
            seen.add(id(child))
            held.append(child)
    return held + [inner for child in held for inner in _held_first(child, seen)]
