"""Variables and tables: what graphs reach by handles."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeflow as tf
from tapeflow.engine.values.tensor import Tensor
from tapeflow.engine.values.variable import Variable
from tapeflow.saved_model.interpreter.kernels import KERNELS, GraphError, Node, implements
from tapeflow.saved_model.interpreter.tables import GraphTable, file_rows


def _variable(node: Node, handle: Any) -> Variable:
    if not isinstance(handle, tf.Variable):
        raise GraphError(f"node {node.name!r} ({node.op}) is given {type(handle).__name__}, not a Variable")
    return handle


@implements("VarHandleOp", "Variable", "VariableV2", "TemporaryVariable")
def _handle(node: Node) -> Any:
    found = node.library.resources.get(node.name)
    if found is None:
        found = node.library.resources.get(node.text("shared_name"))
    if found is None:
        raise GraphError(f"node {node.name!r} stands for a Variable that the SavedModel has no value for")
    return found


@implements("ReadVariableOp", "_ReadVariablesOp")
def _read(node: Node, handle: Any) -> Any:
    return _variable(node, handle).value()


@implements("VarIsInitializedOp", "IsVariableInitialized")
def _is_initialized(_: Node, handle: object) -> Any:
    return tf.constant(True)


@implements("VariableShape")
def _variable_shape(node: Node, handle: Any) -> Any:
    return tf.constant(_variable(node, handle).shape.as_list(), node.dtype("out_type", tf.int32))


@implements("AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp")
def _assign(node: Node, handle: Any, value: Tensor) -> Any:
    variable = _variable(node, handle)
    kind = node.op.removesuffix("VariableOp")
    {"Assign": variable.assign, "AssignAdd": variable.assign_add, "AssignSub": variable.assign_sub}[kind](
        value
    )
    return []


@implements("Assign", "AssignAdd", "AssignSub")
def _old_assign(node: Node, handle: Any, value: Tensor) -> Any:
    variable = _variable(node, handle)
    {"Assign": variable.assign, "AssignAdd": variable.assign_add, "AssignSub": variable.assign_sub}[node.op](
        value
    )
    return variable


@implements("DestroyResourceOp", "DisableCopyOnRead")
def _nothing(_: Node, *inputs: Any) -> Any:
    return []


@implements("ResourceGather")
def _gather(node: Node, handle: Any, places: Tensor) -> Any:
    return tf.gather(_variable(node, handle), places, batch_dims=node.number("batch_dims"))


@implements("ResourceGatherNd")
def _gather_nd(node: Node, handle: Any, places: Tensor) -> Any:
    return tf.gather_nd(_variable(node, handle), places)


_SCATTERS = {
    "ResourceScatterUpdate": "scatter_nd_update",
    "ResourceScatterAdd": "scatter_nd_add",
    "ResourceScatterSub": "scatter_nd_sub",
    "ResourceScatterMax": "scatter_nd_max",
    "ResourceScatterMin": "scatter_nd_min",
    "ResourceScatterNdUpdate": "scatter_nd_update",
    "ResourceScatterNdAdd": "scatter_nd_add",
    "ResourceScatterNdSub": "scatter_nd_sub",
}


@implements(*_SCATTERS)
def _scatter(node: Node, handle: Any, places: Tensor, updates: Tensor) -> Any:
    variable = _variable(node, handle)
    is_by_row = not node.op.startswith("ResourceScatterNd")
    if is_by_row and not updates.shape.rank:
        updates = tf.fill([*places.shape.as_list(), *variable.shape.as_list()[1:]], updates)
    function = getattr(tf, f"tensor_{_SCATTERS[node.op]}")
    where = tf.expand_dims(places, -1) if is_by_row else places
    variable.assign(function(variable.value(), where, updates))
    return []


@implements("ResourceStridedSliceAssign")
def _assign_slice(node: Node, handle: Any, begin: Tensor, end: Tensor, strides: Tensor, value: Tensor) -> Any:
    variable = _variable(node, handle)
    variable.assign(
        KERNELS["TensorStridedSliceUpdate"].kernel(node, variable.value(), begin, end, strides, value)
    )
    return []


# Tables.


@implements("HashTable", "HashTableV2", "AnonymousHashTable")
def _table(node: Node) -> Any:
    return _made_table(node, "key_dtype", "value_dtype")


@implements(
    "MutableHashTable",
    "MutableHashTableV2",
    "AnonymousMutableHashTable",
    "MutableHashTableOfTensors",
    "MutableHashTableOfTensorsV2",
    "AnonymousMutableHashTableOfTensors",
)
def _mutable_table(node: Node) -> Any:
    return _made_table(node, "key_dtype", "value_dtype")


@implements("MutableDenseHashTable", "MutableDenseHashTableV2", "AnonymousMutableDenseHashTable")
def _dense_table(node: Node, *marks: Any) -> Any:
    return _made_table(node, "key_dtype", "value_dtype")


def _made_table(node: Node, key: str, value: str) -> Any:
    name = node.text("shared_name") or (node.name if node.library.shares_names else "")
    resources = node.library.resources
    found = resources.get(f"table {name}")
    if not isinstance(found, GraphTable) or node.op.startswith("Anonymous") or not name:
        found = GraphTable(node.dtype(key), node.dtype(value), node.shape("value_shape") or [])
        resources[f"table {name}"] = found
    return found


def _known_table(node: Node, handle: Any) -> GraphTable:
    if not isinstance(handle, GraphTable):
        raise GraphError(f"node {node.name!r} ({node.op}) is given {type(handle).__name__}, not a table")
    return handle


@implements("InitializeTable", "InitializeTableV2", "LookupTableImport", "LookupTableImportV2")
def _fill(node: Node, handle: Any, keys: Tensor, values: Tensor) -> Any:
    _known_table(node, handle).replace(keys, values)
    return []


@implements("InitializeTableFromTextFile", "InitializeTableFromTextFileV2")
def _fill_from_file(node: Node, handle: Any, name: Tensor) -> Any:
    table = _known_table(node, handle)
    path = node.library.asset_path(np.asarray(name.numpy(), object).reshape(-1)[0])
    keys, values = file_rows(
        path,
        table.key_dtype,
        table.value_dtype,
        node.number("key_index", -2),
        node.number("value_index", -1),
        node.text("delimiter", "\t"),
        node.number("vocab_size", -1),
        node.number("offset"),
    )
    table.fill(keys, values)
    return []


@implements("LookupTableFind", "LookupTableFindV2")
def _find(node: Node, handle: Any, keys: Tensor, default: Tensor) -> Any:
    return _known_table(node, handle).find(keys, default)


@implements("LookupTableInsert", "LookupTableInsertV2")
def _insert(node: Node, handle: Any, keys: Tensor, values: Tensor) -> Any:
    _known_table(node, handle).insert(keys, values)
    return []


@implements("LookupTableRemoveV2")
def _remove(node: Node, handle: Any, keys: Tensor) -> Any:
    _known_table(node, handle).remove(keys)
    return []


@implements("LookupTableSize", "LookupTableSizeV2")
def _size(node: Node, handle: Any) -> Any:
    return _known_table(node, handle).size()


@implements("LookupTableExport", "LookupTableExportV2", outputs=("keys", "values"))
def _export(node: Node, handle: Any) -> Any:
    return _known_table(node, handle).export()
