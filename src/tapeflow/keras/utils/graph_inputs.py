"""`get_source_inputs`: where a symbolic tensor comes from."""

from __future__ import annotations

from typing import Any

from tapeflow.engine.values import nest


def get_source_inputs(tensor: Any, layer: Any = None, node_index: int | None = None) -> list[Any]:
    """The `tf.keras.Input`s that a symbolic tensor is computed from, in the order they are met.

    Args:
        tensor: a symbolic tensor.
        layer: the layer whose call to start from, instead of the one that gave `tensor`.
        node_index: the number of its call.

    >>> a, b = tf.keras.Input((2,)), tf.keras.Input((2,))
    >>> [x is y for x, y in zip(tf.keras.utils.get_source_inputs(a + b), [a, b])]
    [True, True]
    """
    last = tensor.node if layer is None else layer._inbound_nodes[node_index or 0]
    found: dict[int, Any] = {}
    seen: set[int] = set()
    waiting = [last]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.is_input:
            found.update({id(x): x for x in nest.flatten(node.outputs)})
        waiting.extend(reversed(node.parents))
    return list(found.values())
