"""`tf.profiler.experimental.client`: profiles of processes that called `server.start`. Needs grpcio.

The answer holds the XPlane file, which is written here: the two processes need not share a disk. The step-phase record
belongs to profiles that a process takes of itself.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from tapeflow.engine.errors import InvalidArgumentError, UnavailableError, UnimplementedError
from tapeflow.profiler.options import ProfilerOptions
from tapeflow.profiler.session import new_folder
from tapeflow.summary.event_files import wire

__all__ = ["monitor", "trace"]

_SERVICE = "/tensorflow.ProfilerService/"
_MOST_BYTES = 1 << 30
_PATIENCE_S = 30.0
# Fields of XLA's profiler_service.proto and profiler_options.proto.
_DURATION_MS, _OPTIONS, _SESSION, _HOST, _WANTS_XSPACE, _XSPACE = 1, 4, 6, 7, 9, 8
_HOST_LEVEL, _DEVICE_LEVEL, _PYTHON_LEVEL, _OPTIONS_VERSION, _HAS_HLO, _OPTIONS_DURATION_MS = 2, 3, 4, 5, 7, 9


def trace(
    service_addr: str,
    logdir: Any,
    duration_ms: int,
    worker_list: str = "",
    num_tracing_attempts: int = 3,
    options: ProfilerOptions | None = None,
) -> None:
    """Profile other processes for a while, and write the profiles to `<logdir>/plugins/profile/<time>/`.

    Args:
        service_addr: their addresses: `'grpc://localhost:6009'`, or several with commas between.
        logdir: the folder of the logs.
        duration_ms: for how long.
        worker_list: of a TPU; ignored.
        num_tracing_attempts: how often to try if nothing was traced.
        options: the level of detail.

    Raises:
        InvalidArgumentError: an argument is wrong.
        UnavailableError: a server cannot be reached, or nothing was traced.
    """
    if duration_ms <= 0:
        raise InvalidArgumentError(
            None,
            None,
            "tf.profiler.experimental.client.trace expected a positive duration: duration_ms must be greater than "
            f"zero; got duration_ms={duration_ms!r}.",
        )
    addresses = [a.strip().removeprefix("grpc://") for a in service_addr.split(",")]
    request = _profile_request(duration_ms, options or ProfilerOptions())
    for _ in range(max(1, num_tracing_attempts)):
        found = _call("Profile", addresses, request, duration_ms)
        spaces = {address: _xspace(answer) for address, answer in found.items()}
        if any(spaces.values()):
            folder = new_folder(os.fspath(logdir))
            for address, data in spaces.items():
                Path(folder, f"{address.replace(':', '_')}.xplane.pb").write_bytes(data)
            return
    raise UnavailableError(
        None,
        None,
        "tf.profiler.experimental.client.trace expected something to be traced: No trace event was collected from "
        f"service_addr={service_addr!r} in {duration_ms} ms. Let the process compute, or take longer.",
    )


def monitor(service_addr: str, duration_ms: int, level: int = 1) -> str:
    """A short text about the load of a process; only the servers of Cloud TPUs support it.

    Raises:
        UnimplementedError: the server has none.
        UnavailableError: the server cannot be reached.
    """
    address = service_addr.removeprefix("grpc://")
    request = wire.number(1, duration_ms) + wire.number(2, level)
    answer = _call("Monitor", [address], request, duration_ms)[address]
    return _field(answer, 1).decode(errors="replace")


def _profile_request(duration_ms: int, options: ProfilerOptions) -> bytes:
    chosen = (
        wire.number(_OPTIONS_VERSION, 1)
        + wire.number(_HOST_LEVEL, options.host_tracer_level)
        + wire.number(_DEVICE_LEVEL, options.device_tracer_level)
        + wire.number(_PYTHON_LEVEL, options.python_tracer_level)
        + wire.number(_HAS_HLO, 1)
        + wire.number(_OPTIONS_DURATION_MS, duration_ms)
    )
    session = time.strftime("%Y_%m_%d_%H_%M_%S").encode()
    return (
        wire.number(_DURATION_MS, duration_ms)
        + wire.block(_OPTIONS, chosen)
        + wire.block(_SESSION, session)
        + wire.block(_HOST, b"host")
        + wire.number(_WANTS_XSPACE, 1)
    )


def _xspace(answer: bytes) -> bytes:
    return _field(answer, _XSPACE)


def _field(answer: bytes, number: int) -> bytes:
    """A field of bytes; nothing if it is not there."""
    for found, kind, begin, end in wire.fields(answer, 0, len(answer)):
        if found == number and kind == 2:
            return answer[begin:end]
    return b""


def _call(method: str, addresses: list[str], request: bytes, duration_ms: int) -> dict[str, bytes]:
    """What each server answers; they are asked at the same time."""
    try:
        import grpc  # optional
    except ImportError:
        raise ImportError(
            "tf.profiler.experimental.client expected grpcio, which is not installed. Install it with `pip install "
            "grpcio`."
        ) from None
    timeout = duration_ms / 1000 + _PATIENCE_S
    channels = [
        grpc.insecure_channel(a, [("grpc.max_receive_message_length", _MOST_BYTES)]) for a in addresses
    ]
    try:
        calls = [
            channel.unary_unary(_SERVICE + method).future(request, timeout=timeout) for channel in channels
        ]
        return {address: call.result() for address, call in zip(addresses, calls, strict=True)}
    except grpc.RpcError as error:
        raise _failure(method, addresses, error, grpc.StatusCode.UNIMPLEMENTED) from None
    finally:
        for channel in channels:
            channel.close()


def _failure(method: str, addresses: list[str], error: Any, unimplemented: Any) -> Exception:
    """What to raise for an error of gRPC's."""
    what = (
        f"tf.profiler.experimental.client expected a profiler that answers {method} at {', '.join(addresses)}; got "
        f"{error.details()!r}. "
    )
    if error.code() is unimplemented:
        return UnimplementedError(
            None, None, what + "Of monitors, only those of Cloud TPUs answer: take a trace."
        )
    advice = "Start one there with tf.profiler.experimental.server.start(port)."
    return UnavailableError(None, None, what + advice)
