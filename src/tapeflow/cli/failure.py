"""What a command says when it cannot do what it was asked for."""

from __future__ import annotations


class Failure(Exception):
    """A mistake of the user's or the world's; its text is all the user is shown."""

    def __init__(self, text: str, code: int = 1) -> None:
        super().__init__(text)
        self.code = code
