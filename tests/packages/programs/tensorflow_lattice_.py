"""Calibrators, lattices and premade models, as in the README of tensorflow-lattice."""

import numpy as np
import tensorflow as tf
import tensorflow_lattice as tfl

rng = np.random.default_rng(0)
x = rng.uniform(size=(64, 2)).astype("float32")
y = (x[:, :1] + x[:, 1:] ** 2).astype("float32")
result = {}
model = tf.keras.models.Sequential()
model.add(
    tfl.layers.ParallelCombination(
        [
            tfl.layers.PWLCalibration(
                input_keypoints=np.linspace(0.0, 1.0, num=5),
                output_min=0.0,
                output_max=1.0,
                monotonicity="increasing",
            ),
            tfl.layers.PWLCalibration(
                input_keypoints=np.linspace(0.0, 1.0, num=5),
                output_min=0.0,
                output_max=2.0,
                convexity="convex",
            ),
        ]
    )
)
model.add(
    tfl.layers.Lattice(lattice_sizes=(2, 3), monotonicities=("increasing", "increasing"), output_min=0.0)
)
model.compile(
    loss=tf.keras.losses.mean_squared_error, optimizer=tf.keras.optimizers.legacy.Adagrad(learning_rate=0.1)
)
result["fit"] = model.fit(x, y, batch_size=16, epochs=4, shuffle=False, verbose=0).history["loss"]
result["predicted"] = np.ravel(model.predict(x[:5], verbose=0)).tolist()
linear = tfl.layers.Linear(num_input_dims=2, monotonicities=[1, 0], use_bias=True)
linear(x)
linear.set_weights([np.array([[0.4], [-0.2]]), np.array(0.1)])
result["linear"] = np.ravel(linear(x[:4])).tolist()
category = tfl.layers.CategoricalCalibration(
    num_buckets=3, output_min=0.0, output_max=1.0, monotonicities=[(0, 1)], kernel_initializer="constant"
)
result["category"] = np.ravel(category(tf.constant([[0.0], [2.0]]))).tolist()
features = [
    tfl.configs.FeatureConfig(
        name=name,
        monotonicity="increasing",
        pwl_calibration_input_keypoints=np.linspace(0.0, 1.0, 4).tolist(),
    )
    for name in ("a", "b")
]
config = tfl.configs.CalibratedLinearConfig(feature_configs=features, output_initialization=[0.0, 2.0])
premade = tfl.premade.CalibratedLinear(config)
premade.compile(loss="mse", optimizer=tf.keras.optimizers.legacy.Adam(0.05))
history = premade.fit([x[:, :1], x[:, 1:]], y, batch_size=16, epochs=3, shuffle=False, verbose=0)
result["premade"] = history.history["loss"]
print("result", result)
