"""Files of folders that somebody else may have made."""

from __future__ import annotations

from pathlib import Path

import pytest

from tapeflow.io.folder_part import part_of


def test_links_inside_are_followed_and_others_are_not(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "alias").symlink_to(folder)
    (folder / "inside").symlink_to("there")
    (folder / "outside").symlink_to("../secret")
    (folder / "round").symlink_to("round")
    (folder / "up").symlink_to(tmp_path)
    assert part_of(folder, "there") == folder / "there"
    assert part_of(tmp_path / "alias", "inside") == tmp_path / "alias" / "inside"
    assert not part_of(folder, "round").is_file()
    for name in ("outside", "up/secret", "../secret", "/etc/passwd"):
        with pytest.raises(
            ValueError, match="inside the folder .*; got a symbolic link to a place outside it"
        ):
            part_of(folder, name)
