"""What an input pipeline lacks: the usual remedies, as far as they fit what it is made of."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

_WORKING = ("map", "filter", "flat_map", "interleave", "from_generator")
_PLAIN = ("arrays", "generator", "Sequence")


RemedyKind = Literal[
    "dataset",
    "workers",
    "no_generator",
    "prefetch",
    "cache",
    "parallel_map",
    "batch_first",
    "less_work",
    "callbacks",
    "larger_batches",
    "staging",
    "equal_shapes",
    "tensors",
]


class Remedy(NamedTuple):
    """What to do: in a word or two, and in a sentence.

    Attributes:
        kind: which of the remedies it is, for who says it in other words.
        subject: the function or the stage of the pipeline that it is about, if it is about one.
    """

    kind: RemedyKind
    short: str
    long: str
    subject: str = ""


_DATASET = Remedy(
    "dataset",
    "a tf.data.Dataset with map(num_parallel_calls=AUTOTUNE) and prefetch()",
    "Batches are read by one thread. Make a tf.data.Dataset of file names or numbers, load each with map(load, "
    "num_parallel_calls=tf.data.AUTOTUNE), and end with prefetch(tf.data.AUTOTUNE).",
)
_WORKERS = Remedy(
    "workers",
    "fit(workers=4)",
    "Fetch batches of the Sequence on several threads, fit(..., workers=4), or in processes of their own, "
    "use_multiprocessing=True, if Python itself is what takes time.",
)
_NO_GENERATOR = Remedy(
    "no_generator",
    "map(num_parallel_calls=AUTOTUNE) instead of from_generator",
    "from_generator is read by one thread. Make a Dataset of file names or numbers, and load each with map(load, "
    "num_parallel_calls=tf.data.AUTOTUNE).",
)
_PREFETCH = Remedy(
    "prefetch",
    "prefetch()",
    "End with prefetch(tf.data.AUTOTUNE): a thread makes the next batches while these are computed.",
)


def remedies(steps: list[dict[str, Any]]) -> list[Remedy]:
    """What to change in a pipeline that is too slow.

    Args:
        steps: its methods from the source on, as in `Pipeline.steps`; none if it is not known.
    """
    methods = [step["method"] for step in steps]
    if not methods or methods[0] == "generator":
        return [_DATASET]
    if methods[0] in _PLAIN:
        lacks_workers = methods[0] == "Sequence" and steps[0].get("workers", 1) <= 1
        return [_WORKERS if lacks_workers else _less_work(steps)]
    found = _of_cache(steps, methods)
    for place, step in enumerate(steps):
        if step["method"] == "from_generator":
            found.append(_NO_GENERATOR)
        if step["method"] == "map" and not step.get("is_recorded"):
            found += _of_map(place, step, methods)
    if "prefetch" not in methods:
        found.append(_PREFETCH)
    return found or [_less_work(steps)]


def _name(step: dict[str, Any]) -> str:
    return f"{step['method']}({step.get('function', '')})"


def _of_cache(steps: list[dict[str, Any]], methods: list[str]) -> list[Remedy]:
    """`cache` after the last step that takes time, but before the first that is random."""
    first_random = next((i for i, step in enumerate(steps) if step.get("is_random")), len(steps))
    working = [i for i in range(first_random) if methods[i] in _WORKING]
    if not working or "cache" in methods[working[-1] :]:
        return []
    last = _name(steps[working[-1]])
    return [
        Remedy(
            "cache",
            "cache()",
            f"Put cache() after {last}, before shuffle() and random steps: later epochs then take from memory what the "
            "first one computed.",
            last,
        )
    ]


def _of_map(place: int, step: dict[str, Any], methods: list[str]) -> list[Remedy]:
    """For a function that is called for each element; a recorded one is computed for many at once, as one program."""
    found = []
    function = step.get("function", "function")
    if step.get("workers", 1) <= 1:
        found.append(
            Remedy(
                "parallel_map",
                "map(num_parallel_calls=AUTOTUNE)",
                f"Call {function} on several threads: map({function}, num_parallel_calls=tf.data.AUTOTUNE).",
                function,
            )
        )
    is_foreign = step.get("is_foreign")  # TensorFlow's functions are graphs already
    if "batch" in methods[place + 1 :] and "batch" not in methods[:place] and not is_foreign:
        found.append(
            Remedy(
                "batch_first",
                "batch() before map()",
                f"{_name(step)} is called for each element, as it cannot be recorded. Written with tf ops alone it is "
                "computed for a whole batch at once; or let it take batches, and put batch() before it.",
                _name(step),
            )
        )
    return found


def _less_work(steps: list[dict[str, Any]]) -> Remedy:
    """When all of the above is there."""
    slowest = max(steps, key=lambda step: step.get("busy_ns", 0))
    name = _name(slowest) if slowest.get("busy_ns") else ""
    what = name or "making a batch"
    return Remedy(
        "less_work",
        f"less work in {what}",
        f"Batches are read ahead and in parallel already. Do less work in {what}, or do it beforehand and store the "
        "result.",
        name,
    )
