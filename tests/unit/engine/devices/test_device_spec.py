"""`tf.DeviceSpec`: names in parts. Expected values are TensorFlow's."""

from __future__ import annotations

import pytest

import tapeflow as tf

SPEC = tf.DeviceSpec(job="worker", replica=0, task=1, device_type="gpu", device_index=2)


def test_names_are_parsed_and_written() -> None:
    name = "/job:worker/replica:0/task:1/device:GPU:2"
    assert SPEC.to_string() == name
    assert tf.DeviceSpec.from_string(name) == SPEC
    assert hash(tf.DeviceSpec.from_string(name)) == hash(SPEC)
    assert tf.DeviceSpec.from_string("/job:ps/cpu:3").to_string() == "/job:ps/device:CPU:3"
    assert SPEC.parse_from_string("/gpu:*").to_string() == "/device:GPU:*"
    assert SPEC.replace(device_index=None).to_string() == "/job:worker/replica:0/task:1/device:GPU:*"
    merged = SPEC.make_merged_spec(tf.DeviceSpec(task=7))
    assert merged.to_string() == "/job:worker/replica:0/task:7/device:GPU:2"


@pytest.mark.parametrize("text", ["/foo:1", "/job:a:b", "/device"])
def test_unknown_parts(text: str) -> None:
    with pytest.raises(ValueError, match="is encountered while parsing the device spec"):
        tf.DeviceSpec.from_string(text)


def test_a_task_must_be_a_number() -> None:
    with pytest.raises(ValueError, match="expected numbers after"):
        tf.DeviceSpec.from_string("/task:one")


def test_a_scope() -> None:
    with tf.device(tf.DeviceSpec(job="localhost", device_type="CPU", device_index=0)):
        assert tf.constant(1.0).device.endswith("CPU:0")
