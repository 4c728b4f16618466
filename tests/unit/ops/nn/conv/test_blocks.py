"""Blocks: the same result as all samples at once, for every remainder."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tapeflow.ops.nn.conv.blocks import block_size, map_blocks, sum_blocks


@pytest.mark.parametrize("block", [1, 2, 3, 4, 7, 9])
def test_map_and_sum_do_not_depend_on_the_block(block: int) -> None:
    x = jnp.arange(14, dtype=jnp.int32).reshape(7, 2)
    np.testing.assert_array_equal(map_blocks(lambda part: part * 2, x, block), x * 2)
    doubled, negated = map_blocks(lambda part: (part * 2, -part), x, block)
    np.testing.assert_array_equal(doubled, x * 2)
    np.testing.assert_array_equal(negated, -x)
    total = sum_blocks(lambda a, b: jnp.sum(a * b, axis=0), block, x, x)
    np.testing.assert_array_equal(total, (x * x).sum(0))


@pytest.mark.parametrize(
    ("samples", "limit", "expected"),
    [(32, 1 << 30, 32), (32, 4 * 100 * 10, 8), (33, 4 * 100 * 16, 11), (31, 4 * 100 * 8, 8), (5, 1, 1)],
)
def test_a_block_divides_the_batch_if_it_can(samples: int, limit: int, expected: int) -> None:
    x = jnp.zeros((samples, 3), jnp.float32)
    assert block_size(x, 100, limit) == expected


def test_blocks_bound_the_memory_of_a_batch() -> None:
    def work(x: jax.Array) -> jax.Array:
        return sum_blocks(lambda part: jnp.sort(part[:, :, None] * part[:, None]).sum(), 8, x)

    def temporary_bytes(samples: int) -> int:
        compiled = jax.jit(work).lower(jnp.zeros((samples, 64), jnp.float32)).compile()
        return compiled.memory_analysis().temp_size_in_bytes

    assert temporary_bytes(512) < 1.5 * temporary_bytes(64)
