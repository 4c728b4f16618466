"""JAX as the engine sets it up."""

import sys

import jax

from tapeflow.engine import backend


def test_what_runs_programs_is_not_let_go_at_the_end() -> None:
    client = jax.devices()[0].client
    before = sys.getrefcount(client)
    backend._keep_clients()
    assert sys.getrefcount(client) == before + 1
