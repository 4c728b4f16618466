import hashlib
import io
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tapeflow.keras.utils import download
from tapeflow.keras.utils.download import fetch, keras_home

pytestmark = pytest.mark.usefixtures("home")

BODY = bytes(range(256)) * 400
SHA256 = hashlib.sha256(BODY).hexdigest()
MD5 = hashlib.md5(BODY).hexdigest()


@pytest.fixture
def url(server):
    server.files["data.bin"] = BODY
    return server.url("data.bin")


def files_in(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def test_a_file_is_downloaded_once(url, server, home):
    first = fetch("data.bin", url, file_hash=SHA256)
    second = fetch("data.bin", url, file_hash=SHA256)
    assert first == second == home / "datasets" / "data.bin"
    assert first.read_bytes() == BODY
    assert server.requests == ["data.bin"]
    assert files_in(home) == ["datasets/data.bin"]


def test_name_folder_and_cache_can_be_chosen(url, tmp_path):
    path = fetch(origin=url, cache_dir=tmp_path / "elsewhere", cache_subdir="a/b")
    assert path == tmp_path / "elsewhere/a/b/data.bin"


def test_an_absolute_name_is_taken_as_it_is(url, tmp_path):
    target = tmp_path / "mine" / "copy.bin"
    assert fetch(str(target), url, file_hash=SHA256) == target
    assert target.read_bytes() == BODY


def test_the_cache_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("KERAS_HOME", "~/somewhere")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert keras_home() == tmp_path / "somewhere"
    monkeypatch.delenv("KERAS_HOME")
    assert keras_home() == tmp_path / ".keras"


def test_a_damaged_cached_file_is_replaced(url, server, home, capsys):
    path = fetch("data.bin", url, file_hash=SHA256)
    path.write_bytes(BODY[:-1] + b"?")
    assert fetch("data.bin", url, file_hash=SHA256).read_bytes() == BODY
    assert len(server.requests) == 2
    assert "damaged or out of date (its SHA-256 is wrong)" in capsys.readouterr().err


def test_force_download_ignores_the_cache(url, server):
    for _ in range(2):
        fetch("data.bin", url, file_hash=SHA256, force_download=True)
    assert len(server.requests) == 2


def test_a_copy_under_another_name_is_used(url, server, home):
    (home / "datasets").mkdir(parents=True)
    other = home / "datasets" / "old-name"
    other.write_bytes(BODY)
    assert fetch("data.bin", url, file_hash=SHA256, other_names=("old-name",)) == other
    assert server.requests == []


def test_md5_is_told_by_its_length(url):
    assert fetch("data.bin", url, file_hash=MD5.upper()).read_bytes() == BODY


@pytest.mark.parametrize(
    ("file_hash", "algorithm"),
    [
        ("abc", "auto"),
        (MD5, "sha256"),
        (SHA256, "md5"),
        (SHA256, "crc32"),
        ("", "auto"),
        (" ", "sha256"),
        ("g" * 64, "auto"),
        (SHA256[:40], "auto"),
        (SHA256 * 2, "auto"),
        (SHA256.encode(), "auto"),
        (0, "auto"),
    ],
)
def test_a_hash_of_no_known_kind(url, server, file_hash, algorithm):
    with pytest.raises(ValueError, match=r"get_file expected a SHA-256 hash .* got file_hash="):
        fetch("data.bin", url, file_hash=file_hash, hash_algorithm=algorithm)
    assert server.requests == []


@pytest.mark.parametrize("name", ["../data.bin", "a/../../data.bin", "..", ".", "a\0b"])
def test_a_name_that_leads_out_of_the_cache(url, home, name):
    with pytest.raises(
        ValueError, match=r"expected the name of a file in the cache, or an absolute path; got"
    ):
        fetch(name, url)
    assert files_in(home.parent) == []


def test_a_name_out_of_the_address_stays_in_the_cache(server, home):
    with pytest.raises(ValueError, match=r"expected the name of a file in the cache, .*fname='\.\.'"):
        fetch(origin=server.url("a/.."))
    assert server.requests == []


def test_a_length_that_is_no_number_is_not_believed(home, monkeypatch):
    class Response(io.BytesIO):
        headers = {"Content-Length": "-1"}  # noqa: RUF012

    monkeypatch.setattr("urllib.request.urlopen", lambda *args, **kwargs: Response(BODY))
    assert fetch("data.bin", "http://127.0.0.1/data.bin").read_bytes() == BODY


def test_what_a_killed_download_left_is_removed_by_the_next(url, home):
    folder = home / "datasets"
    folder.mkdir(parents=True)
    left = folder / f".data.bin.{2**22 + 1}-0123456789ab.{socket.gethostname()}.tmp"
    left.write_bytes(b"half")
    fetch("data.bin", url)
    assert files_in(folder) == ["data.bin"]


@pytest.mark.parametrize("kind", ["a link", "somebody else's"])
def test_a_temporary_folder_that_somebody_else_made_is_not_used(url, home, monkeypatch, tmp_path, kind):
    stand_in = Path(tempfile.gettempdir()) / ".keras"
    stand_in.parent.mkdir()
    if kind == "a link":
        stand_in.symlink_to(tmp_path)
    else:
        stand_in.mkdir()
        monkeypatch.setattr(os, "geteuid", lambda: stand_in.stat().st_uid + 1)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(
        PermissionError, match=r"expected a cache that may be written to; got one that may not, and"
    ):
        fetch("data.bin", url)
    assert files_in(tmp_path) == []


def test_a_download_with_another_hash_is_not_kept(url, home):
    wrong = "0" * 64
    text = f"loader expected data.bin with SHA-256 {wrong}; got SHA-256 {SHA256} from {url}"
    with pytest.raises(ValueError, match=re.escape(text)):
        fetch("data.bin", url, file_hash=wrong, where="loader")
    assert files_in(home) == []


def test_a_missing_page_names_its_status(server, home):
    with pytest.raises(ConnectionError, match=r"got HTTP status 404 \(Not Found\)"):
        fetch("data.bin", server.url("nowhere"), file_hash=SHA256)
    assert files_in(home) == []


def test_a_connection_that_breaks_off_leaves_nothing(url, server, home):
    server.cut_after = 1000
    with pytest.raises(ConnectionError, match=r"closed after 1000 of 102400 bytes"):
        fetch("data.bin", url)
    assert files_in(home) == []


def test_offline_says_what_to_put_where(unreachable_url, home):
    origin = unreachable_url + "data.bin"
    with pytest.raises(ConnectionError) as caught:
        fetch("data.bin", origin, file_hash=SHA256, where="loader", advice="Or use digits.")
    text = str(caught.value)
    assert text.startswith("loader expected to find data.bin in the cache or to download it from " + origin)
    assert f"put the file at {home / 'datasets' / 'data.bin'} (SHA-256 {SHA256})." in text
    assert text.endswith("Or use digits.")


def test_offline_keeps_a_file_that_does_not_match_and_says_so(unreachable_url, home):
    path = home / "datasets" / "data.bin"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"something else")
    found = hashlib.sha256(b"something else").hexdigest()
    with pytest.raises(ConnectionError, match=f"The file that is there now has SHA-256 {found}"):
        fetch("data.bin", unreachable_url, file_hash=SHA256)
    assert path.read_bytes() == b"something else"


def test_an_interrupt_leaves_nothing(url, home, monkeypatch):
    def interrupted(self, count):
        raise KeyboardInterrupt

    monkeypatch.setattr(download.DownloadProgress, "advance", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fetch("data.bin", url)
    assert files_in(home) == []


def test_a_full_disk_is_not_called_a_network_failure(url, home, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device") as caught:
        fetch("data.bin", url)
    assert not isinstance(caught.value, ConnectionError)
    assert files_in(home) == []


def test_a_read_only_cache_gives_what_it_has_and_the_rest_goes_to_the_temporary_folder(
    url, home, monkeypatch
):
    cached = fetch("data.bin", url, file_hash=SHA256)
    monkeypatch.setattr(
        os, "access", lambda path, mode: not str(path).startswith(str(home)) or mode == os.R_OK
    )
    assert fetch("data.bin", url, file_hash=SHA256) == cached
    stand_in = Path(tempfile.gettempdir()) / ".keras" / "datasets" / "other.bin"
    assert fetch("other.bin", url, file_hash=SHA256) == stand_in
    assert fetch("other.bin", url + "-gone", file_hash=SHA256) == stand_in


def test_a_file_planted_in_the_temporary_folder_is_not_used(url):
    planted = Path(tempfile.gettempdir()) / ".keras" / "datasets" / "data.bin"
    planted.parent.mkdir(parents=True)
    planted.write_bytes(b"planted")
    assert fetch("data.bin", url).read_bytes() == BODY


def test_a_killed_process_leaves_no_file_of_that_name(server, home):
    """Not even SIGKILL, which no handler sees, may leave half a file to be taken for the whole."""
    server.files["data.bin"] = BODY
    server.cut_after = None
    code = (
        "import sys, time\n"
        "from tapeflow.keras.utils import download\n"
        "def hang(self, count):\n"
        "    print('half way', flush=True)\n"
        "    time.sleep(60)\n"
        "download.DownloadProgress.advance = hang\n"
        "download.fetch('data.bin', sys.argv[1])\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, server.url("data.bin")], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"half way\n"
        process.send_signal(signal.SIGKILL)
    assert not (home / "datasets" / "data.bin").exists()
    assert fetch("data.bin", server.url("data.bin")).read_bytes() == BODY


def test_many_processes_may_fetch_one_file(url, home):
    code = (
        "import sys\n"
        "from tapeflow.keras.utils.download import fetch\n"
        "print(fetch('data.bin', sys.argv[1], file_hash=sys.argv[2]).read_bytes() != b'')\n"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", code, url, SHA256], stdout=subprocess.PIPE) for _ in range(4)
    ]
    outputs = [process.communicate(timeout=60)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * 4
    assert outputs == [b"True\n"] * 4
    assert files_in(home) == ["datasets/data.bin"]
    assert (home / "datasets" / "data.bin").read_bytes() == BODY


def test_an_origin_is_needed():
    with pytest.raises(ValueError, match="get_file expected the URL of a file; got origin=None"):
        fetch("data.bin")
    with pytest.raises(ValueError, match="expected a URL that ends in a file name"):
        fetch(origin="http://127.0.0.1/")


def test_a_new_file_has_the_permissions_of_any_other(url, tmp_path):
    plain = tmp_path / "plain"
    plain.touch()
    assert fetch("data.bin", url).stat().st_mode == plain.stat().st_mode


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_on_a_terminal_is_redrawn_in_place(monkeypatch):
    clock = iter([0.0, 1.0, 2.0, 3.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    stream = Terminal()
    progress = download.DownloadProgress("data.bin", 2_000_000, stream)
    progress.advance(1_000_000)
    progress.advance(1_000_000)
    progress.close()
    lines = stream.getvalue().split("\r")
    assert lines[1].startswith(f"data.bin [{'=' * 15}{' ' * 15}]  50%  1.0 MB of 2.0 MB  1.0 MB/s")
    assert "100%" in lines[2]
    assert stream.getvalue().endswith("\n")


def test_progress_off_a_terminal_is_a_few_plain_lines(monkeypatch):
    clock = iter([0.0, 0.5, 11.0, 12.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    stream = io.StringIO()
    progress = download.DownloadProgress("data.bin", 3_000_000, stream)
    for _ in range(2):
        progress.advance(1_500_000)
    progress.close()
    assert stream.getvalue().splitlines() == [
        "Downloading data.bin (3.0 MB)",
        "data.bin: 100%  3.0 MB of 3.0 MB  0.3 MB/s",
        "data.bin: 100%  3.0 MB of 3.0 MB  0.2 MB/s",
    ]


def test_progress_without_a_known_size(capsys):
    progress = download.DownloadProgress("data.bin", None)
    progress.advance(1_000_000)
    progress.close()
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Downloading data.bin"
    assert re.fullmatch(r"data\.bin: 1\.0 MB  [\d.]+ MB/s", lines[1])
