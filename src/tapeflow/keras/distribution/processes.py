"""`initialize`: several processes that train together."""

from __future__ import annotations

import os
import secrets

from tapeflow.engine.devices import placement, processes, startup
from tapeflow.engine.random import global_seed
from tapeflow.keras.utils import set_random_seed

_TIMEOUT_S = 30
_PREFIX = "KERAS_DISTRIBUTION_"


def initialize(
    job_addresses: str | None = None, num_processes: int | None = None, process_id: int | None = None
) -> None:
    """Make this process one of several; `list_devices` has the devices of all from then on.

    If no seed was set, all processes are given the same one. Seeds that are set must be the same in all.

    Args:
        job_addresses: the address of the first process, or of all, separated by commas; the variable
            `KERAS_DISTRIBUTION_JOB_ADDRESSES` has it unless given.
        num_processes: how many there are; `KERAS_DISTRIBUTION_NUM_PROCESSES`, or the number of addresses if there are
            several, unless given.
        process_id: which of them this is, from 0; `KERAS_DISTRIBUTION_PROCESS_ID` unless given.

    Raises:
        RuntimeError: something has been computed already.
        ValueError: one of the three is not known, or they do not fit.
    """
    addresses = (job_addresses or os.environ.get(f"{_PREFIX}JOB_ADDRESSES", "")).split(",")
    count = _number(num_processes, "NUM_PROCESSES")
    if count is None and len(addresses) > 1:
        count = len(addresses)
    number = _number(process_id, "PROCESS_ID")
    if not addresses[0] or count is None or number is None:
        raise ValueError(
            "keras.distribution.initialize expected job_addresses, num_processes and process_id; got "
            f"job_addresses={job_addresses!r}, num_processes={num_processes!r}, process_id={process_id!r}, and no "
            f"{_PREFIX}* variables for what is missing. Give all three."
        )
    if len(addresses) > 1 and count != len(addresses):
        raise ValueError(
            f"The provided job_addresses {addresses} has {len(addresses)} jobs, but num_processes is {count}"
        )
    if startup.has_started():
        raise RuntimeError(
            "keras.distribution.initialize expected to be called before anything is computed; got a call after JAX "
            "had started. Call it at the start of the program, before the first tensor."
        )
    processes.join(processes.Member(addresses[0], count, number), _TIMEOUT_S)
    if global_seed() is None:  # each process computes its part of the same random weights
        set_random_seed(placement.agreed_number(secrets.randbits(31)))


def _number(given: int | None, name: str) -> int | None:
    text = os.environ.get(_PREFIX + name)
    return int(text) if given is None and text else given
