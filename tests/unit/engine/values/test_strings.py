"""Strings: ops that move elements move them on the host, `+` joins them, all others refuse."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.settings import settings

Invalid = tf.errors.InvalidArgumentError
NAMES = ["a", "bb", "", "a"]


def elements(result: Any) -> list[Any]:
    assert result.dtype == tf.string
    return np.asarray(result.numpy(), object).tolist()


def pending(value: Any) -> Any:
    """An integer tensor whose value the host does not know."""
    return tf.cast(tf.constant(np.asarray(value), tf.float32) * 1.0, tf.int32)


@pytest.fixture(params=[False, True], ids=["lazy", "op by op"], autouse=True)
def _mode(request: Any) -> None:
    settings.op_by_op = request.param


class TestMoving:
    @pytest.mark.parametrize(
        ("moved", "expected"),
        [
            (lambda s: s[1], b"bb"),
            (lambda s: s[-1], b"a"),
            (lambda s: s[1:3], [b"bb", b""]),
            (lambda s: s[::-1], [b"a", b"", b"bb", b"a"]),
            (lambda s: s[:, None], [[b"a"], [b"bb"], [b""], [b"a"]]),
            (lambda s: s[np.array([True, False, True, False])], [b"a", b""]),
            (lambda s: tf.gather(s, [1, 1]), [b"bb", b"bb"]),
            (lambda s: tf.gather(s, tf.zeros([0], tf.int32)), []),
            (lambda s: tf.gather_nd(s, [[1], [0]]), [b"bb", b"a"]),
            (lambda s: tf.slice(s, [1], [2]), [b"bb", b""]),
            (lambda s: tf.reshape(s, [2, 2]), [[b"a", b"bb"], [b"", b"a"]]),
            (lambda s: tf.transpose(tf.reshape(s, [2, 2])), [[b"a", b""], [b"bb", b"a"]]),
            (lambda s: tf.concat([s, ["z"]], 0), [b"a", b"bb", b"", b"a", b"z"]),
            (lambda s: tf.stack([s[:1], s[1:2]]), [[b"a"], [b"bb"]]),
            (lambda s: tf.tile(s[:2], [2]), [b"a", b"bb", b"a", b"bb"]),
            (lambda s: tf.repeat(s[:2], 2), [b"a", b"a", b"bb", b"bb"]),
            (lambda s: tf.reverse(s[:2], [0]), [b"bb", b"a"]),
            (lambda s: tf.roll(s[:3], 1, 0), [b"", b"a", b"bb"]),
            (lambda s: tf.expand_dims(s[:1], 0), [[b"a"]]),
            (lambda s: tf.squeeze(s[None, :1]), b"a"),
            (lambda s: tf.broadcast_to(s[1], [2]), [b"bb", b"bb"]),
            (lambda s: tf.where([True, False, True, False], s, "z"), [b"a", b"z", b"", b"z"]),
            (lambda s: tf.identity(s), [b"a", b"bb", b"", b"a"]),
            (lambda s: tf.stop_gradient(s), [b"a", b"bb", b"", b"a"]),
        ],
    )
    def test_results(self, moved: Any, expected: Any) -> None:
        assert elements(moved(tf.constant(NAMES))) == expected
        assert elements(moved(tf.Variable(NAMES))) == expected

    def test_several_results(self) -> None:
        first, second = tf.split(tf.constant(NAMES), 2)
        assert elements(first) == [b"a", b"bb"]
        assert elements(second) == [b"", b"a"]
        assert [elements(t) for t in tf.unstack(tf.constant(NAMES))] == [b"a", b"bb", b"", b"a"]
        assert [elements(t) for t in tf.constant(NAMES)] == [b"a", b"bb", b"", b"a"]

    def test_bytes_are_kept_as_they_are(self) -> None:
        odd = [b"\x00a\x00", "é".encode(), b"\xff", b""]
        assert elements(tf.constant(odd)[::-1]) == odd[::-1]

    @pytest.mark.parametrize(
        "moved",
        [
            lambda s, i: s[i],
            lambda s, i: tf.gather(s, i),
            lambda s, i: tf.gather_nd(s, tf.reshape(i, [1])),
            lambda s, i: tf.slice(s, tf.reshape(i, [1]), [1])[0],
        ],
        ids=["[]", "gather", "gather_nd", "slice"],
    )
    def test_indices_that_the_host_does_not_know(self, moved: Any) -> None:
        names = tf.constant(NAMES)
        assert elements(moved(names, pending(1))) == b"bb"
        with pytest.raises(Invalid, match=r"9.* At .*test_strings.py:\d+"):
            moved(names, pending(9))

    def test_the_name_of_a_class(self) -> None:
        names = tf.constant(["cat", "dog", "fish"])
        logits = tf.constant([[0.1, 3.0, 0.2], [2.0, 1.0, 0.0]])
        assert elements(tf.gather(names, tf.argmax(logits, axis=1))) == [b"dog", b"cat"]

    def test_variables(self) -> None:
        variable = tf.Variable(NAMES)
        variable.assign(["q", "r", "s", "t"])
        assert elements(variable[1]) == b"r"

    def test_inside_a_users_own_jit(self) -> None:
        names = tf.constant(NAMES)

        @jax.jit
        def function(x: Any) -> Any:
            assert elements(tf.reverse(names, [0])) == [b"a", b"", b"bb", b"a"]
            return x + 1

        assert function(1.0) == 2.0


class TestInFunctions:
    def test_constants_do_not_unstage(self) -> None:
        @tf.function
        def function(x: Any) -> Any:
            return x * 2.0, tf.constant(NAMES)[1]

        for value in (1.0, 2.0):
            doubled, name = function(tf.constant(value))
            assert doubled.numpy() == 2 * value
            assert elements(name) == b"bb"
        assert function.experimental_get_tracing_count() == 1

    def test_arguments(self) -> None:
        function = tf.function(lambda s, i: s[i])
        with pytest.warns(UserWarning, match=r"is run as plain Python"):
            assert elements(function(tf.constant(NAMES), tf.constant(1))) == b"bb"
        assert elements(function(tf.constant(["q", "r", "s", "t"]), tf.constant(0))) == b"q"

    def test_indices_computed_from_arguments(self) -> None:
        function = tf.function(lambda x: tf.gather(tf.constant(["no", "yes"]), tf.cast(x > 0, tf.int32)))
        with pytest.warns(UserWarning, match=r"at .*test_strings.py:\d+ Python reads"):
            assert elements(function(tf.constant(1.0))) == b"yes"
        assert elements(function(tf.constant(-1.0))) == b"no"


class TestJoining:
    @pytest.mark.parametrize(
        ("joined", "expected"),
        [
            (lambda: tf.constant("a") + "b", b"ab"),
            (lambda: "b" + tf.constant("a"), b"ba"),
            (lambda: tf.constant("a") + b"\xff\x00", b"a\xff\x00"),
            (lambda: tf.constant(["a", "b"]) + "x", [b"ax", b"bx"]),
            (lambda: tf.add(tf.constant("a"), ["b", "c"]), [b"ab", b"ac"]),
            (lambda: tf.constant("a") + np.array(["x", "y"]), [b"ax", b"ay"]),
            (lambda: tf.constant([["a"], ["b"]]) + tf.constant(["x", "y"]), [[b"ax", b"ay"], [b"bx", b"by"]]),
            (lambda: tf.Variable("a") + "b", b"ab"),
            (lambda: tf.add("a", "b"), b"ab"),
            (lambda: tf.constant(NAMES)[:0] + "a", []),
        ],
    )
    def test_results(self, joined: Any, expected: Any) -> None:
        assert elements(joined()) == expected

    def test_refuses(self) -> None:
        with pytest.raises(Invalid, match=r"Incompatible shapes: \[2\] vs. \[3\]. Add expected strings"):
            _ = tf.constant(["a", "b"]) + tf.constant(["x", "y", "z"])
        with pytest.raises(Invalid, match=r"expected to be a string tensor but is a int32 tensor"):
            _ = tf.constant("a") + 1
        with pytest.raises(Invalid, match=r"expected to be a int32 tensor but is a string tensor"):
            _ = tf.constant(1) + "a"


@pytest.mark.parametrize(
    "function",
    [
        lambda s: s - s,
        lambda s: s * s,
        lambda s: -s,
        lambda s: tf.abs(s),
        lambda s: tf.reduce_sum(s),
        lambda s: tf.add_n([s, s]),
        lambda s: s < s,
    ],
)
def test_computing_refuses(function: Any) -> None:
    with pytest.raises(Invalid, match=r"expected numbers; got strings \(string\[4\].*tf.strings.to_number"):
        function(tf.constant(NAMES))


def test_comparing() -> None:
    names = tf.constant(NAMES)
    assert (names == "a").numpy().tolist() == [True, False, False, True]
    assert (names != "a").numpy().tolist() == [False, True, True, False]
    assert (names == tf.constant(["a", "b"])).numpy() == np.False_
    with pytest.raises(Invalid, match=r"Incompatible shapes: \[4\] vs. \[2\]. Equal expected strings"):
        tf.equal(names, ["a", "b"])
