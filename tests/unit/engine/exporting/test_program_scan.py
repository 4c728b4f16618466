"""Programs are looked at before they run. Hostile ones are in `tests/security/test_programs.py`."""

from __future__ import annotations

import jax
import pytest
from jax import export

from tapeflow.engine.exporting.program_scan import (
    RefusedProgram,
    check_at,
    has_open_calls,
    opened,
    with_gradients,
)


def test_a_program_and_its_gradient() -> None:
    spec = jax.ShapeDtypeStruct(export.symbolic_shape("rows, 3, 3"), "float32")
    data = bytes(export.export(jax.jit(jax.numpy.linalg.cholesky))(spec).serialize(vjp_order=1))
    exported = opened(data)
    assert [has_open_calls(program) for program in with_gradients(exported)] == [True, True]
    check_at(exported, 4)


@pytest.mark.parametrize("data", [b"", b"nothing", bytes(100), b"\xff" * 100])
def test_bytes_that_are_no_program(data: bytes) -> None:
    with pytest.raises(RefusedProgram, match=r"cannot be read \("):
        opened(data)
    with pytest.raises(RefusedProgram, match=r"cannot be read \("):
        opened(data, safe_mode=False)
