"""Kernels of Keras's losses: no float64 creeps in, and what is clipped has no gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine.backend import jax, jnp
from tapeflow.ops.nn.ctc import padded_ctc_loss
from tapeflow.ops.training import loss as kernels

P = jnp.asarray([[0.2, 0.8], [0.6, 0.4]], jnp.float32)
ONE_HOT = jnp.eye(2, dtype=jnp.float32)
CLASSES = jnp.asarray([0, 1])
SPARSE: dict[str, Any] = {"axis": 1, "epsilon": 1e-7, "ignore_class": None}
KERNELS: list[tuple[Any, Any, dict[str, Any]]] = [
    (kernels.mean_squared_error, ONE_HOT, {}),
    (kernels.binary_cross_entropy, ONE_HOT, {"from_logits": False, "epsilon": 1e-7}),
    (kernels.mean_binary_cross_entropy, ONE_HOT, {"from_logits": True, "epsilon": 1e-7}),
    (kernels.categorical_cross_entropy, ONE_HOT, {"axis": 1, "from_logits": False, "epsilon": 1e-7}),
    (kernels.categorical_cross_entropy, ONE_HOT, {"axis": 1, "from_logits": True, "epsilon": 1e-7}),
    (kernels.sparse_cross_entropy, CLASSES, {**SPARSE, "from_logits": False}),
    (kernels.sparse_cross_entropy, CLASSES, {**SPARSE, "from_logits": True}),
    (kernels.sparse_cross_entropy, CLASSES, {**SPARSE, "from_logits": False, "ignore_class": 1}),
    (padded_ctc_loss, CLASSES[:, None], {"blank": 0}),
]


@pytest.mark.parametrize(("kernel", "labels", "statics"), KERNELS)
def test_no_float64_in_a_float32_kernel(kernel: Any, labels: Any, statics: dict[str, Any]) -> None:
    p = jnp.stack([P, P], 1) if kernel is padded_ctc_loss else P

    def run(x: Any) -> Any:
        return jnp.sum(kernel.kernel(x, labels, **statics))

    assert "f64" not in str(jax.make_jaxpr(run)(p))
    assert "f64" not in str(jax.make_jaxpr(jax.grad(run))(p))
    assert np.isfinite(jax.grad(run)(p)).all()


@pytest.mark.parametrize("p", [0.0, 1.0, 1e-9])
def test_clipped_probabilities_have_no_gradient(p: float) -> None:
    def run(x: Any) -> Any:
        return jnp.sum(
            kernels.binary_cross_entropy.kernel(x, jnp.ones((1,), x.dtype), from_logits=False, epsilon=1e-7)
        )

    assert jax.grad(run)(jnp.full((1,), p, jnp.float32)) == 0
