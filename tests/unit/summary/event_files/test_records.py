from __future__ import annotations

import struct

from tapeflow.summary.event_files.records import crc32c, header, masked_crc, record


def test_crc_is_castagnoli() -> None:
    assert crc32c(b"123456789") == 0xE3069283


def test_mask_rotates_and_adds() -> None:
    crc = 0xE3069283
    assert masked_crc(b"123456789") == (((crc >> 15) | (crc << 17)) + 0xA282EAD8) % 2**32


def test_record_is_length_checksum_data_checksum() -> None:
    data = b"some bytes"
    made = record(data)
    assert struct.unpack("<Q", made[:8]) == (10,)
    assert struct.unpack("<I", made[8:12]) == (masked_crc(made[:8]),)
    assert made[12:22] == data
    assert struct.unpack("<I", made[22:]) == (masked_crc(data),)
    assert header(10) == made[:12]
