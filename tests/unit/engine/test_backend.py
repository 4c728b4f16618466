"""JAX as the engine sets it up."""

from __future__ import annotations

import subprocess
import sys

_PROGRAM = """
import logging
logging.basicConfig(level=logging.INFO, format="%(name)s %(message)s")
import tapeflow as tf
tf.reduce_sum(tf.random.normal((3, 3))).numpy()
logging.info("mine")
"""


def test_a_program_that_logs_its_progress_reads_nothing_of_jax() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    assert done.stderr == "root mine\n"
