"""The names of TensorBoard's plugins, and that they need neither JAX nor Keras."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys

import pytest

MODULES = {
    "custom_scalar.layout_pb2": [
        "Category",
        "Chart",
        "Layout",
        "MarginChartContent",
        "MultilineChartContent",
    ],
    "custom_scalar.summary": ["op", "pb"],
    "hparams.api": [
        *("Discrete", "Domain", "HParam", "IntInterval", "KerasCallback", "Metric", "RealInterval"),
        *("hparams", "hparams_config", "hparams_config_pb", "hparams_pb"),
    ],
    "mesh.summary": ["mesh", "mesh_pb", "op", "pb"],
    "pr_curve.summary": ["op", "pb", "raw_data_op", "raw_data_pb", "streaming_op"],
    "projector": ["EmbeddingInfo", "ProjectorConfig", "SpriteMetadata", "visualize_embeddings"],
}


@pytest.mark.parametrize("name", MODULES)
def test_namespaces_have_tensorboards_names(name: str) -> None:
    module = importlib.import_module(f"tapeflow.plugins.{name}")
    assert sorted(module.__all__) == MODULES[name]
    for found in MODULES[name]:
        value = getattr(module, found)
        assert inspect.getdoc(value) or inspect.isclass(value), found
    with pytest.raises(AttributeError):
        module.no_such_name  # noqa: B018


def test_logging_needs_no_jax_and_no_keras(tmp_path: str) -> None:
    code = f"""
import sys
from tapeflow import plugins, summary
from tapeflow.plugins.hparams import api as hp
with summary.run("x", {str(tmp_path)!r}, step=0):
    hp.hparams({{hp.HParam("a"): 1}})
    summary.confusion_matrix("c", [0, 1], [0, 1])
    summary.embedding("e", [[1.0, 2.0]])
    summary.pr_curve("p", [0, 1], [0.1, 0.9])
    summary.table("t", [[1, 2]])
    plugins.projector.ProjectorConfig()
assert "jax" not in sys.modules and "tapeflow.keras" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
