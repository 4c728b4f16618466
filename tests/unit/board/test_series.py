from __future__ import annotations

import numpy as np

from tapeflow.board.series import SCALAR_COLUMNS, Columns, Series


def rows(begin: int, end: int) -> dict[str, np.ndarray]:
    return {name: np.arange(begin, end) for name in SCALAR_COLUMNS}


def test_a_view_stays_good_while_columns_grow() -> None:
    columns = Columns(SCALAR_COLUMNS)
    columns.append(rows(0, 3))
    view = columns["values"]
    for i in range(3, 1000):
        columns.append(rows(i, i + 1))
    assert view.tolist() == [0, 1, 2]
    assert columns["values"].tolist() == list(range(1000))
    columns.trim()
    columns.append(rows(1000, 1002))
    assert columns["steps"].tolist() == list(range(1002))


def test_adopted_columns_are_not_written_to() -> None:
    kept = {name: np.arange(4, dtype=dtype) for name, dtype in SCALAR_COLUMNS.items()}
    for column in kept.values():
        column.flags.writeable = False
    columns = Columns(SCALAR_COLUMNS)
    columns.adopt(kept)
    assert columns["steps"].base is kept["steps"] or columns["steps"] is kept["steps"]
    columns.append(rows(4, 6))
    assert columns["steps"].tolist() == list(range(6))


def test_what_is_known_of_the_order_is_one_thing() -> None:
    """A thread that has looked further than another must not be taken back by it, column by column."""
    series = Series("loss", True)
    series.columns.append(rows(0, 3))
    assert series.order("steps", 3) is None
    assert series.risen == (3, {"steps": True, "wall_times": True})
    series.columns.append(rows(0, 2))
    assert series.last_step == 2
    assert series.risen == (5, {"steps": False, "wall_times": False})
    order = series.order("steps", 5)
    assert order is not None
    assert order.tolist() == [0, 3, 1, 4, 2]
