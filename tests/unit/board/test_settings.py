from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tapeflow.board import settings
from tapeflow.board.file_lock import locked
from tapeflow.board.logdirs import Logdir
from tapeflow.board.settings import Refused, SettingsFile, settings_path


@pytest.fixture
def file(tmp_path: Path) -> SettingsFile:
    return SettingsFile(str(tmp_path / "a" / "settings.json"), read_only=False)


def test_a_patch_changes_what_it_names_and_null_takes_back(file: SettingsFile) -> None:
    file.merge({"runs": {"r": {"label": "base", "pinned": True}}, "page": {"cards": ["loss"]}})
    file.merge({"runs": {"r": {"label": None, "color": "#123456"}}})
    expected = {"runs": {"r": {"pinned": True, "color": "#123456"}}, "page": {"cards": ["loss"]}}
    assert file.get() == expected
    assert json.loads(Path(file.path).read_text()) == expected
    assert SettingsFile(file.path, read_only=True).get() == expected
    file.merge({"runs": {"r": {"pinned": None, "color": None}}})
    assert file.get()["runs"] == {}


@pytest.mark.parametrize(
    ("patch", "text"),
    [
        ([1], "settings expected an object; got list"),
        ({"x": 1}, "settings expected 'runs' and 'page'; got 'x'"),
        ({"runs": 3}, "settings expected objects as 'runs' and 'page'"),
        ({"runs": {"r": 3}}, "settings expected an object for run 'r'; got 3"),
        (
            {"runs": {"r": {"size": 3}}},
            "settings expected one of label, note, color, tags, hidden, pinned, starred, on_top for a run; got 'size'",
        ),
        ({"runs": {"r": {"hidden": "yes"}}}, "settings expected true or false as 'hidden'; got 'yes'"),
        (
            {"runs": {"r": {"label": "x" * 501}}},
            "settings expected at most 500 characters as 'label'; got 'xxx",
        ),
        (
            {"runs": {"r": {"tags": ["x", 3]}}},
            "settings expected at most 50 texts of at most 100 characters as 'tags'; got ['x', 3]",
        ),
        ({"page": {"x": "y" * (1 << 20)}}, "settings expected at most 1048576 bytes; got 10486"),
    ],
    ids=["list", "key", "runs", "run", "setting", "bool", "length", "tags", "size"],
)
def test_what_is_no_settings_is_refused(file: SettingsFile, patch: Any, text: str) -> None:
    with pytest.raises(Refused) as refusal:
        file.merge(patch)
    assert str(refusal.value).startswith(text)
    assert refusal.value.status == 400
    assert file.get() == {"runs": {}, "page": {}}


def test_read_only_and_unwritable_places(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="this board was started with --read-only: settings cannot be changed"):
        SettingsFile(str(tmp_path / "s.json"), read_only=True).merge({})
    (tmp_path / "file").write_text("")
    with pytest.raises(Refused, match="settings could not be written to .*: (Not a directory|File exists)"):
        SettingsFile(str(tmp_path / "file" / "s.json"), read_only=False).merge({})


def test_a_broken_file_is_no_settings(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text("{")
    assert SettingsFile(str(path), read_only=False).get() == {"runs": {}, "page": {}}


def test_each_set_of_folders_has_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    one = settings_path([Logdir("/a")])
    assert one.startswith("/data/tapeflow/board/settings-")
    assert one != settings_path([Logdir("/a", "x")])
    assert one == settings_path([Logdir("/a")])


def test_two_boards_on_one_file_keep_each_other_s_notes(file: SettingsFile) -> None:
    other = SettingsFile(file.path, read_only=False)
    file.merge({"runs": {"r": {"note": "first"}}})
    other.merge({"runs": {"s": {"note": "second"}}})
    expected = {"r": {"note": "first"}, "s": {"note": "second"}}
    assert other.get()["runs"] == expected
    assert json.loads(Path(file.path).read_text())["runs"] == expected


WRITER = """
import sys
from tapeflow.board.settings import SettingsFile
file = SettingsFile(sys.argv[1], read_only=False)
sys.stdin.readline()  # so that all begin at once
for i in range(int(sys.argv[3])):
    file.merge({"runs": {f"{sys.argv[2]}-{i}": {"note": str(i)}}})
"""


@pytest.mark.parametrize("boards", [2, 4])
def test_no_setting_of_boards_in_other_processes_is_lost(file: SettingsFile, boards: int) -> None:
    each = 80 // boards
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, file.path, str(n), str(each)], stdin=subprocess.PIPE)
        for n in range(boards)
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write(b"go\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate(timeout=60)
    assert [writer.returncode for writer in writers] == [0] * boards
    expected = {f"{n}-{i}": {"note": str(i)} for n in range(boards) for i in range(each)}
    assert file.get()["runs"] == expected
    assert {path.name for path in Path(file.path).parent.iterdir()} == {
        "settings.json",
        "settings.json.lock",
    }


def test_no_setting_of_threads_and_boards_in_one_process_is_lost(file: SettingsFile) -> None:
    files = [file, SettingsFile(file.path, read_only=False)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: files[i % 2].merge({"runs": {str(i): {"note": "x"}}}), range(80)))
    assert all(len(one.get()["runs"]) == 80 for one in files)


def test_a_change_of_another_board_is_seen_once(file: SettingsFile) -> None:
    other = SettingsFile(file.path, read_only=False)
    version = file.version
    assert not file.refresh()
    other.merge({"runs": {"r": {"note": "x"}}})
    assert file.refresh()
    assert not file.refresh()
    assert file.version == version + 1
    assert file.get()["runs"] == {"r": {"note": "x"}}


def test_who_is_killed_while_writing_leaves_the_file_whole_and_no_lock(file: SettingsFile) -> None:
    file.merge({"runs": {"r": {"note": "kept"}}})
    code = (
        "import os, sys; from tapeflow.board import settings; "
        "settings.os.replace = lambda *_: os.kill(os.getpid(), 9); "
        "settings.SettingsFile(sys.argv[1], False).merge({'page': {'x': 1}})"
    )
    assert subprocess.run([sys.executable, "-c", code, file.path], check=False).returncode == -9
    assert file.get() == {"runs": {"r": {"note": "kept"}}, "page": {}}
    assert file.merge({"page": {"y": 2}})["page"] == {"y": 2}


def test_a_board_that_holds_the_lock_for_ever_is_not_waited_for(
    file: SettingsFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.merge({})
    monkeypatch.setattr(settings, "LOCK_S", 0.05)
    with locked(f"{file.path}.lock", 0), pytest.raises(Refused) as refusal:
        file.merge({"page": {"x": 1}})
    assert refusal.value.status == 503
    assert str(refusal.value).endswith("settings.json: another process holds the lock")
    assert file.merge({"page": {"x": 1}})["page"] == {"x": 1}


def test_a_folder_that_may_not_be_written_to_is_named(
    file: SettingsFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.merge({"page": {"x": 1}})

    def refuse(*arguments: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(settings.tempfile, "mkstemp", refuse)
    with pytest.raises(
        Refused, match="settings could not be written to .*: Read-only file system"
    ) as refusal:
        file.merge({"page": {"x": 2}})
    assert refusal.value.status == 500
    assert file.get()["page"] == {"x": 1}


@pytest.mark.parametrize(
    "content", ["{", "my own notes", '{"runs": 3}', '{"page": {"x": ' + "[" * 100 + "]" * 100 + "}}"]
)
def test_a_file_that_holds_something_else_is_not_overwritten(tmp_path: Path, content: str) -> None:
    path = tmp_path / "s.json"
    path.write_text(content)
    with pytest.raises(
        Refused, match="settings could not be written to .*: it holds something else; move it away"
    ):
        SettingsFile(str(path), read_only=False).merge({"page": {"x": 1}})
    assert path.read_text() == content
    path.write_text("")
    assert SettingsFile(str(path), read_only=False).merge({"page": {"x": 1}})["page"] == {"x": 1}


def test_a_file_that_cannot_be_read_for_now_is_not_overwritten(
    file: SettingsFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    SettingsFile(file.path, read_only=False).merge({"page": {"x": 1}})

    def no_descriptors(*arguments: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as patch:
        patch.setattr(settings, "open", no_descriptors, raising=False)
        with pytest.raises(Refused, match="Too many open files"):
            file.merge({"page": {"y": 2}})
    assert file.merge({"page": {"y": 2}})["page"] == {"x": 1, "y": 2}


def test_what_a_later_version_wrote_stays(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    kept = {"runs": {"r": {"note": "x", "shape": "dotted"}}, "page": {}, "views": [1]}
    path.write_text(json.dumps(kept))
    file = SettingsFile(str(path), read_only=False)
    file.merge({"runs": {"r": {"label": "base"}}})
    kept["runs"]["r"]["label"] = "base"
    assert json.loads(path.read_text()) == kept
    with pytest.raises(Refused, match="settings expected one of label, .* for a run; got 'shape'"):
        file.merge({"runs": {"s": {"shape": "dotted"}}})


def test_a_file_named_without_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    SettingsFile("notes.json", read_only=False).merge({"page": {"x": 1}})
    assert json.loads((tmp_path / "notes.json").read_text())["page"] == {"x": 1}


def test_who_may_read_the_file_still_may(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text("{}")
    path.chmod(0o644)
    SettingsFile(str(path), read_only=False).merge({"page": {"x": 1}})
    assert path.stat().st_mode & 0o777 == 0o644


def test_nothing_is_left_behind_where_writing_fails(tmp_path: Path) -> None:
    (tmp_path / "s.json").mkdir()
    with pytest.raises(Refused, match="settings could not be written"):
        SettingsFile(str(tmp_path / "s.json"), read_only=False).merge({})
    assert {path.name for path in tmp_path.iterdir()} == {"s.json", "s.json.lock"}  # the lock stays


@pytest.mark.parametrize("bracket", ["[", '{"x":'])
def test_what_is_nested_too_deeply_is_refused(file: SettingsFile, bracket: str) -> None:
    end = "]" if bracket == "[" else "}"
    deep = json.loads('{"page": {"x": ' + bracket * 900 + "1" + end * 900 + "}}")
    with pytest.raises(Refused, match="settings expected at most 64 levels of objects and lists; got more"):
        file.merge(deep)
