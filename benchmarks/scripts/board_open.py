"""`board_open.py tapeflow|tensorboard SET [CACHE]`: from process start until the last point of every run is served.

Both are asked over TensorBoard's own routes, every few milliseconds until they know. The last line is JSON: seconds,
memory of all processes at its highest, the points of a series that can be had, and for the board how long one
series takes, and a point from file to page.
"""

import http.client
import json
import os
import socket
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path
from typing import Any

from benchmarks.scripts.board_data import HISTOGRAMS, PICTURES, SHAPES, folder_of, last_tag
from benchmarks.scripts.serving import server

_WAIT_S = 0.005
_LIMIT_S = 240.0


def main(contender: str, name: str, cache: str) -> dict[str, Any]:
    """Open a set once."""
    port = free_port()
    command = ["-m", *_command(contender, cache), "--logdir", str(folder_of(name)), "--port", str(port)]
    begin = time.perf_counter()
    with server(*command) as process:
        points = _wait(port, name, begin)
        found: dict[str, Any] = {"seconds": time.perf_counter() - begin, "points": points}
        found["memory_mb"] = _memory_mb(process.pid)
        if contender == "tapeflow" and name not in (PICTURES, HISTOGRAMS):
            found |= _more(port)
    return found


def _command(contender: str, cache: str) -> list[str]:
    if contender == "tensorboard":
        return ["tensorboard.main", "--load_fast", "true"]
    keep = os.path.join(cache or tempfile.mkdtemp(), "settings.json")
    return [
        "tapeflow.cli",
        "board",
        "--settings",
        keep,
        *(["--cache-dir", cache] if cache else ["--no-cache"]),
    ]


def _wait(port: int, name: str, begin: float) -> int:
    """Wait until every run has its last point; gives how many points the series of the last tag has."""
    runs, _, points = SHAPES[name]
    plugin = {PICTURES: "images", HISTOGRAMS: "histograms"}.get(name, "scalars")
    left, count = set(range(runs)), 0
    while left:
        if time.perf_counter() - begin > _LIMIT_S:
            raise TimeoutError(f"{len(left)} runs are not there")
        if name == HISTOGRAMS and not _is_read(port):
            time.sleep(_WAIT_S)
            continue
        for run in sorted(left):
            query = urllib.parse.urlencode({"run": f"run_{run}", "tag": last_tag(name)})
            found = _ask(port, "GET", f"/data/plugin/{plugin}/{plugin}?{query}")
            last = found[-1] if found else None
            if last is None or (last["step"] if isinstance(last, dict) else last[1]) != points - 1:
                time.sleep(_WAIT_S)
                break
            left.discard(run)
            count = len(found)
    return count


def _is_read(port: int) -> bool:
    """Whether the board says so; of TensorBoard it is not known.

    Asking for all histograms again and again would keep the board from reading them: it answers with ten times as many.
    """
    info = _ask(port, "GET", "/api/v1/info")
    return info is None or info["progress"]["is_done"]


def _more(port: int) -> dict[str, Any]:
    """How fast one series is answered, and how soon a new point is told."""
    run = _ask(port, "GET", "/api/v1/runs")["runs"][0]["id"]
    tag = _ask(port, "GET", "/api/v1/tags?panel=scalars")["panels"]["scalars"][0]["tag"]
    body = json.dumps({"series": [{"run": run, "tag": tag}], "pixels": 400}).encode()
    times = []
    for _ in range(20):
        begin = time.perf_counter()
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("POST", "/api/v1/scalars/series", body)
        connection.getresponse().read()
        times.append(time.perf_counter() - begin)
        connection.close()
    answer = sorted(times)[len(times) // 2]
    return {"answer_ms": round(answer * 1e3, 2), "answers_in_10_ms": answer < 0.010}


def _ask(port: int, method: str, path: str) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path)
        answer = connection.getresponse()
        data = answer.read()
        return json.loads(data) if answer.status == 200 else None
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def _memory_mb(pid: int) -> float:
    """The most memory a process and its children have had, as Linux counts it."""
    total = 0
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            fields = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        except OSError:
            continue
        if pid in (int(fields["Pid"]), int(fields["PPid"])):
            total += int(fields.get("VmHWM", "0 kB").split()[0])
    return round(total / 1024, 1)


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "")))
