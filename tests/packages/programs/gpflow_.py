"""Gaussian processes, as in the README of gpflow."""

import gpflow
import numpy as np
import tensorflow as tf
from gpflow.utilities import print_summary

rng = np.random.default_rng(0)
X = rng.uniform(size=(30, 1))
Y = np.sin(6 * X) + 0.1 * rng.normal(size=X.shape)
Xnew = np.linspace(0, 1, 5)[:, None]
result = {}

model = gpflow.models.GPR((X, Y), kernel=gpflow.kernels.SquaredExponential(), mean_function=None)
result["before"] = [float(model.log_marginal_likelihood())]
opt = gpflow.optimizers.Scipy()
opt.minimize(model.training_loss, model.trainable_variables, options={"maxiter": 100})
print_summary(model)
mean, var = model.predict_f(Xnew)
result["gpr"] = [
    *mean.numpy().ravel().tolist(),
    *var.numpy().ravel().tolist(),
    float(model.maximum_log_likelihood_objective()),
]

for kernel in [
    gpflow.kernels.Matern52(lengthscales=0.3),
    gpflow.kernels.Matern32() + gpflow.kernels.Linear(),
    gpflow.kernels.Periodic(gpflow.kernels.SquaredExponential()),
    gpflow.kernels.RationalQuadratic() * gpflow.kernels.Constant(2.0),
    gpflow.kernels.ArcCosine(),
]:
    result.setdefault("kernels", []).append(float(tf.reduce_sum(kernel(X))))

svgp = gpflow.models.SVGP(
    gpflow.kernels.Matern52(), gpflow.likelihoods.Gaussian(), X[::5].copy(), num_data=30
)
loss = svgp.training_loss_closure((X, Y))
start = float(svgp.elbo((X, Y)))
opt.minimize(loss, svgp.trainable_variables, options={"maxiter": 50})
assert float(svgp.elbo((X, Y))) > start + 10

vgp = gpflow.models.VGP(
    (X, (Y > 0).astype(float)), gpflow.kernels.SquaredExponential(), gpflow.likelihoods.Bernoulli()
)
natgrad = gpflow.optimizers.NaturalGradient(gamma=0.1)
for _ in range(5):
    natgrad.minimize(vgp.training_loss, [(vgp.q_mu, vgp.q_sqrt)])
result["vgp"] = [float(vgp.elbo())]

sgpr = gpflow.models.SGPR((X, Y), gpflow.kernels.SquaredExponential(), inducing_variable=X[::5].copy())
adam = tf.keras.optimizers.legacy.Adam(0.05)


@tf.function
def step():
    adam.minimize(sgpr.training_loss, sgpr.trainable_variables)


for _ in range(10):
    step()
result["sgpr"] = [float(sgpr.elbo())]

model.kernel.lengthscales.prior = None
gpflow.set_trainable(model.likelihood.variance, False)
assert len(model.trainable_variables) == 2
values = gpflow.utilities.parameter_dict(model)
copied = gpflow.utilities.deepcopy(model)
gpflow.utilities.multiple_assign(copied, values)
np.testing.assert_allclose(copied.predict_f(Xnew)[0], mean)
assert copied.predict_f_samples(Xnew, 3).shape == (3, 5, 1)
print("result", result)
