"""Retrieval and ranking, as in the README of tensorflow-recommenders."""

from typing import Dict, Text

import numpy as np
import tensorflow as tf
import tensorflow_recommenders as tfrs

rng = np.random.default_rng(0)
users = [f"u{k}" for k in rng.integers(0, 10, 200)]
movies = [f"m{k}" for k in rng.integers(0, 20, 200)]
stars = rng.integers(1, 6, 200).astype("float32")
ratings = tf.data.Dataset.from_tensor_slices({"user_id": users, "movie_title": movies, "user_rating": stars})
titles = tf.data.Dataset.from_tensor_slices([f"m{k}" for k in range(20)])
result = {}


def tower(prefix, count, seed):
    words = [f"{prefix}{k}" for k in range(count)]
    model = tf.keras.Sequential(
        [tf.keras.layers.StringLookup(vocabulary=words), tf.keras.layers.Embedding(count + 1, 8)]
    )
    model(tf.constant(words[:1]))
    model.set_weights([0.3 * np.random.default_rng(seed).normal(size=w.shape) for w in model.get_weights()])
    return model


class TwoTower(tfrs.Model):
    def __init__(self):
        super().__init__()
        self.user_model, self.item_model = tower("u", 10, 1), tower("m", 20, 2)
        candidates = titles.batch(10).map(self.item_model)
        self.retrieval = tfrs.tasks.Retrieval(
            metrics=tfrs.metrics.FactorizedTopK(candidates=candidates, ks=(1, 5))
        )
        self.score = tf.keras.Sequential([tf.keras.layers.Dense(4, "relu"), tf.keras.layers.Dense(1)])
        self.ranking = tfrs.tasks.Ranking(
            loss=tf.keras.losses.MeanSquaredError(), metrics=[tf.keras.metrics.RootMeanSquaredError()]
        )

    def compute_loss(self, features: Dict[Text, tf.Tensor], training=False) -> tf.Tensor:
        user = self.user_model(features["user_id"])
        item = self.item_model(features["movie_title"])
        return self.retrieval(user, item, compute_metrics=not training) + self.ranking(
            labels=features["user_rating"][:, None], predictions=self.score(tf.concat([user, item], axis=1))
        )


model = TwoTower()
model.score(tf.zeros([1, 16]))
model.score.set_weights(
    [0.3 * np.random.default_rng(3).normal(size=w.shape) for w in model.score.get_weights()]
)
model.compile(optimizer=tf.keras.optimizers.Adagrad(0.5))
history = model.fit(ratings.batch(50), epochs=3, verbose=0)
result["loss"] = history.history["loss"]
evaluation = model.evaluate(ratings.batch(50), return_dict=True, verbose=0)
result["evaluation"] = [evaluation[key] for key in sorted(evaluation) if "loss" in key]

index = tfrs.layers.factorized_top_k.BruteForce(model.user_model)
index.index_from_dataset(tf.data.Dataset.zip((titles.batch(5), titles.batch(5).map(model.item_model))))
scores, found = index(tf.constant(["u3"]), k=4)
result["scores"] = scores[0].numpy().tolist()
print([word.decode() for word in found[0].numpy()])
stream = tfrs.layers.factorized_top_k.Streaming(model.user_model, k=4).index_from_dataset(
    tf.data.Dataset.zip((titles.batch(5), titles.batch(5).map(model.item_model)))
)
result["streamed"] = stream(tf.constant(["u3"]))[0][0].numpy().tolist()

cross = tfrs.layers.dcn.Cross(projection_dim=2)
x0 = rng.normal(size=(3, 6)).astype("float32")
cross(x0, x0)
cross.set_weights([0.3 * np.random.default_rng(4).normal(size=w.shape) for w in cross.get_weights()])
result["cross"] = np.asarray(cross(x0, x0)).ravel()[:6].tolist()
dot = tfrs.layers.feature_interaction.DotInteraction()
result["dot"] = np.asarray(dot([x0, 2 * x0, x0 + 1])).ravel().tolist()
ncdg = tfrs.experimental.optimizers.CompositeOptimizer(
    [
        (tf.keras.optimizers.legacy.SGD(0.1), lambda: model.user_model.trainable_variables),
        (
            tf.keras.optimizers.legacy.Adam(0.1),
            lambda: model.item_model.trainable_variables + model.score.trainable_variables,
        ),
    ]
)
model.compile(optimizer=ncdg)
result["composite"] = model.fit(ratings.batch(100), epochs=2, verbose=0).history["loss"]
print("result", result)
