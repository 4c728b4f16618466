from __future__ import annotations

from pathlib import Path

import pytest

from tapeflow.board import typescript

SCHEMA = Path(__file__).parents[3] / "web" / "src" / "api" / "schema.ts"


def test_the_page_has_the_schema_as_it_is() -> None:
    assert SCHEMA.read_text() == typescript.declarations(), (
        "run: python -m tapeflow.board.typescript > web/src/api/schema.ts"
    )


def test_optional_fields_lists_and_unions() -> None:
    text = typescript.declarations()
    assert "  min?: number | null;" in text
    assert "  series: SeriesKey[];" in text
    assert "  hparams: Record<string, string | number | boolean>;" in text
    assert 'export type Axis = "step" | "relative" | "wall";' in text


def test_a_type_that_is_not_known_is_named() -> None:
    with pytest.raises(
        TypeError, match="the board's schema has a type that TypeScript is not told: <class 'set'>"
    ):
        typescript._type(set)
