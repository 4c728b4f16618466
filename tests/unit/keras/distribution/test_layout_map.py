"""Tests for tapeflow.keras.distribution.layout_map."""

from __future__ import annotations

import pytest

from tapeflow.keras.distribution import DeviceMesh, LayoutMap, TensorLayout


@pytest.fixture
def layout_map() -> LayoutMap:
    found = LayoutMap(DeviceMesh((1,), ["model"]))
    found[".*dense.*kernel"] = (None, "model")
    found["exact"] = TensorLayout(["model"])
    return found


def test_keys_match_whole_paths(layout_map: LayoutMap) -> None:
    kernel = layout_map["a/dense_1/kernel"]
    assert kernel is not None
    assert kernel.axes == (None, "model")
    assert kernel.device_mesh is layout_map.device_mesh
    assert layout_map["a/dense_1/kernel_norm"] is None
    assert layout_map["exact"] is not None
    assert layout_map["exactly"] is None
    assert (len(layout_map), list(layout_map)) == (2, [".*dense.*kernel", "exact"])
    del layout_map["exact"]
    assert layout_map["exact"] is None


def test_keys_that_do_not_fit(layout_map: LayoutMap) -> None:
    layout_map["a/.*"] = ("model",)
    with pytest.raises(ValueError, match="Path 'a/dense/kernel' matches multiple layout specification keys"):
        layout_map["a/dense/kernel"]
    with pytest.raises(ValueError, match="exact already exist in the LayoutMap"):
        layout_map["exact"] = ("model",)
    with pytest.raises(ValueError, match="3 should be a TensorLayout type, got <class 'int'>"):
        layout_map["number"] = 3
