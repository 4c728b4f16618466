"""What `tapeflow run --report` and docs/compatibility.md say of packages."""

from __future__ import annotations

import ast

from tapeflow.compat.packages import PACKAGES, Import, Package, imports_of, table
from tapeflow.compat.report import report_on
from tapeflow.compat.usage import usage_of


def test_imports_are_found_wherever_they_stand() -> None:
    script = "import numpy, os.path\nfrom . import a\ndef f():\n    from keras_tuner.engine import tuner\nimport os\n"
    assert list(imports_of(ast.parse(script))) == [
        Import("numpy", 1),
        Import("os", 1),
        Import("keras_tuner", 4),
    ]


def test_a_report_says_what_is_known_of_a_package(no_real_tensorflow: None) -> None:
    script = "import numpy as np\nimport keras_tuner\nfrom tensorflow_datasets import load\n"
    report = report_on("mine.py", usage_of(script))
    assert "  keras_tuner, line 2: keras-tuner 1.4.7 works" in str(report).splitlines()
    assert "  tensorflow_datasets, line 3: tensorflow-datasets 4.9.7 works: builders of" in str(report)
    assert "numpy" not in str(report)
    assert [entry["name"] for entry in report.as_json()["packages"]] == ["keras_tuner", "tensorflow_datasets"]
    assert report.as_json()["packages"][0] == {
        "name": "keras_tuner",
        "line": 2,
        "version": "1.4.7",
        "works": True,
        "note": None,
    }


def test_the_table_has_every_package() -> None:
    assert table().count("\n") == len(PACKAGES) + 1
    assert Package("mine", "1.0", False, "needs graphs").verdict == "fails: needs graphs"
