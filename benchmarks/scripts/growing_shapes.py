"""Work whose arrays grow or change from step to step, as programs have it: contexts, buffers, graphs, pictures."""

from collections.abc import Callable
from typing import Any

import numpy as np

RANDOM = np.random.default_rng(0)
Work = Callable[[], object]


def _dense(tf: Any, *widths: int) -> Any:
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [*[layers.Dense(width, "relu") for width in widths[:-1]], layers.Dense(widths[-1])]
    )


def _step(tf: Any, model: Any, optimizer: Any, loss_of: Callable[..., Any], *inputs: Any) -> Any:
    with tf.GradientTape() as tape:
        loss = loss_of(*inputs)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return loss


def growing_context(tf: Any) -> Work:
    """Write 500 tokens with a small transformer, each read before the next is asked for."""
    layers = tf.keras.layers
    embedding, attention = layers.Embedding(60, 32), layers.MultiHeadAttention(2, 16)
    norm, hidden, logits = layers.LayerNormalization(), layers.Dense(64, "gelu"), layers.Dense(60)

    def run() -> list[int]:
        tokens = [1]
        for _ in range(500):
            x = embedding(tf.constant([tokens]))
            x = norm(x + attention(x, x, use_causal_mask=True))
            tokens.append(int(tf.argmax(logits(hidden(x[:, -1])), -1)[0]))
        return tokens

    return run


def replay(tf: Any) -> Work:
    """Sample from a replay buffer that grows, and normalise by all that is in it."""
    model, optimizer = _dense(tf, 32, 2), tf.keras.optimizers.Adam(0.01)
    states = RANDOM.random((120, 4), np.float32)

    def loss_of(batch: Any, everything: Any) -> Any:
        mean, variance = tf.nn.moments(everything, [0])
        return tf.reduce_mean(model((batch - mean) / tf.sqrt(variance + 1e-3)) ** 2)

    def run() -> None:
        for n in range(4, 120):
            batch = states[RANDOM.integers(0, n, min(n, 32))]
            float(_step(tf, model, optimizer, loss_of, tf.constant(batch), tf.constant(states[:n])))

    return run


def curriculum(tf: Any) -> Work:
    """`fit` with a batch size that grows from epoch to epoch."""
    x, y = RANDOM.random((512, 20), np.float32), RANDOM.random((512, 1), np.float32)
    model = _dense(tf, 32, 1)
    model.compile("adam", "mse")
    return lambda: [model.fit(x, y, batch_size=n, verbose=0) for n in (8, 12, 16, 24, 32, 48, 64, 96, 128)]


def last_batches(tf: Any) -> Work:
    """`fit` on 30 datasets, each with a last batch of its own size."""
    model = _dense(tf, 32, 1)
    model.compile("adam", "mse")
    rows = [32 * 3 + n for n in range(1, 31)]
    data = [(RANDOM.random((n, 20), np.float32), RANDOM.random((n, 1), np.float32)) for n in rows]
    return lambda: [model.fit(x, y, verbose=0) for x, y in data]


def other_batch_size(tf: Any) -> Work:
    """Evaluation between epochs, at a batch size of its own."""
    x, y = RANDOM.random((320, 20), np.float32), RANDOM.random((320, 1), np.float32)
    model = _dense(tf, 32, 1)
    model.compile("adam", "mse", metrics=["mae"])
    return lambda: model.fit(
        x, y, epochs=5, verbose=0, validation_data=(x[:150], y[:150]), validation_batch_size=64
    )


def stages(tf: Any) -> Work:
    """Progressive growing: a generator and a critic gain layers, and pictures double in size."""
    layers = tf.keras.layers

    def run() -> list[float]:
        losses = []
        grown: list[Any] = []
        critics: list[Any] = []
        start = layers.Dense(4 * 4 * 16, "relu")
        for stage in range(4):
            grown.append(layers.Conv2D(16, 3, padding="same", activation="relu"))
            critics.insert(0, layers.Conv2D(16, 3, padding="same", activation="relu"))
            paint, look, score = layers.Conv2D(3, 1), layers.Conv2D(16, 1), layers.Dense(1)
            generator_step, critic_step = tf.keras.optimizers.Adam(1e-3), tf.keras.optimizers.Adam(1e-3)
            real = tf.constant(RANDOM.random((8, 4 << stage, 4 << stage, 3), np.float32))

            def generate(z: Any, parts: Any = tuple(grown), paint: Any = paint) -> Any:
                x = tf.reshape(start(z), (-1, 4, 4, 16))
                for i, part in enumerate(parts):
                    x = part(x if i == 0 else tf.image.resize(x, (4 << i, 4 << i), method="nearest"))
                return paint(x)

            def judge(x: Any, parts: Any = tuple(critics), look: Any = look, score: Any = score) -> Any:
                x = look(x)
                for part in parts:
                    x = tf.nn.avg_pool2d(part(x), 2, 2, "SAME")
                return score(tf.reduce_mean(x, (1, 2)))

            for _ in range(5):
                z = tf.constant(RANDOM.random((8, 16), np.float32))
                with tf.GradientTape() as one, tf.GradientTape() as two:
                    true, false = judge(real), judge(generate(z))
                    loss = tf.reduce_mean(tf.nn.softplus(false) + tf.nn.softplus(-true))
                    other = tf.reduce_mean(tf.nn.softplus(-false))
                judging = [v for layer in (*critics, score) for v in layer.trainable_variables]
                making = [v for layer in (start, *grown, paint) for v in layer.trainable_variables]
                critic_step.apply_gradients(zip(one.gradient(loss, judging), judging, strict=True))
                generator_step.apply_gradients(zip(two.gradient(other, making), making, strict=True))
                losses.append(loss)
        return [float(loss) for loss in losses]

    return run


def graphs(tf: Any) -> Work:
    """Message passing on 60 batches of graphs, each with its own number of nodes and edges."""
    layers = tf.keras.layers
    rounds, head = [layers.Dense(32, "relu"), layers.Dense(32, "relu")], layers.Dense(2)
    optimizer = tf.keras.optimizers.Adam(0.01)
    batches = []
    for _ in range(60):
        nodes, edges = int(RANDOM.integers(20, 90)), int(RANDOM.integers(40, 200))
        batches.append(
            (
                RANDOM.random((nodes, 8), np.float32),
                RANDOM.integers(0, nodes, edges),
                RANDOM.integers(0, nodes, edges),
                np.sort(RANDOM.integers(0, 4, nodes)),
                RANDOM.integers(0, 2, 4),
            )
        )

    def loss_of(x: Any, senders: Any, receivers: Any, graph: Any, labels: Any) -> Any:
        for layer in rounds:
            messages = tf.gather(x, senders)
            x = layer(tf.concat([x, tf.math.unsorted_segment_sum(messages, receivers, tf.shape(x)[0])], 1))
        pooled = tf.math.unsorted_segment_mean(x, graph, 4)
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, head(pooled)))

    def run() -> None:
        for batch in batches:
            inputs = [tf.constant(part) for part in batch]
            with tf.GradientTape() as tape:
                loss = loss_of(*inputs)
            variables = [v for layer in (*rounds, head) for v in layer.trainable_variables]
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
            float(loss)

    return run


def ragged(tf: Any) -> Work:
    """Ragged batches through an embedding, with the mean of each row."""
    model, optimizer = _dense(tf, 32, 1), tf.keras.optimizers.Adam(0.01)
    table = tf.Variable(RANDOM.random((100, 16), np.float32))
    batches = [
        tf.ragged.constant([RANDOM.integers(0, 100, n).tolist() for n in RANDOM.integers(1, 30, 16)])
        for _ in range(60)
    ]

    def run() -> None:
        for batch in batches:
            with tf.GradientTape() as tape:
                words = tf.gather(table, batch.flat_values)
                sums = tf.math.segment_sum(words, batch.value_rowids())
                counts = tf.cast(batch.row_lengths(), tf.float32)[:, tf.newaxis]
                loss = tf.reduce_mean(model(sums / counts) ** 2)
            variables = [table, *model.trainable_variables]
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
            float(loss)

    return run


def pictures(tf: Any) -> Work:
    """`fit` on pictures whose height and width vary from batch to batch."""
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            layers.Conv2D(8, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(16, 3, padding="same", activation="relu"),
            layers.GlobalAveragePooling2D(),
            layers.Dense(4),
        ]
    )
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    sizes = RANDOM.integers(12, 40, (60, 2))
    batches = [
        (RANDOM.random((8, height, width, 3), np.float32), RANDOM.integers(0, 4, (8, 1)))
        for height, width in sizes
    ]
    signature = (tf.TensorSpec((None, None, None, 3)), tf.TensorSpec((None, 1), tf.int64))
    dataset = tf.data.Dataset.from_generator(lambda: iter(batches), output_signature=signature)
    return lambda: model.fit(dataset, verbose=0)


def _features(tf: Any) -> Any:
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            layers.Conv2D(8, 3, padding="same", activation="relu"),
            layers.Conv2D(16, 3, 2, padding="same", activation="relu"),
        ]
    )


def style(tf: Any) -> Work:
    """Style transfer: 30 steps on a picture, towards the Gram matrices of another."""
    features = _features(tf)
    content, painted = (tf.constant(RANDOM.random((1, 48, 64, 3), np.float32)) for _ in range(2))

    def gram(x: Any) -> Any:
        return tf.einsum("bijc,bijd->bcd", x, x) / float(x.shape[1] * x.shape[2])

    def run() -> list[float]:
        losses = []
        picture, optimizer = tf.Variable(content), tf.keras.optimizers.Adam(0.02)
        wanted, kept = gram(features(painted)), features(content)
        for _ in range(30):
            with tf.GradientTape() as tape:
                found = features(picture)
                loss = tf.reduce_sum((gram(found) - wanted) ** 2) + tf.reduce_mean((found - kept) ** 2)
                loss += 1e-3 * tf.reduce_sum(tf.image.total_variation(picture))
            optimizer.apply_gradients([(tape.gradient(loss, picture), picture)])
            picture.assign(tf.clip_by_value(picture, 0.0, 1.0))
            losses.append(loss)
        return [float(loss) for loss in losses]

    return run


def dream(tf: Any) -> Work:
    """Deep dream: gradient ascent on a picture at four octaves."""
    features = _features(tf)

    def run() -> np.ndarray:
        picture = tf.constant(RANDOM.random((1, 32, 48, 3), np.float32))
        for octave in range(4):
            size = (int(32 * 1.3**octave), int(48 * 1.3**octave))
            picture = tf.image.resize(picture, size)
            for _ in range(10):
                with tf.GradientTape() as tape:
                    tape.watch(picture)
                    loss = tf.reduce_mean(features(picture) ** 2)
                gradient = tape.gradient(loss, picture)
                gradient /= tf.math.reduce_std(gradient) + 1e-8
                picture = tf.clip_by_value(picture + 0.01 * gradient, -1.0, 1.0)
        return picture.numpy()

    return run


WORK: dict[str, Callable[[Any], Work]] = {
    "growing_context": growing_context,
    "replay": replay,
    "curriculum": curriculum,
    "last_batches": last_batches,
    "other_batch_size": other_batch_size,
    "stages": stages,
    "graphs": graphs,
    "ragged": ragged,
    "pictures": pictures,
    "style": style,
    "dream": dream,
}
