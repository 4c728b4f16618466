"""Tells the user of sizes that keep changing where programs cannot share one."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from tapeflow.engine.recording.node import line_of, user_position

if TYPE_CHECKING:
    from tapeflow.engine.shapes.bucketed import Sizable
    from tapeflow.engine.shapes.family import Family


def tell(family: Family, program: Sizable) -> None:
    """Warn, at the user's line, that a program is compiled for every size: which axis varies, and what helps."""
    varying = family.varying(program)
    said = "; ".join(
        f"{program.described(place)} has had sizes such as {', '.join(map(str, sizes))}"
        for place, sizes in varying.items()
    )
    text = (
        f"What runs here is compiled again for every new size, which is slow: {said or 'its sizes change'}. "
        f"These sizes cannot share one program because of {family.why}. Pad the axis to a few sizes, for example with "
        "Dataset.bucket_by_sequence_length(..., pad_to_bucket_boundary=True), or compute that part outside the step."
    )
    path, _, line = line_of(*user_position(1)).rpartition(":")
    warnings.warn_explicit(text, UserWarning, path, int(line))
