"""`get_file`: a file from the network, kept in the cache, and unpacked if it is an archive."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import PurePath

from tapeflow.keras.utils.download import fetch
from tapeflow.keras.utils.extraction import extract_archive

_TAR_SUFFIX = ".tar.gz"
_WHERE = "tf.keras.utils.get_file"


def get_file(
    fname: str | os.PathLike[str] | None = None,
    origin: str | None = None,
    untar: bool = False,
    md5_hash: str | None = None,
    file_hash: str | None = None,
    cache_subdir: str | os.PathLike[str] = "datasets",
    hash_algorithm: str = "auto",
    extract: bool = False,
    archive_format: str | Sequence[str] | None = "auto",
    cache_dir: str | os.PathLike[str] | None = None,
    force_download: bool = False,
) -> str:
    """The path of a local copy of `origin`, downloaded and verified if there is none yet.

    Args:
        fname: its name in the cache; by default the last part of `origin`.
        origin: the URL.
        untar: unpack a `.tar.gz` and return the path `fname` inside of it; `extract` is more general.
        md5_hash: the old spelling of `file_hash`, for MD5.
        file_hash: SHA-256 or MD5 in hex. Without it the bytes are trusted.
        cache_subdir: the folder below `cache_dir`; an absolute path is taken as it is.
        hash_algorithm: "sha256", "md5" or "auto" (by the length of `file_hash`).
        extract: unpack the file, beside it; the path of the archive is returned.
        archive_format: "tar", "zip", "auto" for either, a list of them, or `None` not to unpack.
        cache_dir: by default `$KERAS_HOME`, or `~/.keras`.
        force_download: fetch even if a good copy is cached.

    Raises:
        ConnectionError: there is no copy and none could be fetched.
        ValueError: what came has another hash; or the archive is damaged or unbelievably large, or would write outside
            its folder or over files that it did not write.
    """
    if md5_hash is not None and file_hash is None:
        file_hash, hash_algorithm = md5_hash, "md5"
    name = os.fspath(fname) if fname else None
    if untar:
        name = (name or PurePath(origin or "").name).removesuffix(_TAR_SUFFIX) + _TAR_SUFFIX
    path = fetch(
        name,
        origin,
        file_hash=file_hash,
        hash_algorithm=hash_algorithm,
        cache_dir=cache_dir,
        cache_subdir=cache_subdir,
        force_download=force_download,
        where=_WHERE,
    )
    if untar:
        unpacked = path.with_name(path.name.removesuffix(_TAR_SUFFIX))
        if not unpacked.exists():
            extract_archive(path, ("tar",), _WHERE)
        return str(unpacked)
    if extract and archive_format is not None:
        formats = ("tar", "zip") if archive_format == "auto" else archive_format
        extract_archive(path, (formats,) if isinstance(formats, str) else tuple(formats), _WHERE)
    return str(path)
