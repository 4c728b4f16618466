"""An op and its derivative as functions of the host, for inputs of known shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.engine.backend import jax
from tapeflow.engine.programs.host import HostFunction, host_function, is_small
from tapeflow.engine.recording.node import Spec
from tapeflow.engine.settings import settings

if TYPE_CHECKING:
    from tapeflow.engine.recording.op import Instance

Wanted = tuple[bool, ...] | None
"""Of the inputs of an op, those whose cotangents are wanted; None for the op itself."""


class Hosting:
    """What one instance of an op does on the host, by the specs of its inputs.

    It does not hold the instance, which holds it: what refers to itself stays until the garbage collector comes.
    """

    __slots__ = ("_known",)
    _most_kept = 1024

    def __init__(self) -> None:
        self._known: dict[tuple[tuple[Spec, ...], Wanted], HostFunction | None] = {}

    def function(
        self, instance: Instance, specs: tuple[Spec, ...], wanted: Wanted = None
    ) -> HostFunction | None:
        """A numpy function that does what the op does, if its inputs are small and it is known.

        Args:
            instance: the op with its statics.
            specs: those of the inputs.
            wanted: if given, the function takes the inputs and then the cotangents of the results, and gives those of
                these inputs.
        """
        key = (specs, wanted)
        if key not in self._known:
            if len(self._known) >= self._most_kept:
                self._known.clear()
            self._known[key] = _found(instance, specs, wanted) if is_small(specs) else None
            if wanted is None:
                instance.jaxprs.pop(specs, None)
        return self._known[key]

    def decline(self, specs: tuple[Spec, ...]) -> None:
        """Have a program run the op on such inputs."""
        self._known[specs, None] = None


def _found(instance: Instance, specs: tuple[Spec, ...], wanted: Wanted) -> HostFunction | None:
    """The function by the jaxpr for symbolic sizes, if there is one: tracing the kernel again takes a millisecond.

    What an op computes must not depend on the sizes that it has had before. So the jaxpr is used only if, for the
    first such sizes, its arithmetic is that of the jaxpr for these sizes.
    """
    if not settings.shares_programs or (wanted is None and specs in instance.jaxprs):
        return host_function(_closed(instance, specs, wanted))
    inference, sizes, axes = instance.inference(specs, wanted)
    traced = None if inference.is_same_on_host is False else inference.traced(sizes)
    if traced is None:
        closed = _closed(instance, specs, wanted)
        if wanted is not None:
            given = tuple([spec for spec, is_wanted in zip(specs, wanted, strict=True) if is_wanted])
            inference.learn(sizes, axes, given, lambda symbols: instance.traced(specs, symbols, axes, wanted))
        return host_function(closed)
    found = host_function(*traced)
    if found is not None and inference.is_same_on_host:
        return found
    plain = host_function(_closed(instance, specs, wanted))
    inference.is_same_on_host = (
        found is not None and plain is not None and plain.arithmetic == found.arithmetic
    )
    return plain


def _closed(instance: Instance, specs: tuple[Spec, ...], wanted: Wanted) -> Any:
    jaxprs = instance.jaxprs
    if wanted is None and specs in jaxprs:
        return jaxprs[specs]
    avals = [jax.ShapeDtypeStruct(s.shape, s.np_dtype) for s in specs]
    return jax.make_jaxpr(pulling(instance.fn, avals, wanted))(
        *avals, *cotangents(instance.fn, avals, wanted)
    )


def cotangents(kernel: Callable[..., Any], avals: Sequence[Any], wanted: Wanted) -> list[Any]:
    """The shapes of what `pulling` takes after the inputs."""
    return [] if wanted is None else jax.tree.leaves(jax.eval_shape(kernel, *avals))


def pulling(kernel: Callable[..., Any], avals: Sequence[Any], wanted: Wanted) -> Callable[..., Any]:
    """A kernel, or the function that takes its inputs and cotangents and gives the cotangents of some inputs."""
    if wanted is None:
        return kernel

    def pull(*arrays: Any) -> Any:
        inputs, given = arrays[: len(avals)], iter(arrays[len(avals) :])

        def forward(*moving: Any) -> Any:
            rest = iter(moving)
            return kernel(
                *[next(rest) if is_wanted else x for x, is_wanted in zip(inputs, wanted, strict=True)]
            )

        results, back = jax.vjp(
            forward, *[x for x, is_wanted in zip(inputs, wanted, strict=True) if is_wanted]
        )
        return back(jax.tree.map(lambda result: _cotangent(result, next(given)), results))

    return pull


def _cotangent(result: Any, given: Any) -> Any:
    """What goes back through a result: nothing, if that is no floating-point number."""
    return (
        given
        if jax.numpy.issubdtype(result.dtype, jax.numpy.inexact)
        else np.zeros(result.shape, jax.dtypes.float0)
    )
