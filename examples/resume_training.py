"""Training that can be stopped at any moment and resumes as if it had not been interrupted.

Run it, stop it with Ctrl-C or `kill -9`, and run it again. Two ways are shown: `BackupAndRestore` for `fit`, which
keeps everything, including the order of the data and the random numbers; and `tf.train.Checkpoint` for a custom loop.

    python examples/resume_training.py
    python examples/resume_training.py --by-hand
"""

import argparse
import os
import tempfile

import tapeflow as tf


def make_model():
    """Return a compiled network for 8x8 digits."""
    model = tf.keras.Sequential(
        [
            tf.keras.Input((8, 8)),
            tf.keras.layers.Rescaling(1 / 16),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(32, activation="relu"),
            tf.keras.layers.Dense(10, activation="softmax"),
        ]
    )
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def train_with_fit(x, y, epochs, folder):
    """Train with `fit`; what was trained before is taken up, in the middle of an epoch as well."""
    tf.keras.utils.set_random_seed(0)
    backup = tf.keras.callbacks.BackupAndRestore(os.path.join(folder, "backup"), delete_checkpoint=False)
    trained = []

    def say(epoch, logs):
        trained.append(epoch)
        print(f"epoch {epoch + 1}: loss {logs['loss']:.4f}")

    callbacks = [backup, tf.keras.callbacks.LambdaCallback(on_epoch_end=say)]
    make_model().fit(
        x, y, epochs=epochs, callbacks=callbacks, verbose=0
    )  # its History has the epochs before, too
    return len(trained)


def train_by_hand(x, y, epochs, folder):
    """Train in a loop, with a checkpoint after every epoch; return how many epochs were trained now."""
    tf.keras.utils.set_random_seed(0)
    model = make_model()
    data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(len(x), seed=0).batch(32)
    epoch = tf.Variable(0, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(model=model, optimizer=model.optimizer, epoch=epoch)
    manager = tf.train.CheckpointManager(checkpoint, os.path.join(folder, "checkpoints"), max_to_keep=2)
    if manager.restore_or_initialize():
        print(f"going on after epoch {int(epoch)}")
    trained = 0
    while int(epoch) < epochs:
        for batch in data:
            logs = model.train_on_batch(*batch, reset_metrics=False, return_dict=True)
        model.reset_metrics()
        epoch.assign_add(1)
        manager.save()
        trained += 1
        print(
            f"epoch {int(epoch)}: loss {logs['loss']:.4f}, saved to {os.path.basename(manager.latest_checkpoint)}"
        )
    return trained


def main():
    """Train; with --smoke, train half, and the other half as another run would."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=100, help="passes over the training digits (100)")
    parser.add_argument("--by-hand", action="store_true", help="a loop with checkpoints instead of fit")
    parser.add_argument("--folder", default="resumable", help="where the state is kept (resumable)")
    parser.add_argument("--smoke", action="store_true", help="two epochs and two more, kept nowhere")
    options = parser.parse_args()
    (x, y), _ = tf.keras.datasets.digits.load_data()
    train = train_by_hand if options.by_hand else train_with_fit
    if not options.smoke:
        train(x, y, options.epochs, options.folder)
        return
    with tempfile.TemporaryDirectory() as folder:
        first = train(x[:320], y[:320], 2, folder)
        second = train(x[:320], y[:320], 4, folder)
    print(f"trained {first} epochs, and then {second} more")


if __name__ == "__main__":
    main()
