"""`tf.compat.v1.Dimension`: a size of a shape as TensorFlow 1 had it, an object around a number or None."""

from __future__ import annotations

import operator
from collections.abc import Callable


class Dimension:
    """A size, or one that is not known; sums and products with an unknown one are unknown.

    >>> tf.compat.v1.Dimension(3) + 1
    Dimension(4)
    """

    def __init__(self, value: Dimension | int | None) -> None:
        self.value = (
            value.value if isinstance(value, Dimension) else None if value is None else operator.index(value)
        )
        if self.value is not None and self.value < 0:
            raise ValueError(
                f"tf.compat.v1.Dimension expected a size of 0 or more; got value={value!r}. None is a size not known."
            )

    def __repr__(self) -> str:
        return f"Dimension({self.value})"

    def __str__(self) -> str:
        return "?" if self.value is None else str(self.value)

    def __int__(self) -> int:
        return self.__index__()

    def __index__(self) -> int:
        if self.value is None:
            raise TypeError("int() expected a known size; got Dimension(None). Look at its value first.")
        return self.value

    def __hash__(self) -> int:
        return hash(self.value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Dimension, int, type(None))):
            return NotImplemented
        other = Dimension(other)
        return None not in (self.value, other.value) and self.value == other.value

    def is_compatible_with(self, other: Dimension | int | None) -> bool:
        """Whether both may be the same size."""
        other = Dimension(other)
        return self.value is None or other.value is None or self.value == other.value

    def merge_with(self, other: Dimension | int | None) -> Dimension:
        """The size that both are."""
        other = Dimension(other)
        if not self.is_compatible_with(other):
            raise ValueError(
                f"Dimension.merge_with expected compatible sizes; got {self!r} and {other!r}. Check both shapes."
            )
        return other if self.value is None else self

    def _with(
        self, calculate: Callable[[int, int], int], other: Dimension | int | None, is_reversed: bool = False
    ) -> Dimension:
        mine, theirs = self.value, Dimension(other).value
        if mine is None or theirs is None:
            return Dimension(None)
        return Dimension(calculate(theirs, mine) if is_reversed else calculate(mine, theirs))

    def __add__(self, other: Dimension | int | None) -> Dimension:
        return self._with(operator.add, other)

    __radd__ = __add__

    def __sub__(self, other: Dimension | int | None) -> Dimension:
        return self._with(operator.sub, other)

    def __rsub__(self, other: Dimension | int | None) -> Dimension:
        return self._with(operator.sub, other, is_reversed=True)

    def __mul__(self, other: Dimension | int | None) -> Dimension:
        return self._with(operator.mul, other)

    __rmul__ = __mul__

    def __floordiv__(self, other: Dimension | int | None) -> Dimension:
        return self._with(operator.floordiv, other)

    def __mod__(self, other: Dimension | int | None) -> Dimension:
        return self._with(operator.mod, other)

    def _compared(self, compare: Callable[[int, int], bool], other: Dimension | int | None) -> bool:
        mine, theirs = self.value, Dimension(other).value
        return mine is not None and theirs is not None and compare(mine, theirs)

    def __lt__(self, other: Dimension | int | None) -> bool:
        return self._compared(operator.lt, other)

    def __le__(self, other: Dimension | int | None) -> bool:
        return self._compared(operator.le, other)

    def __gt__(self, other: Dimension | int | None) -> bool:
        return self._compared(operator.gt, other)

    def __ge__(self, other: Dimension | int | None) -> bool:
        return self._compared(operator.ge, other)
