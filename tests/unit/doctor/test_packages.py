from __future__ import annotations

import pytest

from tapeflow.doctor import packages
from tapeflow.doctor.finding import Finding, State
from tapeflow.doctor.packages import Requirement


def test_what_is_asked_for_stands_in_the_project_file() -> None:
    found = packages.requirements()
    assert Requirement("jax", "0.10", "") in found
    assert {one.extra for one in found} >= {"", "tune", "notebook"}
    assert not {one.extra for one in found} & {"dev", "all"}


def test_without_a_project_file_it_is_asked_of_the_installation(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["jax>=0.10", "pyright[nodejs]>=1; extra == 'dev'", 'optuna>=4; extra == "tune"', "plain"]
    monkeypatch.setattr("pathlib.Path.is_file", lambda path: False)
    monkeypatch.setattr("importlib.metadata.requires", lambda name: texts)
    assert packages.requirements() == [
        Requirement("jax", "0.10", ""),
        Requirement("optuna", "4", "tune"),
        Requirement("plain", "", ""),
    ]


def test_missing_old_and_new_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = [
        Requirement("jax", "0.10", ""),
        Requirement("numpy", "2.0", ""),
        Requirement("h5py", "3.11", ""),
        Requirement("optuna", "4", "tune"),
        Requirement("ipython", "8", "notebook"),
    ]
    versions = {"jax": "0.9.2", "numpy": "2.10.1rc1", "ipython": "9.0"}
    monkeypatch.setattr(packages, "requirements", lambda: wanted)
    monkeypatch.setattr(packages, "version_of", lambda name: versions.get(name, ""))
    found = {one.name: one for one in packages.examine()}
    broken = State.BROKEN
    assert found["jax"] == Finding(
        "Packages", "jax", "0.9.2, older than 0.10", broken, "pip install --upgrade 'jax>=0.10'"
    )
    assert found["jaxlib"] == Finding("Packages", "jaxlib", "missing", broken, "pip install jaxlib")
    assert found["h5py"].remedy == "pip install 'h5py>=3.11'"
    assert found["numpy"] == Finding("Packages", "numpy", "2.10.1rc1")
    assert found["extra notebook"].value == "ipython 9.0"
    assert found["extra tune"].state == State.NOTE
    assert found["extra tune"].remedy == "If you want it: pip install 'tapeflow[tune]'"


def test_an_old_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.version_info", (3, 10, 4))
    first = next(packages.examine())
    assert (first.value, first.state) == ("3.10.4", State.BROKEN)
