from __future__ import annotations

import random

import numpy as np
import pytest

from tapeflow.summary.event_files import encoding, wire
from tapeflow.summary.event_files.bulk import scalar_columns, scalar_layout
from tapeflow.summary.event_files.tensors import tensor_bytes
from tapeflow.summary.event_files.values import value_of
from tapeflow.summary.protos import message


def packed(events: list[bytes]) -> tuple[bytes, np.ndarray, np.ndarray]:
    lengths = np.array([len(e) for e in events])
    return b"".join(events), np.cumsum([0, *lengths[:-1]]), lengths


def simple(time: float, step: int, tag: str, value: float) -> bytes:
    event = message("Event")(wall_time=time, step=step)
    event.summary.value.add(tag=tag, simple_value=value)
    return event.SerializeToString()


def as_float_val(time: float, step: int, tag: str, value: float) -> bytes:
    event = message("Event")(wall_time=time, step=step)
    event.summary.value.add(tag=tag).tensor.MergeFrom(message("TensorProto")(dtype=1, float_val=[value]))
    return event.SerializeToString()


def as_double(time: float, step: int, tag: str, value: float) -> bytes:
    return encoding.tensor_event(time, step, tag, tensor_bytes(np.float64(value)), b"")


def ours(time: float, step: int, tag: str, value: float) -> bytes:
    return encoding.scalar_event(time, step, tag, value, encoding.metadata("scalars"))


FORMS = [simple, as_float_val, as_double, ours]


def test_every_form_mixed_with_other_events() -> None:
    generator = random.Random(0)
    tags = ["a", "b", "ab", "loss", "x" * 130, "é"]
    events, expected, others = [], {}, []
    for i in range(3000):
        if i % 50 == 7:
            others.append(i)
            events.append(encoding.tensor_event(1.0, i, "v", tensor_bytes(np.zeros(3)), b""))
            continue
        step = generator.choice([0, 1, 127, 128, 5000, 2**33, -4])
        tag, value, time = (
            generator.choice(tags),
            float(np.float32(generator.gauss(0, 1))),
            generator.random(),
        )
        events.append(generator.choice(FORMS)(time, step, tag, value))
        expected.setdefault(tag, []).append((i, step, time, value))
    columns, rest = scalar_columns(*packed(events))
    assert rest.tolist() == others
    found: dict[str, list] = {}
    for c in columns:
        rows = zip(c.rows.tolist(), c.steps.tolist(), c.wall_times.tolist(), c.values.tolist(), strict=True)
        found.setdefault(c.tag, []).extend(rows)
    assert {tag: sorted(rows) for tag, rows in found.items()} == expected


@pytest.mark.parametrize("form", FORMS)
def test_layout_knows_every_form(form: object) -> None:
    layout = scalar_layout(form(1.0, 300, "tag", 0.5))
    assert layout is not None
    assert layout.tag == "tag"
    assert layout.is_simple is (form is simple)


@pytest.mark.parametrize(
    "event",
    [
        b"",
        b"\x09",
        encoding.version_event(1.0),
        encoding.graph_event(1.0, b"graph"),
        encoding.tensor_event(1.0, 1, "x", tensor_bytes(np.zeros(1, np.float32)), b""),
        encoding.tensor_event(1.0, 1, "x", tensor_bytes(np.int64(3)), b""),
        encoding.tensor_event(1.0, 1, "x", tensor_bytes("text"), b""),
        ours(1.0, 1, "x", 1.0)[:-1],
        ours(1.0, 1, "x", 1.0) + b"\x00",
        ours(1.0, 1, "x", 1.0) + wire.number(2, 4),
        ours(1.0, 1, "xyz", 1.0).replace(b"xyz", b"\xff\xfe\xfd"),
        encoding.summary_event(1.0, 1, wire.block(1, wire.block(1, b"no value"))),
    ],
)
def test_anything_else_is_left_to_the_general_way(event: bytes) -> None:
    assert scalar_layout(event) is None
    columns, rest = scalar_columns(*packed([event, ours(1.0, 1, "good", 1.0), event]))
    assert [c.tag for c in columns] == ["good"]
    assert rest.tolist() == [0, 2]


def test_two_values_in_one_event_are_left() -> None:
    event = message("Event")(wall_time=1.0, step=1)
    event.summary.value.add(tag="a", simple_value=1)
    event.summary.value.add(tag="b", simple_value=2)
    assert scalar_columns(*packed([event.SerializeToString()]))[1].tolist() == [0]


def test_many_tags_of_one_length() -> None:
    events = [ours(1.0, 1, f"tag{i:05d}", float(i)) for i in range(2000)] * 2
    columns, rest = scalar_columns(*packed(events))
    assert not rest.size
    assert len(columns) == 2000
    assert all(c.values.tolist() == [float(c.tag[3:])] * 2 for c in columns)


def test_mutated_events_decode_as_protobuf_decodes_them() -> None:
    generator = random.Random(5)
    base = [form(1.5, 300, "tag", 0.5) for form in FORMS]
    for _ in range(4000):
        event = bytearray(generator.choice(base))
        for _ in range(generator.randint(1, 3)):
            event[generator.randrange(len(event))] = generator.randrange(256)
        layout = scalar_layout(bytes(event))
        if layout is None:
            continue
        (column,), _ = scalar_columns(*packed([bytes(event)]))
        parsed = message("Event").FromString(bytes(event))
        (value,) = parsed.summary.value
        assert (column.tag, column.steps[0]) == (value.tag, parsed.step)
        np.testing.assert_array_equal(column.wall_times[0], parsed.wall_time)
        np.testing.assert_array_equal(np.float64(value_of(value).array), column.values[0])
