"""One contract for every differentiable op of mathematics.

Its gradient agrees with finite differences, and so does the gradient of its gradient; and neither
it nor its gradient computes anything in float64 when the inputs are float32.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tapeflow.engine.backend import jax, jnp
from tapeflow.engine.differentiation.tape import GradientTape
from tapeflow.engine.values.convert import convert_to_tensor
from tapeflow.ops.math import (
    arithmetic,
    casting,
    clip,
    cumulative,
    division,
    elementwise,
    ordering,
    power,
    reduction,
    segment,
    special,
)

MIXED = np.array([[-1.7, -0.6, 0.4], [0.9, 1.3, 2.2]])
POSITIVE = np.array([[0.3, 0.6, 1.4], [1.9, 2.3, 3.2]])
UNIT = np.array([[-0.8, -0.35, 0.1], [0.25, 0.5, 0.77]])
ROW = np.array([0.7, 1.6, -1.1])
POSITIVE_ROW = np.array([0.7, 1.6, 2.1])
IDS = np.array([1, 0, 1, -1, 2], np.int32)
SORTED_IDS = np.array([0, 0, 1, 3, 3], np.int32)
DATA = np.array([[1.2, -0.4], [0.3, 2.0], [-1.1, 0.8], [0.6, 1.7], [2.4, -0.9]])


@dataclass
class Case:
    """An op at a point where it is smooth; `order` is how often to differentiate."""

    name: str
    function: Callable[..., Any]
    inputs: tuple[np.ndarray, ...]
    order: int = 2


def unary(module: Any, names: str, x: np.ndarray, order: int = 2) -> list[Case]:
    return [Case(n, getattr(module, n), (x,), order) for n in names.split()]


def binary(module: Any, names: str, x: np.ndarray, y: np.ndarray) -> list[Case]:
    return [Case(n, getattr(module, n), (x, y)) for n in names.split()]


CASES = [
    *unary(arithmetic, "negative abs sign square", MIXED),
    *unary(arithmetic, "sqrt rsqrt reciprocal", POSITIVE),
    *unary(division, "reciprocal_no_nan", POSITIVE),
    *binary(arithmetic, "add subtract multiply squared_difference maximum minimum", MIXED, ROW),
    *binary(arithmetic, "divide truediv realdiv", MIXED, POSITIVE_ROW),
    *binary(division, "divide_no_nan multiply_no_nan xdivy floormod", MIXED, POSITIVE_ROW),
    *binary(division, "truncatemod xlogy xlog1py", POSITIVE, POSITIVE_ROW),
    Case("pow", power.pow, (POSITIVE, POSITIVE_ROW)),
    Case("add_n", lambda x, y: arithmetic.add_n([x, y, x]), (MIXED, POSITIVE)),
    Case("accumulate_n", lambda x, y: arithmetic.accumulate_n([x, y]), (MIXED, POSITIVE)),
    Case("scalar_mul", arithmetic.scalar_mul, (np.array(1.3), MIXED)),
    Case("polyval", lambda c, x: arithmetic.polyval([c, 2.0, c], x), (np.array(0.4), MIXED)),
    *[Case(f"pow {n}", lambda x, n=n: power.pow(x, n), (POSITIVE,)) for n in (0, 1, 2, 3, 16)],
    *[Case(f"pow {n}", lambda x, n=n: power.pow(x, n), (POSITIVE,)) for n in (-1, -3, 17, 2.5)],
    Case("nextafter", arithmetic.nextafter, (MIXED, POSITIVE), order=0),
    *unary(elementwise, "exp expm1 sin cos atan sinh cosh tanh asinh sigmoid", MIXED),
    *unary(elementwise, "softplus log_sigmoid softsign", MIXED),
    *unary(elementwise, "log log1p tan", POSITIVE),
    *unary(elementwise, "asin acos atanh", UNIT),
    Case("acosh", elementwise.acosh, (POSITIVE + 1,)),
    Case("atan2", elementwise.atan2, (MIXED, POSITIVE_ROW)),
    *unary(special, "erf erfc bessel_i0 bessel_i1", MIXED),
    *unary(special, "bessel_i0e bessel_i1e", MIXED),
    *unary(special, "lgamma digamma lbeta", POSITIVE),
    *unary(special, "erfinv", UNIT),
    Case("erfcinv", special.erfcinv, (UNIT + 1,)),
    Case("ndtri", special.ndtri, ((UNIT + 1) / 2,)),
    Case("igamma", lambda x: special.igamma(POSITIVE_ROW, x), (POSITIVE,)),
    Case("igammac", lambda x: special.igammac(POSITIVE_ROW, x), (POSITIVE,)),
    Case("igamma by a", lambda a: special.igamma(a, POSITIVE_ROW), (POSITIVE,), order=1),
    Case("betainc", lambda x: special.betainc(POSITIVE_ROW, 1.5, x), ((UNIT + 1) / 2,)),
    Case("polygamma", lambda x: special.polygamma(2.0, x), (POSITIVE,), order=1),
    Case("zeta", lambda x: special.zeta(2.5, x), (POSITIVE,), order=1),
    *unary(reduction, "reduce_sum reduce_mean reduce_prod reduce_max reduce_min", MIXED),
    *unary(reduction, "reduce_logsumexp reduce_std reduce_variance", MIXED),
    *unary(reduction, "reduce_euclidean_norm l2_normalize", MIXED),
    Case("reduce_prod axis", lambda x: reduction.reduce_prod(x, 1), (MIXED,)),
    Case("reduce_max keepdims", lambda x: reduction.reduce_max(x, 0, True), (MIXED,)),
    Case("reduce_logsumexp axis", lambda x: reduction.reduce_logsumexp(x, [-1]), (MIXED,)),
    Case("l2_normalize axis", lambda x: reduction.l2_normalize(x, 1), (MIXED,)),
    *unary(cumulative, "cumsum cumprod cumulative_logsumexp", MIXED),
    *[
        Case(f"{f.__name__} exclusive", lambda x, f=f: f(x, 1, exclusive=True), (MIXED,))
        for f in (cumulative.cumsum, cumulative.cumprod)
    ],
    Case(
        "cumulative_logsumexp reverse",
        lambda x: cumulative.cumulative_logsumexp(x, -1, reverse=True),
        (MIXED,),
    ),
    Case("sort", lambda x: ordering.sort(x, direction="DESCENDING"), (MIXED,)),
    Case("top_k", lambda x: ordering.top_k(x, 2).values, (MIXED,)),
    Case("clip_by_value", clip.clip_by_value, (MIXED, np.array(-1.0), np.array(1.5))),
    Case("clip_by_norm", clip.clip_by_norm, (MIXED, np.array(1.5))),
    Case("clip_by_norm inside", clip.clip_by_norm, (MIXED, np.array(50.0))),
    Case("global_norm", lambda x, y: clip.global_norm([x, None, y]), (MIXED, ROW)),
    Case(
        "clip_by_global_norm",
        lambda x, y: clip.clip_by_global_norm([x, y], 1.5)[0][0],
        (MIXED, ROW),
    ),
    Case("cast", lambda x: casting.cast(casting.cast(x, "complex128"), "float64"), (MIXED,)),
    *[
        Case(n, lambda x, n=n: getattr(segment, n)(x, IDS, 3), (DATA,))
        for n in (
            "unsorted_segment_sum",
            "unsorted_segment_mean",
            "unsorted_segment_sqrt_n",
            "unsorted_segment_prod",
            "unsorted_segment_max",
            "unsorted_segment_min",
        )
    ],
    *[
        Case(n, lambda x, n=n: getattr(segment, n)(x, SORTED_IDS), (DATA,))
        for n in ("segment_sum", "segment_mean", "segment_prod", "segment_max", "segment_min")
    ],
]
IDENTITIES = [case.name for case in CASES]


def projected(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` followed by a fixed weighting, so that no two derivatives look alike."""

    def project(*inputs: Any) -> Any:
        result = function(*inputs)
        weights = np.random.default_rng(7).uniform(0.5, 1.5, result.shape)
        return reduction.reduce_sum(result * convert_to_tensor(weights, dtype=result.dtype))

    return project


def slope(function: Callable[..., Any], directions: list[np.ndarray]) -> Callable[..., Any]:
    """The derivative of a scalar function along `directions`, by a tape."""

    def derivative(*inputs: Any) -> Any:
        with GradientTape() as tape:
            tape.watch(inputs)
            value = function(*inputs)
        total = 0.0
        for gradient, direction in zip(tape.gradient(value, inputs), directions, strict=True):
            if gradient is not None:
                total = total + reduction.reduce_sum(gradient * direction)
        return convert_to_tensor(total, dtype_hint="float64")

    return derivative


def number(function: Callable[..., Any], inputs: list[np.ndarray]) -> float:
    return float(function(*[convert_to_tensor(x, dtype="float64") for x in inputs]))


@pytest.mark.parametrize("is_deep", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["once", "deep"])
@pytest.mark.parametrize("case", CASES, ids=IDENTITIES)
def test_gradient_agrees_with_finite_differences(case: Case, is_deep: bool) -> None:
    rng = np.random.default_rng(3)
    inputs = list(case.inputs)
    directions = [np.asarray(rng.uniform(-1, 1, x.shape)) for x in inputs]
    step = 1e-5
    forth = [x + step * d for x, d in zip(inputs, directions, strict=True)]
    back = [x - step * d for x, d in zip(inputs, directions, strict=True)]
    function = projected(case.function)
    for _ in range(case.order if is_deep else 1):
        derivative = slope(function, directions)
        expected = (number(function, forth) - number(function, back)) / (2 * step)
        assert number(derivative, inputs) == pytest.approx(expected, rel=2e-6, abs=1e-7)
        function = derivative


@pytest.mark.parametrize("case", CASES, ids=IDENTITIES)
def test_float32_stays_float32(case: Case) -> None:
    if case.name == "cast":
        pytest.skip("it asks for complex128")

    def run(*inputs: Any) -> Any:
        return jnp.sum(case.function(*map(convert_to_tensor, inputs)).__jax_array__())

    inputs = [jnp.asarray(x, jnp.float32) for x in case.inputs]
    assert "f64" not in str(jax.make_jaxpr(run)(*inputs))
    places = tuple(range(len(inputs)))
    assert "f64" not in str(jax.make_jaxpr(jax.grad(run, places))(*inputs))


CORNERS: list[tuple[str, Callable[..., Any], list[Any], list[Any]]] = [
    ("abs at 0", arithmetic.abs, [[0.0, -0.0, 2.0]], [[0, 0, 1]]),
    ("sign", arithmetic.sign, [[0.0, 3.0]], [[0, 0]]),
    ("sqrt at 0", arithmetic.sqrt, [[0.0, 1.0, -1.0]], [[np.inf, 0.5, np.nan]]),
    ("rsqrt at 0", arithmetic.rsqrt, [[0.0, 1.0]], [[-np.inf, -0.5]]),
    (
        "maximum gives a tie to x",
        arithmetic.maximum,
        [[1.0, 2.0, np.nan, 1.0], [1.0, 1.0, 1.0, np.nan]],
        [[1, 1, 0, 0], [0, 0, 1, 1]],
    ),
    (
        "minimum gives a tie to x",
        arithmetic.minimum,
        [[1.0, 2.0, np.nan, 1.0], [1.0, 1.0, 1.0, np.nan]],
        [[1, 0, 0, 0], [0, 1, 1, 1]],
    ),
    ("maximum broadcasts", arithmetic.maximum, [[1.0, 2.0], [[1.0], [5.0]]], [[1, 1], [[0], [2]]]),
    (
        "pow",
        power.pow,
        [[0.0, 2.0, -2.0, 0.0, 0.0], [1.0, 3.0, 3.0, 2.0, 0.5]],
        [[1, 12, 12, 0, np.inf], [0, 5.545177459716797, 0, 0, 0]],
    ),
    ("pow 2 at 0", lambda x: power.pow(x, 2), [[0.0, -1.0]], [[0, -2]]),
    ("pow 0 at 0", lambda x: power.pow(x, 0), [[0.0, -1.0]], [[0, 0]]),
    ("pow -1 at 0", lambda x: power.pow(x, -1), [[0.0, -1.0]], [[-np.inf, -1]]),
    ("power of a negative", lambda y: power.pow(-2.0, y), [[1.0, 2.0]], [[0, 0]]),
    (
        "divide_no_nan",
        division.divide_no_nan,
        [[1.0, 0.0, 3.0], [0.0, 0.0, 2.0]],
        [[0, 0, 0.5], [0, 0, -0.75]],
    ),
    (
        "multiply_no_nan",
        division.multiply_no_nan,
        [[np.inf, np.nan, 2.0, 2.0], [0.0, 0.0, 3.0, 0.0]],
        [[0, 0, 3, 0], [np.inf, np.nan, 2, 2]],
    ),
    ("reciprocal_no_nan", division.reciprocal_no_nan, [[0.0, 2.0]], [[0, -0.25]]),
    (
        "xdivy",
        division.xdivy,
        [[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, np.nan, 2.0]],
        [[0, np.inf, 0, 0], [0, -np.inf, 0, 0]],
    ),
    (
        "xlogy",
        division.xlogy,
        [[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, np.nan, 2.0]],
        [[0, -np.inf, 0, 0], [0, np.inf, 0, 0]],
    ),
    (
        "xlog1py",
        division.xlog1py,
        [[0.0, 1.0, 0.0, 0.0], [-1.0, -1.0, np.nan, 2.0]],
        [[0, -np.inf, 0, 0], [0, np.inf, 0, 0]],
    ),
    ("floormod", division.floormod, [[5.5, -5.5], [2.0, 2.0]], [[1, 1], [-2, 3]]),
    ("nextafter", arithmetic.nextafter, [[1.0], [2.0]], [[1], [0]]),
    ("log", elementwise.log, [[0.0, -1.0, 2.0]], [[np.inf, -1, 0.5]]),
    ("sigmoid far out", elementwise.sigmoid, [[-100.0, 0.0, 100.0]], [[0, 0.25, 0]]),
    ("softplus far out", elementwise.softplus, [[-100.0, 0.0, 100.0]], [[0, 0.5, 1]]),
    ("log_sigmoid far out", elementwise.log_sigmoid, [[-100.0, 0.0, 100.0]], [[1, 0.5, 0]]),
    ("asin at 1", elementwise.asin, [[1.0, 0.0]], [[np.inf, 1]]),
    ("acosh at 1", elementwise.acosh, [[1.0]], [[np.inf]]),
    ("reduce_max shares a tie", reduction.reduce_max, [[1.0, 2.0, 2.0]], [[0, 0.5, 0.5]]),
    ("reduce_min shares a tie", reduction.reduce_min, [[1.0, 1.0, 2.0]], [[0.5, 0.5, 0]]),
    ("reduce_prod, one zero", reduction.reduce_prod, [[1.0, 0.0, 3.0]], [[0, 3, 0]]),
    ("reduce_prod, two zeros", reduction.reduce_prod, [[0.0, 0.0, 3.0]], [[0, 0, 0]]),
    ("reduce_logsumexp", reduction.reduce_logsumexp, [[-np.inf, 1.0]], [[0, 1]]),
    ("reduce_logsumexp, large", reduction.reduce_logsumexp, [[1000.0, 1.0]], [[1, 0]]),
    ("reduce_std of equals", reduction.reduce_std, [[1.0, 1.0]], [[np.nan, np.nan]]),
    ("norm at 0", reduction.reduce_euclidean_norm, [[0.0, 0.0]], [[np.nan, np.nan]]),
    ("l2_normalize at 0", reduction.l2_normalize, [[0.0, 0.0]], [[1e6, 1e6]]),
    ("cumprod at 0", cumulative.cumprod, [[1.0, 0.0, 3.0]], [[1, 4, 0]]),
    (
        "clip_by_value on its border",
        clip.clip_by_value,
        [[-1.0, 0.0, 0.5, 1.0, 2.0], 0.0, 1.0],
        [[0, 1, 1, 1, 0], 1, 1],
    ),
    (
        "clip_by_value with crossed bounds",
        clip.clip_by_value,
        [[-1.0, 0.0, 0.5, 1.0, 2.0], 1.0, 0.0],
        [[0, 0, 0, 0, 0], 5, 0],
    ),
    ("clip_by_norm at 0", lambda x: clip.clip_by_norm(x, 1.0), [[0.0, 0.0]], [[1, 1]]),
    ("clip_by_norm", lambda x: clip.clip_by_norm(x, 1.0), [[3.0, 4.0]], [[0.032, -0.024]]),
    (
        "clip_by_norm at the norm",
        lambda x: clip.clip_by_norm(x, 5.0) * [1.0, 0.0],
        [[3.0, 4.0]],
        [[0.64, -0.48]],
    ),
    ("global_norm at 0", lambda x: clip.global_norm([x]), [[0.0, 0.0]], [[np.nan, np.nan]]),
    (
        "sort of equals",
        lambda x: ordering.sort(x, direction="DESCENDING") * [1.0, 2.0, 3.0, 4.0],
        [[1.0, 3.0, 3.0, 2.0]],
        [[4, 1, 2, 3]],
    ),
    ("top_k of equals", lambda x: ordering.top_k(x, 1).values, [[1.0, 3.0, 3.0]], [[0, 1, 0]]),
    (
        "segment_max shares a tie",
        lambda x: segment.segment_max(x, [0, 0, 2]),
        [[1.0, 1.0, 2.0]],
        [[0.5, 0.5, 1]],
    ),
    (
        "segment_prod at 0",
        lambda x: segment.segment_prod(x, [0, 0, 2]),
        [[1.0, 0.0, 2.0]],
        [[0, 1, 1]],
    ),
    (
        "a negative segment id",
        lambda x: segment.unsorted_segment_sum(x, [0, -1, 2], 4),
        [[1.0, 1.0, 2.0]],
        [[1, 0, 1]],
    ),
    (
        "saturate_cast",
        lambda x: casting.saturate_cast(x, "float16"),
        [[1.0, 1e6, 65504.0]],
        [[1, 0, 1]],
    ),
]


@pytest.mark.parametrize(
    ("function", "inputs", "expected"),
    [corner[1:] for corner in CORNERS],
    ids=[corner[0] for corner in CORNERS],
)
def test_corner_follows_tensorflow(
    function: Callable[..., Any], inputs: list[Any], expected: list[Any]
) -> None:
    tensors = [convert_to_tensor(x) for x in inputs]
    with GradientTape() as tape:
        tape.watch(tensors)
        value = function(*tensors)
    for gradient, wanted in zip(tape.gradient(value, tensors), expected, strict=True):
        np.testing.assert_allclose(gradient.numpy(), wanted, rtol=1e-5, atol=1e-7)
        assert gradient.dtype == "float32"


WITHOUT_GRADIENT: list[tuple[str, Callable[[Any], Any]]] = [
    ("floor", elementwise.floor),
    ("ceil", elementwise.ceil),
    ("round", elementwise.round),
    ("rint", elementwise.rint),
    ("floordiv", lambda x: division.floordiv(x, 2.0)),
    ("truncatediv", lambda x: division.truncatediv(x, 2.0)),
    ("is_nan", elementwise.is_nan),
    ("imag of a real", elementwise.imag),
    ("argmax", ordering.argmax),
    ("argsort", ordering.argsort),
    ("cast to int", lambda x: casting.cast(casting.cast(x, "int32"), "float32")),
    ("comparison", lambda x: casting.cast(x > 1.0, "float32")),
    ("count_nonzero", lambda x: reduction.count_nonzero(x, dtype="float32")),
    ("zero_fraction", reduction.zero_fraction),
]


@pytest.mark.parametrize("function", [f for _, f in WITHOUT_GRADIENT], ids=[n for n, _ in WITHOUT_GRADIENT])
def test_has_no_gradient(function: Callable[[Any], Any]) -> None:
    x = convert_to_tensor([1.5, 2.5])
    with GradientTape() as tape:
        tape.watch(x)
        value = function(x)
    assert tape.gradient(value, x) is None


def test_complex_gradients_are_conjugated_as_in_tensorflow() -> None:
    cases = [
        (lambda z: z * z, 2 - 2j),
        (elementwise.conj, 1 - 0j),
        (elementwise.exp, 1.4686939399158851 - 2.2873552871788423j),
        (elementwise.real, 1 + 0j),
        (elementwise.imag, 1j),
        (arithmetic.abs, (1 + 1j) / np.sqrt(2)),
    ]
    z = convert_to_tensor(1 + 1j)
    for function, expected in cases:
        with GradientTape() as tape:
            tape.watch(z)
            value = function(z)
        assert complex(tape.gradient(value, z)) == pytest.approx(expected)


def test_abs_of_complex_zero_has_a_zero_gradient() -> None:
    z = convert_to_tensor([3 + 4j, 0j])
    with GradientTape() as tape:
        tape.watch(z)
        value = arithmetic.abs(z)
    np.testing.assert_allclose(tape.gradient(value, z).numpy(), [0.6 + 0.8j, 0])
