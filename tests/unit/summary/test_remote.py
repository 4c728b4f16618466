"""Addresses, and the errors of those who are behind them."""

from __future__ import annotations

import errno
import socket
import sys

import pytest

from tapeflow.summary.remote import check_address, is_remote, open_storage, shown_address, translated


def test_what_is_an_address() -> None:
    assert is_remote("s3://bucket/runs")
    assert is_remote("simplecache::s3://bucket")
    for path in ("runs", "/runs", "C:\\runs", "ours:runs", "a/b://c", None, 3):
        assert not is_remote(path)


def test_passwords_are_not_shown() -> None:
    assert shown_address("sftp://me:secret@host:22/runs") == "sftp://me@host:22/runs"
    assert shown_address("https://host/runs?X-Amz-Signature=secret#a") == "https://host/runs"
    assert shown_address("s3://bucket/a b") == "s3://bucket/a b"


def test_errors_are_those_of_files() -> None:
    class NoCredentialsError(Exception):
        pass

    class ReadTimeoutError(Exception):
        pass

    cases: list[tuple[Exception, type[OSError], int | None]] = [
        (NoCredentialsError("Unable to locate credentials"), PermissionError, errno.EACCES),
        (ReadTimeoutError("too slow"), TimeoutError, errno.ETIMEDOUT),
        (ValueError("odd"), OSError, errno.EIO),
        (OSError(errno.ECONNREFUSED, "refused"), ConnectionRefusedError, errno.ECONNREFUSED),
        (socket.gaierror(-2, "Name or service not known"), OSError, errno.EHOSTUNREACH),
        (FileNotFoundError("bucket"), FileNotFoundError, None),
    ]
    for error, kind, number in cases:
        with pytest.raises(kind) as found, translated("s3://bucket"):
            raise error
        assert found.value.errno == number
    with pytest.raises(OSError, match="ValueError: odd"), translated("s3://bucket"):
        raise ValueError("odd")


def test_an_old_fsspec_is_no_good_for_sftp(monkeypatch: pytest.MonkeyPatch) -> None:
    sftp = pytest.importorskip("fsspec.implementations.sftp")
    monkeypatch.delattr(sftp, "HOST_KEY_POLICIES")
    with pytest.raises(ImportError, match="where expected fsspec 2026.9 or newer for 'sftp://me@host/a'"):
        open_storage("sftp://me:secret@host/a", "where")


def test_addresses_that_nobody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        ValueError, match=r"where expected an address that begins with one of s3://.*'nope://x'"
    ):
        check_address("nope://x", "where")
    with pytest.raises(ValueError, match="got 'zip::file://x"):
        check_address("zip::file://x", "where")

    monkeypatch.setitem(sys.modules, "gcsfs", None)
    with pytest.raises(ImportError, match="gcsfs to be installed for 'gs://b'. .*`pip install gcsfs`"):
        check_address("gs://b", "where")
