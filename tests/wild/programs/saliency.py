"""What a convolutional classifier looks at: Grad-CAM, activations of every layer, patterns that please a filter."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import backend as K
from tensorflow.keras import layers

rng = np.random.default_rng(1)
x = rng.uniform(size=(24, 20, 20, 3)).astype("float32")
y = rng.integers(0, 4, 24)


class MyClassifier(keras.Model):
    def __init__(self, classes=4, **kwargs):
        super().__init__(**kwargs)
        self.classes = classes
        self.pool = layers.GlobalAveragePooling2D()
        self.head = layers.Dense(classes, activation="softmax")

    def call(self, inputs):
        return self.head(self.pool(inputs))

    def get_config(self):
        return {"classes": self.classes}


model = keras.Sequential(
    [
        layers.Conv2D(8, 3, activation="relu", input_shape=(20, 20, 3), name="first"),
        layers.MaxPooling2D(),
        layers.Conv2D(6, 3, activation="relu", name="last"),
        layers.GlobalAveragePooling2D(),
        layers.Dense(4, activation="softmax", name="predictions"),
    ]
)
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(x, y, epochs=2, batch_size=8, verbose=0)


def heatmap_of(image, classifier, layer_name, class_index=None):
    grad_model = keras.models.Model(
        [classifier.inputs], [classifier.get_layer(layer_name).output, classifier.output]
    )
    with tf.GradientTape() as tape:
        features, predictions = grad_model(image)
        if class_index is None:
            class_index = tf.argmax(predictions[0])
        score = predictions[:, class_index]
    grads = tape.gradient(score, features)
    pooled = tf.reduce_mean(grads, axis=(0, 1, 2))
    heatmap = tf.squeeze(features[0] @ pooled[..., tf.newaxis])
    return (tf.maximum(heatmap, 0) / (tf.math.reduce_max(heatmap) + 1e-8)).numpy()


model.layers[-1].activation = None  # logits make better gradients
for index in (None, 0):
    heatmap = heatmap_of(x[:1], model, "last", index)
    assert heatmap.shape == (7, 7)
    assert heatmap.min() >= 0

activations = keras.models.Model(inputs=model.input, outputs=[layer.output for layer in model.layers])
print([a.shape for a in activations.predict(x[:1], verbose=0)])
by_function = K.function(model.inputs, [model.get_layer("last").output])
np.testing.assert_allclose(by_function(x[:2])[0], by_function([x[:2]])[0])

extractor = keras.Model(inputs=model.inputs, outputs=model.get_layer("last").output)


@tf.function
def ascend(image, filter_index, rate):
    with tf.GradientTape() as tape:
        tape.watch(image)
        loss = tf.reduce_mean(extractor(image)[:, 1:-1, 1:-1, filter_index])
    image += rate * tf.math.l2_normalize(tape.gradient(loss, image))
    return loss, image


image = (tf.random.uniform((1, 20, 20, 3)) - 0.5) * 0.25
losses = []
for _ in range(5):
    loss, image = ascend(image, 0, 5.0)
    losses.append(float(loss))
assert losses[-1] >= losses[0]

stack = keras.Sequential([layers.Conv2D(4, 3), MyClassifier()])
stack.compile("sgd", "sparse_categorical_crossentropy")
stack.fit(x, y, verbose=0)
stack.save("classifier")
again = keras.models.load_model("classifier")  # its classes are this script's
np.testing.assert_allclose(again.predict(x[:3], verbose=0), stack.predict(x[:3], verbose=0), rtol=1e-4)
print("done")
