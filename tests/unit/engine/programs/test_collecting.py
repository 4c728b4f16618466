"""The collector of cycles waits while a function is recorded, and not while Python runs it."""

from __future__ import annotations

import gc

import pytest

import tapeflow as tf
from tapeflow.engine.programs import collecting


def test_it_waits_inside_and_goes_on_afterwards() -> None:
    with collecting.paused():
        assert not gc.isenabled()
        with collecting.paused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_goes_on_after_an_error() -> None:
    with pytest.raises(KeyError), collecting.paused():
        raise KeyError
    assert gc.isenabled()


def test_one_that_is_off_stays_off() -> None:
    gc.disable()
    try:
        with collecting.paused():
            collecting.resume()
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.filterwarnings("ignore:tf.function:UserWarning")
def test_a_function_is_recorded_without_it_until_python_reads_a_value() -> None:
    seen = []

    @tf.function
    def f(x: tf.Tensor) -> None:
        seen.append(gc.isenabled())
        x.numpy()
        seen.append(gc.isenabled())

    f(tf.constant(1.0))
    assert seen == [False, True]
    assert gc.isenabled()
