"""Short scripts against TensorFlow: what they print here is what they print there, numbers to four digits."""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent
SCRIPTS = sorted(path.stem for path in (HERE / "scripts").glob("*.py"))
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|nan|inf)(?![\w])")


def printed_by(name: str) -> str:
    source = (
        (HERE / "scripts" / f"{name}.py")
        .read_text()
        .replace("import tensorflow as tf", "import tapeflow as tf")
    )
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(source, f"{name}.py", "exec"), {"__name__": "__main__"})
    return out.getvalue()


@pytest.mark.parametrize("name", SCRIPTS)
def test_script_prints_what_it_prints_with_tensorflow(name: str) -> None:
    expected = (HERE / "fixtures" / "scripts" / f"{name}.txt").read_text()
    found = printed_by(name)
    for ours, theirs in zip(found.splitlines(), expected.splitlines(), strict=True):
        assert shape_of(ours) == shape_of(theirs)
        np.testing.assert_allclose(numbers_in(ours), numbers_in(theirs), rtol=2e-4, atol=2e-6, err_msg=ours)


def shape_of(line: str) -> list[str]:
    """A line without its numbers and the white space that aligns them."""
    return re.sub(r"\s+", " ", NUMBER.sub("#", line)).replace("[ ", "[").replace(" ]", "]").split()


def numbers_in(line: str) -> list[float]:
    return [float(found) for found in NUMBER.findall(line)]
