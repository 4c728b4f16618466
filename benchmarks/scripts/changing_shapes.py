"""Work whose shapes keep changing: a first pass over many sizes, and a second one over the same.

Run as `python -m benchmarks.scripts.changing_shapes package work`, where `package` is "tapeflow" or "tensorflow" and
`work` one of `WORK`. Prints JSON: "seconds" of the first pass, compilation included, "second_s" of the second,
"both_s", and "programs", which TapeFlow compiled. Importing and making the data do not count.
"""

import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.scripts import first_times, growing_shapes

WORDS, BATCH = 1000, 16
Batches = list[tuple[np.ndarray, np.ndarray]]
RANDOM = np.random.default_rng(0)


def _lengths(count: int, longest: int = 204) -> list[int]:
    return RANDOM.permutation(np.arange(5, 5 + max(count, longest - 4)))[:count].tolist()


def _texts(lengths: list[int], rows: Callable[[int], int] = lambda i: BATCH) -> Batches:
    return [
        (RANDOM.integers(1, WORDS, (rows(i), n)), RANDOM.integers(0, 2, (rows(i), 1)).astype("float32"))
        for i, n in enumerate(lengths)
    ]


def _model(tf: Any, kind: str) -> Any:
    layers = tf.keras.layers
    inner = {
        "dense": [layers.Dense(64, activation="relu"), layers.GlobalAveragePooling1D()],
        "lstm": [layers.LSTM(32)],
        "conv": [layers.Conv1D(32, 3, padding="same"), layers.GlobalMaxPooling1D()],
    }[kind]
    model = tf.keras.Sequential([layers.Embedding(WORDS, 32), *inner, layers.Dense(1, activation="sigmoid")])
    model.compile("adam", "binary_crossentropy")
    return model


def _fit(tf: Any, kind: str, batches: Batches) -> Callable[[], object]:
    model = _model(tf, kind)
    signature = (tf.TensorSpec((None, None), tf.int64), tf.TensorSpec((None, 1), tf.float32))
    dataset = tf.data.Dataset.from_generator(lambda: iter(batches), output_signature=signature)
    return lambda: model.fit(dataset, verbose=0)


def _loop(tf: Any, kind: str, batches: Batches, is_staged: bool) -> Callable[[], object]:
    model, loss = _model(tf, kind), tf.keras.losses.BinaryCrossentropy()

    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            value = loss(y, model(x, training=True))
        gradients = tape.gradient(value, model.trainable_variables)
        model.optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return value

    made = step
    if is_staged:
        signature = [tf.TensorSpec((None, None), tf.int64), tf.TensorSpec((None, 1), tf.float32)]
        made = tf.function(step, input_signature=signature)
    return lambda: float(sum(made(tf.constant(x), tf.constant(y)) for x, y in batches))


def _predict(tf: Any, kind: str, batches: Batches) -> Callable[[], object]:
    model = _model(tf, kind)
    return lambda: [model.predict(x, verbose=0) for x, _ in batches]


def _buckets(tf: Any) -> Callable[[], object]:
    model, texts = _model(tf, "dense"), [RANDOM.integers(1, WORDS, n) for n in RANDOM.integers(5, 200, 2000)]
    signature = (tf.TensorSpec((None,), tf.int64), tf.TensorSpec((1,), tf.float32))
    rows = tf.data.Dataset.from_generator(
        lambda: ((text, np.ones(1, "float32")) for text in texts), output_signature=signature
    )
    limits = list(range(20, 200, 20))
    dataset = rows.bucket_by_sequence_length(lambda x, y: tf.shape(x)[0], limits, [BATCH] * (len(limits) + 1))
    return lambda: model.fit(dataset, verbose=0)


def _policy(tf: Any) -> Callable[[], object]:
    """Episodes of many lengths: a policy gradient on what happened in each."""
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Dense(32, activation="relu"), layers.Dense(2)])
    optimizer = tf.keras.optimizers.Adam(0.01)
    episodes = [
        (RANDOM.random((n, 4), np.float32), RANDOM.integers(0, 2, n), RANDOM.random(n, np.float32))
        for n in RANDOM.integers(9, 60, 60)
    ]

    def run() -> None:
        for states, actions, returns in episodes:
            with tf.GradientTape() as tape:
                chosen = tf.nn.sparse_softmax_cross_entropy_with_logits(actions, model(states))
                loss = tf.reduce_mean(chosen * returns)
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            float(loss)

    return run


WORK: dict[str, Callable[[Any], Callable[[], object]]] = {
    "fit_dense": lambda tf: _fit(tf, "dense", _texts(_lengths(200))),
    "fit_lstm": lambda tf: _fit(tf, "lstm", _texts(_lengths(200))),
    "fit_conv": lambda tf: _fit(tf, "conv", _texts(_lengths(200))),
    "tape_dense": lambda tf: _loop(tf, "dense", _texts(_lengths(200)), False),
    "function_dense": lambda tf: _loop(tf, "dense", _texts(_lengths(200)), True),
    "tape_lstm": lambda tf: _loop(tf, "lstm", _texts(_lengths(200)), False),
    "predict": lambda tf: _predict(tf, "dense", _texts(_lengths(200))),
    "buckets": _buckets,
    "policy": _policy,
    "fit_1000": lambda tf: _fit(tf, "dense", _texts(_lengths(1000))),
    "two_axes": lambda tf: _fit(tf, "dense", _texts(_lengths(200), lambda i: 3 + i % 30)),
    **first_times.WORK,
    **growing_shapes.WORK,
}


def main() -> None:
    """Do the work named on the command line, twice."""
    package, work = sys.argv[1:3]
    os.environ["TF_USE_LEGACY_KERAS"] = "1"
    tf = importlib.import_module(package)
    if package == "tapeflow":
        importlib.import_module("jax")
    for namespace in ("data", "image", "keras", "linalg", "math", "nn", "ragged"):
        getattr(tf, namespace)  # imported when first used
    tf.constant(1.0).numpy()  # the start of the process is another benchmark
    run = WORK[work](tf)
    times = []
    for _ in range(2):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    counters = tf.debugging.engine_counters() if package == "tapeflow" else {}
    facts = {
        "seconds": times[0],
        "second_s": round(times[1], 3),
        "both_s": round(sum(times), 3),
        "programs": counters.get("compiled", 0),
    }
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
