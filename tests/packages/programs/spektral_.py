"""Graph networks, as in the README and examples of spektral."""

import numpy as np
import scipy.sparse as sp
import tensorflow as tf
from spektral.data import BatchLoader, Dataset, DisjointLoader, Graph, MixedLoader, SingleLoader
from spektral.layers import (
    ARMAConv,
    ChebConv,
    ECCConv,
    GATConv,
    GCNConv,
    GCSConv,
    GINConv,
    GlobalSumPool,
    GraphSageConv,
    MinCutPool,
)
from spektral.models import GCN
from spektral.transforms import GCNFilter, LayerPreprocess, NormalizeAdj
from tensorflow.keras.layers import Dense
from tensorflow.keras.models import Model
from tensorflow.keras.optimizers import Adam

result = {}


class Random(Dataset):
    def read(self):
        rng = np.random.default_rng(0)
        graphs = []
        for _ in range(12):
            n = rng.integers(4, 9)
            a = np.triu(rng.random((n, n)) < 0.4, 1)
            a = (a | a.T).astype("float32")
            x = rng.random((n, 3)).astype("float32")
            graphs.append(
                Graph(x=x, a=sp.csr_matrix(a), y=np.array([float(x.sum() > 8), float(x.sum() <= 8)]))
            )
        return graphs


class Single(Dataset):
    def read(self):
        rng = np.random.default_rng(0)
        a = np.triu(rng.random((20, 20)) < 0.2, 1)
        a = sp.csr_matrix((a | a.T).astype("float32"))
        return [
            Graph(
                x=rng.random((20, 5)).astype("float32"),
                a=a,
                y=np.eye(3)[rng.integers(0, 3, 20)].astype("float32"),
            )
        ]


def filled(model):
    rng = np.random.default_rng(1)
    model.set_weights([0.3 * rng.normal(size=w.shape) for w in model.get_weights()])


dataset = Single(transforms=[LayerPreprocess(GCNConv)])
model = GCN(n_labels=3, channels=8, dropout_rate=0.0)
model.compile(Adam(0.05), "categorical_crossentropy", metrics=["accuracy"])
loader = SingleLoader(dataset)
model.predict(loader.load(), steps=1, verbose=0)
filled(model)
history = model.fit(loader.load(), steps_per_epoch=loader.steps_per_epoch, epochs=5, shuffle=False, verbose=0)
result["node"] = history.history["loss"]

dataset = Random(transforms=NormalizeAdj())


class Net(Model):
    def __init__(self, conv):
        super().__init__()
        self.conv, self.pool, self.dense = conv, GlobalSumPool(), Dense(2, "softmax")

    def call(self, inputs):
        x, a, i = inputs
        return self.dense(self.pool([self.conv([x, a]), i]))


for conv in (
    GCNConv(8, activation="relu"),
    GCSConv(8),
    GATConv(4, dropout_rate=0.0),
    GINConv(4),
    ChebConv(4),
    ARMAConv(4),
    GraphSageConv(4),
):
    model = Net(conv)
    loader = DisjointLoader(dataset, batch_size=6, epochs=1, shuffle=False)
    batches = list(loader)
    model(batches[0][0])
    filled(model)
    optimizer, losses = Adam(0.01), []
    for inputs, target in batches:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(
                tf.keras.losses.categorical_crossentropy(target, model(inputs, training=True))
            )
        optimizer.apply_gradients(
            zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables)
        )
        losses.append(float(loss))
    result[type(conv).__name__] = losses

model = Net(GCSConv(8, activation="relu"))
model.compile("adam", "categorical_crossentropy", metrics=["acc"])
loader = DisjointLoader(dataset, batch_size=4)
model.fit(loader.load(), steps_per_epoch=loader.steps_per_epoch, epochs=2, verbose=0)
loss, accuracy = model.evaluate(DisjointLoader(dataset, batch_size=4, epochs=1).load(), steps=3, verbose=0)
assert np.isfinite(loss)

loader = BatchLoader(dataset, batch_size=6, epochs=1, shuffle=False, mask=False)
(x, a), y = next(iter(loader))
pool = MinCutPool(3)
pooled, coarse = pool([tf.constant(x), tf.constant(a)])
assert pooled.shape == (6, 3, 3)
assert coarse.shape == (6, 3, 3)
print("result", result)
