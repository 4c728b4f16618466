"""The SavedModel of an object as TensorFlow reads it: ordinary ops, in functions, with Variables and signatures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tapeflow.engine.functions.concrete_function import ConcreteFunction
from tapeflow.engine.functions.function import Function
from tapeflow.engine.values import nest
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.tensor_spec import TensorSpec
from tapeflow.engine.values.variable import Variable
from tapeflow.ops.graphs.nodes import op_rules  # noqa: F401 - registers the rules
from tapeflow.ops.graphs.nodes.function_body import (
    RESOURCE,
    FunctionBody,
    Library,
    Value,
    kind_of,
    shape_message,
)
from tapeflow.ops.graphs.nodes.lowering import CannotWrite, lower_function
from tapeflow.ops.ragged.spec import RaggedTensorSpec
from tapeflow.saved_model.constants import PREDICT_METHOD_NAME
from tapeflow.saved_model.object_graph import ObjectGraph, Written
from tapeflow.saved_model.structured import argument_spec, filled_structure, structured
from tapeflow.summary.protos import message
from tapeflow.train.bundle_writer import texts
from tapeflow.train.checkpoint import snapshot
from tapeflow.train.tensor_bundle import GRAPH

WHERE = "tf.saved_model.save"
FILE, BUNDLE = "saved_model.pb", "variables/variables"
_GRAPH_VERSION = 1286  # TensorFlow 2.11's, of the graph format


class Endpoint(NamedTuple):
    """A function to write.

    Attributes:
        function: takes a tensor for each of the specs.
        specs: of the arguments, flat.
        arguments: the structure of its arguments: positional ones, and those by keyword, with specs at tensors' places.
        names: what its positional arguments are called.
    """

    function: Callable[..., Any]
    specs: list[TensorSpec]
    arguments: tuple[tuple[Any, ...], dict[str, Any]]
    names: list[str]


def endpoint_of(concrete: ConcreteFunction) -> Endpoint:
    """A concrete function as an endpoint."""
    values = list(concrete._arguments.values())

    def called(*tensors: Tensor) -> Tensor:
        given = iter(tensors)
        return concrete._called(
            nest.map_structure(lambda v: next(given) if isinstance(v, TensorSpec) else v, values)
        )

    positional, by_name = concrete.structured_input_signature
    names = [name for name in concrete._arguments if name not in by_name]
    return Endpoint(called, concrete.inputs, (positional, by_name), names)


class GraphWriter:
    """Puts a SavedModel together, before anything of it is written.

    Args:
        objects: the objects, which are there already.
    """

    def __init__(self, objects: ObjectGraph) -> None:
        self.objects = objects
        self.library = Library()
        self._written: list[Written] = []
        self._lowered: dict[int, Written] = {}
        self._signatures: dict[str, Any] = {}
        self._kept: list[Any] = []

    def write_function(self, name: str, endpoints: Sequence[Endpoint]) -> int:
        """Add a function with all the ways it is called; returns the number of its object."""
        written = [self.write_concrete(name, endpoint) for endpoint in endpoints]
        number = self.objects.add_plain(name, "")
        found = self.objects.message.nodes[number].function
        spec = found.function_spec
        first = endpoints[0]
        by_name = sorted({key for e in endpoints for key in e.arguments[1]})
        spec.fullargspec.CopyFrom(argument_spec(first.names, by_name))
        spec.input_signature.none_value.SetInParent()
        found.concrete_functions.extend([each.name for each in written])
        return number

    def write_concrete(self, name: str, endpoint: Endpoint) -> Written:
        """Add a function called in one way."""
        known = self._lowered.get(id(endpoint))
        if known is not None:
            return known
        named = [
            s if s.name else TensorSpec(s.shape, s.dtype, f"arg{i}") for i, s in enumerate(endpoint.specs)
        ]
        lowered = lower_function(self.library, name, endpoint.function, named, WHERE)
        outputs = filled_structure(lowered.structure, lowered.results)
        outputs = nest.map_structure(
            lambda s: TensorSpec(s.shape, s.dtype, s.name or "output") if isinstance(s, TensorSpec) else s,
            outputs,
        )
        written = Written(lowered.name, lowered.variables, endpoint.arguments, outputs)
        self._lowered[id(endpoint)] = written
        self._kept.append(endpoint)
        self._written.append(written)
        return written

    def write_alias(
        self,
        name: str,
        calls: Sequence[tuple[Written, tuple[tuple[Any, ...], dict[str, Any]]]],
        names: list[str],
        defaults: Sequence[Any] = (),
    ) -> int:
        """Add a function that calls others, one for each kind of arguments; returns the number of its object."""
        number = self.objects.add_plain(name, "")
        found = self.objects.message.nodes[number].function
        found.function_spec.fullargspec.CopyFrom(argument_spec(names, (), defaults))
        found.function_spec.input_signature.none_value.SetInParent()
        for written, arguments in calls:
            wrapper = FunctionBody(self.library, self.library.name(name))
            inner = self.library.functions[written.name]
            specs = [s for s in nest.flatten(arguments) if isinstance(s, TensorSpec)]
            given = [wrapper.argument(s.name or "arg", _symbolless(s), kind_of(s.dtype)) for s in specs]
            handles = [wrapper.argument("unknown", (), RESOURCE) for _ in written.bound]
            values = _called(wrapper, inner, [*given, *handles], _tensor_specs(written.outputs))
            made = Written(wrapper.finish(values), written.bound, arguments, written.outputs)
            self._written.append(made)
            found.concrete_functions.append(made.name)
        return number

    def write_signature(
        self, key: str, written: Written, specs: Sequence[TensorSpec], labels: list[str] | None = None
    ) -> int:
        """Add a signature that calls a function: inputs by name, results in a dict.

        Raises:
            CannotWrite: a result is ragged.
        """
        if any(isinstance(part, RaggedTensorSpec) for part in nest.flatten(written.outputs)):
            raise CannotWrite(
                f"{WHERE} expected signatures with dense results; got ragged ones for {key!r}. Return "
                "`result.to_tensor()`, or `result.flat_values` and `result.row_splits`."
            )
        inner = self.library.functions[written.name]
        wrapper = FunctionBody(self.library, self.library.name(f"signature_wrapper_{key}"))
        names = input_names(specs)
        order = sorted(range(len(specs)), key=lambda i: names[i])
        arguments: dict[int, Value] = {}
        for i in order:
            sizes = None if specs[i].shape.rank is None else _symbolless(specs[i])
            arguments[i] = wrapper.argument(names[i], sizes, kind_of(specs[i].dtype))
        handles = [wrapper.argument("unknown", (), RESOURCE) for _ in written.bound]
        results = [part for part in nest.flatten(written.outputs) if isinstance(part, TensorSpec)]
        values = _called(wrapper, inner, [*[arguments[i] for i in range(len(specs))], *handles], results)
        named = dict(
            zip(labels or output_names(written.outputs), zip(values, results, strict=True), strict=True)
        )
        labels = sorted(named)  # the order in which TensorFlow takes dicts apart
        values, results = [named[n][0] for n in labels], [named[n][1] for n in labels]
        name = wrapper.finish(values, labels)
        number = self.objects.add_plain(f"signatures/{key}", "")
        bare = self.objects.message.nodes[number].bare_concrete_function
        bare.concrete_function_name = name
        bare.argument_keywords.extend([names[i] for i in order])
        bare.allowed_positional_arguments = 1 if len(names) == 1 else 0
        by_name = {names[i]: TensorSpec(specs[i].shape, specs[i].dtype, names[i]) for i in order}
        outputs = {
            label: TensorSpec(r.shape, r.dtype, label) for label, r in zip(labels, results, strict=True)
        }
        self._written.append(Written(name, written.bound, ((), by_name), outputs))
        self._signatures[key] = name, by_name, outputs, written.bound
        return number

    def bytes(self) -> bytes:
        """The bytes of `saved_model.pb`."""
        model = message("SavedModel")(saved_model_schema_version=1)
        meta = model.meta_graphs.add()
        info = meta.meta_info_def
        info.tags.append("serve")
        info.tensorflow_version, info.tensorflow_git_version = "2.11.0", "unknown"
        info.stripped_default_attrs = False
        self._bind()
        meta.object_graph_def.CopyFrom(self.objects.message)
        main = _MainGraph(self.objects, self.library)
        main.add_signatures(self._signatures, meta)
        main.add_saver(meta)
        meta.graph_def.node.extend(main.nodes())
        meta.graph_def.versions.producer = _GRAPH_VERSION
        meta.graph_def.versions.min_consumer = 12
        for function in self.library.functions.values():
            meta.graph_def.library.function.append(function)
        return model.SerializeToString(deterministic=True)

    def _bind(self) -> None:
        """Say what the captured arguments of functions are."""
        for written in self._written:
            found = self.objects.message.concrete_functions[written.name]
            for value in written.bound:
                number = self.objects.number(value)
                if number is None:
                    raise ValueError(
                        f"{WHERE} expected functions of Variables that the object leads to; got one that uses "
                        f"{value.name!r}, which no attribute of it leads to. Make it an attribute."
                    )
                found.bound_inputs.append(number)
            found.canonicalized_input_signature.CopyFrom(
                structured((tuple(written.inputs[0]), written.inputs[1]))
            )
            found.output_signature.CopyFrom(structured(written.outputs))
            function = self.library.functions[written.name]
            for argument, value in zip(
                function.signature.input_arg[len(function.signature.input_arg) - len(written.bound) :],
                written.bound,
                strict=True,
            ):
                if isinstance(value, Variable):
                    data = argument.handle_data.add(dtype=kind_of(value.dtype))
                    data.shape.CopyFrom(shape_message(value.shape.as_list()))

    def tensors(self) -> dict[str, np.ndarray]:
        """What the checkpoint holds."""
        found: dict[str, Any] = {key: snapshot(v) for key, v in self.objects.tensors.items()}
        found[GRAPH] = texts(self.objects.checkpoint.SerializeToString())
        return found


def _called(
    wrapper: FunctionBody, inner: Any, arguments: Sequence[Value], results: Sequence[TensorSpec]
) -> list[Value]:
    """What a function gives that is called in another one."""
    found = wrapper.emit(
        "StatefulPartitionedCall",
        [list(arguments)],
        [_symbolless(r) for r in results],
        Tout=[kind_of(r.dtype) for r in results],
        f=inner.signature.name,
    )
    wrapper.updates.append(wrapper.nodes[-1].name)
    return [wrapper.emit("Identity", [v], v.shape) for v in found]


def _tensor_specs(outputs: Any) -> list[TensorSpec]:
    """The specs of the tensors that results consist of."""
    found: list[TensorSpec] = []
    for part in nest.flatten(outputs):
        if isinstance(part, RaggedTensorSpec):
            found.append(TensorSpec([None, *part.shape.as_list()[2:]], part.dtype))
            found.append(TensorSpec([None], part.row_splits_dtype))
        elif isinstance(part, TensorSpec):
            found.append(part)
    return found


def _symbolless(spec: TensorSpec) -> tuple[Any, ...] | None:
    return None if spec.shape.rank is None else tuple(spec.shape.as_list())


def input_names(specs: Sequence[TensorSpec]) -> list[str]:
    """The names of a signature's inputs: those of the specs, made different."""
    found: list[str] = []
    for i, spec in enumerate(specs):
        name = (spec.name or f"input_{i}").partition(":")[0]
        base, count = name, 1
        while name in found:
            name, count = f"{base}_{count}", count + 1
        found.append(name)
    return found


def output_names(outputs: Any) -> list[str]:
    """The names of a signature's results: keys of a dict, or numbers."""
    if isinstance(outputs, dict) and all(isinstance(v, TensorSpec) for v in outputs.values()):
        return [str(key) for key in sorted(outputs)]
    count = len([part for part in nest.flatten(outputs) if isinstance(part, TensorSpec)])
    return [f"output_{i}" for i in range(count)]


class _MainGraph:
    """The graph around the functions: Variables, signatures, and what restores and saves."""

    def __init__(self, objects: ObjectGraph, library: Library) -> None:
        self.body = FunctionBody(library, "main")
        self.variables = dict(objects.tensors)
        self.handles: dict[int, Value] = {}
        taken: set[str] = set()
        for variable in self.variables.values():
            shape = tuple([int(n or 0) for n in variable.shape])
            name = variable.name.removesuffix(":0")
            while name in taken:
                name += "_1"
            taken.add(name)
            self.handles[id(variable)] = _handle(self.body, name, variable, shape)

    def add_signatures(self, signatures: dict[str, Any], meta: Any) -> None:
        body = self.body
        for key, (function, inputs, outputs, bound) in signatures.items():
            found = meta.signature_def[key]
            found.method_name = PREDICT_METHOD_NAME
            given = []
            for name, spec in inputs.items():
                node = message("NodeDef")(name=f"{key}_{name}", op="Placeholder")
                sizes = _symbolless(spec)
                node.attr["dtype"].type = kind_of(spec.dtype)
                node.attr["shape"].shape.CopyFrom(shape_message(sizes))
                body.nodes.append(node)
                given.append(Value(body, f"{node.name}:output:0", sizes, kind_of(spec.dtype)))
                info = found.inputs[name]
                info.name, info.dtype = f"{node.name}:0", kind_of(spec.dtype)
                info.tensor_shape.CopyFrom(shape_message(sizes))
            results = body.emit(
                "StatefulPartitionedCall",
                [[*given, *[self.handles[id(v)] for v in bound]]],
                [_symbolless(s) for s in outputs.values()],
                Tout=[kind_of(s.dtype) for s in outputs.values()],
                f=function,
            )
            for i, ((label, spec), result) in enumerate(zip(outputs.items(), results, strict=True)):
                info = found.outputs[label]
                info.name, info.dtype = f"{result.name.partition(':')[0]}:{i}", kind_of(spec.dtype)
                info.tensor_shape.CopyFrom(shape_message(_symbolless(spec)))
        init = message("NodeDef")(name="NoOp", op="NoOp")
        body.nodes.append(init)
        info = meta.signature_def["__saved_model_init_op"].outputs["__saved_model_init_op"]
        info.name, info.tensor_shape.unknown_rank = "NoOp", True

    def add_saver(self, meta: Any) -> None:
        body = self.body
        filename = message("NodeDef")(name="saver_filename", op="Placeholder")
        filename.attr["dtype"].type = kind_of("string")
        filename.attr["shape"].shape.SetInParent()
        body.nodes.append(filename)
        prefix = Value(body, "saver_filename:output:0", (), kind_of("string"))
        keys = list(self.variables)
        names = body.constant(np.array(keys, object).reshape(len(keys)))
        slices = body.constant(np.array([""] * len(keys), object).reshape(len(keys)))
        restore = message("NodeDef")(name="restore_all", op="NoOp")
        save = message("NodeDef")(name="save_path", op="Identity", input=["saver_filename"])
        save.attr["T"].type = kind_of("string")
        if keys:
            kinds = [kind_of(v.dtype) for v in self.variables.values()]
            shapes = [tuple(v.shape) for v in self.variables.values()]
            values = body.emit("RestoreV2", [prefix, names, slices], shapes, dtypes=kinds)
            reads = []
            for variable, value in zip(self.variables.values(), values, strict=True):
                handle = self.handles[id(variable)]
                body.emit("AssignVariableOp", [handle, value], [])
                restore.input.append(f"^{body.nodes[-1].name}")
                reads.append(body.emit("ReadVariableOp", [handle], tuple(variable.shape), variable.dtype))
            body.emit("SaveV2", [prefix, names, slices, reads], [])
            save.input.append(f"^{body.nodes[-1].name}")
        body.nodes += [restore, save]
        saver = meta.saver_def
        saver.filename_tensor_name, saver.save_tensor_name = "saver_filename:0", "save_path:0"
        saver.restore_op_name, saver.version, saver.max_to_keep = "restore_all", 2, 1

    def nodes(self) -> list[Any]:
        """The nodes, whose inputs are spelled as those of graphs are."""
        found = []
        for node in self.body.nodes:
            inputs = [_in_graph(name) for name in node.input]
            del node.input[:]
            node.input.extend(inputs)
            found.append(node)
        return found


def _in_graph(name: str) -> str:
    """`node:output:0` as graphs spell it: `node:0`; every op here has a single list of results."""
    parts = name.split(":")
    return f"{parts[0]}:{parts[2]}" if len(parts) == 3 and parts[2] != "0" else parts[0]


def _handle(body: FunctionBody, name: str, variable: Variable, shape: tuple[int, ...]) -> Value:
    node = message("NodeDef")(name=name, op="VarHandleOp")
    node.attr["dtype"].type = kind_of(variable.dtype)
    node.attr["shape"].shape.CopyFrom(shape_message(shape))
    node.attr["shared_name"].s = name.encode()
    node.attr["container"].s = b""
    node.attr["allowed_devices"].list.SetInParent()
    body.nodes.append(node)
    return Value(body, f"{name}:resource:0", (), RESOURCE)


def endpoints_of(function: Function) -> list[Endpoint]:
    """The ways a function is called: as its signature says, or as it has been called."""
    if function.input_signature is not None and _have_ranks(function.input_signature):
        return [endpoint_of(function.get_concrete_function())]
    met = [c for c in {str(c._arguments): c for c in function.called()}.values() if _have_ranks(c.inputs)]
    if not met and function.input_signature is not None:
        return ranked(endpoint_of(function.get_concrete_function()))
    return [endpoint_of(c) for c in met]


def _have_ranks(specs: Sequence[TensorSpec]) -> bool:
    return all(s.shape.rank is not None for s in nest.flatten(specs))


def ranked(endpoint: Endpoint) -> list[Endpoint]:
    """An endpoint for a number and one for a row of them, where arguments may have any rank."""
    if _have_ranks(endpoint.specs):
        return [endpoint]

    def sized(shape: list[Any]) -> Callable[..., Any]:
        return lambda s: (
            TensorSpec(shape, s.dtype, s.name) if isinstance(s, TensorSpec) and s.shape.rank is None else s
        )

    return [
        endpoint._replace(
            specs=[sized(shape)(s) for s in endpoint.specs],
            arguments=nest.map_structure(sized(shape), endpoint.arguments),
        )
        for shape in ([None], [])
    ]
