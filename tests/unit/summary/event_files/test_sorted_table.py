"""The table in the index of TensorFlow's checkpoints; those with false promises are refused."""

from __future__ import annotations

import pytest

from tapeflow.summary.event_files import sorted_table
from tapeflow.summary.event_files.records import masked_crc
from tapeflow.summary.event_files.sorted_table import table_entries
from tapeflow.summary.event_files.wire import varint

from ...train.bundles import MAGIC, block, handle, table  # noqa: TID252 - tests of whole checkpoints write them

PAIRS = [(b"a", b"1"), (b"ab", b"22"), (b"b", b"")]


def whole(body: bytes) -> bytes:
    body += bytes(4) + (1).to_bytes(4, "little") + b"\0"
    return body + masked_crc(body).to_bytes(4, "little")


def test_entries_of_several_blocks() -> None:
    assert list(table_entries(table(block(PAIRS[:2]), block(PAIRS[2:])))) == PAIRS


def test_keys_that_share_their_beginning() -> None:
    shared = b"\0\2\1abx" + b"\1\1\1cy"
    assert list(table_entries(table(whole(shared)))) == [(b"ab", b"x"), (b"ac", b"y")]


def changed(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        pytest.param(b"", "no footer", id="empty"),
        pytest.param(bytes(40) + b"12345678", "no footer", id="no magic"),
        pytest.param(b"\xff" * 40 + MAGIC, "varint of more than ten bytes", id="endless number"),
        pytest.param(changed(table(block(PAIRS)), 5), "changed since it was written", id="flipped"),
        pytest.param(table(block(PAIRS, kind=1)), "is compressed", id="compressed"),
        pytest.param(table(block(PAIRS[::-1])), "not in order", id="backwards"),
        pytest.param(table(block(PAIRS[:1] * 2)), "not in order", id="twice"),
        pytest.param(table(whole(b"\3\1\1abc")), "entry of its index lies outside", id="shares with none"),
        pytest.param(table(whole(b"\0\1\x7fab")), "entry of its index lies outside", id="long value"),
        pytest.param(
            table(block(PAIRS), places=[varint(1 << 40) + b"\x09"]), "block .* lies outside", id="far"
        ),
        pytest.param(
            table(block(PAIRS), places=[handle(0, block(PAIRS))] * 2),
            "blocks of its index overlap",
            id="again",
        ),
    ],
)
def test_what_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        list(table_entries(data))


def test_few_bytes_that_stand_for_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sorted_table, "_MOST_KEY_BYTES", 10_000)
    long = b"\0" + varint(900) + b"\0" + b"k" * 900
    grown = long + b"".join(varint(900 + i) + b"\1\0z" for i in range(20))
    with pytest.raises(ValueError, match="entry of its index lies outside"):
        list(table_entries(table(whole(grown))))
