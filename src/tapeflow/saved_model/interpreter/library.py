"""The functions of a graph by name, and what they may do."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from tapeflow.saved_model.interpreter.kernels import KERNELS, Entry, GraphError, Node
from tapeflow.saved_model.interpreter.plan import Plan, made_steps, ordered, source_of

_DEEPEST_CALLS = 100
_MOST_NODES = 1_000_000

OUTSIDE = frozenset(
    [
        "ReadFile",
        "WriteFile",
        "ImmutableConst",
        "MatchingFiles",
        "SaveV2",
        "Save",
        "SaveSlices",
        "RestoreV2",
        "Restore",
        "RestoreSlice",
        "MergeV2Checkpoints",
        "ShardedFilename",
        "FixedLengthRecordReaderV2",
        "TextLineReaderV2",
        "TFRecordReaderV2",
        "WholeFileReaderV2",
        "IdentityReaderV2",
        "FixedLengthRecordReader",
        "TextLineReader",
        "TFRecordReader",
        "WholeFileReader",
        "ReaderReadV2",
        "ReaderReadUpToV2",
        "TextLineDataset",
        "TFRecordDataset",
        "FixedLengthRecordDataset",
        "SaveDataset",
        "SaveDatasetV2",
        "LoadDataset",
        "SnapshotDataset",
        "CacheDataset",
        "CacheDatasetV2",
        "SqlDataset",
        "BigtableClient",
        "PyFunc",
        "PyFuncStateless",
        "EagerPyFunc",
        "NumpyFunction",
        "CreateSummaryFileWriter",
        "CreateSummaryDbWriter",
        "WriteSummary",
        "WriteScalarSummary",
        "WriteImageSummary",
        "WriteAudioSummary",
        "WriteHistogramSummary",
        "WriteGraphSummary",
        "WriteRawProtoSummary",
        "ImportEvent",
        "GenerateVocabRemapping",
        "LoadAndRemapMatrix",
        "ParallelRecords",
        "RecordInput",
        "DebugIdentity",
        "DebugIdentityV2",
        "RpcCall",
        "RpcServer",
        "RpcClient",
        "TryRpc",
        "Rpc",
        "Send",
        "Recv",
        "HostSend",
        "HostRecv",
        "_Send",
        "_Recv",
        "_HostSend",
        "_HostRecv",
        "RegisterDataset",
        "RegisterDatasetV2",
        "DataServiceDataset",
        "DataServiceDatasetV2",
        "DataServiceDatasetV3",
        "DataServiceDatasetV4",
        "RemoteCall",
        "RemoteFusedGraphExecute",
        "WorkerHeartbeat",
        "XlaHostCompute",
        "KafkaDataset",
        "AudioDataset",
        "ImageDataset",
        "DumpTensor",
    ]
)
"""Ops that reach out of the program: files, sockets, Python, other machines."""


class Library:
    """The functions of a graph.

    Args:
        functions: the FunctionDefs by name.
        where: the file, for messages.
        safe_mode: whether ops that reach out of the program are refused.
    """

    def __init__(self, functions: dict[str, Any], where: str, safe_mode: bool = True) -> None:
        self.where = where
        self.safe_mode = safe_mode
        self.resources: dict[str, Any] = {}  # what nodes make by name, such as tables
        self.asset_path: Callable[[bytes], bytes] = _no_assets
        self.shares_names = False  # whether a table without a name of its own is known by that of its node
        self.gradients: dict[str, str] = {}  # functions of gradients by the names that nodes give
        # The tensors that gradients take besides those of results, by function: each its name, and its function's.
        self.captures: dict[str, list[tuple[str, str]]] = {}
        self._functions = functions
        self._plans: dict[str, Plan] = {}
        self._planning: set[str] = set()
        self._state = threading.local()

    def __contains__(self, name: str) -> bool:
        return name in self._functions

    def function(self, name: str) -> Any:
        """The FunctionDef of a name."""
        found = self._functions.get(name)
        if found is None:
            raise GraphError(f"{self.where!r} has no function {name!r}, which a node calls")
        return found

    def entry(self, op: str, node: str, function: str) -> Entry:
        """The kernel of an op; where there is none, an error that names the node."""
        found = KERNELS.get(op)
        if found is None:
            raise _refusal([(op, node, function)])
        return found

    def plan(self, name: str) -> Plan:
        """The body of a function and of all it calls, checked as a whole.

        Raises:
            NotImplementedError: it uses ops that are not there.
            PermissionError: it uses ops that reach out of the program.
            GraphError: it is malformed.
        """
        found = self._plans.get(name)
        if found is None:
            self.check([name])
            found = self._plans[name] = self._planned(name)
        return found

    def _planned(self, name: str) -> Plan:
        proto = self.function(name)
        arguments = {argument.name: i for i, argument in enumerate(proto.signature.input_arg)}
        if len(arguments) != len(proto.signature.input_arg):
            raise GraphError(f"function {name!r} has two arguments of one name")
        nodes = self._with_captures(_by_name(proto.node_def, name), name)
        order = ordered(nodes, _wanted(proto, arguments), f"function {name!r}")
        steps, places = made_steps(nodes, order, arguments, self, name)
        results = []
        for output in proto.signature.output_arg:
            reference = proto.ret.get(output.name)
            if reference is None:
                raise GraphError(
                    f"function {name!r} does not say where its result {output.name!r} comes from"
                )
            results.append(source_of(reference, places, arguments, nodes, self, name))
        return Plan(name, steps, results, len(arguments))

    def _with_captures(self, nodes: dict[str, Any], function: str) -> dict[str, Any]:
        """Nodes of which those with a gradient of their own get, as further inputs, what it takes of their function."""
        found = dict(nodes)
        for name, node in nodes.items():
            if "_gradient_op_type" not in node.attr:
                continue
            gradient = self.gradients.get(node.attr["_gradient_op_type"].s.decode("utf-8", "replace"))
            captures = self.captures.get(gradient or "", [])
            if captures and all(outer == function for _, outer in captures):
                found[name] = copied = type(node)()
                copied.CopyFrom(node)
                controls = [reference for reference in node.input if reference.startswith("^")]
                del copied.input[len(node.input) - len(controls) :]
                copied.input.extend([*[tensor for tensor, _ in captures], *controls])
        return found

    def check(self, names: Sequence[str]) -> None:
        """Raise if functions, or those they call, use an op that is not there or not allowed."""
        waiting = list(names)
        seen: set[str] = set()
        problems: list[tuple[str, str, str]] = []
        while waiting:
            name = waiting.pop()
            if name in seen or name in self._plans:
                continue
            seen.add(name)
            proto = self.function(name)
            nodes = _by_name(proto.node_def, name)
            arguments = {argument.name for argument in proto.signature.input_arg}
            found, called = self._reached(nodes, _wanted(proto, arguments), name)
            problems += found
            waiting += called
        self._raise(problems)

    def _reached(
        self, nodes: dict[str, Any], wanted: Sequence[str], where: str
    ) -> tuple[list[tuple[str, str, str]], list[str]]:
        """The ops without a kernel among the nodes that some need, and the functions that these call."""
        problems: list[tuple[str, str, str]] = []
        called: list[str] = []
        waiting, seen = list(wanted), set(wanted)
        while waiting:
            proto = nodes.get(waiting.pop())
            if proto is None:
                continue
            if proto.op not in KERNELS:
                problems.append((proto.op, proto.name, where))
            called += [f for f in Node(proto, self).functions_called() if f in self._functions]
            for reference in proto.input:
                name = reference.removeprefix("^").partition(":")[0]
                if name not in seen:
                    seen.add(name)
                    waiting.append(name)
        return problems, called

    def _raise(self, problems: list[tuple[str, str, str]]) -> None:
        outside = [p for p in problems if p[0] in OUTSIDE]
        if outside and self.safe_mode:
            op, node, function = outside[0]
            raise PermissionError(
                f"A SavedModel expected to compute only; got op {op!r} (node {node!r} of {function!r}), which reaches "
                "out of the program to files, sockets or Python. It is not run."
            )
        if problems:
            raise _refusal(problems)

    def graph_plan(
        self, graph: Any, feeds: Sequence[str], fetches: Sequence[str], targets: Sequence[str], name: str
    ) -> Plan:
        """The part of a graph between some tensors.

        Args:
            graph: a GraphDef.
            feeds: the names of the tensors that are given.
            fetches: the names of those to find.
            targets: the names of nodes to run besides.
            name: what to call it in messages.
        """
        nodes = _by_name(graph.node, name)
        arguments: dict[str, int] = {}
        for i, feed in enumerate(feeds):
            node, _, output = feed.partition(":")
            if output not in ("", "0") or node not in nodes:
                raise GraphError(f"{name!r} has no tensor {feed!r} to be given")
            if node in arguments:
                raise GraphError(f"{name!r} is given {feed!r} twice")
            arguments[node] = i
            del nodes[node]
        starts = [f.partition(":")[0] for f in (*fetches, *targets)]
        wanted = [n for n in dict.fromkeys(starts) if n not in arguments]
        problems, called = self._reached(nodes, wanted, name)
        self._raise(problems)
        self.check(called)
        order = ordered(nodes, wanted, name)
        steps, places = made_steps(nodes, order, arguments, self, name)
        results = [source_of(f, places, arguments, nodes, self, name) for f in fetches]
        return Plan(name, steps, results, len(feeds))

    def call(self, name: str, arguments: Sequence[Any]) -> list[Any]:
        """Run a function."""
        depth = getattr(self._state, "depth", 0)
        if depth >= _DEEPEST_CALLS:
            raise GraphError(
                f"function {name!r} is called in {depth} others, which is deeper than functions may go"
            )
        self._state.depth = depth + 1
        try:
            return self.plan(name).run(arguments)
        finally:
            self._state.depth = depth


def _no_assets(name: bytes) -> bytes:
    raise GraphError(f"the graph reads a file {name!r}, and has none")


def _by_name(nodes: Any, where: str) -> dict[str, Any]:
    found = {node.name: node for node in nodes}
    if len(found) != len(nodes):
        raise GraphError(f"{where!r} has two nodes of one name")
    if len(found) > _MOST_NODES:
        raise GraphError(f"{where!r} has {len(found)} nodes")
    return found


def _wanted(proto: Any, arguments: Any) -> list[str]:
    """The nodes that a function's results come from, and those that it runs for what they do."""
    names = [r.partition(":")[0] for r in (*proto.ret.values(), *proto.control_ret.values())]
    return [n for n in dict.fromkeys(names) if n not in arguments]


def _refusal(problems: list[tuple[str, str, str]]) -> NotImplementedError:
    by_op: dict[str, tuple[str, str, str]] = {}
    for problem in problems:
        by_op.setdefault(problem[0], problem)
    said = ", ".join(
        f"{op!r} (node {node!r} of {function!r})" for op, node, function in list(by_op.values())[:5]
    )
    more = f" and {len(by_op) - 5} other ops" if len(by_op) > 5 else ""
    return NotImplementedError(
        f"A SavedModel expected ops that TapeFlow supports; got {said}{more}. Nothing was run: export "
        "the model without "
        "them, or run this part in TensorFlow."
    )
