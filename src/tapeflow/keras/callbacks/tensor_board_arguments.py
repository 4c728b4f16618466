"""The arguments of `TensorBoard`, checked."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Sequence
from typing import Any

from tapeflow.summary.remote import is_remote

_IGNORED = {
    "embeddings_layer_names": "`embeddings_layer_names` is not supported in TensorFlow 2.0. Instead, all `Embedding` "
    "layers will be visualized.",
    "embeddings_data": "`embeddings_data` is not supported in TensorFlow 2.0. Instead, all `Embedding` variables will "
    "be visualized.",
    "batch_size": "`batch_size` is no longer needed in the `TensorBoard` Callback and will be ignored in TensorFlow "
    "2.0.",
}


def check_remote_log_dir(
    log_dir: str, profile_batch: int | str | Sequence[int], embeddings_freq: int
) -> None:
    """Raise if files that only go to local folders are to go elsewhere."""
    for name, value in (("profile_batch", profile_batch), ("embeddings_freq", embeddings_freq)):
        if value and is_remote(log_dir):
            raise ValueError(
                f"TensorBoard expected {name}=0 with an address as log_dir; got {name}={value!r} and "
                f"log_dir={log_dir!r}. Use a local folder and copy it."
            )


def checked_frequency(update_freq: Any) -> Any:
    """`'epoch'`, or every how many batches."""
    if update_freq == "epoch":
        return "epoch"
    if update_freq == "batch":
        return 1
    try:
        every = operator.index(update_freq)
    except TypeError:
        every = 0
    if every < 1:
        raise ValueError(
            "TensorBoard expected update_freq to be 'epoch', 'batch' or a positive integer; got "
            f"update_freq={update_freq!r}."
        )
    return every


def check_old_arguments(kwargs: dict[str, Any]) -> None:
    """Raise at arguments nobody knows, and warn of those that mean nothing any more."""
    unknown = sorted(set(kwargs) - set(_IGNORED))
    if unknown:
        raise ValueError(
            f"Unrecognized arguments in `TensorBoard` Callback: {set(unknown)}. Supported kwargs are: "
            f"{ {'write_grads', *_IGNORED} }"
        )
    for name, value in kwargs.items():
        if value:
            warnings.warn(_IGNORED[name], stacklevel=3)


def checked_profile_batch(profile_batch: Any) -> tuple[int, int]:
    """The first and the last batch to profile, counted from 1; (0, 0) for none."""
    found = profile_batch
    try:
        if isinstance(found, str):
            found = [int(part) for part in found.split(",")]
            found = found[0] if len(found) == 1 else found
        first, last = found if isinstance(found, (tuple, list)) else (found, found)
        first, last = operator.index(first), operator.index(last)
    except (TypeError, ValueError):
        first, last = -1, -1
    if not 0 <= first <= last or (first == 0 < last):
        raise ValueError(
            "profile_batch must be a non-negative integer or 2-tuple of positive integers. A pair of positive integers "
            f"signifies a range of batches to profile. Found: {profile_batch}"
        )
    return first, last
