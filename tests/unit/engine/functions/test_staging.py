"""What runs of records have in common."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.functions.staging import RecordFlight, current_value, overwritable_value
from tapeflow.engine.programs.flight import flights
from tapeflow.engine.programs.program import counters
from tapeflow.engine.recording.node import Node


@pytest.mark.parametrize("writes", [0, 1])
def test_a_flight_that_lands_again_binds_once(writes: int) -> None:
    """An interrupt may fall into a landing; who comes next lands once more."""
    variables = [tf.Variable(1.0) for _ in range(writes)]
    bound = []

    class Bound(RecordFlight):
        def bind(self, results: Any) -> None:
            bound.append(results)
            self.written = [Node(v._node.spec, np.float32(2.0)) for v in variables]

    flight = Bound(SimpleNamespace(writes=[(v, 0) for v in variables]))  # pyright: ignore[reportArgumentType]
    flights.remove(flight)
    flight.landed.append("results")
    before = counters.dispatched
    flight.land()
    flight.land()
    assert bound == ["results"]
    assert counters.dispatched == before + 1
    assert [float(v) for v in variables] == [2.0] * writes


def test_a_value_that_somebody_holds_is_copied_before_it_is_overwritten() -> None:
    v = tf.Variable([1.0, 2.0])
    v.assign_add([1.0, 1.0])
    v.numpy()
    before = counters.copied_for_donation
    assert overwritable_value(v) is v._node.value
    assert counters.copied_for_donation == before
    held = v.value()
    assert overwritable_value(v) is not v._node.value
    assert counters.copied_for_donation == before + 1
    np.testing.assert_array_equal(held.numpy(), [2.0, 3.0])


def test_a_pending_value_is_computed() -> None:
    v = tf.Variable([1.0, 2.0])
    v.assign_add([1.0, 1.0])
    np.testing.assert_array_equal(current_value(v), [2.0, 3.0])
