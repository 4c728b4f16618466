"""What a profile says about a run: that training waits for its input."""

from __future__ import annotations

import os
from pathlib import Path

from tapeflow.board.health.rules import INPUT_SHARE, Finding
from tapeflow.summary.profile.profiles import Profile, hosts_of


def finding_of(name: str, files: list[str]) -> Finding | None:
    """The verdict on a profile as a finding, if there is something to find.

    Raises:
        OSError or ValueError: it cannot be read.
    """
    host = hosts_of(map(os.path.basename, files))[0]
    verdict = Profile(Path(files[0]).parent, host, follows_links=False).verdict
    if not verdict.is_input_bound or verdict.share < INPUT_SHARE:
        return None
    share = round(100 * verdict.share)
    return Finding("input_bound", "warning", name, None, {"share": share, "session": name})
