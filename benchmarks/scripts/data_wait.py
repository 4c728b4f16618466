"""Trains an MLP fed from a Dataset and prints, as JSON, which part of a step is spent waiting for its batch."""

import json
import time

import numpy as np

ROWS, BATCH, WARM_UP, STEPS = 60_000, 128, 200, 1000


def main() -> None:
    """Time the steps, and within them the calls of `next`."""
    import tapeflow as tf

    random = np.random.RandomState(0)
    images = random.rand(ROWS, 784).astype(np.float32)
    labels = random.randint(0, 10, ROWS)
    model = tf.keras.Sequential([tf.keras.layers.Dense(128, activation="relu"), tf.keras.layers.Dense(10)])
    optimizer = tf.keras.optimizers.Adam()
    entropy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    @tf.function
    def train(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = entropy(y, model(x))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    rows = tf.data.Dataset.from_tensor_slices((images, labels))
    batches = iter(rows.shuffle(ROWS).repeat().batch(BATCH).prefetch(tf.data.AUTOTUNE))
    waited, start, loss = 0.0, 0.0, None
    for step in range(WARM_UP + STEPS):
        if step == WARM_UP:
            waited, start = 0.0, time.perf_counter()
        asked = time.perf_counter()
        batch = next(batches)
        waited += time.perf_counter() - asked
        loss = float(train(*batch))
    total = time.perf_counter() - start
    share = waited / total
    facts = {"wait_percent": round(100 * share, 2), "waits_under_5_percent": share < 0.05, "loss": loss}
    print(json.dumps({"seconds": total / STEPS, **facts}))


if __name__ == "__main__":
    main()
