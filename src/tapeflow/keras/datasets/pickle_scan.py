"""A look at a pickle's instructions before any of them is carried out.

The unpickler believes what it reads: an instruction of five bytes can have it make a table of 2^31 places, or take
memory for bytes that are not there. Here the instructions are walked without carrying them out. Only those that
plain values and arrays need are taken, and numbers in them may not lead beyond the pickle.
"""

from __future__ import annotations

import pickle

# Bytes that follow an instruction.
_FIXED = {
    **dict.fromkeys(b"()]}tlduaesNR.0b2\x88\x89\x85\x86\x87\x93\x94", 0),
    **dict.fromkeys(b"Kqh\x80", 1),
    **dict.fromkeys(b"M", 2),
    **dict.fromkeys(b"Jrj", 4),
    **dict.fromkeys(b"G\x95", 8),
}
# Bytes of a length that follow an instruction, before as many bytes.
_COUNTED = {
    **dict.fromkeys(b"UC\x8c\x8a", 1),
    **dict.fromkeys(b"TBX\x8b", 4),
    **dict.fromkeys(b"\x8d\x8e", 8),
}
# Lines that follow an instruction.
_LINES = {**dict.fromkeys(b"ILFSVpg", 1), ord("c"): 2}
_PUTS = {ord("q"): 1, ord("r"): 4}
_PUT_LINE, _STOP = ord("p"), ord(".")


def check_pickle(data: bytes) -> None:
    """Raise unless the instructions of a pickle are those of plain values and arrays, and lie within it.

    Raises:
        pickle.UnpicklingError: they are not.
    """
    at, end = 0, len(data)
    fixed, counted = _FIXED, _COUNTED
    while at < end:
        code = data[at]
        at += 1
        size = fixed.get(code)
        if size is not None:
            if code in _PUTS and int.from_bytes(data[at : at + size], "little") > end:
                raise pickle.UnpicklingError("an entry far outside of its memo")
            if code == _STOP:
                return
            at += size
        elif code in counted:
            after = at + counted[code]
            at = after + int.from_bytes(data[at:after], "little")
        elif code in _LINES:
            start = at
            for _ in range(_LINES[code]):
                at = data.find(b"\n", at) + 1
                if not at:
                    raise pickle.UnpicklingError("a line that does not end")
            if code == _PUT_LINE and not _is_below(data[start : at - 1], end):
                raise pickle.UnpicklingError("an entry far outside of its memo")
        else:
            raise pickle.UnpicklingError(f"the instruction {bytes([code])!r}")
    raise pickle.UnpicklingError("a pickle that does not end")


def _is_below(digits: bytes, limit: int) -> bool:
    return digits.isdigit() and len(digits) < 20 and int(digits) <= limit
