"""Passwords, tokens and keys, known by their names or their form, left out of what is captured.

This is no proof against every secret: one under a harmless name, of no known form, is written as it is. Whoever passes
such on a command line switches the capture of facts off.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

HIDDEN = "***"

_WORDS = (
    r"secret|token(?!iz)|passw|passphrase|pwd(?![a-z])|(?:api|access|private|account|encryption|signing|master)[_-]?key"
    r"|(?<![a-z0-9])key(?![a-z0-9])|credential|authorization|(?<![a-z])auth(?![a-z])|cookie|bearer|connection[_-]?string|dsn"
)
_NAME = re.compile(_WORDS, re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?(e[+-]?\d+)?")
_COUNT = re.compile(r"tokens?([_-]?(length|len|size|count|budget|limit))?$", re.IGNORECASE)
_FORMS = re.compile(
    r"sk-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|hf_\w{20,}|(?:AKIA|ASIA)[0-9A-Z]{16}"
    r"|xox[abprs]-[\w-]{10,}|AIza[\w-]{30,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*|-----BEGIN [A-Z ]*PRIVATE KEY-----.*"
)
_IN_URL = re.compile(r"(?<=://)[^/\s@:]*(:[^/\s@]*)?@")
_GIVEN = re.compile(
    rf"(?P<name>[\w.-]*(?:{_WORDS})[\w.-]*)(?P<sign>[\"']?\s*(?:=(?!=)|:(?!:))\s*)(?P<value>[^\s,)][^\r\n]*)",
    re.IGNORECASE,
)


def is_secret(name: str, value: str = "") -> bool:
    """Whether what has such a name should not be written down."""
    if _NUMBER.fullmatch(value) and _COUNT.search(name):
        return False  # --max-tokens 512
    return bool(_NAME.search(name))


def hidden_in(text: str) -> str:
    """A text without what is given to secret names in it, without credentials in addresses, and without known keys."""
    text = _FORMS.sub(HIDDEN, _IN_URL.sub(HIDDEN + "@", text))
    return "".join(_GIVEN.sub(_hide, line) for line in text.splitlines(keepends=True))


def _hide(given: re.Match[str]) -> str:
    name, sign, value = given["name"], given["sign"], given["value"]
    return given[0] if not is_secret(name, value.strip()) else f"{name}{sign}{HIDDEN}"


def hidden_in_command(words: Sequence[str]) -> list[str]:
    """A command line without secrets: `--api-key X`, `--api-key=X`, `api_key=X`."""
    found = []
    name = ""
    for word in words:
        if name and not word.startswith("--"):
            found.append(HIDDEN if is_secret(name, word) else hidden_in(word))
            name = ""
            continue
        found.append(hidden_in(word))
        name = word if word.startswith("-") and "=" not in word and is_secret(word) else ""
    return found
