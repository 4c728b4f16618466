"""How the shapes of an op's results follow from those of its inputs, learnt from examples.

Inferring a shape traces the op's kernel, which takes a millisecond. After a few inferences that differ in sizes alone,
the kernel is traced for symbolic sizes instead, and further results are worked out from those.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from tapeflow.engine.recording.node import Spec, spec_of
from tapeflow.engine.shapes.expression import Size, apart, evaluate
from tapeflow.engine.shapes.family import Template
from tapeflow.engine.values.dtypes import DType

_FEWEST_EXAMPLES, _LAST_EXAMPLES = 3, 4
_MOST_TRIES = 64

_log = logging.getLogger("tapeflow.engine")


class Inference:
    """What is known of one op on inputs of given dtypes and ranks.

    Attributes:
        is_same_on_host: whether the kernel traced for symbols computes what it computes traced for sizes; None if that
            has not been looked at.
    """

    __slots__ = (
        "_dtypes",
        "_examples",
        "_is_single",
        "_jaxpr",
        "_results",
        "_template",
        "_tries",
        "is_same_on_host",
    )

    def __init__(self) -> None:
        self._examples: deque[tuple[int, ...]] = deque(maxlen=_LAST_EXAMPLES)
        self._tries = 0
        self._template: Template | None = None
        self._results: list[tuple[Size, ...]] = []
        self._jaxpr: Any = None
        self.is_same_on_host: bool | None = None
        self._dtypes: list[DType] = []
        self._is_single = True

    def specs(self, sizes: tuple[int, ...]) -> Spec | tuple[Spec, ...] | None:
        """What comes out for these sizes of inputs and numbers of the op; None if that is not known."""
        if self._template is None:
            return None
        values = self._template.values_of(sizes)
        if values is None:
            return None
        found = [
            spec_of(tuple([evaluate(size, values) for size in shape]), dtype)
            for shape, dtype in zip(self._results, self._dtypes, strict=True)
        ]
        return found[0] if self._is_single else tuple(found)

    def traced(self, sizes: tuple[int, ...]) -> tuple[Any, dict[str, int]] | None:
        """The kernel, traced for symbols, and their values for these sizes; None if that is not known."""
        values = None if self._template is None else self._template.values_of(sizes)
        return None if values is None else (self._jaxpr, values)

    def learn(
        self,
        sizes: tuple[int, ...],
        axes: int,
        found: Spec | tuple[Spec, ...],
        trace: Callable[[Sequence[Size]], tuple[Any, Sequence[Any]]],
    ) -> None:
        """Take note of an example.

        Args:
            sizes: those of the inputs, then the numbers of the op.
            axes: how many are of inputs.
            found: what came out.
            trace: the kernel's jaxpr, and the results with their shapes, for such sizes as symbols.
        """
        if self._tries >= _MOST_TRIES or sizes in self._examples:
            return
        self._examples.append(sizes)
        if len(self._examples) < _FEWEST_EXAMPLES:
            return
        self._tries += 1
        try:
            template, self._jaxpr, self._results = apart(lambda: _learnt(list(self._examples), axes, trace))
            self.is_same_on_host = None
            self._is_single = not isinstance(found, tuple)
            self._dtypes = [spec.dtype for spec in (found if isinstance(found, tuple) else (found,))]
            self._template = template
        except Exception as error:  # noqa: BLE001 - kernels and JAX raise anything where a size is a symbol
            _log.debug("A shape is inferred anew for every size: %s", error)


def _learnt(
    examples: list[tuple[int, ...]],
    axes: int,
    trace: Callable[[Sequence[Size]], tuple[Any, Sequence[Any]]],
) -> tuple[Template, Any, list[tuple[Size, ...]]]:
    template = Template(examples, axes, 1)
    jaxpr, results = trace(template.sizes)
    return template, jaxpr, [tuple(result.shape) for result in results]
