"""Pictures of networks, as in the README of visualkeras."""

import numpy as np
import tensorflow as tf
import visualkeras

model = tf.keras.Sequential(
    [
        tf.keras.layers.InputLayer(input_shape=(16, 16, 3)),
        tf.keras.layers.ZeroPadding2D((1, 1)),
        tf.keras.layers.Conv2D(8, 3, activation="relu"),
        tf.keras.layers.MaxPooling2D(),
        visualkeras.SpacingDummyLayer(spacing=20),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dropout(0.5),
        tf.keras.layers.Dense(10, activation="softmax"),
    ]
)
picture = visualkeras.layered_view(model, to_file="output.png", type_ignore=[tf.keras.layers.Flatten])
flat = visualkeras.layered_view(model, draw_volume=False, spacing=30)
inputs = tf.keras.Input((4,))
graph = tf.keras.Model(inputs, tf.keras.layers.Dense(2)(tf.keras.layers.Dense(3)(inputs)))
drawn = visualkeras.graph_view(graph)
assert np.asarray(picture).std() > 0
print("result", {"sizes": [*picture.size, *flat.size, *drawn.size]})
