"""JAX as the engine sets it up."""

import json
import os
import subprocess
import sys

import jax
import pytest

from tapeflow.engine import backend


def test_what_runs_programs_is_not_let_go_at_the_end() -> None:
    client = jax.devices()[0].client
    before = sys.getrefcount(client)
    backend._keep_clients()
    assert sys.getrefcount(client) == before + 1


@pytest.mark.parametrize(
    ("given", "is_unrolled"),
    [
        (None, False),
        ("--xla_cpu_use_fusion_emitters=true", False),
        ("--xla_backend_extra_options=xla_cpu_disable_slp_vectorizer", True),
    ],
)
def test_loops_are_not_unrolled_unless_the_user_says_so(given: str | None, is_unrolled: bool) -> None:
    program = """
import json, os
import tapeflow as tf
from jax._src import compiler
tf.constant(1.0) + 1.0
options = compiler.get_compile_options(1, 1).SerializeAsString()
print(json.dumps([b"xla_cpu_disable_loop_unrolling" in options, os.environ.get("XLA_FLAGS")]))
"""
    environment = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}
    environment |= {} if given is None else {"XLA_FLAGS": given}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == [not is_unrolled, given]
