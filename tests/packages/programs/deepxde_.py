"""Solving a differential equation, as in the README of DeepXDE."""

import os

os.environ["DDE_BACKEND"] = "tensorflow"

import deepxde as dde  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

dde.config.set_random_seed(1)


def pde(x, y):
    return -dde.grad.hessian(y, x) - np.pi**2 * tf.sin(np.pi * x)


geometry = dde.geometry.Interval(-1, 1)
boundary = dde.icbc.DirichletBC(geometry, lambda x: np.sin(np.pi * x), lambda _, on_boundary: on_boundary)
data = dde.data.PDE(geometry, pde, boundary, 16, 2, solution=lambda x: np.sin(np.pi * x), num_test=20)
network = dde.nn.FNN([1] + [20] * 2 + [1], "tanh", "Glorot uniform")
model = dde.Model(data, network)
model.compile("adam", lr=0.01, metrics=["l2 relative error"])
history, state = model.train(iterations=400, display_every=200)
losses = [float(np.sum(step)) for step in history.loss_train]
assert losses[-1] < 0.2 * losses[0], losses
x = geometry.uniform_points(9, True)
assert model.predict(x).shape == (9, 1)
assert model.predict(x, operator=pde).shape == (9, 1)
print("result", {})
