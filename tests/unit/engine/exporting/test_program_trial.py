"""Programs are tried in another process, once. What hostile ones do there is in `tests/security/test_programs.py`."""

from __future__ import annotations

import io
import json
from pathlib import Path

import jax
import pytest
from jax import export

from tapeflow.engine.exporting import program_trial
from tapeflow.engine.exporting.program_trial import Program, main, remember, try_out


@pytest.fixture(scope="module")
def data() -> bytes:
    exported = export.export(jax.jit(lambda x: x * 2.0))(jax.ShapeDtypeStruct((3,), "float32"))
    return bytes(exported.serialize(vjp_order=1))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TAPEFLOW_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(program_trial, "_limit_memory", lambda: None)
    return tmp_path / "cache"


def test_the_other_process_tells_what_it_does(data: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    main(io.BytesIO(json.dumps([len(data), 3]).encode() + b"\n" + data + b"bad"))
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[:2] == [{"began": 0}, {"began": 1}]
    assert lines[2]["refused"].startswith("cannot be read")
    assert len(lines) == 3


def test_what_is_remembered_is_not_tried(data: bytes, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(data)
    remember(data)
    assert len(list((cache / "tried-programs").iterdir())) == 1
    monkeypatch.setattr("subprocess.run", None)
    try_out([Program("x", data)])
    with pytest.raises(TypeError):
        try_out([Program("x", data), Program("y", b"other")])


def test_a_cache_that_cannot_be_written_to_is_none(data: bytes, cache: Path) -> None:
    cache.write_text("a file")
    remember(data)
    assert cache.read_text() == "a file"


def test_the_refused_one_is_named(data: bytes) -> None:
    with pytest.raises(
        ValueError, match=r"got 'second', which cannot be read .* It is not run: check where the file"
    ):
        try_out([Program("first", data), Program("second", b"bad")])
