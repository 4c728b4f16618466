"""Remedies: only what the pipeline lacks, and where it belongs."""

from __future__ import annotations

from typing import Any

import pytest

from tapeflow.summary.profile.remedies import remedies

SLICES, BATCH, CACHE = {"method": "from_tensor_slices"}, {"method": "batch", "size": 4}, {"method": "cache"}
SHUFFLE, PREFETCH, GENERATOR = {"method": "shuffle"}, {"method": "prefetch"}, {"method": "from_generator"}
CALLED = {"method": "map", "function": "decode", "workers": 1, "is_recorded": False, "busy_ns": 9, "calls": 3}
PARALLEL = {**CALLED, "workers": 4}
RECORDED = {**CALLED, "is_recorded": True}
RANDOM = {**RECORDED, "function": "flip", "is_random": True}


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (
            [SLICES, CALLED, BATCH],
            ["cache()", "map(num_parallel_calls=AUTOTUNE)", "batch() before map()", "prefetch()"],
        ),
        ([SLICES, BATCH, CALLED], ["cache()", "map(num_parallel_calls=AUTOTUNE)", "prefetch()"]),
        ([SLICES, PARALLEL, BATCH, PREFETCH], ["cache()", "batch() before map()"]),
        ([SLICES, RECORDED, BATCH], ["cache()", "prefetch()"]),
        ([SLICES, RECORDED, CACHE, SHUFFLE, BATCH, PREFETCH], ["less work in map(decode)"]),
        ([SLICES, CACHE, RECORDED, BATCH, PREFETCH], ["cache()"]),
        ([SLICES, RANDOM, BATCH], ["prefetch()"]),
        ([SLICES, RECORDED, RANDOM, BATCH, PREFETCH], ["cache()"]),
        ([SLICES, RECORDED, CACHE, RANDOM, BATCH, PREFETCH], ["less work in map(decode)"]),
        (
            [GENERATOR, BATCH],
            ["cache()", "map(num_parallel_calls=AUTOTUNE) instead of from_generator", "prefetch()"],
        ),
        ([GENERATOR, CACHE, PREFETCH], ["map(num_parallel_calls=AUTOTUNE) instead of from_generator"]),
        ([SLICES, BATCH], ["prefetch()"]),
        ([SLICES, BATCH, PREFETCH], ["less work in making a batch"]),
        ([{"method": "Sequence", "workers": 1}], ["fit(workers=4)"]),
        ([{"method": "Sequence", "workers": 4}], ["less work in making a batch"]),
        (
            [{"method": "generator"}],
            ["a tf.data.Dataset with map(num_parallel_calls=AUTOTUNE) and prefetch()"],
        ),
        ([], ["a tf.data.Dataset with map(num_parallel_calls=AUTOTUNE) and prefetch()"]),
        ([{"method": "arrays"}], ["less work in making a batch"]),
    ],
    ids=range(18),
)
def test_remedies(steps: list[dict[str, Any]], expected: list[str]) -> None:
    assert [remedy.short for remedy in remedies(steps)] == expected


def test_a_cache_goes_before_what_is_random() -> None:
    (cache,) = remedies([SLICES, RECORDED, RANDOM, BATCH, PREFETCH])
    assert "Put cache() after map(decode), before shuffle() and random steps" in cache.long
    assert (cache.kind, cache.subject) == ("cache", "map(decode)")


def test_what_a_remedy_is_about_is_in_its_sentence() -> None:
    steps = [SLICES, CALLED, BATCH, PREFETCH]
    found = [*remedies(steps), *remedies([{**step, "workers": 4} for step in steps])]
    assert all(remedy.subject in remedy.long for remedy in found)
    assert {remedy.kind for remedy in found if remedy.subject} >= {"cache", "parallel_map", "batch_first"}
