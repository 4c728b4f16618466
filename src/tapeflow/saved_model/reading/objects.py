"""The objects of a SavedModel: modules with their Variables, lists, tables and functions as attributes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.module import Module
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable
from tapeflow.saved_model.interpreter.kernels import GraphError, dtype_of, shape_of
from tapeflow.saved_model.interpreter.tables import GraphTable
from tapeflow.saved_model.interpreter.values import proto_value
from tapeflow.saved_model.reading.checkpoint import ObjectValues
from tapeflow.saved_model.reading.concrete import LoadedConcreteFunction
from tapeflow.saved_model.reading.folder import SavedModelFolder
from tapeflow.saved_model.reading.functions import LoadedFunction, LoadedSignature, signature_of
from tapeflow.saved_model.reading.structure import decoded

_OWN_NAMES = frozenset(vars(Module)) | {"_name", "_name_scope", "_deferred"}
_MOST_UNSAVED_BYTES = 1 << 28  # of Variables without a value in the folder
_LISTS = {"trackable_list_wrapper", "trackable_tuple_wrapper"}


class LoadedObject(Module):
    """An object of a SavedModel: what it led to hangs on it by the same names."""

    @property
    def variables(self) -> tuple[Any, ...]:
        """Its Variables, in the order of its own list of them, if it has one."""
        return self._listed("variables") or super().variables

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """The ones that are trained."""
        found = vars(self).get("trainable_variables")
        return tuple(found) if isinstance(found, list) else super().trainable_variables

    def _listed(self, name: str) -> tuple[Any, ...]:
        found = vars(self).get(name)
        return tuple(found) if isinstance(found, list) else ()

    @property
    def name(self) -> str:
        """Its name when it was saved."""
        return vars(self).get("_name", "")


class CallableObject(LoadedObject):
    """An object that was callable when it was saved."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the saved object computed."""
        return vars(self)["__call__"](*args, **kwargs)


class Signatures(dict[str, Any]):
    """The functions of a SavedModel by the names under which it serves them."""


def load_objects(folder: SavedModelFolder) -> Any:
    """The root of a SavedModel's objects, with all that it leads to.

    Raises:
        GraphError: the graph of objects is damaged.
    """
    return loaded_objects(folder)[0]


def loaded_objects(folder: SavedModelFolder) -> list[Any]:
    """All objects of a SavedModel by number, the root first."""
    return _Objects(folder).all()


class _Objects:
    def __init__(self, folder: SavedModelFolder) -> None:
        self._folder = folder
        graph = folder.graph.object_graph_def
        self._protos = graph.nodes
        self._concrete_protos = graph.concrete_functions
        self._concrete: dict[str, LoadedConcreteFunction] = {}
        self._constants: dict[str, Any] | None = None
        self._unsaved_bytes = 0
        self._values = ObjectValues(folder.bundle(), self._protos)
        self._objects: list[Any] = [None] * len(self._protos)

    def all(self) -> list[Any]:
        for i, proto in enumerate(self._protos):
            self._objects[i] = self._made(i, proto)
        names = self._names()
        for i, proto in enumerate(self._protos):
            if proto.WhichOneof("kind") in ("function", "bare_concrete_function"):
                self._objects[i] = self._function(proto, names.get(i, "function"))
        for i, proto in enumerate(self._protos):
            self._connect(self._objects[i], proto)
        self._make_resources()
        root = self._objects[0]
        if not isinstance(root, Module):
            raise GraphError("its root is no object")
        if "signatures" not in vars(root):
            vars(root)["signatures"] = Signatures()
        return self._objects

    def _names(self) -> dict[int, str]:
        """A name of each object, for messages."""
        return {c.node_id: c.local_name for proto in self._protos for c in proto.children}

    def _made(self, number: int, proto: Any) -> Any:
        kind = proto.WhichOneof("kind")
        if kind == "variable":
            return self._variable(number, proto.variable)
        if kind == "asset":
            return tf.constant(self._folder.asset(proto.asset.asset_file_def_index))
        if kind == "constant":
            return self._constant(proto.constant.operation)
        if kind == "resource":
            return LoadedResource()
        if kind in ("function", "bare_concrete_function"):
            return None
        if kind == "captured_tensor":
            return Unavailable(proto.captured_tensor.name)
        return self._user_object(proto)

    def _user_object(self, proto: Any) -> Any:
        identifier = proto.user_object.identifier
        if identifier in _LISTS:
            return []
        if identifier == "trackable_dict_wrapper":
            return {}
        if identifier == "signature_map":
            return Signatures()
        names = {c.local_name for c in proto.children}
        made = CallableObject() if "__call__" in names else LoadedObject()
        vars(made)["_saved_as"] = identifier
        return made

    def _variable(self, number: int, proto: Any) -> Variable:
        dtype, sizes = dtype_of(proto.dtype), shape_of(proto.shape)
        value = self._values.value(number)
        name = proto.name.removesuffix(":0") or None
        if value is None:
            filled = [n or 0 for n in sizes or []]
            self._unsaved_bytes += math.prod(filled) * max(dtype.size or 8, 1)
            if self._unsaved_bytes > _MOST_UNSAVED_BYTES:
                raise GraphError(
                    f"variable {proto.name!r} has no value, and would take {self._unsaved_bytes} bytes"
                )
            value = np.zeros(filled, dtype.as_numpy_dtype)
        found = [None if n is None else int(n) for n in sizes] if sizes is not None else None
        shape = tf.TensorShape(found)
        given = tf.constant(value)
        if given.dtype != dtype or not shape.is_compatible_with(given.shape):
            raise GraphError(f"variable {proto.name!r} has a value of another kind in the checkpoint")
        open_shape = None if shape.is_fully_defined() else shape
        return tf.Variable(given, trainable=proto.trainable, name=name, shape=open_shape)

    def _constant(self, operation: str) -> Tensor:
        if self._constants is None:
            nodes = self._folder.graph.graph_def.node
            self._constants = {node.name: node for node in nodes if node.op == "Const"}
        node = self._constants.get(operation)
        if node is None or node.attr["value"].WhichOneof("value") != "tensor":
            raise GraphError(f"it has no constant {operation!r}")
        return tf.constant(proto_value(node.attr["value"].tensor, operation))

    def _function(self, proto: Any, name: str) -> Any:
        if proto.WhichOneof("kind") == "function":
            concrete = [self._concrete_function(n) for n in proto.function.concrete_functions]
            spec = proto.function.function_spec
            return LoadedFunction(name, concrete, signature_of(decoded(spec.fullargspec), spec.is_method))
        bare = proto.bare_concrete_function
        concrete = self._concrete_function(bare.concrete_function_name)
        _, named = self._signature(concrete)
        outputs = concrete.structured_outputs
        if not isinstance(outputs, dict):
            outputs = {f"output_{i}": s for i, s in enumerate(concrete.outputs)}
        inputs = {str(n): named[n] for n in bare.argument_keywords if n in named} or named
        order = sorted(inputs)

        def run(tensors: list[Any]) -> dict[str, Any]:
            by_name = dict(zip(inputs, tensors, strict=True))
            found = concrete.call_flat([by_name[n] for n in order])
            return (
                found if isinstance(found, dict) else dict(zip(outputs, tf.nest.flatten(found), strict=True))
            )

        return LoadedSignature(
            name, run, inputs, outputs, bare.allowed_positional_arguments, lambda: concrete.variables
        )

    @staticmethod
    def _signature(concrete: LoadedConcreteFunction) -> tuple[Any, dict[str, Any]]:
        """The arguments of a signature, all by name."""
        args, kwargs = concrete.structured_input_signature
        named = dict(kwargs)
        for i, spec in enumerate(args):
            named[getattr(spec, "name", None) or f"args_{i}"] = spec
        return args, named

    def _concrete_function(self, name: str) -> LoadedConcreteFunction:
        found = self._concrete.get(name)
        if found is not None:
            return found
        if name not in self._concrete_protos or name not in self._folder.library:
            raise GraphError(f"it has no function {name!r}, which an object names")
        proto = self._concrete_protos[name]
        bound = list(proto.bound_inputs)
        if any(not 0 <= n < len(self._objects) for n in bound):
            raise GraphError(f"function {name!r} captures an object that is not there")
        signature = decoded(proto.canonicalized_input_signature)
        if not (isinstance(signature, tuple) and len(signature) == 2 and isinstance(signature[1], dict)):
            raise GraphError(f"function {name!r} does not say what it takes")
        made = LoadedConcreteFunction(
            name,
            self._folder.library,
            lambda: [captured(self._objects[n]) for n in bound],
            signature,
            decoded(proto.output_signature),
        )
        self._concrete[name] = made
        return made

    def _connect(self, made: Any, proto: Any) -> None:
        children = [(c.local_name, c.node_id) for c in proto.children]
        if any(not 0 <= n < len(self._objects) for _, n in children):
            raise GraphError("an object leads to one that is not there")
        if isinstance(made, list):
            numbered = sorted((int(n), i) for n, i in children if n.isdecimal() and len(n) < 10)
            made += [self._objects[i] for _, i in numbered]
        elif isinstance(made, dict):
            made.update({n: self._objects[i] for n, i in children})
            if isinstance(made, Signatures):
                for key, signature in made.items():
                    if not isinstance(signature, (LoadedSignature, LoadedFunction)):
                        raise GraphError(f"signature {key!r} is no function")
                    signature.name = key
        elif isinstance(made, (LoadedObject, LoadedResource)):
            for name, i in children:
                if name == "__call__" or not (name in _OWN_NAMES or name.startswith("__")):
                    vars(made)[name] = self._objects[i]

    def _make_resources(self) -> None:
        """Make the tables, in order, and then fill them."""
        resources = [(i, o) for i, o in enumerate(self._objects) if isinstance(o, LoadedResource)]
        for _, resource in resources:
            resource.make()
        for number, resource in resources:
            rows = self._values.rows(number)
            if rows is not None and isinstance(resource.handle, GraphTable):
                keys, values = rows
                resource.handle.replace(tf.constant(keys), tf.constant(values))
            else:
                resource.fill()


class LoadedResource(LoadedObject):
    """A table of a SavedModel."""

    handle: Any = None

    def make(self) -> None:
        """Make what the handle stands for."""
        create = vars(self).get("_create_resource")
        if not isinstance(create, LoadedFunction) or not create.concrete_functions:
            raise GraphError("a resource has no function that makes it")
        concrete = create.concrete_functions[0]
        [vars(self)["handle"]] = concrete._called()

    def fill(self) -> None:
        """Run what fills it."""
        fill = vars(self).get("_initialize")
        if isinstance(fill, LoadedFunction) and fill.concrete_functions:
            fill.concrete_functions[0]._called()


class Unavailable:
    """A tensor that was captured from inside of another function."""

    def __init__(self, name: str) -> None:
        self.name = name


def captured(value: object) -> Any:
    """What a function is given for an object that it captures."""
    if isinstance(value, LoadedResource):
        if value.handle is None:
            raise GraphError("a function uses a resource before it is made")
        return value.handle
    if isinstance(value, Unavailable):
        raise NotImplementedError(
            f"A SavedModel expected functions that capture Variables, tables and constants; got one that captures "
            f"{value.name!r} from inside of another function. Pass it as an argument before saving."
        )
    if isinstance(value, (tf.Variable, tf.Tensor)):
        return value
    raise GraphError("a function captures an object that is neither Variable, table nor tensor")
