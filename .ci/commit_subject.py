"""Check the subject of a commit: `python .ci/commit_subject.py FILE`, as a commit-msg hook."""

from __future__ import annotations

import re
import sys
from pathlib import Path

LONGEST = 80
# Subjects that git writes itself.
_BY_GIT = re.compile(r"(Merge|Revert|fixup!|squash!|amend!) ")
# What an imperative does not begin with.
_NOT_A_VERB = re.compile(r"(a|an|the|this|that|no|not|it|they|we|i|more|some|all|every)", re.IGNORECASE)
_NOT_IMPERATIVE = re.compile(r"\w+(?:ing|ed)|\w+[^s]s", re.IGNORECASE)
_IMPERATIVE = {
    "bring",
    "embed",
    "exceed",
    "feed",
    "need",
    "proceed",
    "seed",
    "shed",
    "speed",
    "spring",
    "string",
}


def problems(message: str) -> list[str]:
    """What is wrong with a commit message, in words; nothing if it is fine."""
    lines = [line for line in message.splitlines() if not line.startswith("#")]
    subject = lines[0] if lines else ""
    if _BY_GIT.match(subject):
        return []
    found = []
    first = subject.split(" ")[0].rstrip(":,")
    if not subject.strip():
        return ["the subject is empty; say what the commit does"]
    if len(subject) > LONGEST:
        found.append(f"the subject has {len(subject)} characters; use at most {LONGEST}")
    if not first[:1].isupper():
        found.append(f"the subject begins with {first!r}; begin with a capital letter")
    if subject.endswith("."):
        found.append("the subject ends with a full stop; leave it out")
    if _NOT_A_VERB.fullmatch(first) or (
        _NOT_IMPERATIVE.fullmatch(first) and first.lower() not in _IMPERATIVE
    ):
        found.append(
            f"the subject begins with {first!r}; begin with an imperative, as in 'Read', 'Fix' or 'Add'"
        )
    if len(lines) > 1 and lines[1].strip():
        found.append("the second line is not empty; leave a blank line before the body")
    return found


def main(path: str) -> int:
    """Say what is wrong with the message in a file; 1 if anything is."""
    found = problems(Path(path).read_text("utf-8"))
    for problem in found:
        sys.stderr.write(f"Commit message: {problem}.\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
