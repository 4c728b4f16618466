"""The arguments of `TensorBoard`, checked."""

from __future__ import annotations

import operator
import warnings
from typing import Any

_IGNORED = {
    "write_grads": "`write_grads` will be ignored in TensorFlow 2.0 for the `TensorBoard` Callback.",
    "embeddings_layer_names": "`embeddings_layer_names` is not supported in TensorFlow 2.0. Instead, all `Embedding` "
    "layers will be visualized.",
    "embeddings_data": "`embeddings_data` is not supported in TensorFlow 2.0. Instead, all `Embedding` variables will "
    "be visualized.",
    "batch_size": "`batch_size` is no longer needed in the `TensorBoard` Callback and will be ignored in TensorFlow "
    "2.0.",
}


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
            f"Unrecognized arguments in `TensorBoard` Callback: {set(unknown)}. Supported kwargs are: {set(_IGNORED)}"
        )
    for name, value in kwargs.items():
        if value:
            warnings.warn(_IGNORED[name], stacklevel=3)


def check_profile_batch(profile_batch: Any) -> None:
    """Raise at what Keras takes for wrong, and at what is not built yet."""
    found = profile_batch
    if isinstance(found, str):
        found = [int(part) for part in found.split(",")]
        found = found[0] if len(found) == 1 else found
    pair = found if isinstance(found, (tuple, list)) and len(found) == 2 else (found, found)
    if not all(isinstance(n, int) for n in pair) or not 0 <= pair[0] <= pair[1]:
        raise ValueError(
            "profile_batch must be a non-negative integer or 2-tuple of positive integers. A pair of positive integers "
            f"signifies a range of batches to profile. Found: {profile_batch}"
        )
    if pair != (0, 0):
        raise ValueError(
            f"TensorBoard expected profile_batch=0; got profile_batch={profile_batch!r}. Profiles are not written yet: "
            "leave it out."
        )
