"""`docs/compatibility.md` says what is so."""

from __future__ import annotations

import importlib.util
import zipfile
from pathlib import Path

import pytest

from tapeflow.compat import listing
from tapeflow.compat.differences import DIFFERENCES
from tapeflow.compat.reasons import REASONS, reason_for
from tapeflow.compat.report import look_up

pytestmark = pytest.mark.usefixtures("no_real_tensorflow")
DOCUMENT = Path(__file__).parents[3] / "docs" / "compatibility.md"


@pytest.fixture(scope="module")
def text() -> str:
    return DOCUMENT.read_text()


def test_the_document_is_up_to_date(text):
    assert text == listing.document(), "run: python -m tapeflow.compat.listing > docs/compatibility.md"


def test_every_name_is_listed_once(text):
    found = listing.names()
    assert {"Dense", "LSTM"} <= set(found["tf.keras.layers"])
    for space, names in found.items():
        assert len(set(names)) == len(names), space
        section = text.split(f"\n## {space}\n")[1].split("\n## ")[0]
        assert all(f"`{name}`" in section for name in names), space


def test_what_differs_is_there_and_differs_under_its_other_names():
    partly = {
        f"{space.name}.{name}": how for space in listing.namespaces() for name, how in space.partly.items()
    }
    later = {"tf.keras.metrics.experimental.PyMetric"}
    assert set(DIFFERENCES) - set(partly) == later
    assert (
        partly["tf.keras.layers.experimental.preprocessing.RandomHeight"]
        == DIFFERENCES["tf.keras.layers.RandomHeight"]
    )
    found = look_up(["tensorflow.keras.metrics.experimental.PyMetric", "keras.layers.RandomHeight"])
    assert all(finding.verdict == "part" for finding in found.values())


def test_every_missing_name_has_its_reason():
    missing = [f"{space.name}.{name}" for space in listing.namespaces() for name in space.no]
    assert [name for name in missing if not reason_for(name)] == []
    assert reason_for("tf.test.create_local_cluster") != reason_for("tf.test.Benchmark")
    unused = [key for key in REASONS if not any(f"{name}.".startswith(f"{key}.") for name in missing)]
    assert unused == []


def test_a_name_is_sorted_by_whether_it_is_there_and_does_the_same():
    spaces = {space.name: space for space in listing.namespaces()}
    assert "matmul" in spaces["tf"].yes
    assert "function" in spaces["tf"].partly
    assert "load_op_library" in spaces["tf"].no


def test_names_are_read_from_wheels(tmp_path):
    """The script that makes the list, on wheels of a few lines."""
    spec = importlib.util.spec_from_file_location(
        "tensorflow_names", DOCUMENT.with_name("tensorflow_names.py")
    )
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    modules = {
        "tensorflow/__init__.py": "import os as _os\nfrom . import math\nfrom x import add\nfrom y import z as _z",
        "tensorflow/_api/v2/math/__init__.py": "from x import add_v2 as add\nfrom x import abs",
        "tensorflow/_api/v2/raw_ops/__init__.py": "from x import Abs",
        "tensorflow/_api/v2/math/inner.py": "from x import hidden",
        "keras/api/_v2/keras/__init__.py": "from . import layers\nfrom keras import Model",
        "tensorboard/summary/_tf/summary/__init__.py": "from t import scalar",
        "tensorflow/_api/v2/summary/__init__.py": "from t import write",
    }
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as wheel:
        for name, source in modules.items():
            wheel.writestr(name, source)
    assert script.listing([str(tmp_path / "a.whl")]).splitlines() == [
        *("tf", "    add", "tf.keras", "    Model layers", "tf.math", "    abs add"),
        *("tf.summary", "    scalar write"),
    ]
