"""`Recent`: a table that stays small."""

from __future__ import annotations

from typing import TypeVar

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

MOST = 1024


class Recent(dict[_Key, _Value]):
    """A dict that forgets the quarter of its keys that came first, once it is full.

    What it holds can be made again: records of calls, one for each signature. A program that meets thousands of
    shapes keeps the last ones.
    """

    def __setitem__(self, key: _Key, value: _Value) -> None:
        if len(self) >= MOST and key not in self:
            for oldest in list(self)[: MOST // 4]:
                del self[oldest]
        super().__setitem__(key, value)
