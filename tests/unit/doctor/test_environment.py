from __future__ import annotations

from tapeflow.doctor import environment
from tapeflow.doctor.finding import Finding, State


def examined(variables: dict[str, str]) -> list[Finding]:
    return list(environment.examine(variables))


def test_nothing_is_set() -> None:
    (found,) = examined({"HOME": "/", "JAX_DISABLE_JIT": "0", "JAX_DEBUG_NANS": "False"})
    assert (found.value, found.state) == ("none that matters is set", State.OK)


def test_what_costs_speed_comes_with_the_way_out() -> None:
    (found,) = examined({"JAX_DISABLE_JIT": "1"})
    assert found == Finding(
        "Environment",
        "JAX_DISABLE_JIT",
        "1 (nothing is compiled: every op runs by itself)",
        State.SLOW,
        "Unless you need it: unset JAX_DISABLE_JIT",
    )


def test_flags_of_xla() -> None:
    (dumping,) = examined({"XLA_FLAGS": "--xla_dump_to=/tmp/x --xla_force_host_platform_device_count=2"})
    assert dumping.state == State.SLOW
    assert "take --xla_dump_to=/tmp/x out of XLA_FLAGS" in dumping.remedy
    (devices,) = examined({"XLA_FLAGS": "--xla_force_host_platform_device_count=2"})
    assert devices.state == State.OK


def test_what_is_only_worth_knowing() -> None:
    assert [(one.name, one.value, one.state) for one in examined({"JAX_PLATFORMS": "cpu"})] == [
        ("JAX_PLATFORMS", "cpu", State.OK)
    ]
