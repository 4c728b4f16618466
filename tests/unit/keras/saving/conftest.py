"""What the tests of saving share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tapeflow.keras.saving import registry


@pytest.fixture(autouse=True)
def _registry_as_before() -> Iterator[None]:
    objects, names = dict(registry._registered), dict(registry._names)
    yield
    for live, saved in ((registry._registered, objects), (registry._names, names)):
        live.clear()
        live.update(saved)
