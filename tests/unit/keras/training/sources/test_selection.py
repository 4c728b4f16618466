"""make_source chooses by what it gets, and says no in Keras's words."""

import numpy as np
import pytest

from tapeflow.keras.training.sources import make_source
from tapeflow.keras.training.sources.arrays import ArraySource
from tapeflow.keras.training.sources.indexed import SequenceSource
from tapeflow.keras.training.sources.stream import StreamSource
from tapeflow.keras.utils.sequence import Sequence


class Two(Sequence):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        return np.zeros((2, 1)), np.zeros(2)


def test_each_kind_has_its_source():
    assert isinstance(make_source(np.zeros(3)), ArraySource)
    assert isinstance(make_source({"a": [1, 2]}), ArraySource)
    assert isinstance(make_source(iter([1])), StreamSource)
    assert isinstance(make_source(Two()), SequenceSource)


@pytest.mark.parametrize(
    "x",
    [object(), 3, np.float32(3), "abc", {1, 2}, [object(), "a"], None, [], {"a": iter([1])}],
    ids=lambda value: type(value).__name__,
)
def test_what_no_source_can_read_raises(x):
    with pytest.raises(ValueError, match="Failed to find data adapter that can handle input: "):
        make_source(x)


def test_the_error_names_the_types():
    text = (
        r"\(<class 'dict'> containing \{\"<class 'str'>\"\} keys and \{\"<class 'object'>\"\} values\), "
        r"<class 'numpy.ndarray'>"
    )
    with pytest.raises(ValueError, match=text):
        make_source({"a": object()}, np.zeros(2))


@pytest.mark.parametrize(
    ("x", "kind"),
    [
        (lambda: iter([np.zeros(2)]), "python generator"),
        (Two, "`keras.utils.Sequence`"),
        (lambda: dict.fromkeys([1]).keys(), "an iterable"),
    ],
)
def test_streams_bring_their_own_targets_and_weights(x, kind):
    with pytest.raises(ValueError, match=f"`y` argument is not supported when using {kind} as input."):
        make_source(x(), np.zeros(2))
    with pytest.raises(
        ValueError, match=f"`sample_weight` argument is not supported when using {kind} as input."
    ):
        make_source(x(), sample_weight=np.zeros(2))
    make_source(x(), [])


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"batch_size": 0}, ValueError, "Expected batch_size to be positive. Received is 0."),
        ({"batch_size": 2.0}, TypeError, "Expected batch_size to be an integer. Received is 2.0, a float"),
        ({"max_queue_size": 0}, ValueError, "Expected max_queue_size to be positive. Received is 0."),
        ({"workers": -1}, ValueError, "Expected workers to be non-negative. Received is -1."),
        (
            {"steps": 0},
            ValueError,
            "steps_per_epoch must be positive, None or -1. Received 0. See `Model.fit`.",
        ),
    ],
)
def test_numbers_are_checked(arguments, error, text):
    with pytest.raises(error, match=text):
        make_source(np.zeros(3), **arguments)


def test_batch_size_is_left_to_streams():
    assert make_source(Two(), batch_size=3).batch_size is None
