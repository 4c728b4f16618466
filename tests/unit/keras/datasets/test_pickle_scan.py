"""Pickles walked without being carried out."""

import pickle

import numpy as np
import pytest

from tapeflow.keras.datasets.pickle_scan import check_pickle

VALUES = [
    {"text": "ä" * 300, "number": -1, "long": 10**30, "float": 1.5, "flag": True, "none": None},
    [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), [], {}, {1: [2]}, 256, 70_000],
    np.arange(300, dtype=np.int16),
    np.array([[1], [2, 3]], dtype=object),
]


@pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("value", VALUES, ids=["dict", "list", "array", "objects"])
def test_plain_values_and_arrays_pass(value: object, protocol: int) -> None:
    check_pickle(pickle.dumps(value, protocol=protocol))


def test_what_follows_the_end_is_not_looked_at() -> None:
    check_pickle(pickle.dumps(1) + b"\xff\xff")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "does not end"),
        (b"\x80\x04N", "does not end"),
        (b"\x8f.", "the instruction"),
        (b"Nr\xff\xff\xff\xff.", "memo"),
        (b"Npx\n.", "memo"),
        (b"cnumpy\n", "line that does not end"),
    ],
)
def test_others_do_not(data: bytes, text: str) -> None:
    with pytest.raises(pickle.UnpicklingError, match=text):
        check_pickle(data)
