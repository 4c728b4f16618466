"""Sentiment from a folder of text files: TextVectorization, Embedding, export with its preprocessing."""

import os
import re
import string
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, losses

tf.random.set_seed(3)

good, bad = ["great", "lovely", "fine", "wonderful"], ["awful", "boring", "poor", "terrible"]
rng = np.random.default_rng(1)
root = tempfile.mkdtemp()
for label, words in (("neg", bad), ("pos", good)):
    os.makedirs(os.path.join(root, "train", label))
    for i in range(60):
        text = " ".join(rng.choice([*words, "the", "film", "was", "a"], 12)) + "<br />Really!"
        with open(os.path.join(root, "train", label, f"{i}.txt"), "w") as f:
            f.write(text)

raw_train = tf.keras.utils.text_dataset_from_directory(
    os.path.join(root, "train"), batch_size=16, validation_split=0.2, subset="training", seed=42
)
raw_val = tf.keras.utils.text_dataset_from_directory(
    os.path.join(root, "train"), batch_size=16, validation_split=0.2, subset="validation", seed=42
)
assert raw_train.class_names == ["neg", "pos"]


def custom_standardization(input_data):
    lowercase = tf.strings.lower(input_data)
    stripped = tf.strings.regex_replace(lowercase, "<br />", " ")
    return tf.strings.regex_replace(stripped, "[%s]" % re.escape(string.punctuation), "")


vectorize_layer = layers.TextVectorization(
    standardize=custom_standardization, max_tokens=100, output_mode="int", output_sequence_length=20
)
vectorize_layer.adapt(raw_train.map(lambda x, y: x))
assert "really" in vectorize_layer.get_vocabulary() and "br" not in vectorize_layer.get_vocabulary()


def vectorize_text(text, label):
    text = tf.expand_dims(text, -1)
    return vectorize_layer(text), label


train_ds = raw_train.map(vectorize_text).cache().prefetch(buffer_size=tf.data.AUTOTUNE)
val_ds = raw_val.map(vectorize_text).cache().prefetch(buffer_size=tf.data.AUTOTUNE)
model = tf.keras.Sequential(
    [
        layers.Embedding(101, 16),
        layers.Dropout(0.2),
        layers.GlobalAveragePooling1D(),
        layers.Dropout(0.2),
        layers.Dense(1),
    ]
)
model.compile(
    loss=losses.BinaryCrossentropy(from_logits=True),
    optimizer=tf.keras.optimizers.Adam(0.05),
    metrics=tf.metrics.BinaryAccuracy(threshold=0.0),
)
history = model.fit(train_ds, validation_data=val_ds, epochs=8, verbose=0)
assert history.history["val_binary_accuracy"][-1] > 0.9, history.history

export_model = tf.keras.Sequential([vectorize_layer, model, layers.Activation("sigmoid")])
export_model.compile(
    loss=losses.BinaryCrossentropy(from_logits=False), optimizer="adam", metrics=["accuracy"]
)
_, accuracy = export_model.evaluate(raw_val, verbose=0)
assert accuracy > 0.9
scores = export_model.predict(
    tf.constant(["the film was great lovely", "the film was awful boring"]), verbose=0
)
assert scores[0] > 0.5 > scores[1]
print("done")
