"""`tf.gradients`: derivatives inside a function that is being recorded, without a tape.

What has been recorded since the function began is all there, so a tape's token can be put on it afterwards: on the
sources, and on whatever was made of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from tapeflow.engine.differentiation.gradient import record_gradients
from tapeflow.engine.differentiation.tape import TapeToken
from tapeflow.engine.programs.flight import RUN_LOCK
from tapeflow.engine.recording.node import Node
from tapeflow.engine.recording.recorder import tensor_of
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.engine.values.variable import Variable


def recorded_gradients(
    targets: Sequence[TensorBase],
    sources: Sequence[TensorBase],
    seeds: list[Tensor | None],
    constants: Sequence[TensorBase],
) -> list[Tensor | None]:
    """The derivative of the sum of all targets by each source; None for one that they do not depend on.

    Args:
        targets: what is differentiated.
        sources: by what; a Variable stands for the value that it has now.
        seeds: weights for each target's elements, or None for ones.
        constants: what no derivative goes through.
    """
    token = TapeToken(watches_all=False)
    starts = [_node_of(s) for s in sources]
    with RUN_LOCK:  # another thread that ran what is walked would cut the nodes from their inputs
        for node in starts:
            if id(node) not in token.roots:
                token.roots[id(node)] = node
                node.tapes = (*[t for t in node.tapes if t.is_live], token)
                node.held += 1
        _mark(token, [_node_of(t) for t in targets], {id(_node_of(c)) for c in constants})
        try:
            return record_gradients(token, list(targets), [tensor_of(n) for n in starts], seeds, "gradient")
        finally:
            token.release()


def _node_of(value: TensorBase) -> Node:
    return value._current() if isinstance(value, Variable) else value._as_node()


def _mark(token: TapeToken, targets: list[Node], constants: set[int]) -> None:
    """Put the token on every node between the sources and the targets."""
    depends: dict[int, bool] = dict.fromkeys(token.roots, True)
    stack = list(targets)
    while stack:
        node = stack[-1]
        if id(node) in depends:
            stack.pop()
            continue
        before = [] if id(node) in constants else node.inputs
        waiting = [n for n in before if id(n) not in depends]
        if waiting:
            stack += waiting
            continue
        stack.pop()
        depends[id(node)] = any(depends[id(n)] for n in before)
        if depends[id(node)]:
            node.tapes = (*node.tapes, token)
