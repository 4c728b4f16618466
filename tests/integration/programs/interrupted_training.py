"""A training that tests interrupt: `python interrupted_training.py KIND FOLDER`.

It says on its standard output where it is (`ready`, `step`, `validation`, `epoch`), and ends by writing its weights,
optimizers and history, every bit of them, to FOLDER/result.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import tapeflow as tf

callbacks, layers = tf.keras.callbacks, tf.keras.layers
Data = dict[str, Any]  # the arguments of `fit` that say what to train on
ROWS = 160


def say(place: str) -> None:
    print(place, flush=True)


class Slow(callbacks.Callback):
    """Says where the training is, and gives whoever interrupts it time to do so."""

    supports_fused_steps = True

    def on_train_begin(self, logs: Any = None) -> None:
        say("ready")

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        say("step")
        time.sleep(0.004)

    def on_test_begin(self, logs: Any = None) -> None:
        say("validation")
        time.sleep(0.01)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        say("epoch")


def samples(*shape: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(5)
    x = random.random((ROWS, *shape), np.float32)
    return x, (x.reshape(ROWS, -1).mean(1) > 0.5).astype(np.int32)


def noisy(image: Any, label: Any) -> Any:
    return image + 0.1 * tf.random.normal([8, 8, 1]), label


def dense(*more: Any) -> Any:
    """A small network, not built yet."""
    return tf.keras.Sequential(
        [layers.Flatten(), layers.Dense(16, activation="relu"), *more, layers.Dense(2)]
    )


def compiled(model: Any, optimizer: Any = "adam") -> Any:
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer, loss, metrics=["accuracy"])
    return model


class Batches(tf.keras.utils.Sequence):
    """Batches of images in an order that every epoch's end changes, with noise if there is one worker."""

    def __init__(self, workers: int = 1) -> None:
        super().__init__(workers=workers)
        self.x, self.y = samples(8, 8, 1)
        self.order = np.arange(len(self.x))
        self.noise = 0.1 if workers == 1 else 0.0

    def __len__(self) -> int:
        return ROWS // 8

    def __getitem__(self, index: int) -> Any:
        rows = self.order[index * 8 : index * 8 + 8]
        images = self.x[rows]
        if self.noise:
            images = images + np.float32(self.noise) * np.random.rand(8, 8, 8, 1).astype(np.float32)
        return images, self.y[rows]

    def on_epoch_end(self) -> None:
        np.random.shuffle(self.order)


# Data and models


def mlp() -> tuple[Any, Data]:
    x, y = samples(12)
    return compiled(dense(layers.Dropout(0.3))), {"x": x, "y": y, "batch_size": 8, "validation_split": 0.2}


def cnn() -> tuple[Any, Data]:
    x, y = samples(8, 8, 1)
    parts = [
        layers.Conv2D(4, 3, activation="relu"),
        layers.BatchNormalization(),
        layers.Flatten(),
        layers.Dense(2),
    ]
    return compiled(tf.keras.Sequential(parts)), {"x": Batches(), "validation_data": (x[:20], y[:20])}


def augmented() -> tuple[Any, Data]:
    whole = tf.data.Dataset.from_tensor_slices(samples(8, 8, 1))
    turned = tf.keras.Sequential([layers.RandomFlip(), layers.RandomRotation(0.1)])
    data = whole.shuffle(50).map(noisy).batch(8).map(lambda x, y: (turned(x, training=True), y)).prefetch(2)
    return compiled(dense()), {"x": data, "validation_data": whole.shuffle(160).batch(32)}


def threads() -> tuple[Any, Data]:
    model = dense(layers.GaussianNoise(0.1), layers.AlphaDropout(0.1))
    for layer in (layers.RandomTranslation(0.2, 0.2), layers.RandomFlip()):
        model = tf.keras.Sequential([layer, *model.layers])
    return compiled(model), {"x": Batches(workers=3), "shuffle": True}


def interleaved() -> tuple[Any, Data]:
    x, y = samples(8, 8, 1)

    def part(first: Any) -> Any:
        rows = tf.data.Dataset.range(first, ROWS, 4)
        return rows.map(lambda i: (tf.gather(x, i), tf.gather(y, i)))

    data = tf.data.Dataset.range(4).interleave(part, cycle_length=3, block_length=2, num_parallel_calls=2)
    endless = (
        data.shuffle(30, reshuffle_each_iteration=True).map(noisy, num_parallel_calls=2).repeat().batch(8)
    )
    held_out = tf.data.Dataset.from_tensor_slices((x, y)).map(noisy).batch(32)
    return compiled(dense(layers.Dropout(0.2))), {
        "x": endless.prefetch(tf.data.AUTOTUNE),
        "steps_per_epoch": ROWS // 8 - 3,
        "validation_data": held_out,
    }


def lengths() -> tuple[Any, Data]:
    """Texts in batches padded to the longest of each, so that the shape changes from step to step."""
    random = np.random.default_rng(6)
    texts = [random.integers(1, 40, length) for length in random.integers(3, 40, ROWS)]
    whole = tf.data.Dataset.from_generator(
        lambda: ((text, len(text) % 2) for text in texts),
        output_signature=(tf.TensorSpec((None,), tf.int64), tf.TensorSpec((), tf.int32)),
    )
    model = tf.keras.Sequential(
        [layers.Embedding(40, 6, mask_zero=True), layers.GRU(5), layers.Dropout(0.2), layers.Dense(2)]
    )
    data = whole.shuffle(20).padded_batch(4)
    return compiled(model), {"x": data, "validation_data": whole.padded_batch(16)}


def generator() -> tuple[Any, Data]:
    x, y = samples(12)

    def batches() -> Iterator[Any]:
        while True:
            rows = np.random.permutation(ROWS)[:8]
            yield x[rows] + np.random.rand(8, 12).astype(np.float32), y[rows]

    data = {"x": batches(), "steps_per_epoch": ROWS // 8, "validation_data": (x[:20], y[:20])}
    return compiled(dense(layers.Dropout(0.3))), data


def mixed() -> tuple[Any, Data]:
    tf.keras.mixed_precision.set_global_policy("mixed_float16")
    _, data = augmented()
    optimizer = tf.keras.mixed_precision.LossScaleOptimizer(
        tf.keras.optimizers.Adam(), initial_scale=2.0**17, dynamic_growth_steps=7
    )
    return compiled(dense(), optimizer), data


def accumulated() -> tuple[Any, Data]:
    model, data = mlp()
    schedule = tf.keras.optimizers.schedules.ExponentialDecay(0.05, 10, 0.9)
    options: dict[str, Any] = {
        "gradient_accumulation_steps": 3,
        "use_ema": True,
        "ema_overwrite_frequency": 7,
    }
    return compiled(model, tf.keras.optimizers.SGD(schedule, momentum=0.9, **options)), data


class Pair(tf.keras.Model):
    """Two networks that train one another, each with an optimizer of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.maker = tf.keras.Sequential([layers.Dense(16, activation="relu"), layers.Dense(12)])
        self.judge = tf.keras.Sequential(
            [layers.Dense(16), layers.LeakyReLU(), layers.Dropout(0.2), layers.Dense(1)]
        )
        self.maker_loss = tf.keras.metrics.Mean(name="loss")
        self.judge_loss = tf.keras.metrics.Mean(name="judge_loss")

    def compile(self, maker_optimizer: Any, judge_optimizer: Any) -> None:
        super().compile()
        self.maker_optimizer, self.judge_optimizer = maker_optimizer, judge_optimizer
        self.score = tf.keras.losses.BinaryCrossentropy(from_logits=True)

    @property
    def metrics(self) -> list[Any]:
        return [self.maker_loss, self.judge_loss]

    def train_step(self, data: Any) -> Any:
        real = data[0]
        noise = tf.random.normal([8, 4])
        with tf.GradientTape() as judged, tf.GradientTape() as made:
            fake = self.maker(noise, training=True)
            says = self.judge(tf.concat([real, fake], 0), training=True)
            judge_loss = self.score(tf.concat([tf.ones([8, 1]), tf.zeros([8, 1])], 0), says)
            maker_loss = self.score(tf.ones([8, 1]), says[8:])
        for tape, loss, part, optimizer in (
            (judged, judge_loss, self.judge, self.judge_optimizer),
            (made, maker_loss, self.maker, self.maker_optimizer),
        ):
            weights = part.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        self.maker_loss.update_state(maker_loss)
        self.judge_loss.update_state(judge_loss)
        return {metric.name: metric.result() for metric in self.metrics}


def pair() -> tuple[Any, Data]:
    model = Pair()
    model.compile(tf.keras.optimizers.Adam(1e-3), tf.keras.optimizers.RMSprop(1e-3))
    return model, {"x": tf.data.Dataset.from_tensor_slices(samples(12)).shuffle(ROWS).batch(8)}


KINDS: dict[str, Callable[[], tuple[Any, Data]]] = {
    "mlp": mlp,
    "cnn": cnn,
    "augmented": augmented,
    "threads": threads,
    "interleaved": interleaved,
    "lengths": lengths,
    "generator": generator,
    "mixed": mixed,
    "accumulated": accumulated,
    "pair": pair,
    "checkpointed": mlp,
}
EVERY_EPOCH = ("threads", "generator", "pair")


# Training


def write_result(folder: Path, variables: Iterable[Any], *said: Any) -> None:
    bits = hashlib.sha256(b"".join(v.numpy().tobytes() for v in variables))
    text = "\n".join(map(repr, said))
    (folder / "result").write_text(f"{bits.hexdigest()}\n{text}\n")


def variables_of(model: Any, optimizer: Any, *shape: int) -> list[Any]:
    """Those of both; they are made here if no step was left to make."""
    if not model.built:
        model.build((None, *shape))
        optimizer.build(model.trainable_variables)
    return [*model.weights, *optimizer.variables]


class Result(callbacks.Callback):
    """Writes what came out, before the backup is deleted: whoever is killed later has ended."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def on_train_end(self, logs: Any = None) -> None:
        model, found = self.model, self.model.history
        owned = [value for value in vars(model).values() if isinstance(value, tf.keras.optimizers.Optimizer)]
        variables = [*model.weights, *(v for optimizer in owned for v in optimizer.variables)]
        write_result(self.folder, variables, found.history, found.epoch)


def fit(kind: str, folder: Path) -> None:
    model, data = KINDS[kind]()
    monitor = "val_loss" if "validation_data" in data or "validation_split" in data else "loss"
    if kind == "checkpointed":
        saving: Any = callbacks.ModelCheckpoint(
            folder / "at-{epoch}-{batch}.keras", save_freq=4, load_weights_on_restart=True
        )
    else:
        every = "epoch" if kind in EVERY_EPOCH else 3
        saving = callbacks.BackupAndRestore(folder / "backup", save_freq=every)
    model.fit(
        **data,
        epochs=4,
        verbose=0,
        callbacks=[
            saving,
            callbacks.EarlyStopping(monitor, patience=2, restore_best_weights=True),
            *(
                []
                if kind == "accumulated"
                else [callbacks.ReduceLROnPlateau(monitor, patience=1, factor=0.5)]
            ),
            callbacks.CSVLogger(folder / "log.csv", append=kind in EVERY_EPOCH),
            callbacks.TensorBoard(folder / "logs", update_freq=2, write_graph=False),
            Slow(),
            Result(folder),
        ],
    )


def by_hand(folder: Path) -> None:
    """A training that looks itself for the checkpoint of the last epoch, before its model is built."""
    model, data = mlp()
    saved = sorted(folder.glob("at-*.safetensors"))
    if saved:
        model.load_weights(saved[-1].with_suffix(""))
    saving = callbacks.ModelCheckpoint(folder / "at-{epoch}", save_weights_only=True, save_freq=16)
    start = int(saved[-1].stem.removeprefix("at-")) if saved else 0
    model.fit(**data, initial_epoch=start, epochs=4, verbose=0, callbacks=[saving, Slow()])
    write_result(folder, variables_of(model, model.optimizer, 12))


def loop(folder: Path) -> None:
    """A loop of one's own, with a checkpoint every few steps."""
    model, optimizer = dense(layers.Dropout(0.3)), tf.keras.optimizers.Adam()
    score = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    data = (
        tf.data.Dataset.from_tensor_slices(samples(8, 8, 1))
        .shuffle(50)
        .map(noisy)
        .batch(8)
        .repeat(4)
        .prefetch(2)
    )
    mean, step = tf.keras.metrics.Mean(), tf.Variable(0, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, data=iter(data), mean=mean, step=step)
    manager = tf.train.CheckpointManager(checkpoint, folder / "checkpoints", max_to_keep=2)
    handler = tf.distribute.experimental.PreemptionCheckpointHandler(None, manager)

    def train(images: Any, labels: Any) -> None:
        with tf.GradientTape() as tape:
            loss = score(labels, model(images, training=True))
        optimizer.apply_gradients(zip(tape.gradient(loss, model.weights), model.weights, strict=True))
        mean.update_state(loss)
        step.assign_add(1)

    say("ready")
    for images, labels in checkpoint.data:
        handler.run(train, images, labels)
        say("step")
        time.sleep(0.004)
        if int(step) % 5 == 0:
            manager.save()
        if int(step) % 20 == 0:
            say("epoch")
    write_result(folder, variables_of(model, optimizer, 8, 8, 1), float(mean.result()), int(step))


LOOPS = {"by_hand": by_hand, "loop": loop}

if __name__ == "__main__":
    tf.keras.utils.set_random_seed(7)
    name, place = sys.argv[1], Path(sys.argv[2])
    LOOPS[name](place) if name in LOOPS else fit(name, place)
