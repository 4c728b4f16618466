"""Which step of a pipeline makes the batches that several processes share, each needing some of the rows."""

from __future__ import annotations

from tapeflow.data.pipe import Pipe
from tapeflow.data.steps.batching import Batch
from tapeflow.data.steps.ordering import Repeat, Skip, Take
from tapeflow.data.steps.prefetching import Prefetch

_PASSING = (Prefetch, Repeat, Skip, Take)


def shared_step(pipe: Pipe) -> Batch | None:
    """The `batch` whose elements a pipeline hands out as they are.

    None if a step after it looks into them: then all rows must be there.
    """
    while isinstance(pipe, _PASSING):
        pipe = pipe.source
    return pipe if isinstance(pipe, Batch) else None
