"""Imports the module named on the command line and prints, as JSON, what that cost.

Modules named after it are hidden from it (see startup.py).
"""

import json
import sys
import time
from pathlib import Path


def peak_mb() -> float | None:
    """The most memory this process has held, in MB; None where the system does not tell.

    Not getrusage: what it reports survives exec, so a child would start with its parent's peak.
    """
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    kilobytes = next(line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return round(int(kilobytes) / 1024, 1)


def main() -> None:
    """Time the import of `sys.argv[1]`; the interpreter's own start is not counted."""
    sys.modules.update(dict.fromkeys(sys.argv[2:]))  # None there makes an import fail
    start = time.perf_counter()
    __import__(sys.argv[1])
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "peak_mb": peak_mb(), "imports_jax": bool(sys.modules.get("jax"))}))


if __name__ == "__main__":
    main()
