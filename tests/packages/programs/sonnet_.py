"""Modules and a training loop, as in the README of dm-sonnet."""

import os
import tempfile

import numpy as np
import sonnet as snt
import tensorflow as tf

rng = np.random.default_rng(0)
result = {}


def filled(module):
    rng = np.random.default_rng(1)
    for variable in sorted(module.variables, key=lambda v: v.name):
        if variable.dtype.is_floating and "counter" not in variable.name and "moving" not in variable.name:
            variable.assign(0.3 * rng.normal(size=variable.shape))


x = rng.normal(size=(16, 8)).astype("float32")
y = rng.integers(0, 3, 16)
mlp = snt.Sequential([snt.Linear(32), tf.nn.relu, snt.Linear(3)])
mlp(x)
filled(mlp)
for name, optimizer in {
    "sgd": snt.optimizers.SGD(0.1),
    "adam": snt.optimizers.Adam(0.01),
    "momentum": snt.optimizers.Momentum(0.1, 0.9),
    "rmsprop": snt.optimizers.RMSProp(0.01),
}.items():
    filled(mlp)
    losses = []
    for _ in range(4):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, mlp(x)))
        parameters = mlp.trainable_variables
        optimizer.apply(tape.gradient(loss, parameters), parameters)
        losses.append(float(loss))
    result[name] = losses


class MyModule(snt.Module):
    def __init__(self, size, name=None):
        super().__init__(name=name)
        self.size = size

    @snt.once
    def _make(self, x):
        self.w = tf.Variable(tf.ones([x.shape[-1], self.size]), name="w")

    def __call__(self, x):
        self._make(x)
        return tf.matmul(x, self.w)


mine = MyModule(2, name="mine")
result["own"] = mine(x)[0].numpy().tolist()
assert [v.name for v in mine.variables] == ["mine/w:0"]

image = tf.constant(rng.normal(size=(2, 8, 8, 3)).astype("float32"))
for name, module, data, options in [
    ("conv", snt.Conv2D(4, 3), image, {}),
    ("transpose", snt.Conv2DTranspose(4, 3), image, {}),
    ("layernorm", snt.LayerNorm(-1, True, True), x, {}),
    ("batchnorm", snt.BatchNorm(True, True), image, {"is_training": True}),
    ("groupnorm", snt.GroupNorm(3), image, {}),
    ("instance", snt.InstanceNorm(True, True), image, {}),
    ("embed", snt.Embed(10, 4), tf.constant([1, 3]), {}),
    ("bias", snt.Bias(), x, {}),
]:
    module(data, **options)
    filled(module)
    result[name] = np.asarray(module(data, **options)).ravel()[:4].tolist()

for core in (snt.LSTM(4), snt.GRU(4), snt.VanillaRNN(4)):
    sequence = tf.constant(rng.normal(size=(5, 2, 3)).astype("float32"))
    snt.dynamic_unroll(core, sequence, core.initial_state(2))
    filled(core)
    outputs, _ = snt.dynamic_unroll(core, sequence, core.initial_state(2))
    result[type(core).__name__] = outputs[-1, 0].numpy().tolist()

resnet = snt.nets.ResNet([1, 1, 1, 1], 3)
assert resnet(image, is_training=True).shape == (2, 3)
vqvae = snt.nets.VectorQuantizerEMA(embedding_dim=8, num_embeddings=5, commitment_cost=0.25, decay=0.99)
assert np.isfinite(float(vqvae(x, is_training=True)["loss"]))
nets = snt.nets.MLP([8, 3], dropout_rate=0.5)
assert nets(x, is_training=True).shape == (16, 3)


@tf.function
def compiled(data):
    return mlp(data)


np.testing.assert_allclose(compiled(x), mlp(x), rtol=1e-5)
with tempfile.TemporaryDirectory() as folder:
    checkpoint = tf.train.Checkpoint(model=mlp)
    path = checkpoint.save(os.path.join(folder, "mlp"))
    before = mlp(x).numpy()
    filled(mlp)
    checkpoint.restore(path)
    np.testing.assert_allclose(mlp(x), before)
print(snt.format_variables(mlp.variables))
print("result", result)
