"""The public names of TensorFlow 2.11, read from its wheels: nothing of them is run.

    pip download --no-deps --python-version 3.10 --only-binary=:all: -d wheels \\
        "tensorflow-cpu==2.11.*" "keras==2.11.*" "tensorboard==2.11.*"
    python docs/tensorflow_names.py wheels/*.whl > src/tapeflow/compat/tensorflow_2_11.txt

The modules of the public API only import: a name is public if the module of its namespace imports it.
"""

from __future__ import annotations

import ast
import sys
import textwrap
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import PurePosixPath

# Where the wheels keep the public modules, and what users call that place. TensorFlow's root stands by itself, and
# `tf.summary` is its own and TensorBoard's.
ROOTS = {
    "tensorflow/_api/v2": "tf",
    "keras/api/_v2/keras": "tf.keras",
    "tensorboard/summary/_tf/summary": "tf.summary",
}

# What docs/compatibility.md says is out of scope.
OUT_OF_SCOPE = (
    *(
        "tf.compat.v1",
        "tf.compat.v2",
        "tf.raw_ops",
        "tf.lite",
        "tf.tpu",
        "tf.xla",
        "tf.mlir",
        "tf.quantization",
    ),
    *("tf.estimator", "tf.feature_column", "tf.queue", "tf.graph_util", "tf.sysconfig", "tf.types"),
    *("tf.experimental.dtensor", "tf.experimental.tensorrt", "tf.keras.estimator", "tf.keras.dtensor"),
)


def modules(wheel: str) -> Iterator[tuple[str, str]]:
    """The name and the source of every public module in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        for path in map(PurePosixPath, archive.namelist()):
            space = "tf" if path == PurePosixPath("tensorflow/__init__.py") else _namespace(path)
            if space is not None:
                yield space, archive.read(str(path)).decode()


def _namespace(path: PurePosixPath) -> str | None:
    for place, root in ROOTS.items():
        if path.name == "__init__.py" and path.is_relative_to(place):
            return ".".join((root, *path.parent.relative_to(place).parts))
    return None


def public_names(source: str) -> Iterator[str]:
    """The names that a module imports and does not hide."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            yield from (alias.asname or alias.name for alias in node.names)


def is_listed(name: str) -> bool:
    """Whether a whole name belongs into the list."""
    hidden = any(part.startswith("_") for part in name.split("."))
    return not hidden and not any(f"{name}.".startswith(f"{space}.") for space in OUT_OF_SCOPE)


def listing(wheels: list[str]) -> str:
    """The names by namespace. A namespace is no name of the one above it."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for wheel in wheels:
        for space, source in modules(wheel):
            found[space].update(public_names(source))
    lines: list[str] = []
    for space in sorted(filter(is_listed, found)):
        names = sorted(n for n in found[space] if is_listed(f"{space}.{n}") and f"{space}.{n}" not in found)
        if names:
            lines += [
                space,
                textwrap.fill(" ".join(names), 115, initial_indent="    ", subsequent_indent="    "),
            ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(listing(sys.argv[1:]))
