"""Indexing with `[]`: everything TensorFlow takes, what it refuses, and assignment to slices."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tapeflow as tf
from tapeflow.engine.programs.program import counters

Invalid = tf.errors.InvalidArgumentError
X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
RULE = r"Only integers, slices \(`:`\), ellipsis \(`...`\), tf\.newaxis \(`None`\) and scalar tf"


def pending(value) -> tf.Tensor:
    """An integer tensor whose value the host does not know."""
    return tf.cast(tf.constant(np.asarray(value), tf.float32) * 1.0, tf.int32)


KEYS = [
    0,
    -1,
    (1, -1, 3),
    slice(0, 1),
    (slice(None), slice(1, None)),
    (..., 0),
    (0, ...),
    (..., None),
    (None, 0, None, ..., None, slice(1, 3)),
    (slice(None, None, -1), slice(2, 0, -1), slice(-1, -100, -2)),
    (slice(5, 9),),
    (slice(0, 2, -1),),
    (slice(None), 1, slice(0, 4, 2)),
    (slice(-100, 100), slice(1, 2)),
    (),
    ...,
    None,
    (np.int64(1), np.int8(0)),
    (0, np.array(1)),
    (slice(np.int32(0), np.int64(1)),),
]


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_as_numpy(key) -> None:
    found = tf.constant(X)[key]
    assert isinstance(found, tf.Tensor)
    assert found.shape == X[key].shape
    np.testing.assert_array_equal(found.numpy(), X[key])


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_slices_as_numpy(data) -> None:
    dims = data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=3))
    x = np.arange(int(np.prod(dims)), dtype=data.draw(st.sampled_from([np.float32, np.int32])))
    x = x.reshape(dims)
    bound = st.none() | st.integers(-6, 6)

    def draw(size: int):
        if size and data.draw(st.booleans()):
            return data.draw(st.integers(-size, size - 1))
        step = data.draw(st.none() | st.integers(-3, 3).filter(bool))
        return slice(data.draw(bound), data.draw(bound), step)

    front = data.draw(st.integers(0, len(dims)))
    back = data.draw(st.integers(0, len(dims) - front))
    key = [draw(size) for size in dims[:front]]
    if back or data.draw(st.booleans()):
        key += [..., *[draw(size) for size in dims[len(dims) - back :]]]
    for _ in range(data.draw(st.integers(0, 2))):
        key.insert(data.draw(st.integers(0, len(key))), None)
    expected = x[tuple(key)]
    for tensor in (tf.constant(x), tf.identity(tf.constant(x.astype(np.float32)))):
        found = tensor[tuple(key)]
        assert found.shape == expected.shape
        np.testing.assert_array_equal(found.numpy(), expected)


@pytest.mark.parametrize("make", [tf.constant, pending, tf.Variable, lambda i: tf.constant(i, tf.int64)])
def test_tensors_as_indices_and_bounds(make) -> None:
    x = tf.constant(X)
    np.testing.assert_array_equal(x[make(1)].numpy(), X[1])
    np.testing.assert_array_equal(x[make(-1), 0, make(2)].numpy(), X[-1, 0, 2])
    np.testing.assert_array_equal(x[0, make(-2), 1:3].numpy(), X[0, -2, 1:3])
    np.testing.assert_array_equal(x[:, make(1) :].numpy(), X[:, 1:])
    np.testing.assert_array_equal(x[..., make(1) : make(3)].numpy(), X[..., 1:3])
    np.testing.assert_array_equal(x[..., :: make(2)].numpy(), X[..., ::2])


def test_a_list_is_taken_for_a_tuple() -> None:
    np.testing.assert_array_equal(tf.constant(X)[[0, 1]].numpy(), X[0, 1])


def test_masks() -> None:
    x = tf.constant(X)
    np.testing.assert_array_equal(x[x > 5].numpy(), X[X > 5])
    np.testing.assert_array_equal(x[np.array([True, False])].numpy(), X[:1])
    np.testing.assert_array_equal(tf.Variable(X)[x > 5].numpy(), X[X > 5])
    for mask in (True, np.bool_(False), tf.constant(True)):
        with pytest.raises(ValueError, match=r"mask cannot be scalar"):
            x[mask]
    with pytest.raises(ValueError, match=r"Shapes \(2,\) and \(3,\) are incompatible"):
        x[np.array([True, False, True])]


@pytest.mark.parametrize(
    "key",
    [
        1.0,
        "a",
        object(),
        {},
        np.array([0, 1]),
        np.array([1]),
        tf.constant([0, 1]),
        tf.constant(1.0),
        tf.TensorShape([1]),
        ((0, 1), 0),
        ([0, 1], 0),
        (slice(None), [0, 1]),
        (slice(None), np.array([True, False, True])),
        slice(1.0, 2),
        slice(None, "a"),
        slice(tf.constant([1]), None),
        slice(tf.constant(1.0), None),
        (0, True),
    ],
    ids=lambda key: type(key).__name__,
)
def test_what_tensorflow_refuses(key) -> None:
    with pytest.raises(TypeError, match=RULE):
        tf.constant(X)[key]
    with pytest.raises(TypeError, match=r"Use tf\.gather for a list of indices"):
        tf.Variable(X)[key]


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (
            2,
            r"slice index 2 of dimension 0 out of bounds.*in \[-2, 2\); got 2 for a tensor \(sh",
        ),
        (-3, r"slice index -3 of dimension 0 out of bounds"),
        ((0, 3), r"slice index 3 of dimension 1 out of bounds"),
        (tf.constant(7), r"slice index 7 of dimension 0 out of bounds"),
        (2**40, r"slice index 1099511627776 of dimension 0"),
        ((0, 0, 0, 0), r"Index out of range using input dim 3: .* at most 3 indices; got 4"),
        ((..., ...), r"Multiple ellipses in slice spec not allowed"),
        (slice(None, None, 0), r"strides\[0\] must be non-zero"),
    ],
)
def test_out_of_range(key, text: str) -> None:
    with pytest.raises(Invalid, match=text):
        tf.constant(X)[key]


def test_scalars_have_nothing_to_index() -> None:
    scalar = tf.constant(3.0)
    for key in (0, slice(None)):
        with pytest.raises(Invalid, match=r"input dim 0.*A scalar has no axes to index"):
            scalar[key]
    assert scalar[...].numpy() == scalar[()].numpy() == 3.0
    assert scalar[None].numpy().tolist() == [3.0]


@pytest.mark.parametrize("index", [5, -5, 2**33])
def test_tensors_out_of_range_are_found_when_the_program_runs(index: int) -> None:
    at = tf.cast(tf.constant(float(index)) * 1.0, tf.int64)
    with pytest.raises(Invalid, match=rf"slice index {index} out of bounds: .*in \[-3, 3\)\. At .*test_get"):
        (tf.constant(X)[0, at, 1:3] + 1.0).numpy()


def test_a_sliding_window_is_one_program() -> None:
    x = tf.constant(np.arange(40, dtype=np.float32).reshape(10, 4))
    w = tf.Variable(tf.ones([4]))

    def step(i: int) -> np.ndarray:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x[i : i + 3] * w) + x[i, i % 4]
        return tape.gradient(loss, w).numpy()

    step(0)
    before = counters.compiled
    for i in range(1, 8):
        np.testing.assert_array_equal(step(i), x.numpy()[i : i + 3].sum(0))
    assert counters.compiled == before


def test_shapes_stay_on_the_host() -> None:
    shape = tf.shape(tf.constant(X))
    for key, expected in (
        (0, 2),
        (-1, 4),
        (slice(1, None), [3, 4]),
        (slice(None, None, -1), [4, 3, 2]),
    ):
        found = shape[key]
        assert found.host_value() is not None
        np.testing.assert_array_equal(found.numpy(), expected)
    assert [int(d) for d in shape] == [2, 3, 4]


def test_iteration() -> None:
    for row, expected in zip(tf.constant(X), X, strict=True):
        np.testing.assert_array_equal(row.numpy(), expected)


def test_parts_of_a_variable_can_be_assigned() -> None:
    v = tf.Variable(np.zeros((3, 4), np.float32))
    expected = np.zeros((3, 4), np.float32)
    assert v[0].assign([1, 2, 3, 4]) is v
    expected[0] = [1, 2, 3, 4]
    v[1:, ::2].assign([[5.0, 6.0], [7.0, 8.0]])
    expected[1:, ::2] = [[5, 6], [7, 8]]
    v[::-1, -1].assign([1.0, 2.0, 3.0])
    expected[::-1, -1] = [1, 2, 3]
    v[tf.constant(1), pending(1)].assign(9.0)
    expected[1, 1] = 9
    v[2].assign_add([1.0, 1.0, 1.0, 1.0])
    expected[2] += 1
    v[..., None, 0].assign_sub(2.0)
    expected[:, 0] -= 2
    np.testing.assert_array_equal(v.numpy(), expected)


def test_a_part_is_a_snapshot() -> None:
    v = tf.Variable([1.0, 2.0, 3.0])
    part = v[:2]
    assert isinstance(part, tf.Tensor)
    part.assign([8.0, 9.0])
    assert part.numpy().tolist() == [1.0, 2.0]
    part.assign_add([1.0, 1.0])
    assert v.numpy().tolist() == [9.0, 10.0, 3.0]
    gc.collect()
    assert (part + 1.0).numpy().tolist() == [2.0, 3.0]


def test_parts_are_differentiable() -> None:
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v[1:] * v[1:]) + v[0]
    assert tape.gradient(y, v).numpy().tolist() == [1.0, 4.0, 6.0]


def test_assignment_to_a_part_is_checked() -> None:
    v = tf.Variable(np.zeros((2, 3), np.float32))
    with pytest.raises(
        Invalid, match=r"Variable\[\.\.\.\]\.assign expected a value of shape \[3\], float32; g"
    ):
        v[0].assign([1.0, 2.0])
    with pytest.raises(Invalid, match=r"got one \(shape \[3\], int32\)\. Reshape or cast the value"):
        v[0].assign(tf.constant([1, 2, 3]))
    with pytest.raises(Invalid, match=r"\.assign_add expected a value of shape \[3\]"):
        v[0].assign_add([[1.0, 2.0, 3.0]])


def test_in_a_function() -> None:
    v = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def change(i: tf.Tensor) -> tf.Tensor:
        v[i].assign(0.0)
        return v[i] + v[0]

    assert change(tf.constant(1)).numpy() == 1.0
    assert change(tf.constant(2)).numpy() == 1.0
    assert v.numpy().tolist() == [1.0, 0.0, 0.0]
    with pytest.raises(Invalid, match=r"slice index 3 out of bounds"):
        change(tf.constant(3)).numpy()


@pytest.mark.parametrize(
    ("args", "masks", "key"),
    [
        (([0, 0], [2, 2]), {}, (slice(0, 2), slice(0, 2))),
        (([0], [2]), {}, (slice(0, 2),)),
        (([0, 0], [2, 3], [2, 2]), {}, (slice(0, 2, 2), slice(0, 3, 2))),
        (([-1, 0], [-4, 3], [-1, 1]), {}, (slice(-1, -4, -1), slice(0, 3))),
        (([1, 0], [2, 3]), {"shrink_axis_mask": 1}, (1, slice(0, 3))),
        (([1, 1], [2, 2]), {"begin_mask": 1, "end_mask": 2}, (slice(None, 2), slice(1, None))),
        (([1, 1], [2, 2]), {"new_axis_mask": 1}, (None, slice(1, 2))),
        (([1, 1], [2, 2]), {"ellipsis_mask": 1}, (..., slice(1, 2))),
    ],
)
def test_strided_slice(args, masks, key) -> None:
    np.testing.assert_array_equal(tf.strided_slice(X, *args, **masks).numpy(), X[key])


def test_strided_slice_refuses() -> None:
    with pytest.raises(Invalid, match=r"begin, end and strides of one length; got begin=\[0, 0\], end=\["):
        tf.strided_slice(X, [0, 0], [3])
    with pytest.raises(Invalid, match=r"only stride 1 allowed on non-range indexing"):
        tf.strided_slice(X, [1], [2], [-1], shrink_axis_mask=1)
    with pytest.raises(Invalid, match=r"Multiple ellipses"):
        tf.strided_slice(X, [1, 1], [2, 2], ellipsis_mask=3)
    with pytest.raises(Invalid, match=r"tf\.strided_slice expected integers for begin"):
        tf.strided_slice(X, [0.5], [1])
