"""No data set is loaded from the user's cache or the network here."""

import dataclasses
import hashlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def _own_cache(home: Path) -> None:
    """Every test has its own."""


Publish = Callable[[ModuleType, str, bytes], None]


@pytest.fixture
def publish(server: Any, monkeypatch: pytest.MonkeyPatch) -> Publish:
    """Serve `body` as the file a module names, with the hash to match."""

    def publish(module: ModuleType, attribute: str, body: bytes) -> None:
        source = getattr(module, attribute)
        server.files[source.name] = body
        digest = hashlib.sha256(body).hexdigest()
        replacement = dataclasses.replace(source, origin=server.url(source.name), digest=digest)
        monkeypatch.setattr(module, attribute, replacement)

    return publish
