"""Finding the cluster in the environment that launchers set."""

from __future__ import annotations

import json

import pytest

from tapeflow.distribute.detection import find_cluster
from tapeflow.engine.devices.processes import Member

TF_CONFIG = json.dumps({"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}})
TORCHRUN = {"MASTER_ADDR": "a", "MASTER_PORT": "29500", "WORLD_SIZE": "4", "RANK": "3"}


@pytest.fixture(autouse=True)
def no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TF_CONFIG", raising=False)


@pytest.mark.parametrize(
    ("environment", "source", "member"),
    [
        ({}, "no cluster found", None),
        ({"TF_CONFIG": ""}, "no cluster found", None),
        ({"JAX_COORDINATOR_ADDRESS": "a:1"}, "no cluster found", None),
        ({"WORLD_SIZE": "2", "RANK": "0"}, "no cluster found", None),
        (TORCHRUN, "MASTER_ADDR and RANK", Member("a:29500", 4, 3)),
        ({**TORCHRUN, "MASTER_ADDR": "::1"}, "MASTER_ADDR and RANK", Member("[::1]:29500", 4, 3)),
        (
            {**TORCHRUN, "LOCAL_WORLD_SIZE": "2", "LOCAL_RANK": "1", "TORCHELASTIC_USE_AGENT_STORE": "True"},
            "MASTER_ADDR and RANK",
            Member("a:29501", 4, 3, 1),
        ),
        ({**TORCHRUN, "WORLD_SIZE": "1", "RANK": "0"}, "MASTER_ADDR and RANK", None),
        (
            {"JAX_COORDINATOR_ADDRESS": "job-0:1234", "JAX_NUM_PROCESSES": "2", "JAX_PROCESS_ID": "1"},
            "JAX_COORDINATOR_ADDRESS",
            Member("job-0:1234", 2, 1),
        ),
        (
            {
                "COORDINATOR_ADDRESS": "job-0",
                "COORDINATOR_PORT": "6666",
                "NUM_PROCESSES": "2",
                "PROCESS_ID": "0",
            },
            "COORDINATOR_ADDRESS and PROCESS_ID",
            Member("job-0:6666", 2, 0),
        ),
        (
            {
                "SKYPILOT_NODE_IPS": "10.0.0.1\n10.0.0.2",
                "SKYPILOT_NUM_NODES": "2",
                "SKYPILOT_NODE_RANK": "1",
            },
            "SkyPilot",
            Member("10.0.0.1:8476", 2, 1),
        ),
    ],
)
def test_launchers(environment: dict[str, str], source: str, member: Member | None) -> None:
    assert find_cluster(environment) == (source, member)


def test_tf_config_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_CONFIG", TF_CONFIG)
    found = find_cluster({**TORCHRUN, "TF_CONFIG": TF_CONFIG})
    assert found == ("TF_CONFIG", Member("a:1", 2, 1))
    assert str(found) == "process 1 of 2 (TF_CONFIG), coordinator a:1"


def test_what_jax_detects(monkeypatch: pytest.MonkeyPatch) -> None:
    variables = {"JOB_ID": "77", "STEP_NODELIST": "n[3-4]", "NTASKS": "2", "PROCID": "1", "LOCALID": "0"}
    for name, value in variables.items():
        monkeypatch.setenv(f"SLURM_{name}", value)
    assert find_cluster() == ("Slurm", Member(f"n3:{65535 - 4096 + 1 + 77}", 2, 1, 0))
    monkeypatch.setenv("SLURM_NTASKS", "1")
    monkeypatch.setenv("SLURM_PROCID", "0")
    assert str(find_cluster()) == "one process (Slurm)"


@pytest.mark.parametrize(
    ("environment", "text"),
    [
        ({**TORCHRUN, "RANK": ""}, "expected MASTER_ADDR, MASTER_PORT, WORLD_SIZE, RANK .*RANK not set"),
        ({**TORCHRUN, "RANK": "four"}, "an address and numbers; got .*'RANK': 'four'"),
        ({**TORCHRUN, "RANK": "4"}, "expected process numbers from 0 to 3; got 4"),
        (
            {"JAX_COORDINATOR_ADDRESS": "a", "JAX_NUM_PROCESSES": "2", "JAX_PROCESS_ID": "1"},
            "JAX_COORDINATOR_ADDRESS='a' has no port",
        ),
    ],
)
def test_broken_variables(environment: dict[str, str], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        find_cluster(environment)
