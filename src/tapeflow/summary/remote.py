"""Addresses of storage elsewhere, such as `s3://bucket/runs`, reached through fsspec.

fsspec and the package for a kind of storage are imported when an address is first used. Each package raises errors of
its own; here they become the OSErrors that a file on this machine would raise.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import re
import socket
import urllib.parse
from collections.abc import Iterator, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem
    from paramiko import MissingHostKeyPolicy

PACKAGES = {
    "s3": "s3fs",
    "s3a": "s3fs",
    "gs": "gcsfs",
    "gcs": "gcsfs",
    "az": "adlfs",
    "abfs": "adlfs",
    "abfss": "adlfs",
    "sftp": "paramiko",
    "ssh": "paramiko",
    "hf": "huggingface_hub",
    "http": "aiohttp",
    "https": "aiohttp",
}
"""What is installed for each kind of storage, beside fsspec."""
OBJECT_STORES = frozenset({"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "memory"})
"""Storage that puts a whole object in place at once, and lists everything below a prefix with one request."""
RENAMING = frozenset({"sftp", "ssh"})
"""Storage in which a file takes the place of another at once when it is renamed."""

TIMES = ("mtime", "LastModified", "last_modified", "updated", "Last-Modified", "created")
"""What file systems of fsspec call the time when a file was written."""

_ADDRESS = re.compile(r"((?:\w+::)*[A-Za-z][A-Za-z0-9+.-]*)://")
_TIMEOUT_S = 15.0


class Storage(NamedTuple):
    """A place in storage elsewhere.

    Attributes:
        filesystem: fsspec's file system, with a listing that is never an old one.
        root: the place in it, as `filesystem` writes paths.
        shown: its address without a password, for people.
        scheme: what its address begins with.
    """

    filesystem: AbstractFileSystem
    root: str
    shown: str
    scheme: str


def is_remote(path: object) -> bool:
    """Whether a path is an address. TensorFlow's `ram://` is not: it is taken for a folder of that name."""
    return isinstance(path, str) and scheme_of(path) not in ("", "ram")


def scheme_of(address: str) -> str:
    """What an address begins with, in lower case; "" if it is none."""
    match = _ADDRESS.match(address)
    return match[1].lower() if match else ""


def shown_address(address: str) -> str:
    """An address for people: without password, and without a query, in which signed URLs have theirs."""
    parts = urllib.parse.urlsplit(address)
    user, at, host = parts.netloc.rpartition("@")
    return parts._replace(netloc=user.partition(":")[0] + at + host, query="", fragment="").geturl()


def open_storage(address: str, where: str) -> Storage:
    """Connect to the storage of an address.

    Args:
        address: the address, with a scheme that fsspec knows.
        where: who asks, for errors.

    Raises:
        ValueError: fsspec knows no such storage.
        ImportError: a package is missing; the error names it.
        OSError: it cannot be reached, or refuses us.
    """
    scheme, shown = scheme_of(address), shown_address(address)
    check_address(address, where)
    fsspec = importlib.import_module("fsspec")
    options: dict[str, Any] = {"skip_instance_cache": True}
    if scheme in RENAMING:
        if not hasattr(importlib.import_module("fsspec.implementations.sftp"), "HOST_KEY_POLICIES"):
            raise ImportError(
                f"{where} expected fsspec 2026.9 or newer for {shown!r}: older ones do not check host keys. "
                "Install it with `pip install --upgrade fsspec`."
            )
        # Else paramiko would wait for ever, and fsspec trust whoever answers.
        options |= {"timeout": _TIMEOUT_S, "host_key_policy": _known_hosts()}
    elif scheme in ("http", "https"):
        options["headers"] = {"Accept-Encoding": "identity"}  # so that ranges are those of the file
    with translated(shown):
        filesystem, root = fsspec.core.url_to_fs(address, **options)
    return Storage(filesystem, root.rstrip("/"), shown, scheme)


def check_address(address: str, where: str) -> None:
    """Check an address and the packages it needs, without connecting.

    Raises:
        ValueError: fsspec knows no such storage.
        ImportError: a package is missing.
    """
    scheme = scheme_of(address)
    package = PACKAGES.get(scheme)
    _imported("fsspec", f"fsspec {package}" if package else "fsspec", address, where)
    registry = importlib.import_module("fsspec.registry")
    known = {*registry.known_implementations, *registry.registry}
    if scheme not in known or "::" in address:
        raise ValueError(
            f"{where} expected an address that begins with one of {', '.join(f'{s}://' for s in PACKAGES)} or another "
            f"that fsspec knows; got {shown_address(address)!r}. Mount or copy it first."
        )
    if package:
        _imported(package, package, address, where)
    try:
        registry.get_filesystem_class(scheme)
    except ImportError as error:
        raise ImportError(f"{where} expected the packages for {scheme}:// to be installed: {error}") from None


def _imported(module: str, packages: str, address: str, where: str) -> None:
    try:
        importlib.import_module(module)
    except ImportError as error:
        if error.name not in (None, module):  # it is there, but something it needs is not
            packages = f"{packages} {error.name}"
        raise ImportError(
            f"{where} expected {module} to be installed for {shown_address(address)!r}. Install it with "
            f"`pip install {packages}`."
        ) from None


def modified_of(info: Mapping[str, Any]) -> float:
    """When a file was written, in seconds since 1970, from what fsspec tells of it; 0.0 if that is not known."""
    for value in (info.get(key) for key in TIMES):
        try:
            if isinstance(value, (int, float)):
                return float(value)
            if isinstance(value, str):
                is_iso = value[:4].isdigit()
                value = datetime.fromisoformat(value) if is_iso else parsedate_to_datetime(value)
            if isinstance(value, datetime):
                return value.timestamp()
        except (ValueError, OverflowError):
            continue
    return 0.0


@contextlib.contextmanager
def translated(shown: str) -> Iterator[None]:
    """Raise what a package for some storage raises as an OSError that names the place."""
    try:
        yield
    except (FileNotFoundError, FileExistsError, PermissionError, IsADirectoryError, NotADirectoryError):
        raise
    except ImportError:
        raise
    except Exception as error:
        raise _os_error(error, shown) from error


def _os_error(error: Exception, shown: str) -> OSError:
    name = type(error).__name__
    text = str(error).strip() or name
    if isinstance(error, socket.gaierror) or "ConnectorDNSError" in name:
        return OSError(errno.EHOSTUNREACH, text, shown)
    if isinstance(error, OSError) and error.errno is not None:
        return OSError(error.errno, error.strerror or text, shown)
    # botocore, google-auth, azure-identity and paramiko have no common class for it.
    if any(word in name for word in ("Credential", "Authentication", "HostKey")) or "status=403" in text:
        return PermissionError(errno.EACCES, text, shown)
    if isinstance(error, TimeoutError) or "Timeout" in name:
        return TimeoutError(errno.ETIMEDOUT, text, shown)
    return OSError(errno.EIO, text if name in text else f"{name}: {text}", shown)


def _known_hosts() -> MissingHostKeyPolicy:
    """Take the host keys that OpenSSH knows, and no others."""
    paramiko = importlib.import_module("paramiko")
    keys = paramiko.HostKeys()
    for path in ("~/.ssh/known_hosts", "/etc/ssh/ssh_known_hosts"):
        with contextlib.suppress(OSError):
            keys.load(os.path.expanduser(path))

    class KnownHosts(paramiko.MissingHostKeyPolicy):
        """Refuses a host whose key is not among the known ones."""

        def missing_host_key(self, client: object, hostname: str, key: object) -> None:
            """Check the key of a host."""
            if not keys.check(hostname, key):
                raise PermissionError(
                    errno.EACCES,
                    f"the host key of {hostname} is not in ~/.ssh/known_hosts: log in with ssh once",
                )

    return KnownHosts()
