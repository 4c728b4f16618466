"""A hand-written training loop that tests interrupt: `python interrupted_loop.py KIND FOLDER [STEPS [CHANGE]]`.

KIND joins parts with "-", such as `function-schedule-outside`; `PARTS` lists them. The loop saves a checkpoint every
few steps, goes on from the latest one, says on its standard output where it is (`ready`, `step`, `save`), and ends by
writing its weights, optimizer, random generator, iterator and losses, every bit of them, to FOLDER/result. With STEPS
it ends early, after so many steps of this process, and writes no result. With CHANGE it kills itself just before it
changes a file in FOLDER, or flushes one to the disk, for the CHANGE-th time.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import tapeflow as tf

layers, optimizers = tf.keras.layers, tf.keras.optimizers
TOTAL, EVERY, ROWS = 14, 4, 6

PARTS = {
    "function": "the step is a tf.function",
    "inner": "the model's call is a tf.function, called under a tape",
    "reading": "the step is a tf.function that reads its loss, and so runs as plain Python",
    "on_batch": "the step is `model.train_on_batch`",
    "outside": "noise is drawn before the step, from a tf.random.Generator",
    "stateless": "noise is drawn before the step, from the step's number",
    "fading": "the noise becomes weaker with every step",
    "inside": "noise is drawn in the step, from a tf.random.Generator",
    "schedule": "the learning rate follows a schedule",
    "sgd": "SGD with momentum, and not Adam",
    "adamw": "AdamW with clipping and moving averages, and not Adam",
    "own": "an optimizer of the user's own, written with tf ops",
    "mixed": "float16 layers and a LossScaleOptimizer",
    "together": "gradients of two batches are added up before a step",
    "late": "the model is built by the first step, after the restore",
    "probe": "the model is called once after the restore, and nobody looks at the result",
    "conv": "a convolution and batch normalization",
    "recurrent": "an LSTM",
    "metrics": "metrics are updated after the step",
    "printed": "the loss is read after every step",
    "kept": "the losses are kept, and read at a save",
    "raw": "Variables and no layers, moved without an optimizer",
    "generator": "data from a Python generator",
    "augmented": "data mapped with random ops",
    "wide": "batches so large that their elements are mapped together",
    "async": "checkpoints are written by a thread",
    "write": "checkpoints are written with Checkpoint.write, under one name",
}


def say(place: str) -> None:
    print(place, flush=True)


class Momentum(optimizers.Optimizer):
    """Moves by a moving average of the gradients."""

    def __init__(self, learning_rate: Any) -> None:
        super().__init__("Momentum")
        self._learning_rate = self._build_learning_rate(learning_rate)

    def build(self, var_list: Any) -> None:
        super().build(var_list)
        self.averages = [self.add_variable_from_reference(v, "average") for v in var_list]

    def update_step(self, gradient: Any, variable: Any) -> None:
        average = self.averages[self._index_dict[self._var_key(variable)]]
        average.assign(0.9 * average + 0.1 * gradient)
        variable.assign_sub(tf.cast(self.learning_rate, variable.dtype) * average / (tf.norm(average) + 1e-3))


class Raw(tf.Module):
    """Two matrices, called like a model."""

    def __init__(self) -> None:
        super().__init__()
        random = np.random.default_rng(1)
        self.first = tf.Variable(random.normal(size=(12, 9)).astype("float32"))
        self.second = tf.Variable(random.normal(size=(9, 3)).astype("float32"))

    def __call__(self, x: Any, training: bool = True) -> Any:
        return tf.nn.tanh(x @ self.first) @ self.second


class Losses(tf.train.experimental.PythonState):
    """The losses so far, as they are printed or written to a file."""

    def __init__(self) -> None:
        self.values: list[str] = []

    def serialize(self) -> str:
        return "\n".join(self.values)

    def deserialize(self, string_value: bytes) -> None:
        self.values = string_value.decode().split("\n") if string_value else []


class Loop:
    """Everything that a training of a kind consists of."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.parts = set(kind.split("-"))
        assert self.parts <= {*PARTS, "plain"}, kind
        if "mixed" in self.parts:
            tf.keras.mixed_precision.set_global_policy("mixed_float16")
        self.model = self.make_model()
        self.optimizer = self.make_optimizer()
        self.score = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        self.generator = tf.random.Generator.from_seed(3)
        self.mean, self.accuracy = tf.keras.metrics.Mean(), tf.keras.metrics.SparseCategoricalAccuracy()
        self.step = tf.Variable(0, dtype=tf.int64)
        self.losses = Losses()
        self.kept: list[Any] = []
        self.sums: list[Any] = []
        if "together" in self.parts:
            self.sums = [tf.Variable(tf.zeros_like(v), trainable=False) for v in self.weights]
        self.checkpoint = tf.train.Checkpoint(
            model=self.model,
            optimizer=self.optimizer,
            generator=self.generator,
            metrics=[self.mean, self.accuracy],
            step=self.step,
            losses=self.losses,
            sums=self.sums,
            data=iter(self.make_data()),
        )
        self.manager = tf.train.CheckpointManager(self.checkpoint, folder / "checkpoints", max_to_keep=2)
        self.single = folder / "single"
        self.forward: Callable[..., Any] = tf.function(self.call) if "inner" in self.parts else self.call
        self.train: Callable[..., Any] = self.train_step
        if self.parts & {"function", "reading"}:
            self.train = tf.function(self.train_step)
        elif "on_batch" in self.parts:
            self.model.compile(self.optimizer, self.score)
            self.train = lambda x, y: (self.model.train_on_batch(x, y), None)

    @property
    def weights(self) -> Any:
        return self.model.trainable_variables

    def make_model(self) -> Any:
        if "raw" in self.parts:
            return Raw()
        if "conv" in self.parts:
            middle = [
                layers.Reshape((3, 4, 1)),
                layers.Conv2D(4, 2),
                layers.BatchNormalization(),
                layers.Flatten(),
            ]
        elif "recurrent" in self.parts:
            middle = [layers.Reshape((4, 3)), layers.LSTM(7, dropout=0.2)]
        else:
            middle = [layers.Dense(9, "tanh"), layers.BatchNormalization(), layers.Dropout(0.3)]
        first = [] if "late" in self.parts else [tf.keras.Input((12,))]
        return tf.keras.Sequential([*first, *middle, layers.Dense(3, dtype="float32")])

    def make_optimizer(self) -> Any:
        rate: Any = 0.02
        if "schedule" in self.parts:
            rate = optimizers.schedules.CosineDecay(0.03, 50, warmup_target=0.05, warmup_steps=3)
        if "sgd" in self.parts:
            made: Any = optimizers.SGD(rate, momentum=0.9, nesterov=True)
        elif "adamw" in self.parts:
            made = optimizers.AdamW(rate, global_clipnorm=0.5, use_ema=True)
        elif "own" in self.parts:
            made = Momentum(rate)
        else:
            made = optimizers.Adam(rate)
        if "mixed" in self.parts:
            made = tf.keras.mixed_precision.LossScaleOptimizer(
                made, initial_scale=2.0**17, dynamic_growth_steps=3
            )
        return made

    def make_data(self) -> Any:
        rows, count = (20, 56) if "wide" in self.parts else (ROWS, 50)
        random = np.random.default_rng(5)
        x = random.random((count, 12), np.float32)
        y = (x.mean(1) * 3).astype(np.int64)
        if "generator" in self.parts:

            def samples() -> Iterator[Any]:
                for i in range(count):
                    yield x[i], y[i]

            kinds = (tf.TensorSpec((12,), tf.float32), tf.TensorSpec((), tf.int64))
            data = tf.data.Dataset.from_generator(samples, output_signature=kinds)
        else:
            data = tf.data.Dataset.from_tensor_slices((x, y))
        data = data.shuffle(30, seed=2)
        if "augmented" in self.parts:
            turn = tf.constant(random.random((12, 12), np.float32))
            data = data.map(
                lambda a, b: (
                    tf.linalg.matvec(turn, tf.sin(a)) / tf.norm(a) + 0.1 * tf.random.normal([12], seed=4),
                    b,
                )
            )
            data = data.batch(rows).map(lambda a, b: (a / (1e-3 + tf.norm(a, axis=1, keepdims=True)), b))
        else:
            data = data.batch(rows)
        return data.repeat().prefetch(2)

    # A step

    def noise(self, like: Any) -> Any:
        if "stateless" in self.parts:
            drawn = tf.random.stateless_normal(like.shape, (int(self.step), 1))
        else:
            drawn = self.generator.normal(like.shape)
        if "fading" in self.parts:
            drawn *= tf.exp(-0.01 * tf.cast(self.step, tf.float32))
        return 0.1 * drawn

    def call(self, x: Any) -> Any:
        return self.model(x, training=True)

    def train_step(self, x: Any, y: Any) -> Any:
        if "inside" in self.parts:
            x = x + self.noise(x)
        with tf.GradientTape() as tape:
            logits = self.forward(x)
            loss = self.score(y, logits)
            scaled = self.optimizer.get_scaled_loss(loss) if "mixed" in self.parts else loss
        gradients = tape.gradient(scaled, self.weights)
        if "mixed" in self.parts:
            gradients = self.optimizer.get_unscaled_gradients(gradients)
        if "reading" in self.parts and float(loss) > 1.1:
            gradients = [0.5 * g for g in gradients]
        if "raw" in self.parts:
            for variable, gradient in zip(self.weights, gradients, strict=True):
                variable.assign_sub(0.3 * gradient / (1.0 + tf.norm(gradient)))
        else:
            self.apply(gradients)
        return loss, logits

    def apply(self, gradients: Any) -> None:
        if not self.sums:
            self.optimizer.apply_gradients(zip(gradients, self.weights, strict=True))
            return
        for total, gradient in zip(self.sums, gradients, strict=True):
            total.assign_add(gradient / 2.0)

    def apply_sums(self) -> None:
        self.optimizer.apply_gradients(zip([s.value() for s in self.sums], self.weights, strict=True))
        for total in self.sums:
            total.assign(tf.zeros_like(total))

    # The loop

    def restore(self) -> None:
        if "write" in self.parts:
            if self.single.with_suffix(".safetensors").exists():
                self.checkpoint.read(self.single)
        else:
            self.manager.restore_or_initialize()

    def run(self, most: int) -> bool:
        """Train; False if there were more steps to take than `most`."""
        self.restore()
        if "probe" in self.parts:
            self.model(tf.zeros((1, 12)))
        say("ready")
        done, steps = 0, int(self.step)
        while steps < TOTAL:
            if done == most:
                return False
            x, y = next(self.checkpoint.data)
            if self.parts & {"outside", "stateless"}:
                x = x + self.noise(x)
            loss, logits = self.train(x, y)
            if self.sums and steps % 2:
                self.apply_sums()
            self.step.assign_add(1)
            if "metrics" in self.parts:
                self.mean.update_state(loss)
                self.accuracy.update_state(y, logits)
            if "printed" in self.parts:
                self.losses.values.append(float(loss).hex())
            elif "kept" in self.parts:
                self.kept.append(loss)
            steps, done = steps + 1, done + 1
            say("step")
            time.sleep(0.004)  # gives whoever interrupts it time to do so
            if steps % EVERY == 0:
                self.save()
        return True

    def save(self) -> None:
        self.losses.values += [float(loss).hex() for loss in self.kept]
        self.kept.clear()
        say("save")
        if "write" in self.parts:
            self.checkpoint.write(self.single)
        else:
            self.manager.save(options=tf.train.CheckpointOptions(enable_async="async" in self.parts))

    def result(self) -> str:
        """Every bit of the state, in words."""
        self.checkpoint.sync()
        self.losses.values += [float(loss).hex() for loss in self.kept]
        variables = [*self.model.variables, *self.optimizer.variables, *self.mean.variables, *self.sums]
        variables += self.accuracy.variables
        if "mixed" in self.parts:
            variables += [self.optimizer.dynamic_scale, self.optimizer.dynamic_counter]
        lines = [f"{v.name} {hashlib.sha256(v.numpy().tobytes()).hexdigest()}" for v in variables]
        following = b"".join(part.numpy().tobytes() for part in next(self.checkpoint.data))
        lines.append(f"data {hashlib.sha256(following).hexdigest()}")
        lines.append(f"generator {self.generator.state.numpy().tolist()} step {int(self.step)}")
        return "\n".join([*lines, *self.losses.values, ""])


def die_at(change: int, folder: Path) -> None:
    """Kill this process when it is about to change a file in the folder, or to flush any, for the n-th time."""
    numbers = itertools.count(1)
    flush = os.fsync

    def reached() -> None:
        if next(numbers) == change:
            os.kill(os.getpid(), signal.SIGKILL)

    def fsync(descriptor: Any) -> None:
        reached()
        flush(descriptor)

    def audit(event: str, arguments: tuple[Any, ...]) -> None:
        if event not in ("open", "os.rename", "os.remove", "os.mkdir"):
            return
        is_inside = isinstance(arguments[0], (str, os.PathLike)) and str(folder) in os.fspath(arguments[0])
        if is_inside and (event != "open" or arguments[2] & (os.O_WRONLY | os.O_RDWR)):
            reached()

    os.fsync = fsync
    sys.addaudithook(audit)


def main(kind: str, folder: Path, most: int = -1, change: int = 0) -> None:
    if change:
        die_at(change, folder)
    tf.keras.utils.set_random_seed(7)
    loop = Loop(kind, folder)
    if loop.run(most):
        temporary = folder / "result.part"
        temporary.write_text(loop.result())
        temporary.replace(folder / "result")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *map(int, sys.argv[3:]))
