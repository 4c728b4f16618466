"""tf.custom_gradient and tf.recompute_grad."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.recording.body import record_body
from tapeflow.engine.recording.node import spec_of
from tapeflow.engine.values.dtypes import float32
from tapeflow.ops.gradient.custom_gradient import _custom_kernel, _recompute_kernel

Invalid = tf.errors.InvalidArgumentError


def eager(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


both = pytest.mark.parametrize("run", [eager, tf.function], ids=["eager", "function"])


def gradients(function: Callable[..., Any], *sources: Any) -> list[Any]:
    """The gradient with respect to each source, as a number or array, or None."""
    with tf.GradientTape() as tape:
        for source in sources:
            tape.watch(source)
        y = function(*sources)
    return [None if g is None else g.numpy() for g in tape.gradient(y, list(sources))]


@tf.custom_gradient
def tenfold(x: Any) -> Any:
    """x squared, with five times its derivative."""
    return x * x, lambda dy: dy * x * 10.0


class TestFirstOrder:
    @both
    def test_the_gradient_is_what_the_function_says(self, run: Any) -> None:
        x = tf.Variable(3.0)
        function = run(tenfold)
        assert function(x).numpy() == 9.0
        assert gradients(function, x) == [30.0]
        x.assign(2.0)
        assert gradients(function, x) == [20.0]

    @both
    def test_upstream_and_downstream(self, run: Any) -> None:
        assert gradients(run(lambda x: tf.reduce_sum(tenfold(x * 2.0) * 3.0)), tf.Variable([1.0, 2.0]))[
            0
        ].tolist() == [120.0, 240.0]

    def test_none(self) -> None:
        only_a = tf.custom_gradient(lambda a, b: (a * b, lambda dy: (dy * 7.0, None)))
        assert gradients(only_a, tf.Variable(2.0), tf.Variable(3.0)) == [7.0, None]
        assert gradients(tf.function(only_a), tf.Variable(2.0), tf.Variable(3.0)) == [7.0, None]
        nothing = tf.custom_gradient(lambda a: (a * a, lambda dy: None))
        assert gradients(nothing, tf.constant(2.0)) == [None]

    def test_none_reaches_no_further(self) -> None:
        """The Variable behind an input without a gradient is unconnected as well."""
        x, y = tf.Variable(2.0), tf.Variable(3.0)
        only_a = tf.custom_gradient(lambda a, b: (a * b, lambda dy: (dy * 7.0, None)))
        with tf.GradientTape() as tape:
            z = only_a(x * 2.0, y * 2.0)
        for_x, for_y = tape.gradient(z, [x, y])
        assert for_x.numpy() == 14.0
        assert for_y is None

    def test_the_result_may_be_the_input(self) -> None:
        halved = tf.custom_gradient(lambda x: (x, lambda dy: dy * 0.5))
        x = tf.constant(3.0)
        assert gradients(halved, x) == [0.5]

    def test_several_results(self) -> None:
        split = tf.custom_gradient(lambda x: ({"a": x * x, "b": [x + 1.0]}, lambda da, db: da * 10.0 + db))
        x = tf.Variable(2.0)
        with tf.GradientTape(persistent=True) as tape:
            found = split(x)
        assert found["a"].numpy() == 4.0
        assert isinstance(found["b"], list)
        assert tape.gradient(found["a"], x).numpy() == 10.0
        assert tape.gradient(found["b"], x).numpy() == 1.0
        assert tape.gradient(found, x).numpy() == 11.0

    def test_an_integer_among_the_results(self) -> None:
        @tf.custom_gradient
        def largest(x: Any) -> Any:
            values, places = tf.math.top_k(x, 1)
            return (values, places), lambda dv, di: tf.concat([dv * 3.0, tf.cast(di, tf.float32)], 0)

        x = tf.constant([1.0, 5.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            values, places = largest(x)
        assert places.numpy().tolist() == [1]
        assert tape.gradient(values, x).numpy().tolist() == [3.0, 0.0]

    def test_nested_arguments(self) -> None:
        def product(pair: Any, c: Any) -> Any:
            return pair["a"] * pair["b"] * c, lambda dy: ({"a": dy * 5.0, "b": dy * 6.0}, dy * 7.0)

        a, b, c = tf.Variable(2.0), tf.Variable(3.0), tf.Variable(4.0)
        found = gradients(lambda a, b, c: tf.custom_gradient(product)({"a": a, "b": b}, c), a, b, c)
        assert found == [5.0, 6.0, 7.0]

    def test_arguments_that_are_no_tensors(self) -> None:
        scaled = tf.custom_gradient(lambda x, k: (x * k, lambda dy: (dy * 5.0, None)))
        assert gradients(lambda x: scaled(x, 3.0), tf.Variable(2.0)) == [5.0]
        seen: list[str] = []
        kinds = tf.custom_gradient(
            lambda x, k: ((seen.append(type(k).__name__), x)[1], lambda dy: (dy, None))
        )
        kinds(tf.constant(1.0), 3)
        assert seen == ["int"]

    def test_keyword_arguments_have_no_gradient(self) -> None:
        scaled = tf.custom_gradient(lambda x, k=1.0: (x * k, lambda dy: dy * 5.0))
        for k in (tf.constant(3.0), tf.Variable(3.0)):
            assert gradients(lambda x, k: scaled(x, k=k), tf.Variable(2.0), k) == [5.0, None]

    def test_the_same_input_twice(self) -> None:
        product = tf.custom_gradient(lambda a, b: (a * b, lambda dy: (dy * 5.0, dy * 6.0)))
        assert gradients(lambda x: product(x, x), tf.Variable(2.0)) == [11.0]

    def test_a_gradient_takes_shape_and_dtype_of_its_input(self) -> None:
        flat = tf.custom_gradient(lambda x: (tf.reshape(x, [-1]), lambda dy: tf.cast(dy * 2.0, tf.float64)))
        found = gradients(flat, tf.Variable([[1.0], [2.0]]))[0]
        assert found.tolist() == [[2.0], [2.0]]
        assert found.dtype == np.float32

    def test_methods(self) -> None:
        class Layer:
            scale = 3.0

            @tf.custom_gradient
            def call(self, x: Any) -> Any:
                """Scaled."""
                return x * self.scale, lambda dy: dy * 7.0

            @staticmethod
            @tf.custom_gradient
            def static(x: Any) -> Any:
                return x * 2.0, lambda dy: dy * 8.0

        layer = Layer()
        assert layer.call(tf.constant(2.0)).numpy() == 6.0
        assert gradients(layer.call, tf.Variable(2.0)) == [7.0]
        assert gradients(layer.static, tf.Variable(2.0)) == [8.0]
        assert Layer.call.__doc__ == "Scaled."

    def test_without_a_tape(self) -> None:
        called: list[int] = []
        lazily = tf.custom_gradient(lambda x: (x * 2.0, lambda dy: called.append(1)))
        assert lazily(tf.constant(1.0)).numpy() == 2.0
        assert called == []
        assert tf.custom_gradient()(lambda x: (x, lambda dy: dy))(tf.constant(1.0)).numpy() == 1.0

    def test_a_value_read_from_the_forward_part(self) -> None:
        sided = tf.custom_gradient(lambda x: (x * x, lambda dy: dy * float(x)))
        assert gradients(sided, tf.Variable(3.0)) == [3.0]

    def test_jacobian(self) -> None:
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tenfold(x)
        assert tape.jacobian(y, x).numpy().tolist() == [[10.0, 0.0], [0.0, 20.0]]

    def test_stays_single_precision(self) -> None:
        body = record_body(lambda dy: dy * 0.5, spec_of((), float32))

        def run(value: Any, source: Any, scale: Any) -> Any:
            return _custom_kernel.kernel(value, source, scale, graph=body.graph, results=1, sources=1)[0]

        text = str(jax.make_jaxpr(jax.grad(run, argnums=1))(*[jnp.float32(1.0)] * 3))
        assert "f64" not in text


class TestVariables:
    def test_gradients_of_what_is_read(self) -> None:
        weight = tf.Variable(3.0)

        @tf.custom_gradient
        def scaled(x: Any) -> Any:
            def grad(dy: Any, variables: Any = None) -> Any:
                assert len(variables) == 1
                assert variables[0] is weight
                return dy * 100.0, [dy * 1000.0]

            return x * weight, grad

        x = tf.Variable(2.0)
        for run in (eager, tf.function):
            with tf.GradientTape() as tape:
                y = run(scaled)(x)
            assert y.numpy() == 6.0
            assert [g.numpy() for g in tape.gradient(y, [x, weight])] == [100.0, 1000.0]

    @pytest.mark.parametrize("given", [None, [None]])
    def test_none(self, given: Any) -> None:
        weight = tf.Variable(3.0)
        scaled = tf.custom_gradient(lambda x: (x * weight, lambda dy, variables: (dy, given)))
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = scaled(x)
        found = tape.gradient(y, [x, weight])
        assert found[0].numpy() == 1.0
        assert found[1] is None

    def test_any_keyword_will_do(self) -> None:
        weight = tf.Variable(3.0)
        scaled = tf.custom_gradient(lambda x: (x * weight, lambda dy, **more: (dy, [dy * 5.0])))
        with tf.GradientTape() as tape:
            y = scaled(tf.constant(2.0))
        assert tape.gradient(y, weight).numpy() == 5.0

    def test_those_passed_in_are_inputs(self) -> None:
        weight = tf.Variable(3.0)
        squared = tf.custom_gradient(lambda w: (w * w, lambda dy: dy * w * 5.0))
        assert gradients(squared, weight) == [15.0]

    def test_those_not_trained_do_not_count(self) -> None:
        rate = tf.Variable(3.0, trainable=False)
        scaled = tf.custom_gradient(lambda x: (x * rate, lambda dy: dy * 9.0))
        assert gradients(scaled, tf.Variable(2.0)) == [9.0]


class TestHigherOrders:
    @both
    def test_through_the_input(self, run: Any) -> None:
        x = tf.Variable(3.0)
        function = run(tenfold)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = function(x)
            first = inner.gradient(y, x)
        assert first.numpy() == 30.0
        assert outer.gradient(first, x).numpy() == 10.0

    def test_through_the_result(self) -> None:
        def exponential(x: Any) -> Any:
            y = tf.exp(x)
            return y, lambda dy: dy * y

        x = tf.Variable(1.0)
        with tf.GradientTape() as third:
            with tf.GradientTape() as second:
                with tf.GradientTape() as first:
                    y = tf.custom_gradient(exponential)(x)
                g1 = first.gradient(y, x)
            g2 = second.gradient(g1, x)
        g3 = third.gradient(g2, x)
        np.testing.assert_allclose([g1, g2, g3], np.e, rtol=1e-6)

    def test_through_a_captured_variable(self) -> None:
        weight, x = tf.Variable(2.0), tf.Variable(3.0)
        scaled = tf.custom_gradient(lambda x: (x * 1.0, lambda dy: dy * weight * weight))
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = scaled(x)
            first = inner.gradient(y, x)
        assert first.numpy() == 4.0
        assert outer.gradient(first, weight).numpy() == 4.0

    def test_of_the_result_and_of_its_gradient(self) -> None:
        """A gradient penalty: the outer tape meets the rule itself, and the derivative of the rule."""
        x = tf.Variable(3.0)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = tenfold(x)
            slope = inner.gradient(y, x)
            loss = y + slope * slope
        assert outer.gradient(loss, x).numpy() == 30.0 + 2.0 * 30.0 * 10.0

    def test_of_what_has_no_gradient(self) -> None:
        """Without a first derivative, but the other input's depends on it."""
        a, b = tf.Variable(2.0), tf.Variable(3.0)
        product = tf.custom_gradient(lambda a, b: (a * b, lambda dy: (dy * b, None)))
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = product(a, b)
            slope = inner.gradient(y, a)
        assert slope.numpy() == 3.0
        assert outer.gradient(slope, b).numpy() == 1.0


class TestInside:
    """Inside loops, branches and recorded functions."""

    def test_loops(self) -> None:
        x = tf.constant([1.0, 2.0])
        for loop in (tf.map_fn, tf.vectorized_map):
            assert gradients(lambda x, loop=loop: tf.reduce_sum(loop(tenfold, x)), x)[0].tolist() == [
                10.0,
                20.0,
            ]
        found = gradients(lambda x: tf.scan(lambda a, row: tenfold(a) * row, x, tf.constant(1.0))[-1], x)[0]
        assert found.tolist() == [20.0, 1.0]

    def test_while_loop(self) -> None:
        def twice(x: Any) -> Any:
            start = (tf.constant(0), x * 1.0)
            return tf.while_loop(
                lambda i, a: i < 2, lambda i, a: (i + 1, tenfold(a)), start, maximum_iterations=3
            )[1]

        assert gradients(twice, tf.Variable(1.0)) == [100.0]

    def test_branch(self) -> None:
        function = tf.function(lambda x: tf.cond(x > 0, lambda: tenfold(x), lambda: x))
        assert gradients(function, tf.Variable(2.0)) == [20.0]
        assert gradients(function, tf.Variable(-2.0)) == [1.0]

    def test_a_tape_in_a_function(self) -> None:
        x = tf.Variable(3.0)

        @tf.function
        def slope(scale: Any) -> Any:
            with tf.GradientTape() as tape:
                y = tenfold(x) * scale
            return tape.gradient(y, x)

        assert [slope(tf.constant(v)).numpy() for v in (1.0, 2.0)] == [30.0, 60.0]
        x.assign(5.0)
        assert slope(tf.constant(1.0)).numpy() == 50.0

    def test_random_forward(self) -> None:
        noisy = tf.custom_gradient(lambda x: (x + tf.random.uniform([]), lambda dy: dy))
        function = tf.function(lambda x: noisy(x))
        with tf.GradientTape():
            x = tf.Variable(0.0)
            assert len({float(function(x)) for _ in range(3)}) == 3


class TestNonsense:
    @pytest.mark.parametrize(
        "function",
        [
            lambda x: x * 2.0,
            lambda x: (x, 3),
            lambda x: (x, lambda dy: dy, 4),
            lambda x: None,
            lambda x: (x,),
        ],
    )
    def test_what_the_function_returns(self, function: Any) -> None:
        with pytest.raises(TypeError, match=r"expected a function that returns \(result, grad_fn\); got"):
            tf.custom_gradient(function)(tf.ones([2, 3]))

    @pytest.mark.parametrize(
        ("error", "function", "text"),
        [
            (
                ValueError,
                lambda x: (x, lambda dy: (dy, dy)),
                "1 gradients, one for each of its inputs; got 2",
            ),
            (ValueError, lambda x: (x, lambda dy: ()), "1 gradients, one for each of its inputs; got 0"),
            (
                ValueError,
                lambda x: (x, lambda dy: tf.ones([3])),
                r"a gradient of its input's shape \(\); got shape \(3,\)",
            ),
            (
                ValueError,
                lambda x: (x * 1.0, lambda dy: dy if float(dy) > 0 else -dy),
                "expected a grad_fn that consists of tf ops; it reads the value of a gradient",
            ),
            (
                ValueError,
                lambda x: (x * 1.0, lambda dy: (tf.print(dy), dy)[1]),
                "expected a grad_fn that consists of tf ops; .* or prints",
            ),
        ],
    )
    def test_what_grad_fn_returns(self, error: Any, function: Any, text: str) -> None:
        with pytest.raises(error, match=text):
            gradients(tf.custom_gradient(function), tf.Variable(2.0))

    def test_variables(self) -> None:
        weight = tf.Variable(3.0, name="weight")
        cases = [
            (TypeError, lambda dy: dy, r"'variables', since the function reads the Variables \['weight:0'\]"),
            (TypeError, lambda dy, variables: dy, r"to return \(gradients, variable_gradients\); got Tensor"),
            (ValueError, lambda dy, variables: (dy, [dy, dy]), r"one for each of its Variables; got 2"),
        ]
        for error, grad, text in cases:
            scaled = tf.custom_gradient(lambda x, grad=grad: (x * weight, grad))
            with pytest.raises(error, match=text):
                gradients(scaled, tf.constant(2.0))

    def test_functions(self) -> None:
        with pytest.raises(TypeError, match=r"tf.custom_gradient expected a function; got f=3"):
            tf.custom_gradient(3)  # pyright: ignore[reportArgumentType]
        with pytest.raises(TypeError, match=r"tf.recompute_grad expected a function; got f=3"):
            tf.recompute_grad(3)  # pyright: ignore[reportArgumentType]


class TestRecompute:
    WEIGHTS = np.linspace(0.1, 0.5, 9, dtype=np.float32).reshape(3, 3)

    @both
    def test_same_values_and_derivatives(self, run: Any) -> None:
        weights = tf.Variable(self.WEIGHTS)

        def block(x: Any) -> Any:
            return tf.tanh(tf.matmul(tf.tanh(tf.matmul(x, weights)), weights))

        x = tf.Variable(np.ones((2, 3), np.float32))
        found = []
        for function in (block, run(tf.recompute_grad(block))):
            with tf.GradientTape() as outer:
                with tf.GradientTape() as inner:
                    y = tf.reduce_sum(function(x))
                slopes = inner.gradient(y, [x, weights])
                norm = sum(tf.reduce_sum(s * s) for s in slopes)
            found.append([y, *slopes, *outer.gradient(norm, [x, weights])])
        for plain, again in zip(*found, strict=True):
            np.testing.assert_allclose(plain, again, rtol=1e-5)

    def test_the_forward_part_is_computed_again(self) -> None:
        """What is kept for the way back is the input alone, and `exp` is there twice."""
        spec = spec_of((1000,), float32)
        body = record_body(lambda x: tf.sin(tf.exp(tf.sin(x))), spec)

        def plain(x: Any) -> Any:
            return body.graph(jnp.uint32(0), x)[0]

        def recomputed(x: Any) -> Any:
            return _recompute_kernel.kernel(x, graph=body.graph)[0]

        kept, times = {}, {}
        for name, function in (("plain", plain), ("recomputed", recomputed)):
            x = jnp.ones((1000,), jnp.float32)
            _, pull = jax.vjp(function, x)
            kept[name] = sum(leaf.size for leaf in jax.tree_util.tree_leaves(pull) if hasattr(leaf, "size"))
            text = str(jax.make_jaxpr(lambda x, f=function: jax.vjp(f, x)[1](x))(x))
            times[name] = text.count(" exp ")
        assert kept["recomputed"] <= 1000 < kept["plain"]
        assert times == {"plain": 1, "recomputed": 2}

    def test_structures_and_other_arguments(self) -> None:
        def block(data: Any, power: int, scale: float = 1.0) -> Any:
            return {"y": data["x"] ** power * scale, "n": None}

        found = tf.recompute_grad(block)({"x": tf.constant(3.0)}, 2, scale=5.0)
        assert found["y"].numpy() == 45.0
        assert found["n"] is None

    def test_methods(self) -> None:
        class Layer:
            weight = tf.Variable(2.0)

            @tf.recompute_grad
            def call(self, x: Any) -> Any:
                return x * x * self.weight

        assert gradients(Layer().call, tf.constant(3.0)) == [12.0]

    @pytest.mark.parametrize("kind", ["reads", "prints", "writes"])
    def test_what_cannot_be_recorded_runs_as_it_is(self, kind: str, capsys: Any) -> None:
        total = tf.Variable(0.0, trainable=False)

        def block(x: Any) -> Any:
            if kind == "reads" and float(x) < 0:
                return -x
            if kind == "prints":
                tf.print("x", output_stream=sys.stdout)
            if kind == "writes":
                total.assign_add(1.0)
            return x * x

        assert gradients(tf.recompute_grad(block), tf.constant(3.0)) == [6.0]
        assert capsys.readouterr().out == ("x\n" if kind == "prints" else "")
        assert total.numpy() == (1.0 if kind == "writes" else 0.0)

    def test_the_same_numbers_are_drawn_again(self) -> None:
        drop = tf.recompute_grad(lambda x: tf.nn.dropout(x, 0.5))
        x = tf.constant(np.ones(64, np.float32))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = drop(x)
        np.testing.assert_array_equal(tape.gradient(y, x), y)
        assert 0 < np.count_nonzero(y) < 64

    def test_checks_name_the_line(self) -> None:
        def pick(i: Any) -> Any:
            return tf.gather(tf.constant([1.0, 2.0]), i)

        line = sys._getframe().f_lineno - 2
        with pytest.raises(
            Invalid, match=rf"indices = 9 is not in \[0, 2\). At .*test_custom_gradient.py:{line}"
        ):
            tf.recompute_grad(pick)(tf.constant(9) * 1).numpy()


def test_what_the_gradient_captures_is_unconnected_but_matters_to_its_derivative() -> None:
    @tf.custom_gradient
    def product(x: Any, y: Any) -> Any:
        return x * y, lambda upstream: (upstream * y, None)

    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape() as inner:
            z = product(x, y)
        dx, dy = inner.gradient(z, [x, y])
    assert (float(dx), dy) == (3, None)
    assert outer.gradient(z, y) is None
    assert float(outer.gradient(dx, y)) == 1
