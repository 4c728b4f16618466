"""What `saved_model.json` must look like."""

from __future__ import annotations

from typing import Any

import pytest

from tapeflow.saved_model.manifest import check_manifest


def manifest() -> dict[str, Any]:
    inputs = [
        {"shape": [None, 2], "dtype": "float32", "name": "x"},
        {"shape": [], "dtype": "bool", "name": None},
    ]
    arguments = [["x", {"dict": {"a": {"input": 0}}}], ["y", {"list": [{"input": 1}, {"value": None}]}]]
    program = {"file": "f-0", "outputs": 1, "writes": [0], "inputs": inputs, "arguments": arguments}
    variable = {"name": "v:0", "trainable": True, "path": ["layer", "0"]}
    return {
        "endpoints": {"f": [program]},
        "signatures": {"s": "f"},
        "variables": [variable],
        "sha256": {"f-0": "1"},
    }


def test_a_whole_one_passes() -> None:
    check_manifest(manifest())


@pytest.mark.parametrize("name", ["endpoints", "signatures", "variables", "sha256"])
@pytest.mark.parametrize("value", [None, 7, "x"])
def test_parts_of_another_kind_do_not(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"its manifest has {name}="):
        check_manifest({**manifest(), name: value})


@pytest.mark.parametrize("name", ["file", "outputs", "writes", "inputs", "arguments"])
def test_programs_have_all_their_parts(name: str) -> None:
    described = manifest()
    del described["endpoints"]["f"][0][name]
    with pytest.raises(ValueError, match=f"its manifest has {name}="):
        check_manifest(described)
