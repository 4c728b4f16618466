"""Fetches a file once, verifies it, and keeps it in the cache that Keras also uses.

A file appears in the cache whole or not at all (`tapeflow.train.atomic`): it is written beside its target,
verified, and then renamed, so an interrupted download leaves nothing behind and two processes that
fetch the same file do not disturb each other.
"""

import contextlib
import hashlib
import http.client
import os
import re
import stat
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tapeflow.keras.utils.download_progress import DownloadProgress
from tapeflow.train.atomic import replacing

CHUNK_BYTES = 1 << 18
TIMEOUT_S = 30.0
DIGEST_LENGTHS = {"sha256": 64, "md5": 32}


@dataclass(frozen=True)
class Checksum:
    """What a file must hash to: SHA-256, or MD5 for files that nobody publishes better for."""

    algorithm: str
    digest: str

    @classmethod
    def parse(cls, file_hash: str, algorithm: str, where: str) -> "Checksum":
        """Take `algorithm="auto"` to mean what the length of `file_hash` says."""
        digest = file_hash.strip().lower() if isinstance(file_hash, str) else ""
        names = DIGEST_LENGTHS if algorithm == "auto" else [algorithm]
        for name in names:
            if len(digest) == DIGEST_LENGTHS.get(name) and set(digest) <= set("0123456789abcdef"):
                return cls(name, digest)
        raise ValueError(
            f"{where} expected a SHA-256 hash of 64 hex digits or an MD5 hash of 32; "
            f"got file_hash={file_hash!r}, hash_algorithm={algorithm!r}. "
            "Compute one with `sha256sum FILE`, or pass file_hash=None to trust whatever comes."
        )

    @property
    def label(self) -> str:
        """The algorithm as people write it."""
        return {"sha256": "SHA-256", "md5": "MD5"}[self.algorithm]

    def of(self, path: Path) -> str:
        """The hash of the file at `path`."""
        with path.open("rb") as file:
            return hashlib.file_digest(file, self._hasher).hexdigest()

    def matches(self, path: Path) -> bool:
        """Whether the file at `path` is the right one."""
        return self.of(path) == self.digest

    def _hasher(self) -> "hashlib._Hash":
        # MD5 guards against accidents here, not attackers; FIPS systems want to be told so.
        return hashlib.new(self.algorithm, usedforsecurity=self.algorithm != "md5")


def keras_home() -> Path:
    """`$KERAS_HOME`, or `~/.keras`."""
    home = os.environ.get("KERAS_HOME")
    return Path(home).expanduser() if home else Path.home() / ".keras"


def fetch(
    fname: str | os.PathLike[str] | None = None,
    origin: str | None = None,
    *,
    file_hash: str | None = None,
    hash_algorithm: str = "auto",
    cache_dir: str | os.PathLike[str] | None = None,
    cache_subdir: str | os.PathLike[str] = "datasets",
    force_download: bool = False,
    other_names: Sequence[str] = (),
    where: str = "tf.keras.utils.get_file",
    advice: str = "",
) -> Path:
    """Return the path of a verified local copy of `origin`, downloading it if there is none.

    A cached file whose hash is wrong is downloaded again; until the new copy has arrived and been
    verified, the old one stays. If the cache cannot be written, `.keras` in the temporary folder
    stands in for it, as in Keras; a good copy in a read-only cache is used where it lies.

    Args:
        fname: Name in the cache; by default the last part of `origin`. An absolute path is taken
            as it is, which lets a data set be kept anywhere.
        origin: The URL.
        file_hash: SHA-256 (or MD5) in hex. Without it the bytes are trusted.
        hash_algorithm: "sha256", "md5" or "auto" (by the length of `file_hash`).
        cache_dir: Instead of `keras_home()`.
        cache_subdir: Folder below it.
        force_download: Fetch even if a good copy is cached.
        other_names: Further names under which the same file may already lie in the folder.
        where: The public function to name in errors.
        advice: A sentence that ends the error of a failed download.

    Raises:
        ConnectionError: The file is not cached and could not be fetched, for whatever reason: no
            network, an unknown host, an HTTP error, a connection that broke off. (An `OSError`.)
        ValueError: What was downloaded has another hash; it is not kept.
    """
    if not origin:
        raise ValueError(
            f"{where} expected the URL of a file; got origin={origin!r}. Pass origin='https://...'."
        )
    name = os.fspath(fname) if fname else Path(urllib.parse.urlsplit(origin).path).name
    if not name:
        raise ValueError(
            f"{where} expected a URL that ends in a file name; got origin={origin!r}. Pass fname."
        )
    if not Path(name).name or ".." in Path(name).parts or "\0" in name:
        raise ValueError(
            f"{where} expected the name of a file in the cache, or an absolute path; got fname={name!r}. Pass a name "
            "without '..', and the folder as cache_dir or cache_subdir."
        )
    checksum = Checksum.parse(file_hash, hash_algorithm, where) if file_hash is not None else None
    wanted = () if force_download else (name, *other_names)
    folder = Path(cache_dir or keras_home()).expanduser() / cache_subdir
    cached = _find(folder, wanted, checksum)
    if cached is None and not _is_writable((folder / name).parent):
        # The stand-in lies where others can write, so it is not even looked at without need.
        folder = _stand_in(where) / cache_subdir
        cached = _find(folder, wanted, checksum)
    return cached or _Download(origin, folder / name, checksum, where, advice).run()


@dataclass(frozen=True)
class _Download:
    """One file on its way into the cache."""

    origin: str
    target: Path
    checksum: Checksum | None
    where: str
    advice: str

    def run(self) -> Path:
        if self.target.is_file() and self.checksum is not None:
            sys.stderr.write(
                f"{self.target} is damaged or out of date (its {self.checksum.label} is wrong): "
                "downloading it again.\n"
            )
        with replacing(self.target, follows_link=False) as part:
            with part.open("wb") as file:
                for chunk in self._chunks():
                    file.write(chunk)
            self._verify(part)
        return self.target

    def _chunks(self) -> Iterator[bytes]:
        # Only reading happens inside this try: a full disk is not a network failure.
        try:
            with urllib.request.urlopen(self.origin, timeout=TIMEOUT_S) as response:
                length = response.headers.get("Content-Length", "")
                total_bytes = int(length) if re.fullmatch("[0-9]{1,18}", length) else None
                received_bytes = 0
                progress = DownloadProgress(self.target.name, total_bytes)
                with contextlib.closing(progress):
                    while chunk := response.read(CHUNK_BYTES):
                        received_bytes += len(chunk)
                        progress.advance(len(chunk))
                        yield chunk
        except (OSError, http.client.HTTPException) as error:
            raise self._failure(error) from error
        if total_bytes is not None and received_bytes != total_bytes:
            raise self._failure(f"a connection that closed after {received_bytes} of {total_bytes} bytes")

    def _verify(self, part: Path) -> None:
        if self.checksum is None:
            return
        digest = self.checksum.of(part)
        if digest != self.checksum.digest:
            label = self.checksum.label
            raise ValueError(
                f"{self.where} expected {self.target.name} with {label} {self.checksum.digest}; "
                f"got {label} {digest} from {self.origin}. The download was discarded: try again, "
                f"or get the file some other way and put it at {self.target}."
            )

    def _failure(self, cause: Exception | str) -> ConnectionError:
        if isinstance(cause, urllib.error.HTTPError):
            reason = f"HTTP status {cause.code} ({cause.reason})"
        elif isinstance(cause, urllib.error.URLError):
            reason = f"{cause.reason}"
        else:
            reason = f"{cause}" or type(cause).__name__
        hash_text = f" ({self.checksum.label} {self.checksum.digest})" if self.checksum else ""
        parts = [
            f"{self.where} expected to find {self.target.name} in the cache or to download it from "
            f"{self.origin}; got {reason}.",
            f"Connect to the network, or put the file at {self.target}{hash_text}.",
        ]
        if self.target.is_file() and self.checksum is not None:
            found = self.checksum.of(self.target)
            parts.append(f"The file that is there now has {self.checksum.label} {found}.")
        if self.advice:
            parts.append(self.advice)
        return ConnectionError(" ".join(parts))


def _find(folder: Path, names: Sequence[str], checksum: Checksum | None) -> Path | None:
    """The first of the files `names` in `folder` that is there and is the right one."""
    for name in names:
        path = folder / name
        # os.path.isfile, unlike Path.is_file, answers no for a folder that may not be read.
        if os.path.isfile(path) and (checksum is None or checksum.matches(path)):
            return path
    return None


def _is_writable(folder: Path) -> bool:
    """Whether files can be made in `folder`, which is made if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def _stand_in(where: str) -> Path:
    """`.keras` in the temporary folder: made for this user alone, and not used if somebody else made it."""
    folder = Path(tempfile.gettempdir(), ".keras")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or (hasattr(os, "geteuid") and found.st_uid != os.geteuid()):
        raise PermissionError(
            f"{where} expected a cache that may be written to; got one that may not, and {folder} in its place, which "
            "is a link or somebody else's. Name a folder of yours with cache_dir or KERAS_HOME."
        )
    return folder
