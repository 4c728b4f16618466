"""Storage servers on loopback: S3 as moto serves it, and SFTP as paramiko does."""

from __future__ import annotations

import itertools
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_buckets = itertools.count()


@pytest.fixture(scope="session")
def s3_server() -> Iterator[str]:
    """The address of an S3 server."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def s3(s3_server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a new bucket, `s3://...`, which the environment lets this process and its children use."""
    settings = {
        "AWS_ENDPOINT_URL": s3_server,
        "AWS_ACCESS_KEY_ID": "someone",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    bucket = f"bucket-{os.getpid()}-{next(_buckets)}"
    filesystem("s3").mkdir(bucket)
    return f"s3://{bucket}"


def filesystem(scheme: str) -> Any:
    """A file system of fsspec's own, with nothing kept of earlier ones."""
    import fsspec

    return fsspec.filesystem(scheme, skip_instance_cache=True, use_listings_cache=False)


@pytest.fixture
def s3_files(s3: str) -> Any:
    """The same bucket as fsspec sees it."""
    del s3
    return filesystem("s3")


@pytest.fixture
def sftp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Path]]:
    """The address of an SFTP server whose host key is known, and the folder that it serves."""
    import paramiko

    key = paramiko.ECDSAKey.generate()
    root, home = tmp_path / "served", tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    root.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        line = f"[127.0.0.1]:{port} {key.get_name()} {key.get_base64()}\n"
        (home / ".ssh" / "known_hosts").write_text(line)
        monkeypatch.setenv("HOME", str(home))
        transports: list[paramiko.Transport] = []

        def accept() -> None:
            while True:
                try:
                    client, _ = listener.accept()
                except OSError:
                    return
                transport = paramiko.Transport(client)
                transport.add_server_key(key)
                transport.set_subsystem_handler("sftp", paramiko.SFTPServer, _served(root))
                transports.append(transport)
                try:
                    transport.start_server(server=_Login())
                except (paramiko.SSHException, EOFError):
                    transport.close()  # a client that did not like our key

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield f"sftp://someone:secret@127.0.0.1:{port}", root
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(10)
        for transport in transports:
            transport.close()


class _Login:
    """Lets someone in."""

    def __new__(cls) -> Any:
        import paramiko

        class Login(paramiko.ServerInterface):
            def check_auth_password(self, username: str, password: str) -> int:
                is_right = (username, password) == ("someone", "secret")
                return paramiko.AUTH_SUCCESSFUL if is_right else paramiko.AUTH_FAILED

            def check_channel_request(self, kind: str, chanid: int) -> int:
                return paramiko.OPEN_SUCCEEDED

        return Login()


def _served(root: Path) -> Any:
    """What serves a folder, and nothing above it."""
    import paramiko

    class Handle(paramiko.SFTPHandle):
        def stat(self) -> Any:
            return paramiko.SFTPAttributes.from_stat(os.fstat(self.readfile.fileno()))

    class Files(paramiko.SFTPServerInterface):
        def _place(self, path: str) -> str:
            return str(root) + self.canonicalize(path)

        def list_folder(self, path: str) -> Any:
            try:
                with os.scandir(self._place(path)) as entries:
                    return [
                        paramiko.SFTPAttributes.from_stat(e.stat(follow_symlinks=False), e.name)
                        for e in entries
                    ]
            except OSError as error:
                return paramiko.SFTPServer.convert_errno(error.errno)

        def stat(self, path: str) -> Any:
            try:
                return paramiko.SFTPAttributes.from_stat(os.stat(self._place(path)))
            except OSError as error:
                return paramiko.SFTPServer.convert_errno(error.errno)

        def lstat(self, path: str) -> Any:
            try:
                return paramiko.SFTPAttributes.from_stat(os.lstat(self._place(path)))
            except OSError as error:
                return paramiko.SFTPServer.convert_errno(error.errno)

        def open(self, path: str, flags: int, attr: Any) -> Any:
            try:
                file = os.fdopen(os.open(self._place(path), flags, 0o666), "r+b" if flags & 3 else "rb")
            except OSError as error:
                return paramiko.SFTPServer.convert_errno(error.errno)
            handle = Handle(flags)
            handle.readfile = handle.writefile = file
            return handle

        def _done(self, function: Any, *paths: str) -> int:
            try:
                function(*map(self._place, paths))
            except OSError as error:
                return paramiko.SFTPServer.convert_errno(error.errno)
            return paramiko.SFTP_OK

        def remove(self, path: str) -> int:
            return self._done(os.remove, path)

        def posix_rename(self, oldpath: str, newpath: str) -> int:
            return self._done(os.replace, oldpath, newpath)

        def mkdir(self, path: str, attr: Any) -> int:
            return self._done(os.mkdir, path)

        def rmdir(self, path: str) -> int:
            return self._done(os.rmdir, path)

    return Files
