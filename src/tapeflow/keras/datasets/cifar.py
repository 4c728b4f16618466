"""What CIFAR-10 and CIFAR-100 have in common: pickled batches in a tar archive."""

import tarfile
from collections.abc import Iterator, Sequence

import numpy as np

from tapeflow.keras.datasets.source import DatasetFile, max_unpacked_bytes
from tapeflow.keras.datasets.unpickle import load_inert

IMAGE_SHAPE = (3, 32, 32)


def load_batches(
    source: DatasetFile, members: Sequence[str], label_key: str, where: str
) -> dict[str, tuple[np.ndarray, list[int]]]:
    """Return images (channels last) and labels of the named members of the archive.

    The members are read in memory, in one pass: nothing is extracted, so no name in the archive can
    lead to a file elsewhere, and links in it are not followed.
    """
    batches = {}
    for name, batch in _read_pickles(source, members, where):
        data, labels = batch.get(b"data"), batch.get(label_key.encode())
        if not isinstance(data, np.ndarray) or not isinstance(labels, list):
            raise ValueError(
                f"{where} expected {name} to hold b'data' and {label_key.encode()!r}; "
                f"got keys={sorted(batch)!r}. Delete {source.name} and load again."
            )
        images = data.reshape(len(labels), *IMAGE_SHAPE).transpose(0, 2, 3, 1)
        batches[name] = np.ascontiguousarray(images), labels
    missing = [name for name in members if name not in batches]
    if missing:
        raise ValueError(
            f"{where} expected {source.name} to hold {', '.join(members)}; got none of the name "
            f"{missing[0]!r}. Delete the file and load again."
        )
    return batches


def _read_pickles(source: DatasetFile, members: Sequence[str], where: str) -> Iterator[tuple[str, dict]]:
    path = source.fetch(where)
    limit = max_unpacked_bytes(path)
    with tarfile.open(path, "r:gz") as archive:
        for member in archive:
            if member.offset_data + member.size > limit:
                raise ValueError(
                    f"{where} expected {source.name} to unpack to at most {limit} bytes; got {member.name!r}, which "
                    "ends beyond. Delete the file and load again."
                )
            file = archive.extractfile(member) if member.isreg() and member.name in members else None
            if file is not None:
                yield member.name, load_inert(file.read(), f"{where} ({member.name})")
