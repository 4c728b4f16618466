"""SavedModels of TensorFlow 1: a graph with Variables by name, and signatures between its tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tapeflow as tf
from tapeflow.engine.module import Module
from tapeflow.saved_model.interpreter.kernels import GraphError, dtype_of, shape_of
from tapeflow.saved_model.interpreter.plan import Plan
from tapeflow.saved_model.reading.concrete import compiled
from tapeflow.saved_model.reading.folder import SavedModelFolder
from tapeflow.saved_model.reading.functions import LoadedSignature
from tapeflow.saved_model.reading.objects import Signatures
from tapeflow.summary.protos import message

_VARIABLES = ("VarHandleOp", "VariableV2", "Variable")
_INIT, _TRAIN = "__saved_model_init_op", "__saved_model_train_op"


class LoadedGraph(Module):
    """A graph of TensorFlow 1: signatures, Variables, and whatever lies between two of its tensors."""

    def __init__(self, folder: SavedModelFolder) -> None:
        super().__init__("loaded_graph")
        self._folder = folder
        self._definition = folder.graph.graph_def
        self.graph_variables = _variables(folder)
        folder.library.shares_names = True
        self._feeds = {a.tensor_info.name: tf.constant(folder.asset(i)) for i, a in enumerate(folder.assets)}
        self._initialize()
        self.signatures = Signatures()
        for key, proto in folder.graph.signature_def.items():
            if key not in (_INIT, _TRAIN) and proto.outputs:
                self.signatures[key] = self._signature(key, proto)

    @property
    def variables(self) -> tuple[Any, ...]:
        """Its Variables."""
        return tuple(self.graph_variables)

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """The ones that are trained."""
        return tuple(v for v in self.graph_variables if v.trainable)

    def _plan(self, feeds: Sequence[str], fetches: Sequence[str], targets: Sequence[str], name: str) -> Plan:
        return self._folder.library.graph_plan(
            self._definition, [*feeds, *self._feeds], fetches, targets, name
        )

    def _initialize(self) -> None:
        """Fill the tables: run what the graph says is to be run once it is loaded."""
        graph = self._folder.graph
        names: list[str] = []
        if _INIT in graph.signature_def:
            names = [o.name for o in graph.signature_def[_INIT].outputs.values()]
        for collection in ("saved_model_main_op", "legacy_init_op"):
            if not names and collection in graph.collection_def:
                names = list(graph.collection_def[collection].node_list.value)
        targets = [n.partition(":")[0] for n in names]
        if targets:
            self._plan([], [], targets, "the initialisation").run(list(self._feeds.values()))

    def _signature(self, key: str, proto: Any) -> LoadedSignature:
        inputs = {name: _spec(name, proto.inputs[name]) for name in sorted(proto.inputs)}
        outputs = {name: _spec(name, proto.outputs[name]) for name in sorted(proto.outputs)}
        feeds = [proto.inputs[name].name for name in inputs]
        fetches = [proto.outputs[name].name for name in outputs]
        run = self._runner(feeds, fetches, key)
        names = list(outputs)
        return LoadedSignature(
            key,
            lambda tensors: dict(zip(names, run(tensors), strict=True)),
            inputs,
            outputs,
            int(len(inputs) == 1),
            lambda: self.variables,
        )

    def _runner(self, feeds: Sequence[str], fetches: Sequence[str], name: str) -> Any:
        """A function of a list of tensors, whose plan is made, and checked, when it is first called."""
        made: list[Plan] = []

        def called(*tensors: Any) -> list[Any]:
            return made[0].run([*tensors, *self._feeds.values()])

        run = compiled(called, name)

        def checked(tensors: Sequence[Any]) -> list[Any]:
            if not made:
                made.append(self._plan(feeds, fetches, [], name))
            return run(*tensors)

        return checked

    def prune(self, feeds: Any, fetches: Any, name: str | None = None) -> PrunedFunction:
        """The part of the graph between some tensors, as a function.

        Args:
            feeds: the names of the tensors that it is given, such as `"x:0"`.
            fetches: those of the ones that it gives, in any structure.
            name: ignored.
        """
        given = tf.nest.flatten(feeds)
        if not all(isinstance(n, str) for n in (*given, *tf.nest.flatten(fetches))):
            raise TypeError(f"prune expected names of tensors such as 'x:0'; got {feeds!r} and {fetches!r}.")
        run = self._runner(given, tf.nest.flatten(fetches), "pruned")
        return PrunedFunction(run, len(given), fetches)


class PrunedFunction:
    """A part of a graph, called with the tensors that it is fed."""

    def __init__(self, run: Any, count: int, fetches: Any) -> None:
        self._run, self._count, self._fetches = run, count, fetches

    def __call__(self, *args: Any) -> Any:
        if len(args) != self._count:
            raise TypeError(f"a pruned function expected {self._count} tensors; got {len(args)}.")
        return tf.nest.pack_sequence_as(self._fetches, self._run([tf.convert_to_tensor(a) for a in args]))


def _spec(name: str, info: Any) -> Any:
    if info.WhichOneof("encoding") != "name":
        raise GraphError(
            f"tensor {name!r} of a signature is a composite, which graphs of TensorFlow 1 have by parts"
        )
    return tf.TensorSpec(shape_of(info.tensor_shape), dtype_of(info.dtype), name)


def _variables(folder: SavedModelFolder) -> list[Any]:
    """The Variables of the graph, with their values, under the names of their nodes."""
    bundle = folder.bundle()
    definitions = _definitions(folder.graph)
    found = []
    for node in folder.graph.graph_def.node:
        if node.op not in _VARIABLES:
            continue
        key = node.name if bundle is not None and node.name in bundle else node.attr["shared_name"].s.decode()
        if bundle is None or key not in bundle:
            continue  # a local one: who uses it is told
        trainable = bool(definitions.get(node.name, True))
        variable = tf.Variable(bundle.read(key), trainable=trainable, name=node.name)
        folder.library.resources[node.name] = variable
        found.append(variable)
    return found


def _definitions(graph: Any) -> dict[str, bool]:
    """Which Variables are trained, by name."""
    found: dict[str, bool] = {}
    for collection, is_trainable in (
        ("variables", False),
        ("global_variables", False),
        ("trainable_variables", True),
    ):
        if collection not in graph.collection_def:
            continue
        for data in graph.collection_def[collection].bytes_list.value:
            found[message("VariableDef").FromString(data).variable_name.partition(":")[0]] = is_trainable
    return found
