"""When a step runs: where what is pending becomes a program although nobody reads a value.

A step must not depend on what came before it, or a training that is resumed would run other programs than one that
was never interrupted, and round differently. So a program ends where a step ends:

- before a tape is entered (`begin_taped_step`): the last step, with its update, is one program;
- before a `tf.function` is called outside a tape (`begin_call`): the call is a program of its own;
- after an optimizer's step whose gradients come from no tape (`end_untaped_step`): nothing else marks its end;
- before values are saved and after they are restored (`run_between_steps`);
- where a trace has grown long, if possible where the user's loop begins again (`keep_bounded`).

Nothing runs while a function, a loop body or a branch is recorded: their ops belong to the record. Values that are
read, and effects, run what they need by themselves (`running`).
"""

from __future__ import annotations

from tapeflow.engine.programs.running import run_pending, run_trace
from tapeflow.engine.recording.node import user_position
from tapeflow.engine.recording.trace import Trace, is_staging, live_trace, state
from tapeflow.engine.settings import settings


def begin_taped_step() -> None:
    """Run what the last step has left pending, before a tape is entered that no other is around."""
    trace = live_trace()
    if not state.tapes and trace.nodes and not is_staging() and not trace.is_body:
        run_trace(trace)


def begin_call() -> None:
    """Run what is pending before a recorded function is called, unless a tape follows both."""
    if not state.tapes:
        run_pending()


def end_untaped_step() -> None:
    """Run a step whose gradients come from no tape, without waiting for it.

    A taped step is left pending: the next tape runs it, as one program with what follows it, such as an
    update of metrics.
    """
    trace = live_trace()
    if not (trace.gradients or state.tapes or is_staging() or trace.is_body):
        run_trace(trace)


def run_between_steps() -> None:
    """Run what is pending when values are saved or restored.

    What follows a restore then begins with nothing pending, as what followed the save did, and is the same programs:
    a loop that goes on from a checkpoint gives the bits that it would have given.
    """
    if not (is_staging() or live_trace().is_body):
        run_pending()


def keep_bounded(trace: Trace) -> None:
    """Run a trace that has grown long, if possible where the user's loop begins again.

    Cutting an endless loop always at the same place makes its pieces alike, so they share a program.
    Called between ops, never inside one: an op's own intermediate nodes are wanted by nobody.
    """
    if is_staging() or trace.is_body or not trace.nodes:
        return
    first = trace.nodes[0]
    code, lasti = user_position(3)
    is_full = len(trace.nodes) >= settings.hard_nodes or trace.nbytes >= settings.hard_bytes
    if not is_full and (first.code is not code or first.lasti != lasti):
        return
    if state.tapes and 4 * sum(1 for n in trace.nodes if n.tapes) > len(trace.nodes):
        return  # mostly followed by a tape, which will go back through it as one piece
    run_trace(trace)
