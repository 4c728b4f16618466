"""TensorFlow Probability: distributions, bijectors, variational inference, joint distributions.

Passes on TensorFlow 2.15 with tensorflow-probability 0.23.
"""

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

tfd, tfb = tfp.distributions, tfp.bijectors
tf.random.set_seed(0)
np.random.seed(0)


def close(got, wanted, tolerance=1e-4):
    np.testing.assert_allclose(np.asarray(got), wanted, rtol=tolerance, atol=tolerance)


# Distributions: numbers are those of TensorFlow.
close(tfd.Normal([0.0, 1.0], [1.0, 2.0]).log_prob([0.3, -0.2]), [-0.9639385, -1.7920858])
close(tfd.Gamma([2.0, 3.0], 1.5).log_prob([0.3, 1.2]), [-0.8430425, -0.9121088])
close(tfd.kl_divergence(tfd.Normal(0.0, 1.0), tfd.Normal(1.0, 2.0)), 0.4431472)
mixture = tfd.MixtureSameFamily(tfd.Categorical(probs=[0.3, 0.7]), tfd.Normal([-1.0, 1.0], [0.5, 1.0]))
close(mixture.log_prob([0.3, -0.2]), [-1.4840062, -1.5971007])
samples = tfd.Gamma(3.0, 2.0).sample(5000, seed=1)
close(tf.reduce_mean(samples), 1.5, 0.1)

# Bijectors.
chain = tfb.Chain([tfb.Exp(), tfb.Scale(2.0), tfb.Shift(1.0)])
x = tf.constant([0.3, -0.2])
close(chain.inverse(chain.forward(x)), x)
close(chain.forward_log_det_jacobian(x), [3.2931473, 2.2931473])
flow = tfd.TransformedDistribution(tfd.Normal(0.0, 1.0), tfb.Exp())
close(flow.log_prob([0.3, 0.2]), tfd.LogNormal(0.0, 1.0).log_prob([0.3, 0.2]))


# Variational inference.
posterior = tfd.Normal(
    tf.Variable(0.0, name="loc"), tfp.util.TransformedVariable(1.0, tfb.Softplus(), name="scale")
)
losses = tfp.vi.fit_surrogate_posterior(
    tfd.Normal(2.0, 0.5).log_prob,
    posterior,
    optimizer=tf.optimizers.Adam(0.1),
    num_steps=150,
    sample_size=10,
    seed=5,
)
assert losses[-1] < losses[0]
close(posterior.loc, 2.0, 0.3)

# Joint distributions and trainable variables.
joint = tfd.JointDistributionNamed({"a": tfd.Normal(0.0, 1.0), "b": lambda a: tfd.Normal(a, 2.0)})
close(joint.log_prob(a=0.3, b=0.5), -2.5810242)
assert set(joint.sample(seed=6)) == {"a", "b"}
trainable = tfd.Normal(tf.Variable(0.0), 1.0)
with tf.GradientTape() as tape:
    loss = -trainable.log_prob(1.5)
close(tape.gradient(loss, trainable.trainable_variables)[0], -1.5)

# Layers that give distributions, and layers whose weights are distributions.
tfpl, rng = tfp.layers, np.random.default_rng(0)
x = rng.normal(size=(64, 3)).astype("float32")
y = x @ np.array([[1.0], [2.0], [-1.0]], np.float32)


def negative_log_likelihood(y_true, distribution):
    return -distribution.log_prob(y_true)


regression = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(2),
        tfpl.DistributionLambda(lambda t: tfd.Normal(t[..., :1], 0.5 + tf.nn.softplus(t[..., 1:]))),
    ]
)
regression.compile(tf.keras.optimizers.Adam(0.05), negative_log_likelihood)
history = regression.fit(x, y, epochs=8, verbose=0).history["loss"]
assert history[-1] < history[0]
assert regression(x[:2]).mean().shape == (2, 1)
flipout = tf.keras.Sequential([tfpl.DenseFlipout(4, activation="relu"), tfpl.DenseReparameterization(1)])
flipout.compile("adam", "mse")
assert np.isfinite(flipout.fit(x, y, epochs=1, verbose=0).history["loss"]).all()
pictures = tf.keras.Sequential([tfpl.Convolution2DFlipout(2, 3), tf.keras.layers.Flatten()])
assert pictures(tf.zeros([2, 6, 6, 1])).shape == (2, 32)
mixture = tf.keras.Sequential(
    [tf.keras.layers.Dense(tfpl.MixtureNormal.params_size(2, [1])), tfpl.MixtureNormal(2, [1])]
)
assert mixture(x[:4]).sample(3).shape == (3, 4, 1)

# Hamiltonian Monte Carlo, whose loop is part of the program.
kernel = tfp.mcmc.HamiltonianMonteCarlo(tfd.Normal([1.0, -1.0], [1.0, 2.0]).log_prob, 0.5, 3)


@tf.function
def chain():
    return tfp.mcmc.sample_chain(
        400, tf.zeros([2]), kernel=kernel, num_burnin_steps=50, trace_fn=None, seed=1
    )


close(tf.reduce_mean(chain(), 0), [1.0, -1.0], 0.6)
print("result", {})
