"""`GradientTape`: which part of the recorded expression to differentiate.

The expression itself is the tape: a node carries the tapes that were recording when it was made and
that one of its inputs carries. `gradient` walks back along them and records one gradient node; what
is pending, gradient included, later runs as one program.
"""

from __future__ import annotations

import enum
import warnings
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.engine.differentiation.gradient import record_gradients
from tapeflow.engine.programs.flight import RUN_LOCK
from tapeflow.engine.programs.steps import begin_taped_step
from tapeflow.engine.recording.node import Node, host_node
from tapeflow.engine.recording.recorder import tensor_of
from tapeflow.engine.recording.trace import state
from tapeflow.engine.values import nest
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.engine.values.tensor import Tensor, TensorBase
from tapeflow.engine.values.variable import Variable

if TYPE_CHECKING:
    from tapeflow.engine.values.annotations import TensorLike


class UnconnectedGradients(enum.Enum):
    """The gradient with respect to a source on which the target does not depend."""

    NONE = "none"
    ZERO = "zero"


class TapeToken:
    """A tape as nodes refer to it. It dies with the tape, so that a forgotten tape keeps nothing alive.

    Args:
        watches_all: trainable Variables are watched as they are read.
        owner: the tape; without one, the token lives until it is released.
    """

    __slots__ = ("_is_open", "_owner", "is_in_body", "kept", "roots", "variables", "watched", "watches_all")

    def __init__(self, watches_all: bool, owner: GradientTape | None = None) -> None:
        self.watches_all = watches_all
        self.is_in_body = state.trace.is_body
        self._is_open = True
        self._owner = None if owner is None else weakref.ref(owner)
        self.kept: list[Node] = []
        self.roots: dict[int, Node] = {}
        self.watched: dict[int, Variable] = {}
        self.variables: dict[int, Variable] = {}

    @property
    def is_live(self) -> bool:
        """Whether a gradient may still be asked for."""
        return self._is_open and (self._owner is None or self._owner() is not None)

    def is_watching(self, variable: Variable) -> bool:
        """Whether a read of `variable` is to be recorded."""
        return (self.watches_all and variable._trainable) or id(variable) in self.watched

    def release(self) -> None:
        """Let go of everything kept for differentiation."""
        self._is_open = False
        with RUN_LOCK:  # any thread that runs a trace may do it too
            for node in self.kept:
                node.tape_count -= 1
                if node.tape_count == 0:
                    node.inputs, node.parts, node.instance, node.ghost = (), None, None, None
            for node in self.roots.values():
                node.held -= 1
            self.kept.clear()
            self.roots.clear()


class GradientTape:
    """Records the ops in its `with` block, to compute their gradients.

    Args:
        persistent: whether `gradient` may be called more than once.
        watch_accessed_variables: whether trainable Variables are watched when they are read.

    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x * x
    >>> tape.gradient(y, x)
    <tf.Tensor: shape=(), dtype=float32, numpy=6.0>
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watches_all = watch_accessed_variables
        self._token: TapeToken | None = None
        self._is_recording = False

    def __enter__(self) -> GradientTape:
        self._start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        if self._is_recording:
            self._stop()

    def _start(self) -> None:
        if self._is_recording:
            raise ValueError(
                "Tape is still recording, This can happen if you try to re-enter an already-active tape."
            )
        if self._token is None:
            self._token = TapeToken(self._watches_all, self)
        begin_taped_step()
        state.tapes = (*state.tapes, self._token)
        self._is_recording = True

    def _stop(self) -> None:
        state.tapes = tuple(t for t in state.tapes if t is not self._token)
        self._is_recording = False

    def watch(self, tensor: TensorLike) -> None:
        """Record the ops that use a tensor from now on."""
        token = self._live_token()
        for t in nest.flatten(tensor):
            if not isinstance(t, TensorBase):
                raise ValueError(
                    f"GradientTape.watch expected a tf.Tensor or tf.Variable: passed in object {t!r} of "
                    f"type {type(t).__name__!r}. Convert it with tf.constant first."
                )
            if not t._spec.is_differentiable:
                warnings.warn(
                    f"The dtype of the watched tensor must be floating (e.g. tf.float32), got {t.dtype!r}",
                    stacklevel=2,
                )
                continue
            if isinstance(t, Variable):
                token.watched[id(t)] = t
                token.variables[id(t)] = t
                continue
            node = t._as_node()
            if token not in node.tapes:
                node.tapes = (*[t for t in node.tapes if t.is_live], token)
                node.held += 1  # where a derivative enters, the value must be there
                token.roots[id(node)] = node

    def _live_token(self) -> TapeToken:
        if self._token is None:
            self._token = TapeToken(self._watches_all, self)
        return self._token

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Do not record the ops inside the block: to this tape, their results are constants."""
        if not self._is_recording:
            raise ValueError(
                "GradientTape.stop_recording expected a recording tape; got one outside its `with` block."
            )
        self._stop()
        try:
            yield
        finally:
            self._start()

    def reset(self) -> None:
        """Discard everything recorded so far and continue to record."""
        was_recording = self._is_recording
        if was_recording:
            self._stop()
        if self._token is not None:
            self._token.release()
        self._token = None
        if was_recording:
            self._start()

    def watched_variables(self) -> tuple[Variable, ...]:
        """The Variables watched so far, in the order they were met."""
        return () if self._token is None else tuple(self._token.variables.values())

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Any:
        """The derivative of `target` (of the sum of all its elements) with respect to `sources`.

        Args:
            target: a tensor or a structure of tensors.
            sources: Variables and tensors, in any structure; the result has the same one.
            output_gradients: weights for the elements of `target`; ones otherwise.
            unconnected_gradients: `NONE` gives `None` for a source `target` does not depend on,
                `ZERO` gives zeros.
        """
        targets = nest.flatten(target)
        seeds: list[Any] = [None] * len(targets)
        if output_gradients is not None:
            seeds = [None if s is None else convert_to_tensor(s) for s in nest.flatten(output_gradients)]
            if len(seeds) != len(targets):
                raise ValueError(
                    f"GradientTape.gradient expected output_gradients for each of {len(targets)} targets; "
                    f"got {len(seeds)}. Give one tensor for each target, of its shape."
                )
        flat = nest.flatten(sources)
        gradients = self._differentiate(targets, flat, seeds, "gradient", unconnected_gradients)
        return nest.pack_sequence_as(sources, gradients)

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivative of every element of `target`: shape `target.shape + source.shape`."""
        flat = nest.flatten(sources)
        jacobians = self._differentiate([target], flat, [None], "jacobian", unconnected_gradients)
        return nest.pack_sequence_as(sources, jacobians)

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The jacobian row by row, for a `target` whose rows depend on the same rows of `source` only."""
        shape, other = target._spec.shape, source._spec.shape
        if not shape or not other or shape[0] != other[0]:
            raise ValueError(
                "GradientTape.batch_jacobian expected target and source with one first dimension; got "
                f"target shape {shape}, source shape {other}."
            )
        jacobians = self._differentiate([target], [source], [None], "batch_jacobian", unconnected_gradients)
        return jacobians[0]

    def _differentiate(
        self, targets: list[Any], sources: list[Any], seeds: list[Any], mode: str, unconnected: Any
    ) -> list[Any]:
        if type(unconnected) is not UnconnectedGradients:
            unconnected = UnconnectedGradients(unconnected)
        token = self._token
        if token is None or not token.is_live:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients (or "
                "jacobians). Use GradientTape(persistent=True) to call it again."
            )
        for target in targets:
            if not isinstance(target, TensorBase):
                raise TypeError(
                    f"GradientTape.gradient expected targets that are tensors; got {target!r} of type "
                    f"{type(target).__name__!r}. Does the function that computes the loss return it?"
                )
        for source in sources:
            if not isinstance(source, TensorBase):
                raise ValueError(
                    "GradientTape.gradient expected sources that are tf.Variable or tf.Tensor; got "
                    f"{source!r} of type {type(source).__name__!r}."
                )
        if self._is_recording and not self._persistent:
            self._stop()
        try:
            gradients = record_gradients(token, targets, sources, seeds, mode)
        finally:
            if not self._persistent:
                token.release()
        if unconnected is UnconnectedGradients.ZERO:
            return [_zeros(s) if g is None else g for g, s in zip(gradients, sources, strict=True)]
        return gradients


def _zeros(source: Any) -> Tensor:
    spec = source._spec
    return tensor_of(host_node(np.zeros(spec.shape, spec.np_dtype), spec))
