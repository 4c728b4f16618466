"""Embedding look-ups: shapes, lists of tables, norms, ids out of range."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tapeflow.engine import errors
from tapeflow.engine.differentiation.tape import GradientTape
from tapeflow.engine.values.convert import constant
from tapeflow.engine.values.variable import Variable
from tapeflow.ops.nn.embedding import embedding_lookup

TABLE = np.arange(12, dtype=np.float32).reshape(4, 3)


@pytest.mark.parametrize("ids", [[[1, 0], [3, 3]], 2, np.array([1], np.int64), [], [[]]], ids=repr)
def test_rows(ids: Any) -> None:
    ids = np.asarray(ids, np.int32) if np.size(ids) == 0 else ids
    for table in (TABLE, Variable(TABLE), [TABLE], [TABLE[:2], TABLE[2:]]):
        np.testing.assert_array_equal(embedding_lookup(table, ids).numpy(), TABLE[np.asarray(ids, int)])


def test_tables_of_other_ranks() -> None:
    assert embedding_lookup(np.ones((4, 2, 3)), [0]).shape == (1, 2, 3)
    assert embedding_lookup([np.array([1.0, 2.0])], [[0, 1]]).shape == (1, 2)


def test_max_norm() -> None:
    result = embedding_lookup(TABLE, [0, 1, 3], max_norm=2.0).numpy()
    expected = [[0, 0.894427, 1.788854], [0.848528, 1.131371, 1.414214], [1.035784, 1.150871, 1.265958]]
    np.testing.assert_allclose(result, expected, rtol=1e-6)
    np.testing.assert_allclose(embedding_lookup(TABLE, [3], max_norm=100.0).numpy(), TABLE[3:])


def test_gradient_sums_over_repeated_ids() -> None:
    table = Variable(TABLE)
    with GradientTape() as tape:
        rows = embedding_lookup(table, [1, 1, 3])
    found = np.asarray(tape.gradient(rows, table))
    np.testing.assert_array_equal(found[:, 0], [0, 2, 0, 1])


@pytest.mark.parametrize("bad", [4, -1])
@pytest.mark.parametrize("pending", [False, True])
def test_id_out_of_range(bad: int, pending: bool) -> None:
    ids: Any = constant([0, bad])
    if pending:
        ids = ids * Variable([1, 1])
    message = rf"tf.nn.embedding_lookup expected every id to be a row of params; got id {bad}, .* \[0, 4\)"
    with pytest.raises(errors.InvalidArgumentError, match=message):
        embedding_lookup(TABLE, ids).numpy()


@pytest.mark.parametrize("params", [None, [], ()], ids=repr)
def test_a_table_is_needed(params: Any) -> None:
    with pytest.raises(ValueError, match="Need at least one param"):
        embedding_lookup(params, [0])


def test_wrong_arguments_raise() -> None:
    with pytest.raises(errors.InvalidArgumentError, match="expected a table of rank 1 or more"):
        embedding_lookup(1.0, [0])
    with pytest.raises(errors.InvalidArgumentError, match="expected integers for ids"):
        embedding_lookup(TABLE, [1.0])
    with pytest.raises(ValueError, match="None"):
        embedding_lookup(TABLE, None)
