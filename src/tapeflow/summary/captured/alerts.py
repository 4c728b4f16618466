"""`tf.summary.alert`."""

from __future__ import annotations

from tapeflow.summary import hooks
from tapeflow.summary.captured import messages
from tapeflow.summary.captured.messages import LEVELS, Level
from tapeflow.summary.context import current, recording_writer
from tapeflow.summary.event_files import encoding


def alert(title: str, text: str = "", level: Level = "warning", step: int | None = None) -> bool:
    """Show an alert about this run on the board, and send it to the webhook.

    Alerts of one title count as one: the board shows the last of them and how many there were.

    Args:
        title: what is wrong, in a few words.
        text: more about it.
        level: "info", "warning" or "error"; `tapeflow board --webhook` passes on the last two.
        step: the step, unless there is a default one; 0 without either.

    Returns:
        Whether it was recorded.

    >>> tf.summary.alert("no better than chance", "accuracy 0.09 after an epoch", level="error")
    """
    if not isinstance(title, str) or not title.strip():
        raise ValueError(
            f"tf.summary.alert expected a title; got title={title!r}. Describe the problem in a few words."
        )
    if level not in LEVELS:
        raise ValueError(
            f"tf.summary.alert expected a level of {', '.join(LEVELS)}; got level={level!r}. "
            "Leave it out for 'warning'."
        )
    writer = recording_writer()
    if writer is None:
        return False
    found = current.step if step is None else step
    message = messages.dumped({"title": title.strip(), "text": str(text), "level": level})
    writer.add(messages.ALERTS, message, hooks.step(0 if found is None else found), _METADATA)
    return True


_METADATA = encoding.metadata(messages.PLUGIN)
