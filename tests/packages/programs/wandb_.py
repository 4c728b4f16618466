"""Logging of a training without a network, as in the README of wandb."""

import os
import tempfile

os.environ["WANDB_MODE"] = "offline"
os.environ["WANDB_SILENT"] = "true"
folder = tempfile.mkdtemp()
os.environ["WANDB_DIR"] = folder

import numpy as np
import tensorflow as tf
import wandb
from wandb.integration.keras import WandbMetricsLogger, WandbModelCheckpoint

run = wandb.init(project="trial", config={"learning_rate": 0.02}, dir=folder)
x = np.random.default_rng(0).normal(size=(32, 4)).astype("float32")
model = tf.keras.Sequential([tf.keras.layers.Dense(4, activation="relu"), tf.keras.layers.Dense(1)])
model.compile(tf.keras.optimizers.Adam(wandb.config.learning_rate), "mse", metrics=["mae"])
path = os.path.join(folder, "model-{epoch:02d}.h5")
model.fit(
    x,
    x[:, :1],
    epochs=2,
    verbose=0,
    validation_split=0.25,
    callbacks=[WandbMetricsLogger(log_freq=1), WandbModelCheckpoint(path, save_weights_only=False)],
)
assert {"epoch/loss", "epoch/val_loss", "epoch/mae"} <= set(dict(run.summary))
assert os.path.exists(path.format(epoch=2))
run.log({"image": wandb.Image(np.zeros((4, 4, 3), np.uint8)), "histogram": wandb.Histogram(x.ravel())})
run.finish()
assert any(name.endswith(".wandb") for _, _, names in os.walk(folder) for name in names)
print("result", {"epochs": [2]})
