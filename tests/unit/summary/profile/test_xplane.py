"""XPlane files: ours read JAX's, and broken ones are errors."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from tapeflow.summary.profile import read_xplane, trace
from tapeflow.summary.profile.modules import instructions
from tapeflow.summary.protos import message


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace of a gradient with a loop in it."""
    folder = tmp_path_factory.mktemp("trace")

    def loss(w: Any, x: Any) -> Any:
        def turn(h: Any, _: Any) -> Any:
            return jnp.tanh(h @ w), None

        return jnp.sum(jax.lax.scan(turn, x, None, length=3)[0])

    step = jax.jit(jax.grad(loss))
    w, x = jnp.ones((16, 16), jnp.float32), jnp.ones((4, 16), jnp.float32)
    step(w, x).block_until_ready()
    with jax.profiler.trace(folder):
        for _ in range(2):
            step(w, x).block_until_ready()
    (found,) = folder.glob("plugins/profile/*/*.xplane.pb")
    return found


def test_ops_are_those_jax_sees_in_the_file(file: Path) -> None:
    expected: Counter[str] = Counter()
    seconds: Counter[str] = Counter()
    for plane in jax.profiler.ProfileData.from_file(str(file)).planes:
        for line in plane.lines:
            for event in line.events:
                stats = dict(event.stats)
                if "hlo_op" in stats:
                    expected[str(stats["hlo_op"])] += 1
                    seconds[str(stats["hlo_op"])] += event.duration_ns
    found = {op.name: op for op in read_xplane(file)}
    assert found
    assert {name for name in expected if not name.startswith(("while", "call"))} == set(found)
    for name, op in found.items():
        assert op.occurrences == expected[name]
        assert op.wall == pytest.approx(seconds[name] / 1e9, rel=1e-3, abs=1e-7)


def test_ops_are_named_after_what_they_compute(file: Path) -> None:
    ops = read_xplane(file)
    products = [op for op in ops if op.kind == "matmul"]
    assert {op.dtype for op in products} == {"float32"}
    assert {op.is_gradient for op in products} == {True, False}
    assert (4, 16) in {op.shape for op in products}
    assert not any(op.name.startswith("while") for op in ops)
    assert [op.wall for op in ops] == sorted((op.wall for op in ops), reverse=True)


@pytest.mark.parametrize("part", [0.25, 0.5, 0.9])
def test_a_file_that_was_cut_is_an_error(file: Path, tmp_path: Path, part: float) -> None:
    data = file.read_bytes()
    (tmp_path / "cut.xplane.pb").write_bytes(data[: int(len(data) * part)])
    with pytest.raises(ValueError, match="expected an XPlane file; got .* It may have been cut"):
        read_xplane(tmp_path / "cut.xplane.pb")


@pytest.mark.parametrize(
    "data", [b"\xff" * 64, b"not a profile at all", b"\x0a\xff\xff\xff\xff\x0f"], ids=range(3)
)
def test_what_is_none_is_an_error(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "bad.xplane.pb").write_bytes(data)
    with pytest.raises(ValueError, match="expected an XPlane file"):
        read_xplane(tmp_path / "bad.xplane.pb")


def test_a_huge_file_is_not_read(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace, "_MOST_BYTES", 10)
    with pytest.raises(ValueError, match="expected at most 10 bytes of XPlanes"):
        read_xplane(file)


def space(module: bytes, **event: Any) -> bytes:
    """A file with one op in it."""
    found = message("XSpace")()
    metadata, device = found.planes.add(name="/host:metadata"), found.planes.add(name="/device:GPU:0")
    metadata.stat_metadata[1].name = "Hlo Proto"
    own = metadata.event_metadata[1]
    own.name = "jit_step(7)"
    own.stats.add(metadata_id=1, bytes_value=module)
    for number, name in enumerate(("hlo_op", "hlo_module", "program_id", "dot.1", "jit_step"), 1):
        device.stat_metadata[number].name = name
    one = device.lines.add(name="XLA Ops").events.add(duration_ps=event.get("duration", 5_000_000))
    one.stats.add(metadata_id=1, ref_value=4)
    one.stats.add(metadata_id=2, ref_value=5)
    one.stats.add(metadata_id=3, uint64_value=event.get("program", 7))
    return found.SerializeToString()


def half_module() -> bytes:
    proto = message("HloProto")()
    computation = proto.hlo_module.computations.add(name="main", id=1)
    computation.instructions.add(name="p", opcode="parameter", id=1).shape.element_type = 16
    dot = computation.instructions.add(name="dot.1", opcode="dot", id=2, operand_ids=[1, 1])
    dot.shape.element_type = 11  # adds up in 32 bits what it multiplies in 16
    dot.shape.dimensions.extend([2, 3])
    dot.metadata.op_name = "jit(step)/transpose(jvp(dense))/dot_general"
    return proto.SerializeToString()


@pytest.mark.parametrize("program", [7, 0])  # a program from the compilation cache runs as number 0
def test_the_precision_of_a_product_is_that_of_its_factors(tmp_path: Path, program: int) -> None:
    (tmp_path / "h.xplane.pb").write_bytes(space(half_module(), program=program))
    (op,) = read_xplane(tmp_path / "h.xplane.pb")
    assert (op.kind, op.dtype, op.shape, op.is_gradient) == ("matmul", "bfloat16", (2, 3), True)
    assert op.wall == pytest.approx(5e-6)


def test_a_module_that_cannot_be_read_costs_its_names_alone(tmp_path: Path) -> None:
    (tmp_path / "h.xplane.pb").write_bytes(space(b"\xff\xff\xff"))
    (op,) = read_xplane(tmp_path / "h.xplane.pb")
    assert (op.name, op.kind, op.dtype) == ("dot.1", "dot", "other")
    with pytest.raises(ValueError, match="a compiled module that is no HloProto"):
        instructions(b"\xff\xff\xff")


def test_times_are_never_negative(tmp_path: Path) -> None:
    (tmp_path / "h.xplane.pb").write_bytes(space(half_module(), duration=-5))
    assert read_xplane(tmp_path / "h.xplane.pb")[0].wall == 0
