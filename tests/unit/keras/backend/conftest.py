"""Settings that tests of the backend change are as before after each of them."""

from collections.abc import Iterator

import pytest

from tapeflow.keras import backend as K


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    yield
    K.set_learning_phase(None)
    K.set_floatx("float32")
