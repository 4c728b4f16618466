"""TensorLists, which graphs have for `tf.TensorArray`: a TensorArray that is copied when it is written."""

from __future__ import annotations

from typing import Any

import tapeflow as tf
from tapeflow.engine.values.tensor import Tensor
from tapeflow.saved_model.interpreter.kernels import Node, implements, integer, ints


def _made(node: Node, shape: Any, count: int) -> Any:
    sizes = ints(shape) if shape.shape.rank else None  # -1 alone: nothing is known
    return tf.TensorArray(
        node.dtype("element_dtype"),
        count,
        dynamic_size=count == 0,
        clear_after_read=False,
        infer_shape=False,
        element_shape=None if sizes is None else [None if n < 0 else n for n in sizes],
    )


@implements("TensorListReserve")
def _reserve(node: Node, shape: Tensor, count: Tensor) -> Any:
    return _made(node, shape, integer(count))


@implements("EmptyTensorList")
def _empty(node: Node, shape: Tensor, _most: object) -> Any:
    return _made(node, shape, 0)


@implements("TensorListFromTensor")
def _from_tensor(node: Node, rows: Tensor, shape: Tensor) -> Any:
    return _made(node, shape, 0).of_rows(rows)


@implements("TensorListGetItem")
def _get(_: Node, items: Tensor, index: Tensor, shape: object) -> Any:
    return items.read(index)


@implements("TensorListSetItem")
def _set(node: Node, items: Tensor, index: Tensor, value: Tensor) -> Any:
    known = index.host_value()
    if node.flag("resize_if_index_out_of_bounds") and known is not None and int(known) >= int(items.size()):
        found = _elements(items)
        return items.of_elements([*found, *[None] * (int(known) - len(found)), value])
    is_plain = type(items) is tf.TensorArray and items.elements() is not None
    return (items.copied() if is_plain else items).write(index, value)


@implements("TensorListStack")
def _stack(node: Node, items: Tensor, shape: Tensor) -> Any:
    return _with_shape(items, shape).stack()


def _with_shape(items: Any, shape: Any) -> Any:
    """A list whose elements that were never written have a shape, as far as the node says it."""
    sizes = ints(shape) if shape.shape.rank else None
    if items.elements() is None or sizes is None or min(sizes, default=0) < 0:
        return items
    return items.of_elements(items.elements(), tf.TensorArray(items.dtype, 0, element_shape=sizes))


@implements("TensorListLength")
def _length(_: Node, items: Tensor) -> Any:
    return items.size()


@implements("TensorListElementShape")
def _element_shape(node: Node, items: Tensor) -> Any:
    sizes = items.element_shape
    known = [-1 if n is None else n for n in sizes.as_list()] if sizes.rank is not None else -1
    return tf.constant(known, node.dtype("shape_type", tf.int32))


@implements("TensorListResize")
def _resize(_: Node, items: Tensor, size: Tensor) -> Any:
    wanted, found = integer(size), _elements(items)
    return items.of_elements(found[:wanted] + [None] * (wanted - len(found)))


@implements("TensorListPushBack")
def _push(_: Node, items: Tensor, value: Tensor) -> Any:
    return items.of_elements([*_elements(items), value])


@implements("TensorListPopBack", outputs=("output_handle", "tensor"))
def _pop(_: Node, items: Tensor, shape: object) -> Any:
    found = _elements(items)
    return items.of_elements(found[:-1]), found[-1]


@implements("TensorListGather")
def _gather(_: Node, items: Tensor, places: Tensor, shape: Tensor) -> Any:
    return _with_shape(items, shape).gather(places)


@implements("TensorListScatter", "TensorListScatterV2")
def _scatter(node: Node, rows: Any, places: Any, shape: Any, count: Any = None) -> Any:
    at = ints(places)
    wanted = -1 if count is None else integer(count)
    found: list[Any] = [None] * max(wanted, max(at, default=-1) + 1)
    for i, row in zip(at, tf.unstack(rows), strict=True):
        found[i] = row
    return _made(node, shape, 0).of_elements(found)


@implements("TensorListScatterIntoExistingList")
def _scatter_into(_: Node, items: Tensor, rows: Tensor, places: Tensor) -> Any:
    found = _elements(items)
    for i, row in zip(ints(places), tf.unstack(rows), strict=True):
        found[i] = row
    return items.of_elements(found)


@implements("TensorListSplit")
def _split(node: Node, x: Tensor, shape: Tensor, lengths: Tensor) -> Any:
    return _made(node, shape, 0).of_elements(list(tf.split(x, ints(lengths), 0)))


@implements("TensorListConcat", "TensorListConcatV2", outputs=("tensor", "lengths"))
def _concat(_: Node, items: Tensor, *rest: Any) -> Any:
    found = [e for e in _elements(items) if e is not None]
    lengths = tf.constant([int(e.shape[0]) for e in found], tf.int64)
    return tf.concat(found, 0), lengths


@implements("TensorListConcatLists")
def _join(_: Node, a: Tensor, b: Tensor) -> Any:
    return a.of_elements([*_elements(a), *_elements(b)])


def _elements(items: Any) -> list[Any]:
    found = items.elements()
    return list(tf.unstack(items.stack())) if found is None else found
