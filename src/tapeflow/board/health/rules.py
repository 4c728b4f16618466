"""The rules of health, with all their thresholds: what the board says is wrong with a run.

They are quiet by intent. A rule speaks when something has lasted, not at a spike, and what could be a healthy run of an
unusual shape is passed over. Each takes what `Trend` keeps of a series and gives a `Finding` or None.

| code | says | when |
|---|---|---|
| `nan` | values are no numbers | a loss is NaN or Inf twice in a row, or at its end; others 3 times |
| `diverged` | a loss diverges | for 10 % it is above where it began; it has lost 60 % of its gain for 20 %, or rising |
| `plateau` | a loss does not fall at all | of 50 values, the last half equals the first quarter, within noise |
| `overfitting` | a validation loss rises | it has risen by 10 % of its fall and more than noise; training fell on |
| `vanishing` | gradients vanish | their norm or spread is below 1e-7 for 10 values (3 histograms) |
| `exploding` | gradients explode | they are 100 times what was usual, 3 values (2 histograms) in a row |
| `zero_rate` | the learning rate is 0 | for 5 values and 5 % of all, at the end |
| `input_bound` | training waits for input | a profile's verdict says so, for 50 % of step time or more |
| `stalled` | a run is silent | no sign of life for six intervals and a minute at least |
| `crashed` | a run crashed | it said so, or its process on this machine is gone |
| `disk` | the disk is nearly full | a running run has less than 1 GB left, or 2 % and less than 10 GB |

Losses are known by their tags: see `kind_of`. Those of adversaries and agents (`gen_loss`, `policy_loss`, ...) have no
shape to judge; only `nan` looks at them.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

import numpy as np

from tapeflow.board.health.trend import Trend
from tapeflow.summary.captured.messages import Level

Kind = Literal["loss", "validation_loss", "odd_loss", "rate", "gradient", "other"]

BAD_LOSSES = 2
BAD_OTHERS = 3
LEAST_VALUES = 20
DIVERGED_SHARE = 0.6
DIVERGED_TIMES = 10.0
CLIMB_VALUES = 8
CLIMB_SHARE = 0.12
PLATEAU_VALUES = 50
PLATEAU_SHARE = 0.02
PLATEAU_SIGMAS = 4.0
LEAST_VALIDATIONS = 8
OVERFIT_SHARE = 0.1
OVERFIT_SIGMAS = 4.0
VANISHED = 1e-7
EXPLODED_TIMES = 100.0
ZERO_VALUES = 5
ZERO_SHARE = 0.05
INPUT_SHARE = 0.5
STALLED_INTERVALS = 6
STALLED_S = 60.0
DISK_BYTES = 1e9
DISK_SHARE = 98.0
DISK_SHARE_BYTES = 1e10

_LOSS = re.compile(
    r"(^|[^a-z])(loss|losses|nll|cross_?entropy|xent|mse|mae|perplexity|objective|cost|elbo)([^a-z]|$)"
)
_VALIDATION = re.compile(r"(^|[^a-z])(val|valid|validation|eval|evaluation|test|dev)([^a-z]|$)")
_ODD = re.compile(
    r"(^|[^a-z])(gen|generator|g|d|disc|discriminator|adv|adversarial|critic|actor|policy|value|vf|pg|entropy|kl|kld"
    r"|clip|reward|penalty|gp|temperature|alpha|commit|commitment|reg|regularization|aux|balance|td)([^a-z]|$)"
)
_RATE = re.compile(r"(^|[^a-z])(lr|learning_?rate)([^a-z]|$)")
_GRADIENT = re.compile(r"(^|[^a-z])(grad|grads|gradient|gradients|grad_?norm)([^a-z]|$)")


@dataclass(frozen=True)
class Finding:
    """Something wrong: `code` names the rule, `values` what its text is filled with."""

    code: str
    level: Level
    tag: str = ""
    step: int | None = None
    values: dict[str, str | float] = field(default_factory=dict)


def kind_of(tag: str, run_name: str = "") -> Kind:
    """What a scalar is, by its tag; `validation` as the last folder of a run makes its losses those of validation."""
    name = re.sub(r"([a-z])([A-Z])", r"\1_\2", tag).lower()
    if _RATE.search(name):
        return "rate"
    if _GRADIENT.search(name):
        return "gradient"
    if not _LOSS.search(name):
        return "other"
    if _ODD.search(name):
        return "odd_loss"
    folder = run_name.rpartition("/")[2].lower()
    return "validation_loss" if _VALIDATION.search(name) or _VALIDATION.search(folder) else "loss"


def training_tags(tag: str) -> list[str]:
    """The tags under which the training loss of a validation loss may be."""
    bare = re.sub(
        r"(?i)(^|(?<=[^a-z]))(val|valid|validation|eval|evaluation|test|dev)[_./-]?", "", tag
    ).strip("_./-")
    swapped = [
        re.sub(r"(?i)(^|(?<=[^a-z]))(val|valid|validation|eval|test|dev)(?=[^a-z]|$)", word, tag)
        for word in ("train", "training")
    ]
    return list(
        dict.fromkeys([bare, *swapped, f"train_{bare}", f"train/{bare}", f"{bare}/train", f"batch_{bare}"])
    )


def scalar_finding(kind: Kind, tag: str, trend: Trend, is_over: bool) -> Finding | None:
    """What is wrong with a scalar by itself; `is_over` says that nothing more is expected."""
    found = _not_finite(kind, tag, trend, is_over)
    if found is None and kind == "loss":
        found = _diverged(tag, trend) or _plateau(tag, trend)
    if found is None and kind == "gradient":
        found = gradient_finding(tag, trend, 10, 3)
    if found is None and kind == "rate":
        found = _zero_rate(tag, trend)
    return found


def _not_finite(kind: Kind, tag: str, trend: Trend, is_over: bool) -> Finding | None:
    is_loss = kind in ("loss", "validation_loss", "odd_loss")
    least = BAD_LOSSES if is_loss else BAD_OTHERS
    is_bad = trend.bad_since is not None and (trend.bad_streak >= least or (is_loss and is_over))
    is_first = trend.count > 0 and trend.bad_total == trend.bad_streak
    if is_bad and trend.bad_since is not None and (is_first or is_loss):
        return Finding("nan", "error", tag, trend.bad_since, {"tag": tag, "step": trend.bad_since})
    if is_loss and trend.worst_streak > least:
        return Finding("nan", "error", tag, trend.worst_since, {"tag": tag, "step": trend.worst_since})
    return None


def _diverged(tag: str, trend: Trend) -> Finding | None:
    means = trend.means
    if trend.count < LEAST_VALUES or len(means) < LEAST_VALUES:
        return None
    n, noise = len(means), _noise(means)
    start = _median(means[: max(1, n // 20)])
    smooth = _smooth(means)
    at = int(np.argmin(smooth))
    best, gained = float(smooth[at]), max(start - float(smooth.min()), 0.0)
    last_tenth, last_fifth = float(smooth[-max(3, n // 10) :].min()), float(smooth[-max(4, n // 5) :].min())
    worse = last_tenth > start + 0.2 * gained + 0.1 * abs(start) + 4 * noise
    lost = last_fifth - best > DIVERGED_SHARE * gained + 6 * noise and gained > 6 * noise
    blown = best > 0 and last_fifth > DIVERGED_TIMES * best and last_fifth > 0.05 * start and at > n // 20
    is_blown = blown and last_fifth - best > 6 * noise
    if not (worse or lost or is_blown or _climbs(means, smooth, at, gained, noise)):
        return None
    step = int(trend.steps[at])
    return Finding(
        "diverged",
        "error",
        tag,
        step,
        {"tag": tag, "step": step, "best": _short(best), "last": _short(float(means[-1]))},
    )


def _climbs(means: np.ndarray, smooth: np.ndarray, at: int, gained: float, noise: float) -> bool:
    """Whether a loss has risen from its least value ever since, and lost most of its gain by now."""
    after = smooth[at + 1 :]
    if len(after) < max(CLIMB_VALUES, CLIMB_SHARE * len(means)) or gained <= 6 * noise:
        return False
    quarters = [_median(part) for part in np.array_split(after, 4)]
    is_rising = all(later > sooner for sooner, later in pairwise([smooth[at], *quarters]))
    now = _median(means[-max(3, len(after) // 8) :])
    has_lost = now - smooth[at] > DIVERGED_SHARE * gained + 6 * noise
    return bool(is_rising and has_lost and quarters[-1] - quarters[0] > 4 * noise)


def _plateau(tag: str, trend: Trend) -> Finding | None:
    means = trend.means
    if trend.count < PLATEAU_VALUES or len(means) < PLATEAU_VALUES // 2:
        return None
    n, noise = len(means), _noise(means)
    early, late = means[: n // 4], means[n // 2 :]
    fall = float(early.mean() - late.mean())
    level = float(abs(early.mean()))
    sigma = noise * float(np.sqrt(1 / len(early) + 1 / len(late)))
    if level == 0 or abs(fall) > PLATEAU_SHARE * level or abs(fall) > PLATEAU_SIGMAS * sigma + 1e-6 * level:
        return None
    if means[: max(1, n // 50)].mean() > means.mean() + 0.1 * level:  # it fell at once
        return None
    step = trend.last_step
    return Finding(
        "plateau", "warning", tag, step, {"tag": tag, "step": step, "last": _short(float(late.mean()))}
    )


def overfitting(tag: str, validation: Trend, training: Trend | None) -> Finding | None:
    """A validation loss that rises while that of training, if it is known, falls."""
    means = validation.means
    n = len(means)
    if validation.count < LEAST_VALIDATIONS or n < LEAST_VALIDATIONS:
        return None
    smooth, noise = _smooth(means), _noise(means)
    at = int(np.argmin(smooth))
    since = n - 1 - at
    if since < max(4, n // 5):
        return None
    best, start = float(smooth[at]), _median(means[: max(2, n // 20)])
    after = means[at + 1 :]
    tail = _median(means[-max(3, since // 3) :])
    if tail <= _median(after[: max(2, since // 3)]):
        return None  # it rose and has stopped rising
    strict = 1.0
    if training is not None and len(training.means) >= LEAST_VALIDATIONS:
        m = len(training.means)
        then = _median(training.means[max(m * at // n - 1, 0) : m * at // n + 2])
        now = _median(training.means[-max(3, m // 10) :])
        if now > then:
            return None
    else:
        strict = 2.0
    if tail - best <= strict * (
        OVERFIT_SHARE * max(start - best, 0) + OVERFIT_SIGMAS * noise + 0.05 * abs(best)
    ):
        return None
    step = int(validation.steps[at])
    return Finding(
        "overfitting",
        "warning",
        tag,
        step,
        {"tag": tag, "step": step, "best": _short(best), "last": _short(tail)},
    )


def gradient_finding(tag: str, trend: Trend, least: int, streak: int) -> Finding | None:
    """Gradients that vanish or explode: of norms, or of the spread of histograms."""
    recent = np.abs(trend.recent)
    if len(recent) >= least and (recent[-least:] < VANISHED).all():
        return Finding("vanishing", "warning", tag, trend.last_step, {"tag": tag, "step": trend.last_step})
    usual = np.abs(trend.means[: -streak or None])
    if len(recent) < streak or len(usual) < 3:
        return None
    typical = _median(usual)
    last = recent[-streak:]
    if typical > 0 and (~np.isfinite(last) | (last > EXPLODED_TIMES * typical)).all():
        values: dict[str, str | float] = {
            "tag": tag,
            "step": trend.last_step,
            "last": _short(float(last[-1])),
        }
        return Finding("exploding", "error", tag, trend.last_step, values)
    return None


def _zero_rate(tag: str, trend: Trend) -> Finding | None:
    if trend.zeros < max(ZERO_VALUES, ZERO_SHARE * trend.count):
        return None
    return Finding("zero_rate", "warning", tag, trend.zeros_since, {"tag": tag, "step": trend.zeros_since})


def disk_finding(free: float, used_percent: float) -> Finding | None:
    """A disk with hardly any room left."""
    if free < DISK_BYTES or (used_percent > DISK_SHARE and free < DISK_SHARE_BYTES):
        return Finding("disk", "warning", "system/disk_free", None, {"free": _short(free / 1e9)})
    return None


def spread_of(histogram: np.ndarray) -> float:
    """The root mean square of what a histogram holds, from its rows of left, right and count."""
    if histogram.ndim != 2 or histogram.shape[1] != 3 or not len(histogram):
        return 0.0
    left, right, counts = histogram.astype(np.float64).T
    total = counts.sum()
    if not total > 0:
        return 0.0
    return float(np.sqrt((counts * (left * left + left * right + right * right) / 3).sum() / total))


def _short(number: float) -> str:
    return f"{number:.4g}"


def _noise(means: np.ndarray) -> float:
    """The standard deviation around a smooth line."""
    jumps = np.diff(means)
    return 1.4826 * _median(np.abs(jumps - _median(jumps))) / math.sqrt(2) if len(jumps) else 0.0


def _smooth(means: np.ndarray) -> np.ndarray:
    """Medians of three."""
    padded = np.concatenate([means[:1], means, means[-1:]])
    before, here, after = padded[:-2], padded[1:-1], padded[2:]
    return np.maximum(np.minimum(before, here), np.minimum(np.maximum(before, here), after))


def _median(values: np.ndarray) -> float:
    """What `np.median` gives, which takes ten times as long for a few hundred values."""
    ordered, half = np.sort(values), len(values) // 2
    return float(ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2)
