"""What a run is: found out when it begins, the slow parts on the capture's thread."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import socket
import sys
import time

from tapeflow.summary import hooks
from tapeflow.summary.captured import devices
from tapeflow.summary.captured.messages import Facts
from tapeflow.summary.captured.secrets import hidden_in, hidden_in_command, is_secret

# What changes how training runs. Other variables say more about the user than about the run.
_ENVIRONMENT = (
    "CUDA_",
    "NVIDIA_",
    "NCCL_",
    "ROCR_",
    "HIP_",
    "XLA_",
    "JAX_",
    "TF_",
    "TAPEFLOW_",
    "KERAS_",
    "TORCH_",
    "PYTORCH_",
    "OMP_",
    "MKL_",
    "OPENBLAS_",
    "SLURM_JOB",
    "SLURM_N",
    "SLURM_PROCID",
    "PYTHONHASHSEED",
    "PYTHONOPTIMIZE",
    "CONDA_DEFAULT_ENV",
    "VIRTUAL_ENV",
    "MALLOC_",
    "LD_PRELOAD",
    "WORLD_SIZE",
    "RANK",
    "LOCAL_RANK",
)


def first_facts(identity: str, started: str = "", seed: int | None = None) -> Facts:
    """What is known at once; `started` is the script, if the caller knows it."""
    import psutil  # start-up

    process = psutil.Process()
    found: Facts = {
        "id": identity,
        "time": time.time(),
        "command": hidden_in_command(_command()),
        "script": started or script(),
        "folder": folder(),
        "python": platform.python_version(),
        "executable": sys.executable or "",
        "platform": platform.platform(),
        "environment": environment(),
        "host": socket.gethostname(),
        "process": process.pid,
        "process_began": process.create_time(),
        "cpus": os.cpu_count() or 1,
        "memory_bytes": psutil.virtual_memory().total,
    }
    if seed is not None:
        found["seed"] = seed
    return found


def later_facts(seed: int | None = None) -> Facts:
    """What is known once tensors have been computed: devices, and the global seed; empty before."""
    found: Facts = {}
    names = devices.names()
    if names:
        found["devices"] = names
    known = hooks.bridge.seed() if seed is None else None
    if known is not None:
        found["seed"] = known
    return found


def packages() -> dict[str, str]:
    """The installed packages and their versions."""
    found = {}
    for one in importlib.metadata.distributions():
        name = one.metadata["Name"] if one.metadata is not None else None
        if name and name not in found:
            found[name] = one.version or ""
    return dict(sorted(found.items(), key=lambda item: item[0].lower()))


def environment() -> dict[str, str]:
    """The variables that change how training runs, without secrets."""
    return {
        name: hidden_in(value)
        for name, value in sorted(os.environ.items())
        if name.startswith(_ENVIRONMENT) and not is_secret(name, value)
    }


def _command() -> list[str]:
    """The command line; under `tapeflow run` that of the script."""
    return list(getattr(sys, "orig_argv", None) or sys.argv)


def script() -> str:
    """The file that was started; "" in a shell."""
    file = getattr(sys.modules.get("__main__"), "__file__", None) or (sys.argv[0] if sys.argv else "")
    return os.path.abspath(file) if file and file != "-c" else ""


def folder() -> str:
    """The working directory; "" if it has been removed."""
    try:
        return os.getcwd()
    except OSError:
        return ""
