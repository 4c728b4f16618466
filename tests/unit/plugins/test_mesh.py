"""`mesh.summary`: the same mesh by each of its names."""

from __future__ import annotations

import numpy as np

from tapeflow import summary
from tapeflow.plugins.mesh import summary as mesh
from tapeflow.summary.event_files.tensors import array_of
from tapeflow.summary.files import FileWriter

POINTS = np.random.default_rng(0).normal(size=(1, 4, 3)).astype(np.float32)


def test_all_names_write_alike(writer: FileWriter) -> None:
    assert mesh.mesh is summary.mesh
    with writer.as_default(step=0):
        assert mesh.op("m", POINTS, [[[0, 1, 2]]], config_dict={"a": 1}, description="about")
    run = summary.read(writer.logdir)
    found = mesh.pb("m", POINTS, [[[0, 1, 2]]], config_dict={"a": 1}, description="about")
    assert found == mesh.mesh_pb("m", POINTS, [[[0, 1, 2]]], config_dict={"a": 1}, description="about")
    for value in found.value:
        series = run[value.tag]
        np.testing.assert_array_equal(array_of(value.tensor), series.values[0])
        assert (value.metadata.plugin_data.content, value.metadata.summary_description) == (
            series.content,
            series.description,
        )
