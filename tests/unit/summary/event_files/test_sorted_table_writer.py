from __future__ import annotations

import pytest

from tapeflow.summary.event_files.sorted_table import table_entries
from tapeflow.summary.event_files.sorted_table_writer import table_of


@pytest.mark.parametrize("count", [0, 1, 16, 17, 1000])
def test_what_is_written_is_read(count: int) -> None:
    entries = [(f"layer/{i:05d}/kernel".encode(), b"x" * (i % 7)) for i in range(count)]
    assert list(table_entries(table_of(entries))) == entries


def test_long_tables_have_several_blocks() -> None:
    entries = [(bytes([i]), bytes(100_000)) for i in range(20)]
    assert list(table_entries(table_of(entries))) == entries


def test_keys_must_be_in_order() -> None:
    with pytest.raises(ValueError, match="expected keys in order; got b'a' after b'b'"):
        table_of([(b"b", b""), (b"a", b"")])
