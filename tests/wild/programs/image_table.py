"""Pictures that a table names, augmented on the way: several labels, weights, a finder of learning rates."""

import os

import numpy as np
import pandas as pd
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.callbacks import Callback, CSVLogger, EarlyStopping, ReduceLROnPlateau
from tensorflow.keras.layers import Conv2D, Dense, Flatten, Input, MaxPooling2D
from tensorflow.keras.models import Model
from tensorflow.keras.optimizers import Adam
from tensorflow.keras.preprocessing.image import ImageDataGenerator, save_img

rng = np.random.default_rng(0)
os.makedirs("pictures", exist_ok=True)
for i in range(24):
    save_img(f"pictures/{i}.png", rng.uniform(0, 255, (18, 20, 3)))
table = pd.DataFrame({"file": [f"{i}.png" for i in range(24)], "kind": ["cat", "dog", "owl"] * 8})
table["age"] = rng.uniform(0, 10, 24)
table["adult"] = (table["age"] > 5).astype("float32")

datagen = ImageDataGenerator(
    rescale=1.0 / 255, rotation_range=10, horizontal_flip=True, validation_split=0.25
)
options = dict(dataframe=table, directory="pictures", x_col="file", target_size=(16, 16), batch_size=6)
train = datagen.flow_from_dataframe(y_col="kind", subset="training", seed=1, **options)
valid = datagen.flow_from_dataframe(y_col="kind", subset="validation", shuffle=False, **options)
print(train.class_indices, train.n, valid.filenames[:2])
assert valid.filenames[0] == "0.png"

inputs = Input(shape=(16, 16, 3))
features = Conv2D(4, (3, 3), activation="relu", padding="same")(inputs)
features = Flatten()(MaxPooling2D((2, 2))(features))
model = Model(inputs, Dense(3, activation="softmax")(features))
model.compile(loss="categorical_crossentropy", optimizer=Adam(learning_rate=1e-3), metrics=["acc"])


class RateFinder(Callback):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor
        self.rates, self.losses = [], []

    def on_batch_end(self, batch, logs=None):
        self.rates.append(float(K.get_value(self.model.optimizer.lr)))
        self.losses.append(logs["loss"])
        K.set_value(self.model.optimizer.lr, self.rates[-1] * self.factor)


finder = RateFinder(2.0)
model.fit(train, steps_per_epoch=len(train), epochs=2, callbacks=[finder], verbose=0)
np.testing.assert_allclose(finder.rates, 1e-3 * 2.0 ** np.arange(6), rtol=1e-5)
K.set_value(model.optimizer.lr, 1e-3)
watchers = [
    EarlyStopping(monitor="val_loss", patience=5, restore_best_weights=True),
    ReduceLROnPlateau(monitor="val_loss", factor=0.5, patience=1, min_delta=10.0),
    CSVLogger("log.csv"),
]
history = model.fit(train, validation_data=valid, epochs=3, callbacks=watchers, verbose=2)
assert sorted(history.history) == ["acc", "loss", "lr", "val_acc", "val_loss"]
np.testing.assert_allclose(history.history["lr"], [1e-3, 1e-3, 5e-4], rtol=1e-5)
assert list(pd.read_csv("log.csv").columns[:3]) == ["epoch", "acc", "loss"]
predicted = np.argmax(model.predict(valid, verbose=0), axis=1)
submission = pd.DataFrame({"file": valid.filenames, "kind": predicted})
print(submission.shape)

both = datagen.flow_from_dataframe(y_col=["age", "adult"], class_mode="multi_output", **options)
heads = [Dense(1, name="age")(features), Dense(1, activation="sigmoid", name="adult")(features)]
two = Model(inputs, heads)
losses = {"age": "mse", "adult": "binary_crossentropy"}
two.compile(loss=losses, optimizer="rmsprop", metrics={"adult": "accuracy"})
pairs = tf.data.Dataset.from_generator(
    lambda: ((x, tuple(labels)) for x, labels in (both[i] for i in range(len(both)))),
    output_types=(tf.float32, (tf.float32, tf.float32)),
    output_shapes=((None, 16, 16, 3), ((None,), (None,))),
)
history = two.fit(pairs, epochs=2, verbose=0)
assert sorted(history.history) == ["adult_accuracy", "adult_loss", "age_loss", "loss"]
print("done")
