"""JAX and the packages around it: whether they start, on which devices, and how fast."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tapeflow.doctor.finding import Finding, State
from tapeflow.doctor.packages import requirements, version_of
from tapeflow.doctor.probe import SIZE

_SECTION = "Engine"
_TIMEOUT_S = 120.0
_SLOW_CALL_S = 300e-6
_SLOW_FLOPS_A_CORE = 4e9
_SLOW_DENORMALS = 5.0
_SLOW_FIRST_STEP_S = 3.0
_NVIDIA = Path("/proc/driver/nvidia/version")


class Probed(NamedTuple):
    """What the probe has said before it ended, and how it ended: "" if well."""

    errors: dict[str, str]
    facts: dict[str, Any]
    failure: str


def probe() -> Probed:
    """Try everything in a process of its own."""
    packages = [one.name for one in requirements() if not one.extra and version_of(one.name)]
    command = [sys.executable, "-m", "tapeflow.doctor.probe", *packages]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
        output, errors = done.stdout, done.stderr
        failure = f"ended with code {done.returncode}" if done.returncode else ""
    except subprocess.TimeoutExpired as error:
        output, errors = _text(error.stdout), _text(error.stderr)
        failure = f"took longer than {_TIMEOUT_S:g} seconds"
    doing, broken, facts = "start Python", {}, {}
    for row in map(json.loads, output.splitlines()):
        doing = row.pop("doing", doing)
        if "package" in row:
            broken[row["package"]] = row["error"]
        else:
            facts |= row
    if failure:
        last = errors.strip().splitlines()[-1:] or ["it said nothing"]
        failure = f"cannot {doing}: {failure}; {last[0]}"
    return Probed(broken, facts, failure)


def examine(cores: float) -> Iterator[Finding]:
    """What was found out by trying.

    Args:
        cores: how many the process may use.
    """
    errors, facts, failure = probe()
    for package, error in errors.items():
        remedy = f"pip install --force-reinstall --no-deps {package}"
        yield Finding(_SECTION, package, f"does not import: {error}", State.BROKEN, remedy)
    if failure and "jax" not in errors:
        remedy = "Install JAX again: pip install --force-reinstall jax jaxlib" if version_of("jax") else ""
        yield Finding(_SECTION, "JAX", failure, State.BROKEN, remedy or "pip install jax")
    if "floatx" in facts:
        yield _devices(facts["devices"])
        yield _floats(facts["floatx"])
    if "matmul_s" in facts:
        yield _product(facts["matmul_s"], cores)
        yield _call(facts["call_s"])
        yield _denormals(facts["denormal_s"] / max(facts["normal_s"], 1e-9))
    if "first_step_s" in facts:
        yield _first_step(facts["first_step_s"])


def _devices(devices: list[str]) -> Finding:
    value = ", ".join(devices)
    if _NVIDIA.exists() and all(device.startswith("CPU") for device in devices):
        remedy = (
            "There is an NVIDIA GPU that JAX does not use: pip install 'jax[cuda13]', and see JAX_PLATFORMS."
        )
        return Finding(_SECTION, "devices", value, State.SLOW, remedy)
    return Finding(_SECTION, "devices", value)


def _floats(floatx: str) -> Finding:
    if floatx == "float64":
        remedy = "At most half as fast as float32: tf.keras.backend.set_floatx('float32')."
        return Finding(_SECTION, "default dtype", floatx, State.SLOW, remedy)
    return Finding(_SECTION, "default dtype", f"{floatx}; float64 only where the code asks for it")


def _product(seconds: float, cores: float) -> Finding:
    flops = 2 * SIZE**3 / seconds
    name, value = f"{SIZE}x{SIZE} matrix product", f"{seconds * 1e3:.2f} ms, {flops / 1e9:.0f} GFLOP/s"
    if flops / max(cores, 1.0) < _SLOW_FLOPS_A_CORE:
        remedy = "Slow for this many cores: check below for other processes, a quota or a low clock."
        return Finding(_SECTION, name, value, State.SLOW, remedy)
    return Finding(_SECTION, name, value)


def _call(seconds: float) -> Finding:
    name, value = "calling a program", f"{seconds * 1e6:.0f} us"
    if seconds > _SLOW_CALL_S:
        remedy = (
            "Small steps are slow here: use larger batches, or fit, which runs many steps as one program."
        )
        return Finding(_SECTION, name, value, State.SLOW, remedy)
    return Finding(_SECTION, name, value)


def _first_step(seconds: dict[str, float]) -> Finding:
    whole = seconds["whole"]
    python = max(0.0, whole - sum(seconds[part] for part in ("trace", "lower", "compile")))
    parts = f"Python {python:.2f}, tracing {seconds['trace']:.2f}, lowering {seconds['lower']:.2f}, XLA or its cache "
    value = f"{whole:.2f} s: {parts}{seconds['compile']:.2f}"
    if whole > _SLOW_FIRST_STEP_S:
        remedy = "New models and shapes start slowly here: check below for other processes and for the cache's folder."
        return Finding(_SECTION, "first training step", value, State.SLOW, remedy)
    return Finding(_SECTION, "first training step", value)


def _denormals(ratio: float) -> Finding:
    name, value = "denormal numbers", f"{ratio:.1f} times the time of normal ones (they are below 1e-38)"
    if ratio > _SLOW_DENORMALS:
        remedy = (
            "Keep weights and activations from shrinking to almost 0: a larger epsilon, clipping, less decay."
        )
        return Finding(_SECTION, name, value, State.SLOW, remedy)
    return Finding(_SECTION, name, value)


def _text(found: str | bytes | None) -> str:
    return found.decode(errors="replace") if isinstance(found, bytes) else found or ""
