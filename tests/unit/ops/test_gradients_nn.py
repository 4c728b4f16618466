"""One contract for every differentiable op of `tf.nn`, `tf.linalg` and `tf.random`.

Its gradient agrees with finite differences, as do the gradients of its gradient (to third order for
activations and cross-entropies); and neither it nor its gradient computes anything in float64 when
the inputs are float32.
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
from tapeflow.ops.linalg import diagonal, factorization, norm, products, solving
from tapeflow.ops.linalg.einsum import einsum
from tapeflow.ops.math import reduction
from tapeflow.ops.nn import activation, cross_entropy, dropout, embedding
from tapeflow.ops.nn.norm import normalization
from tapeflow.ops.random import stateless as stateless_random

MIXED = np.array([[-1.7, -0.6, 0.4], [0.9, 1.3, 2.2]])
OTHER = np.array([[0.3, 1.1, -0.8], [-1.2, 0.5, 0.7]])
ROW = np.array([0.7, 1.6, -1.1])
POSITIVE_ROW = np.array([0.7, 1.6, 2.1])
SHARES = np.array([[0.2, 0.3, 0.5], [0.7, 0.1, 0.2]])
LABELS = np.array([2, 0], np.int32)
SQUARE = np.array([[2.0, 0.3, -0.4], [0.5, 1.6, 0.2], [-0.1, 0.7, 1.9]])
SYMMETRIC = SQUARE @ SQUARE.T
TALL = np.array([[1.0, 0.3], [-0.4, 2.0], [0.7, -1.1]])
STACK = np.stack([SQUARE, SQUARE.T + 0.1])
IMAGE = np.random.default_rng(5).uniform(-1, 1, (2, 2, 2, 4))
SEED = (3, 4)


@dataclass
class Case:
    """An op at a point where it is smooth; `order` is how often to differentiate."""

    name: str
    function: Callable[..., Any]
    inputs: tuple[np.ndarray, ...]
    order: int = 2


def third(name: str, function: Callable[..., Any], *inputs: np.ndarray) -> Case:
    return Case(name, function, inputs, order=3)


def first(name: str, function: Callable[..., Any], *inputs: np.ndarray) -> Case:
    return Case(name, function, inputs, order=1)


CASES = [
    *[
        third(n, getattr(activation, n), MIXED)
        for n in ["relu", "elu", "selu", "gelu", "silu", "softmax", "log_softmax", "crelu", "leaky_relu"]
    ],
    third("relu6", activation.relu6, MIXED * 3),
    third("gelu approximate", lambda x: activation.gelu(x, approximate=True), MIXED),
    third("silu beta", activation.silu, MIXED, np.array(1.4)),
    third("softmax axis", lambda x: activation.softmax(x, axis=0), MIXED),
    third("log_softmax axis", lambda x: activation.log_softmax(x, axis=0), MIXED),
    third(
        "softmax_cross_entropy",
        lambda x: cross_entropy.softmax_cross_entropy_with_logits(SHARES, x),
        MIXED,
    ),
    third(
        "softmax_cross_entropy axis",
        lambda x: cross_entropy.softmax_cross_entropy_with_logits(
            activation.softmax(OTHER, axis=0), x, axis=0
        ),
        MIXED,
    ),
    third(
        "softmax_cross_entropy labels",
        lambda x, y: cross_entropy.softmax_cross_entropy_with_logits(activation.softmax(y), x),
        MIXED,
        OTHER,
    ),
    third(
        "sparse_softmax_cross_entropy",
        lambda x: cross_entropy.sparse_softmax_cross_entropy_with_logits(LABELS, x),
        MIXED,
    ),
    third(
        "sigmoid_cross_entropy",
        lambda x, y: cross_entropy.sigmoid_cross_entropy_with_logits(y, x),
        MIXED,
        SHARES,
    ),
    third(
        "weighted_cross_entropy",
        lambda x, y, w: cross_entropy.weighted_cross_entropy_with_logits(y, x, w),
        MIXED,
        SHARES,
        np.array(1.7),
    ),
    third("log_poisson", lambda x, y: cross_entropy.log_poisson_loss(y, x), MIXED, SHARES),
    third(
        "log_poisson full",
        lambda x, y: cross_entropy.log_poisson_loss(y, x, compute_full_loss=True),
        MIXED,
        SHARES + 1.5,
    ),
    third("l2_loss", cross_entropy.l2_loss, MIXED),
    third("moments mean", lambda x: normalization.moments(x, [0])[0], MIXED),
    third("moments variance", lambda x: normalization.moments(x, [1])[1], MIXED),
    Case(
        "weighted_moments",
        lambda x, w: normalization.weighted_moments(x, [0], w)[1],
        (MIXED, SHARES),
    ),
    Case(
        "sufficient_statistics",
        lambda x, s: normalization.sufficient_statistics(x, [0], s)[2],
        (MIXED, np.array(0.4)),
    ),
    Case(
        "normalize_moments",
        lambda m, v: normalization.normalize_moments(3.0, m, v, 0.5)[1],
        (ROW, POSITIVE_ROW),
    ),
    Case(
        "batch_normalization",
        lambda *args: normalization.batch_normalization(*args, 1e-3),
        (MIXED, ROW, POSITIVE_ROW, ROW, POSITIVE_ROW),
    ),
    Case(
        "fused_batch_norm",
        lambda x, s, o: normalization.fused_batch_norm(x, s, o)[0],
        (IMAGE, np.array([1.0, 0.5, 2.0, 1.5]), np.array([0.1, 0.2, 0.3, 0.4])),
    ),
    Case("lrn", lambda x: normalization.lrn(x, 1, beta=0.75), (IMAGE,)),
    Case("dropout", lambda x, r: dropout.stateless_dropout(x, r, SEED), (MIXED, np.array(0.3))),
    Case("embedding", lambda x: embedding.embedding_lookup(x, [1, 0, 1]), (MIXED,)),
    Case("embedding max_norm", lambda x: embedding.embedding_lookup(x, [1, 0], max_norm=2.0), (MIXED,)),
    first("bias_add", products.bias_add, MIXED, ROW),
    Case("matmul", products.matmul, (MIXED, TALL)),
    first("matmul batch", products.matmul, STACK, TALL),
    first("matmul transposed", lambda a, b: products.matmul(a, b, transpose_b=True), MIXED, OTHER),
    first("matvec", products.matvec, MIXED, ROW),
    first("tensordot", lambda a, b: products.tensordot(a, b, [[0], [1]]), STACK, MIXED.T),
    Case("cross", products.cross, (MIXED, OTHER)),
    first("einsum", lambda a, b: einsum("bij,jk->bik", a, b), STACK, TALL),
    first("einsum diagonal", lambda a: einsum("ii->i", a), SQUARE),
    first("trace", diagonal.trace, STACK),
    first("diag", lambda x: diagonal.diag(x, k=1), MIXED),
    first("diag_part", lambda x: diagonal.diag_part(x, k=(-1, 1)), STACK),
    first("set_diag", diagonal.set_diag, SQUARE, ROW),
    first("band_part", lambda x: diagonal.band_part(x, 0, 1), SQUARE),
    first("matrix_transpose", diagonal.matrix_transpose, STACK),
    first("tensor_diag", diagonal.tensor_diag, MIXED),
    first("tensor_diag_part", diagonal.tensor_diag_part, SQUARE),
    *[
        Case(f"norm {order}", lambda x, o=order: norm.norm(x, ord=o, axis=1), (MIXED,))
        for order in ("euclidean", 1, 2.5, np.inf)
    ],
    *[
        Case(f"matrix norm {order}", lambda x, o=order: norm.norm(x, ord=o, axis=(0, 1)), (TALL,))
        for order in ("fro", 1, 2, np.inf)
    ],
    Case("normalize", lambda x: norm.normalize(x, axis=1)[0], (MIXED,)),
    # The derivative of a symmetric input is that along symmetric directions.
    Case("cholesky", lambda x: factorization.cholesky(einsum("ij,kj->ik", x, x)), (SQUARE,)),
    first("qr q", lambda x: factorization.qr(x)[0], TALL),
    first("qr r", lambda x: factorization.qr(x)[1], TALL),
    first("qr wide", lambda x: factorization.qr(x)[1], MIXED),
    Case("svd s", lambda x: factorization.svd(x, compute_uv=False), (TALL,)),
    first("svd u v", lambda x: einsum("ik,jk->ij", *factorization.svd(x)[1:]), TALL),
    Case("eigh values", lambda x: factorization.eigh(x)[0], (SYMMETRIC,)),
    first("eigh vectors", lambda x: factorization.eigh(x)[1] ** 2, SYMMETRIC),
    first("eigvalsh", factorization.eigvalsh, SYMMETRIC),
    Case("inv", solving.inv, (STACK,)),
    first("inv adjoint", lambda x: solving.inv(x, adjoint=True), SQUARE),
    first("solve", solving.solve, SQUARE, TALL),
    first("triangular_solve", solving.triangular_solve, SQUARE, TALL),
    first(
        "triangular_solve upper",
        lambda a, b: solving.triangular_solve(a, b, lower=False, adjoint=True),
        SQUARE,
        TALL,
    ),
    first("cholesky_solve", solving.cholesky_solve, SQUARE, TALL),
    Case("det", solving.det, (SQUARE,)),
    first("slogdet", lambda x: solving.slogdet(x).log_abs_determinant, SQUARE),
    Case("logdet", lambda x: solving.logdet(einsum("ij,kj->ik", x, x)), (SQUARE,)),
    first("lstsq", lambda a, b: solving.lstsq(a, b, 0.1), TALL, SQUARE),
    first("lstsq wide", lambda a, b: solving.lstsq(a, b), MIXED, SQUARE[:2]),
    first("lstsq slow", lambda a, b: solving.lstsq(a, b, fast=False), TALL, SQUARE),
    first("pinv", solving.pinv, TALL),
    first("expm", solving.expm, SQUARE / 2),
    Case(
        "stateless_normal",
        lambda m, s: stateless_random.stateless_normal([2, 3], SEED, m, s, m.dtype),
        (ROW, POSITIVE_ROW),
    ),
    first(
        "stateless_uniform",
        lambda a, b: stateless_random.stateless_uniform([2, 3], SEED, a, b, a.dtype),
        ROW,
        POSITIVE_ROW,
    ),
    first(
        "stateless_gamma",
        lambda b: stateless_random.stateless_gamma([2, 3], SEED, 2.0, b, b.dtype),
        POSITIVE_ROW,
    ),
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
        assert number(derivative, inputs) == pytest.approx(expected, rel=5e-6, abs=1e-7)
        function = derivative


@pytest.mark.parametrize("case", CASES, ids=IDENTITIES)
def test_float32_stays_float32(case: Case) -> None:
    def run(*inputs: Any) -> Any:
        return jnp.sum(case.function(*map(convert_to_tensor, inputs)).__jax_array__())

    inputs = [jnp.asarray(x, jnp.float32) for x in case.inputs]
    assert "f64" not in str(jax.make_jaxpr(run)(*inputs))
    places = tuple(range(len(inputs)))
    assert "f64" not in str(jax.make_jaxpr(jax.grad(run, places))(*inputs))


nan, inf = np.nan, np.inf

CORNERS: list[tuple[str, Callable[..., Any], Any, Any]] = [
    ("relu", activation.relu, [-1.0, 0.0, 2.0, nan], [0, 0, 1, 0]),
    ("relu6", activation.relu6, [-1.0, 0.0, 2.0, 6.0, 7.0, nan], [0, 0, 1, 0, 0, 0]),
    ("leaky_relu", activation.leaky_relu, [-1.0, 0.0, 2.0, nan], [0.2, 0.2, 1, 0.2]),
    ("leaky_relu, steep", lambda x: activation.leaky_relu(x, 2.0), [-1.0, 0.0, 2.0], [2, 2, 1]),
    ("elu", activation.elu, [-inf, -100.0, 0.0, 100.0, inf, nan], [0, 0, 1, 1, 1, 1]),
    ("selu", activation.selu, [-100.0, 0.0, 100.0], [0, 1.050701, 1.050701]),
    ("gelu far out", activation.gelu, [-100.0, 0.0, 100.0], [0, 0.5, 1]),
    ("silu far out", activation.silu, [-100.0, 0.0, 100.0], [0, 0.5, 1]),
    (
        "softmax far out",
        lambda x: activation.softmax(x) * [1.0, 2.0],
        [1e30, 0.0],
        [0, 0],
    ),
    (
        "cross-entropy far out",
        lambda x: cross_entropy.sparse_softmax_cross_entropy_with_logits(1, x),
        [1e4, 0.0],
        [1, -1],
    ),
    (
        "cross-entropy of labels that sum to 0.6",
        lambda x: cross_entropy.softmax_cross_entropy_with_logits([0.5, 0.1, 0.0], x),
        [1.0, 2.0, 3.0],
        [-0.409969, 0.144728, 0.665241],
    ),
    (
        "sigmoid cross-entropy at 0 and far out",
        lambda x: cross_entropy.sigmoid_cross_entropy_with_logits([1.0, 0.0, 1.0], x),
        [0.0, 1e4, -1e4],
        [-0.5, 1, -1],
    ),
    (
        "log_poisson of no count",
        lambda x: cross_entropy.log_poisson_loss(x, [0.5, 0.5], True),
        [0.0, 1.0],
        [-0.5, -0.5],
    ),
    ("norm at 0", norm.norm, [0.0, 0.0], [nan, nan]),
    ("norm 1 at 0", lambda x: norm.norm(x, 1), [0.0, 2.0], [0, 1]),
    ("norm inf at 0", lambda x: norm.norm(x, inf), [0.0, 0.0], [0, 0]),
    ("norm inf shares a tie", lambda x: norm.norm(x, inf), [1.0, -1.0], [0.5, -0.5]),
    (
        "matrix norm of equal singular values",
        lambda x: norm.norm(x, 2, axis=(0, 1)),
        [[1.0, 0.0], [0.0, 1.0]],
        [[0.5, 0], [0, 0.5]],
    ),
    ("det of a singular matrix", solving.det, [[1.0, 2.0], [2.0, 4.0]], [[4, -2], [-2, 1]]),
    (
        "cholesky reads the lower triangle and has a symmetric gradient",
        factorization.cholesky,
        [[4.0, 99.0], [1.0, 3.0]],
        [[0.206344, 0.174622], [0.174622, 0.301511]],
    ),
    (
        "eigh reads the lower triangle and has its gradient there",
        lambda x: factorization.eigh(x)[0] * [1.0, 2.0],
        [[4.0, 99.0], [1.0, 3.0]],
        [[1.723607, 0.0], [0.894427, 1.276393]],
    ),
    (
        "embedding adds up repeated rows",
        lambda x: embedding.embedding_lookup(x, [1, 1, 0]),
        [1.0, 2.0, 3.0],
        [1, 2, 0],
    ),
    (
        "embedding of a zero row with max_norm",
        lambda x: embedding.embedding_lookup(x, [0], max_norm=1.0),
        [[0.0, 0.0]],
        [[1, 1]],
    ),
]


@pytest.mark.parametrize(
    ("function", "point", "expected"), [c[1:] for c in CORNERS], ids=[c[0] for c in CORNERS]
)
def test_gradient_at_corners(function: Callable[..., Any], point: Any, expected: Any) -> None:
    x = convert_to_tensor(point)
    with GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    found = tape.gradient(y, x)
    assert found.dtype.name == "float32"
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-6)


def test_what_has_no_gradient() -> None:
    x = convert_to_tensor([[1.0, 2.0], [3.0, 5.0]])
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        rank = solving.matrix_rank(x)
        shuffled = stateless_random.stateless_shuffle(x, SEED)
        counts = stateless_random.stateless_poisson([2, 2], SEED, x, "float32")
    assert [tape.gradient(y, x) for y in (rank, shuffled, counts)] == [None, None, None]


def test_gamma_has_a_gradient_by_its_shape_parameter() -> None:
    alpha = convert_to_tensor([0.5, 2.0])
    with GradientTape() as tape:
        tape.watch(alpha)
        drawn = reduction.reduce_mean(stateless_random.stateless_gamma([20000, 2], SEED, alpha))
    # The mean of a gamma number is alpha, so its slope is 1, halved by the mean over columns.
    np.testing.assert_allclose(tape.gradient(drawn, alpha).numpy(), [0.5, 0.5], rtol=0.03)
