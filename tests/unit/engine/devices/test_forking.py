"""Forked children of a process that has computed: an error at once where they would wait for ever.

Every case forks in a program of its own: JAX warns of forks, and the tests' process has computed, too.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")

_PROGRAM = """
import multiprocessing, os, sys, tempfile, time, warnings
warnings.simplefilter("ignore")
import numpy as np
import tapeflow as tf

X, Y = np.ones((64, 4), np.float32), np.ones((64, 3), np.float32)
FOLDER = tempfile.mkdtemp()


def ended(child, leave=os._exit):
    '''What a child says, which has ten seconds.'''
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        try:
            text = f"gave {child()!r}"
        except RuntimeError as error:
            text = f"RuntimeError {error}"
        os.write(writing, text.encode())
        leave(0)
    os.close(writing)
    for _ in range(1000):
        found, status = os.waitpid(process, os.WNOHANG)
        if found:
            assert status == 0, status
            return os.read(reading, 10000).decode()
        time.sleep(0.01)
    os.kill(process, 9)
    return "hangs"
"""

_COMPUTED = """
square = tf.ones((100, 100)) @ tf.ones((100, 100))
square.numpy()
variable = tf.Variable(np.full((100, 100), 2, np.float32))
model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(3)])
model.compile("adam", "mse")
model.fit(X, Y, verbose=0)
model.export(FOLDER + "/exported")
doubled = tf.function(lambda x: x @ x)
doubled(square).numpy()
"""

_REFUSED = {
    "an op": "lambda: (square @ square).numpy()",
    "a small op": "lambda: (tf.constant([1.0]) + 1).numpy()",
    "a function": "lambda: doubled(square).numpy()",
    "a gradient": "gradient",
    "assigning": "lambda: variable.assign(variable @ variable).numpy()",
    "fit": "lambda: model.fit(X, Y, verbose=0)",
    "predict": "lambda: model.predict(X, verbose=0)",
    "train_on_batch": "lambda: model.train_on_batch(X, Y)",
    "a dataset": "lambda: list(tf.data.Dataset.from_tensor_slices(X).map(tf.math.softplus))",
    "exporting": "lambda: model.export(FOLDER + '/again')",
    "loading a program": "lambda: tf.saved_model.load(FOLDER + '/exported')",
    "a child of the child": "lambda: ended(lambda: (square @ square).numpy())[13:]",
}
_ALLOWED = {
    "numpy": "lambda: float((X @ X.T).sum())",
    "a tensor with a value": "lambda: float(square.numpy().sum())",
    "a Variable": "lambda: float(variable.numpy().sum())",
    "weights": "lambda: len(model.get_weights())",
    "saving": "lambda: model.save(FOLDER + '/model.keras')",
    "plain data": "lambda: [int(x) for x in tf.data.Dataset.range(3)]",
    "a program of its own": "lambda: os.system('true')",
}


def _run(program: str) -> str:
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_computing_is_refused_and_all_else_works() -> None:
    gradient = (
        "def gradient():\n    with tf.GradientTape() as tape:\n        loss = tf.reduce_sum(variable ** 2)\n"
        "    return tape.gradient(loss, variable).numpy()\n"
    )
    cases = {**_REFUSED, **_ALLOWED}
    calls = "".join(f"print({name!r}, '|', ended({child}), flush=True)\n" for name, child in cases.items())
    found = dict(
        line.split(" | ", 1)
        for line in _run(_PROGRAM + _COMPUTED + gradient + calls).splitlines()
        if " | " in line
    )
    assert {
        name for name, text in found.items() if "forked from one that had computed before" in text
    } == set(_REFUSED)
    assert {name for name, text in found.items() if text.startswith("gave") and "forked" not in text} == set(
        _ALLOWED
    )
    assert 'multiprocessing.get_context("spawn")' in found["an op"]
    assert "<string>" in found["an op"]  # where it was


def test_a_pool_of_forked_workers_raises_in_the_parent() -> None:
    work = """
def computed(x):
    return float((square * x).numpy().sum())

def of_numpy(x):
    return float((X * x).sum())

with multiprocessing.get_context("fork").Pool(2) as pool:
    print(pool.map(of_numpy, range(3)))
    try:
        pool.map(computed, range(3))
    except RuntimeError as error:
        print("refused:", error)
"""
    found = _run(_PROGRAM + _COMPUTED + work)
    assert "[0.0, 256.0, 512.0]" in found
    assert "refused: Running" in found


def test_a_result_that_is_not_there_yet_is_not_waited_for() -> None:
    work = """
def far():
    x = tf.random.normal((500, 500))
    for _ in range(40):
        x = x @ x / 100.0
    return x
x = far()
from tapeflow.engine.programs.running import run_pending
run_pending()
print(ended(lambda: x.numpy().shape))
"""
    found = _run(_PROGRAM + work)
    assert "gave (500, 500)" in found or "Reading a tensor that was being computed expected" in found


def test_an_iterator_that_reads_ahead_is_not_waited_for() -> None:
    work = """
def slow(x):
    time.sleep(0.01)
    return x
slowly = tf.data.Dataset.range(50).map(lambda x: tf.numpy_function(slow, [x], tf.int64))
for dataset in (slowly.prefetch(2), slowly.map(lambda x: tf.py_function(slow, [x], tf.int64), 4)):
    iterator = iter(dataset)
    next(iterator)
    print(ended(lambda: [int(x) for x in iterator], sys.exit))
    print(int(next(iterator)))
"""
    found = _run(_PROGRAM + work).splitlines()
    assert "Iterating a dataset with prefetch expected the process that began it" in found[0]
    assert "Make the iterator after the fork" in found[0]
    assert "Iterating a dataset with parallel calls expected the process that began it" in found[2]
    assert found[1] == found[3] == "1"  # the parent goes on


def test_a_child_ends_as_others_do() -> None:
    work = "tf.random.normal((1000, 1000)).numpy()\nprint(ended(lambda: 1, sys.exit))\n"
    assert _run(_PROGRAM + _COMPUTED + work).strip().endswith("gave 1")


def test_a_child_may_compute_if_its_parent_has_not() -> None:
    work = "print(ended(lambda: float(tf.reduce_sum(tf.ones((100, 100)) @ tf.ones((100, 100))))))\n"
    assert _run(_PROGRAM + work).strip() == "gave 1000000.0"
