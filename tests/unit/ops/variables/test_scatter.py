"""Variable.scatter_add and its kin: values, corners, bad input, recorded code, and what tapes see."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.ops.array.indexed_slices import IndexedSlices

Invalid = tf.errors.InvalidArgumentError
START = [1.0, 2.0, 3.0, 4.0]
KINDS = ["update", "add", "sub", "mul", "div", "max", "min"]


def pending(value: Any) -> Any:
    """An integer tensor whose value the host does not know."""
    return tf.cast(tf.constant(np.asarray(value), tf.float32) * 1.0, tf.int32)


def scattered(kind: str, indices: Any, values: Any, start: Any = START) -> list[Any]:
    variable = tf.Variable(start)
    result = getattr(variable, f"scatter_{kind}")(IndexedSlices(values, indices))
    assert result is variable
    return variable.numpy().tolist()


# What TensorFlow 2.21 gives for rows 0 and 2, and for row 2 twice.
FOUND = {
    "update": ([5.0, 2.0, 0.5, 4.0], [1.0, 2.0, 0.5, 4.0]),
    "add": ([6.0, 2.0, 3.5, 4.0], [1.0, 2.0, 8.5, 4.0]),
    "sub": ([-4.0, 2.0, 2.5, 4.0], [1.0, 2.0, -2.5, 4.0]),
    "mul": ([5.0, 2.0, 1.5, 4.0], [1.0, 2.0, 7.5, 4.0]),
    "div": ([0.2, 2.0, 6.0, 4.0], [1.0, 2.0, 1.2, 4.0]),
    "max": ([5.0, 2.0, 3.0, 4.0], [1.0, 2.0, 5.0, 4.0]),
    "min": ([1.0, 2.0, 0.5, 4.0], [1.0, 2.0, 0.5, 4.0]),
}


@pytest.mark.parametrize("make", [list, tf.constant, pending])
@pytest.mark.parametrize("kind", KINDS)
def test_rows(kind: str, make: Any) -> None:
    once, twice = FOUND[kind]
    np.testing.assert_allclose(scattered(kind, make([0, 2]), [5.0, 0.5]), once, rtol=1e-6)
    np.testing.assert_allclose(scattered(kind, make([2, 2]), [5.0, 0.5]), twice, rtol=1e-6)
    assert scattered(kind, tf.zeros([0], tf.int32), tf.zeros([0])) == START


def test_shapes_of_updates() -> None:
    table = [[1.0, 2.0], [3.0, 4.0]]
    assert scattered("add", [1], [[5.0, 6.0]], table) == [[1.0, 2.0], [8.0, 10.0]]
    assert scattered("add", [[1], [0]], [[[5.0, 6.0]], [[7.0, 8.0]]], table) == [[8.0, 10.0], [8.0, 10.0]]
    assert scattered("mul", [0, 2], 7.0) == [7.0, 2.0, 21.0, 4.0]
    assert scattered("update", 2, 7.0) == [1.0, 2.0, 7.0, 4.0]


def test_updates_of_all_dtypes() -> None:
    assert scattered("div", [1], [2], [1, 7]) == [1, 3]
    assert scattered("div", [1], [2], [1, -7]) == [1, -3]
    assert scattered("update", [1], [True], [False, False]) == [False, True]
    double = tf.Variable([1.0], dtype=tf.float64)
    assert double.scatter_add(IndexedSlices([0.5], [0])).numpy().tolist() == [1.5]
    half = tf.Variable(tf.ones([2], tf.float16))
    assert half.scatter_sub(IndexedSlices([0.5], tf.constant([0], tf.int64))).dtype == tf.float16
    names = tf.Variable(["a", "b"])
    names.scatter_update(IndexedSlices(["z"], pending([1])))
    assert names.numpy().tolist() == [b"a", b"z"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bad", [4, -1])
def test_a_row_that_does_not_exist(kind: str, bad: int) -> None:
    with pytest.raises(Invalid, match=rf"scatter_{kind} expected .*indices\[1\] = {bad} is not in \[0, 4\)"):
        scattered(kind, [0, bad], [1.0, 2.0])
    text = rf"Variable.scatter_{kind} expected every index in \[0, 4\) of its axis; got {bad}. At .*py:\d+"
    with pytest.raises(Invalid, match=text):
        scattered(kind, pending([0, bad]), [1.0, 2.0])


def test_a_failed_check_leaves_the_value() -> None:
    variable = tf.Variable(START)
    variable.assign_add([1.0, 1.0, 1.0, 1.0])
    with pytest.raises(Invalid, match=r"got 9"):
        variable.scatter_update(IndexedSlices([0.0], pending([9]))).numpy()
    assert variable.numpy().tolist() == [2.0, 3.0, 4.0, 5.0]


@pytest.mark.parametrize(
    ("indices", "values", "start", "text"),
    [
        (
            [0, 2],
            [1.0, 2.0, 3.0],
            START,
            r"values of shape indices.shape \+ variable.shape\[1:\], or a scalar",
        ),
        ([0, 1], [5.0, 6.0], [[1.0, 2.0], [3.0, 4.0]], r"got values \(shape \[2\], float32\)"),
        ([0], [1.0], 1.0, r"a Variable of shape \[\]"),
        ([0.0], [1.0], START, "scatter_add expected integers for indices"),
        ([0], [True], [True], "scatter_add expected a number tensor for values"),
    ],
)
def test_bad_slices(indices: Any, values: Any, start: Any, text: str) -> None:
    with pytest.raises(Invalid, match=text):
        scattered("add", indices, values, start)


def test_values_of_another_dtype() -> None:
    assert scattered("add", [0], np.array([1]))[0] == 2.0  # numpy takes the Variable's
    with pytest.raises(ValueError, match=r"Tensor conversion requested dtype float32"):
        scattered("add", [0], tf.constant([1]))


def test_only_slices() -> None:
    with pytest.raises(
        TypeError, match=r"expected sparse_delta to be a `tf.IndexedSlices`; got sparse_delta="
    ):
        tf.Variable(START).scatter_add(tf.constant([1.0]))
    with pytest.raises(TypeError, match=r"batch_scatter_update expected sparse_delta"):
        tf.Variable(START).batch_scatter_update([1.0])


class TestPlaces:
    """scatter_nd_*, gather_nd, sparse_read, batch_scatter_update."""

    @pytest.mark.parametrize("make", [list, pending])
    @pytest.mark.parametrize(
        ("kind", "expected"),
        [
            ("update", [5.0, 2.0, 0.5, 4.0]),
            ("add", [6.0, 2.0, 3.5, 4.0]),
            ("sub", [-4.0, 2.0, 2.5, 4.0]),
            ("max", [5.0, 2.0, 3.0, 4.0]),
            ("min", [1.0, 2.0, 0.5, 4.0]),
        ],
    )
    def test_elements(self, kind: str, expected: list[float], make: Any) -> None:
        variable = tf.Variable(START)
        result = getattr(variable, f"scatter_nd_{kind}")(make([[0], [2]]), [5.0, 0.5])
        assert result is variable
        assert variable.numpy().tolist() == expected

    def test_rows_and_cells(self) -> None:
        variable = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        variable.scatter_nd_add([[0, 1], [1, 1]], [5, 6])
        assert variable.numpy().tolist() == [[1.0, 7.0], [3.0, 10.0]]
        variable.scatter_nd_update([[1]], [[8.0, 9.0]])
        assert variable.numpy().tolist() == [[1.0, 7.0], [8.0, 9.0]]

    def test_refuses(self) -> None:
        variable = tf.Variable(START)
        with pytest.raises(Invalid, match=r"indices\[1\] = \[4\] does not index into shape \[4\]"):
            variable.scatter_nd_add([[0], [4]], [5.0, 6.0])
        with pytest.raises(
            Invalid, match=r"Variable.scatter_nd_max expected every index in \[0, 4\).* got -1"
        ):
            variable.scatter_nd_max(pending([[-1]]), [5.0]).numpy()
        with pytest.raises(Invalid, match=r"updates of shape indices.shape\[:-1\] \+ variable.shape"):
            variable.scatter_nd_update([[0], [2]], [5.0, 6.0, 7.0])
        with pytest.raises(Invalid, match=r"names one place, of at most as many axes as there are"):
            variable.scatter_nd_update([0, 2], [5.0, 6.0])
        with pytest.raises(Invalid, match=r"scatter_nd_min expected integers"):
            variable.scatter_nd_min([[0.5]], [5.0])
        assert variable.numpy().tolist() == START

    def test_batches(self) -> None:
        variable = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        variable.batch_scatter_update(IndexedSlices([[9.0], [8.0]], [[0], [1]]))
        assert variable.numpy().tolist() == [[9.0, 2.0], [3.0, 8.0]]
        vector = tf.Variable([1.0, 2.0, 3.0])
        vector.batch_scatter_update(IndexedSlices([9.0, 8.0], pending([0, 2])))
        assert vector.numpy().tolist() == [9.0, 2.0, 8.0]
        with pytest.raises(Invalid, match=r"batch_scatter_update .*indices\[1,0\] = \[1, 2\] does not index"):
            variable.batch_scatter_update(IndexedSlices([[9.0], [8.0]], [[0], [2]]))
        with pytest.raises(Invalid, match=r"at most the Variable's number of dimensions"):
            vector.batch_scatter_update(IndexedSlices([[1.0]], [[0]]))

    def test_reading(self) -> None:
        variable = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        assert variable.gather_nd([[0, 1], [1, 1]]).numpy().tolist() == [2.0, 4.0]
        assert variable.sparse_read([1, 0]).numpy().tolist() == [[3.0, 4.0], [1.0, 2.0]]
        with tf.GradientTape() as tape:
            rows = variable.sparse_read([1, 1]) + variable.gather_nd([[0], [0]])
        assert tape.gradient(rows, variable).numpy().tolist() == [[2.0, 2.0], [2.0, 2.0]]
        with pytest.raises(Invalid, match=r"is not in \[0, 2\)"):
            variable.sparse_read([-1])
        with pytest.raises(Invalid, match=r"does not index into"):
            variable.gather_nd([[0, 2]])


def test_no_derivative_passes_an_assignment() -> None:
    variable, delta = tf.Variable([1.0, 2.0]), tf.constant([1.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(delta)
        variable.scatter_add(IndexedSlices(delta, [0]))
        loss = tf.reduce_sum(variable * variable)
    assert tape.gradient(loss, variable).numpy().tolist() == [4.0, 4.0]
    assert tape.gradient(loss, delta) is None


def test_in_a_function() -> None:
    variable = tf.Variable([0.0, 0.0, 0.0])

    @tf.function
    def add(rows: Any, values: Any) -> Any:
        variable.scatter_add(IndexedSlices(values, rows))
        return variable.read_value()

    for row in (0, 1, 1, 2):
        found = add(tf.constant([row]), tf.constant([1.0]))
    assert found.numpy().tolist() == [1.0, 2.0, 1.0]
    assert add.experimental_get_tracing_count() == 1
    with pytest.raises(Invalid, match=r"Variable.scatter_add expected every index .* got 3"):
        add(tf.constant([3]), tf.constant([1.0])).numpy()
    assert variable.numpy().tolist() == [1.0, 2.0, 1.0]


def test_in_a_loop() -> None:
    variable = tf.Variable([0.0, 0.0, 0.0])

    def body(i: Any) -> Any:
        variable.scatter_nd_add([[i]], [2.0])
        return [i + 1]

    tf.while_loop(lambda i: i < 2, body, [tf.constant(0)])
    assert variable.numpy().tolist() == [2.0, 2.0, 0.0]


def test_other_indices_are_the_same_program(counting: Any) -> None:
    variable = tf.Variable(np.zeros((64, 8), np.float32))
    for _ in range(2):
        with counting() as spent:
            for row in range(5):
                variable.scatter_add(IndexedSlices(tf.ones([1, 8]), pending([row])))
                variable.numpy()
    assert spent.compiled == 0
    assert variable.numpy().sum() == 80.0
