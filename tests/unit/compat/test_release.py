"""The release of TensorFlow that programs are told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tapeflow.compat import release


@pytest.fixture(autouse=True)
def _default() -> Iterator[None]:
    yield
    release.choose(release.DEFAULT)


@pytest.mark.parametrize(("version", "told"), [("2.11", "2.11.0"), ("2.15.1", "2.15.1")])
def test_a_release_may_be_chosen(version: str, told: str) -> None:
    release.choose(version)
    assert release.release() == told
    assert release.Project("tensorflow").version == told


@pytest.mark.parametrize("version", ["", "1.15", "2", "two", "2.15.0rc1", "2.9999999"])
def test_what_is_no_release_is_refused(version: str) -> None:
    with pytest.raises(ValueError, match=r"expected a release of TensorFlow 2; got --tensorflow-version="):
        release.choose(version)


def test_a_project_has_no_files() -> None:
    project = release.Project("tensorflow")
    assert project.read_text("RECORD") is None
    assert project.files is None
    assert str(project.locate_file("tensorflow/__init__.py")) == "tensorflow/__init__.py"
