"""Which names of files elsewhere are paths here."""

from __future__ import annotations

import pytest

from tapeflow.board.remote.names import is_wanted, parts_below


def test_plain_names() -> None:
    assert parts_below("bucket/logs/größe 1/a.tfevents", "bucket/logs") == ("größe 1", "a.tfevents")
    assert parts_below("/srv/logs/a", "/srv/logs") == ("a",)
    assert parts_below("http://h/logs/run%201/a", "http://h/logs") == ("run 1", "a")


@pytest.mark.parametrize(
    "name",
    [
        *("../a", "a/../../b", "..", ".", "a//b", "a/", "/etc/passwd", "a/./b"),
        *("a\0b", "a\nb", "a\\..\\b", "C:evil", "x" * 256, "ü" * 128, "\udc80", "/".join("a" * 65)),
    ],
)
def test_names_that_lead_elsewhere(name: str) -> None:
    assert parts_below(f"bucket/logs/{name}", "bucket/logs") is None


def test_names_outside() -> None:
    assert parts_below("bucket/logs2/a", "bucket/logs") is None
    assert parts_below("http://other/logs/a", "http://h/logs") is None
    assert parts_below("http://h/logs/%2e%2e/a", "http://h/logs") is None
    assert parts_below("http://h/logs/a%2Fb", "http://h/logs") is None


def test_what_the_board_reads() -> None:
    for name in (
        *("events.out.tfevents.1.host", "a/plugins/profile/p1/host.xplane.pb", "a/projector_config.pbtxt"),
        "a/projector/points/step_0/vectors.bytes",
    ):
        assert is_wanted(name)
    for name in ("model.safetensors", "a/host.xplane.pb", "a/tfevents/weights.bin", "e.profile-empty"):
        assert not is_wanted(name)
