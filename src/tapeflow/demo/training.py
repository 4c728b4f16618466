"""The demo's network, trained once with everything logged."""

from __future__ import annotations

import os
from typing import Any

import tapeflow as tf
from tapeflow.demo.digits import Digits, make_model
from tapeflow.demo.pictures import Pictures
from tapeflow.plugins import custom_scalar

_NOTE = """\
# A network that reads digits

A convolution of 16 filters, then a layer of 32 features, then ten scores; {count} digits to learn from, each looked at
{epochs} times. The runs below `search` are the same network with other learning rates, sizes and dropouts.

Worth a look:

- **Scalars**: `epoch_loss` of `cnn/train` and `cnn/validation`, and `batch_loss` with every step of it;
- **Images**: `guesses`, with wrong ones in red; move the slider to see the network learn;
- **Confusion**: which digit is taken for which, epoch by epoch;
- **Histograms** and **Graphs**: the weights, and the program they are in;
- **Projector** and **Mesh**: where the network puts each digit;
- **HParams**: what the search found;
- **Custom scalars**: loss and accuracy side by side;
- **Profile**: what a step of the training waited for;
- **Alerts**: what the program, or the board, found worth a warning.
"""


def _layout() -> Any:
    """Two charts of its own making, for the custom scalars."""
    pb = custom_scalar.layout_pb2
    charts = [
        pb.Chart(title=title, multiline=pb.MultilineChartContent(tag=[rf"^{tag}$"]))
        for title, tag in (("Loss", "epoch_loss"), ("Accuracy", "epoch_accuracy"))
    ]
    return pb.Layout(category=[pb.Category(title="Digits", chart=charts)])


def train(digits: Digits, folder: str, epochs: int) -> float:
    """Train the network, logging to `folder/train` and `folder/validation`; gives its accuracy on the test digits."""
    tf.keras.utils.set_random_seed(0)
    model = make_model()
    writer = tf.summary.create_file_writer(os.path.join(folder, "validation"))
    with writer.as_default(step=0):
        custom_scalar.summary.op(_layout())
        tf.summary.text("about", _NOTE.format(count=len(digits.x_train), epochs=epochs))
    board = tf.keras.callbacks.TensorBoard(
        folder, histogram_freq=1, write_images=True, update_freq="batch", profile_batch=(55, 85)
    )
    try:
        history = model.fit(
            digits.x_train,
            digits.y_train,
            batch_size=32,
            epochs=epochs,
            validation_data=(digits.x_test, digits.y_test),
            callbacks=[board, Pictures(digits, writer)],
        )
        accuracy = history.history["val_accuracy"][-1]
        with writer.as_default(step=epochs - 1):
            wrong = f"{1 - accuracy:.1%} of the test digits are taken for others: the Confusion panel shows which."
            tf.summary.alert("Some digits are misread", wrong, level="info")
    finally:
        writer.close()
    return accuracy
