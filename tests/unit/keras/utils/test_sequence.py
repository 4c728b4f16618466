"""Sequence, the base class of a user's own batches."""

import pytest

from tapeflow.keras.utils.sequence import PyDataset, Sequence


class Squares(Sequence):
    def __len__(self):
        return 3

    def __getitem__(self, index):
        return index**2


def test_it_can_be_iterated():
    assert list(Squares()) == [0, 1, 4]
    assert Squares().num_batches == 3


def test_both_names_are_one_class():
    assert PyDataset is Sequence


def test_a_subclass_need_not_call_the_constructor():
    class Own(Squares):
        def __init__(self, base):
            self.base = base

    assert Own(1).workers is None
    assert Squares(workers=4, use_multiprocessing=True, max_queue_size=2).workers == 4


def test_an_endless_one_goes_on():
    class Endless(Squares):
        num_batches = None

    batches = iter(Endless())
    assert [next(batches) for _ in range(5)] == [0, 1, 4, 9, 16]


def test_missing_methods_are_named():
    with pytest.raises(NotImplementedError, match=r"Sequence expected a method __len__\(self\)"):
        len(Sequence())
    with pytest.raises(NotImplementedError, match=r"Sequence expected a method __getitem__\(self, index\)"):
        Sequence()[0]
