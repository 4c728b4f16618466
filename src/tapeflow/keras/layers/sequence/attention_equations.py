"""The equations of multi-head attention for `tf.einsum`, which subclasses in packages compute with."""

from __future__ import annotations

import string
from typing import NamedTuple


class AttentionEquations(NamedTuple):
    """How keys meet queries, and how scores meet values."""

    dot_product: str
    combine: str


def attention_equations(rank: int, axes: tuple[int, ...]) -> AttentionEquations:
    """The equations for projected tensors of this rank, attention being over these axes.

    >>> attention_equations(4, (1,))
    AttentionEquations(dot_product='aecd,abcd->acbe', combine='acbe,aecd->abcd')
    """
    target = string.ascii_lowercase[:rank]
    fresh = iter(string.ascii_lowercase[rank:])
    source = "".join(next(fresh) if axis in axes else letter for axis, letter in enumerate(target))
    batch = "".join(letter for axis, letter in enumerate(target[:-1]) if axis not in axes)
    scores = batch + "".join(target[axis] for axis in axes) + "".join(source[axis] for axis in axes)
    return AttentionEquations(f"{source},{target}->{scores}", f"{scores},{source}->{target}")
