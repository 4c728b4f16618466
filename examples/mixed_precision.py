"""Mixed precision: compute in 16 bits, and keep the weights in 32.

Under the policy `mixed_float16` layers compute in float16 and keep their weights in float32. Small gradients would
become 0 in float16, so the loss is scaled up before the gradient is taken, and the gradient is scaled down again:
`fit` does this by itself, a custom loop with `LossScaleOptimizer`. `mixed_bfloat16` has the range of float32 and does
not need it. The gain is on GPUs and TPUs; a CPU shows only that it works.

    python examples/mixed_precision.py
    python examples/mixed_precision.py --policy mixed_bfloat16
"""

import argparse

import tapeflow as tf


def make_model():
    """Return a network whose last layer gives float32, where a softmax needs the digits."""
    return tf.keras.Sequential(
        [
            tf.keras.Input((8, 8)),
            tf.keras.layers.Rescaling(1 / 16),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(64, activation="relu"),
            tf.keras.layers.Dense(10),
            tf.keras.layers.Activation("softmax", dtype="float32"),
        ]
    )


def step_by_hand(model, optimizer, x, y):
    """One step with the loss scaled up and the gradients scaled down; return the loss and the scale."""
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy(y, model(x, training=True)))
        scaled = optimizer.get_scaled_loss(loss)
    gradients = optimizer.get_unscaled_gradients(tape.gradient(scaled, model.trainable_variables))
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return float(loss), float(optimizer.loss_scale)


def main():
    """Train with a policy, and take some steps by hand."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--policy", choices=["mixed_float16", "mixed_bfloat16"], default="mixed_float16")
    parser.add_argument("--epochs", type=int, default=10, help="passes over the training digits (10)")
    parser.add_argument("--smoke", action="store_true", help="one epoch of few digits, to see that it runs")
    options = parser.parse_args()
    tf.keras.utils.set_random_seed(0)
    tf.keras.mixed_precision.set_global_policy(options.policy)
    (x_train, y_train), test = tf.keras.datasets.digits.load_data()
    if options.smoke:
        x_train, y_train, options.epochs = x_train[:320], y_train[:320], 1
        test = test[0][:320], test[1][:320]

    model = make_model()
    dense = model.layers[2]
    print(
        f"computes in {dense.compute_dtype}, weights in {dense.dtype}, output in {model.layers[-1].compute_dtype}"
    )
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(x_train, y_train, epochs=options.epochs, validation_data=test, verbose=2)

    if options.policy == "mixed_float16":
        optimizer = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.Adam(1e-3))
        for number in range(2):
            loss, scale = step_by_hand(model, optimizer, x_train[:64], y_train[:64])
            print(f"step {number} by hand: loss {loss:.4f}, scaled by {scale:.0f}")
    tf.keras.mixed_precision.set_global_policy("float32")


if __name__ == "__main__":
    main()
