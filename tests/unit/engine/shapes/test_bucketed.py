"""One program for many sizes: the same numbers as with a program for each, and few programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.programs.program import clear_programs
from tapeflow.engine.settings import settings
from tapeflow.engine.shapes.family import all_families

pytestmark = pytest.mark.filterwarnings(
    "ignore:tf.function .* has been recorded"
)  # for many shapes, on purpose
L, K = tf.keras.layers, tf.keras
LENGTHS = [9, 13, 6, 11, 17, 30, 5, 23, 8, 16]
WORDS = 30


def programs() -> int:
    return tf.debugging.engine_counters()["compiled"]


def stack(*layers: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: K.Sequential([L.Embedding(WORDS, 4, mask_zero=True), *[make() for make in layers]])


def attention() -> Any:
    ids = K.Input((None,), dtype="int64")
    x = L.Embedding(WORDS, 4)(ids)
    x = L.LayerNormalization()(x + L.MultiHeadAttention(2, 3)(x, x, use_causal_mask=True))
    return K.Model(ids, L.Dense(1)(L.GlobalMaxPooling1D()(x)))


MODELS: dict[str, Callable[[], Any]] = {
    "dense": stack(lambda: L.Dense(5, activation="relu"), L.GlobalAveragePooling1D, lambda: L.Dense(1)),
    "recurrent": stack(lambda: L.Bidirectional(L.GRU(4)), lambda: L.Dense(1)),
    "convolution": stack(
        lambda: L.Conv1D(5, 3, padding="same", use_bias=False),
        L.BatchNormalization,
        lambda: L.Dropout(0.3, seed=1),
        L.GlobalMaxPooling1D,
        lambda: L.Dense(1),
    ),
    "attention": attention,
}


def batches(*sizes: int, rows: int = 4) -> list[tuple[np.ndarray, np.ndarray]]:
    random = np.random.default_rng(0)
    return [(random.integers(0, WORDS, (rows, n)), random.random((rows, 1), np.float32)) for n in sizes]


def by_fit(model: Any, data: Any) -> list[float]:
    return [model.train_on_batch(x, y) for x, y in data]


def by_tape(model: Any, data: Any, wrap: Callable[[Any], Any] = lambda step: step) -> list[float]:
    loss = K.losses.MeanSquaredError()

    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            value = loss(y, model(x, training=True))
        gradients = tape.gradient(value, model.trainable_variables)
        model.optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return value

    step = wrap(step)
    return [float(step(tf.constant(x), tf.constant(y))) for x, y in data]


def by_function(model: Any, data: Any) -> list[float]:
    return by_tape(model, data, tf.function)


def trained(make: Callable[[], Any], train: Callable[[Any, Any], list[float]], data: Any) -> tuple[Any, ...]:
    """Losses, weights and predictions of a new model, and how many programs that took."""
    clear_programs()
    K.utils.set_random_seed(3)
    model = make()
    model.compile(K.optimizers.Adam(0.01), "mse")
    before = programs()
    losses = train(model, data)
    count = programs() - before
    return losses, model.get_weights(), [model.predict_on_batch(x) for x, _ in data], count


@pytest.mark.parametrize(
    ("name", "train"),
    [*[(name, by_fit) for name in MODELS], ("convolution", by_tape), ("dense", by_function)],
)
def test_numbers_are_those_of_exact_programs(
    name: str, train: Callable[[Any, Any], list[float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = LENGTHS if name == "dense" else LENGTHS[:5]
    shared = trained(MODELS[name], train, batches(*sizes))
    monkeypatch.setattr(settings, "shares_programs", False)
    exact = trained(MODELS[name], train, batches(*sizes))
    assert np.isfinite(exact[0]).all()
    np.testing.assert_allclose(shared[0], exact[0], rtol=1e-4)
    for one, other in zip((*shared[1], *shared[2]), (*exact[1], *exact[2]), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-5)
    if train is by_fit and name == "dense":
        assert exact[3] == len(sizes)
        assert shared[3] == 4  # two for themselves, and capacities of 16 and 64


def test_both_axes_may_vary(monkeypatch: pytest.MonkeyPatch) -> None:
    data = [batches(n, rows=rows)[0] for n, rows in ((9, 4), (6, 3), (11, 5), (13, 7), (10, 6), (16, 8))]
    shared = trained(MODELS["dense"], by_fit, data)
    assert shared[3] == 3
    monkeypatch.setattr(settings, "shares_programs", False)
    np.testing.assert_allclose(shared[0], trained(MODELS["dense"], by_fit, data)[0], rtol=1e-4)


def test_two_sizes_are_compiled_for_themselves_whatever_other_models_had() -> None:
    _, weights, _, _ = trained(MODELS["dense"], by_fit, batches(9, 6, 9, 6))
    trained(MODELS["dense"], by_fit, batches(*LENGTHS))
    _, again, _, _ = trained(MODELS["dense"], by_fit, batches(9, 6, 9, 6))
    for one, other in zip(weights, again, strict=True):
        np.testing.assert_array_equal(one, other)


def test_what_cannot_be_padded_is_compiled_for_each_size() -> None:
    @tf.function
    def norms(x: Any) -> Any:
        return tf.linalg.svd(x, compute_uv=False)

    random = np.random.default_rng(0)
    for n in (3, 5, 7, 9, 4):
        x = random.random((2, n, n), np.float32)
        np.testing.assert_allclose(norms(x), np.linalg.svd(x, compute_uv=False), rtol=1e-4, atol=1e-5)


def test_results_have_their_true_shapes() -> None:
    @tf.function
    def steps(x: Any) -> Any:
        return tf.cumsum(x, axis=1), tf.reverse(x, [1]), tf.reduce_sum(x, 1), tf.shape(x)

    for n in LENGTHS:
        x = np.random.default_rng(n).random((2, n), np.float32)
        total, turned, whole, shape = steps(tf.constant(x))
        np.testing.assert_allclose(total, x.cumsum(1), rtol=1e-5)
        np.testing.assert_array_equal(turned, x[:, ::-1])
        np.testing.assert_allclose(whole, x.sum(1), rtol=1e-5)
        assert shape.numpy().tolist() == [2, n]


def test_failed_checks_name_the_line_and_change_nothing() -> None:
    state = tf.Variable(0.0)

    @tf.function
    def step(x: Any) -> Any:
        tf.debugging.assert_positive(x)
        return state.assign_add(tf.reduce_sum(x))

    for n in LENGTHS:
        step(tf.ones((n,)))
    before = float(state)
    with pytest.raises(tf.errors.InvalidArgumentError):
        float(step(tf.constant(np.array([1.0] * 18 + [-1.0], np.float32))))
    assert float(state) == before
    step(tf.ones((19,)))
    assert float(state) == before + 19


def test_every_use_is_counted_though_programs_are_forgotten() -> None:
    total = tf.Variable(0.0)

    def used(length: int) -> int:
        total.assign_add(tf.reduce_sum(tf.ones([length]) * np.ones(length, np.float32)))
        total.numpy()
        own = [family for family in all_families() if family.number not in known]
        return sum(count for family in own for count in family.uses.values())

    known = {family.number for family in all_families()}
    assert [used(length) for length in (3, 4, 5, 5, 6)] == [0, 1, 2, 3, 4]
    clear_programs()
    assert used(5) == 5
