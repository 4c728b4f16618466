"""Profiles of another process: the server, and the client that asks it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import pytest

import tapeflow as tf
from tapeflow.summary.profile import find, read

profiler = tf.profiler.experimental


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server in this process, which computes something meanwhile."""
    port = free_port()
    profiler.server.start(port)
    is_computing, is_over = threading.Event(), threading.Event()
    weights = tf.Variable(tf.ones((32, 32)))

    def compute() -> None:
        while not is_over.wait(0.001):
            weights.assign(tf.tanh(weights @ weights))
            float(tf.reduce_sum(weights))
            is_computing.set()

    thread = threading.Thread(target=compute)
    thread.start()
    assert is_computing.wait(60)
    yield f"grpc://127.0.0.1:{port}"
    is_over.set()
    thread.join()
    jax.profiler.stop_server()


def test_a_trace_is_written_here(address: str, tmp_path: Path) -> None:
    profiler.client.trace(address, tmp_path, duration_ms=300)
    profile = read(tmp_path)
    assert profile.host == address.removeprefix("grpc://").replace(":", "_")
    assert any(op.kind == "matmul" for op in profile.ops)
    assert profile.damages == ["there is no record of steps: it was not taken by TapeFlow"]
    assert "matmul" in str(profile)


def test_only_tpus_have_monitors(address: str) -> None:
    with pytest.raises(tf.errors.UnimplementedError, match="expected a profiler that answers Monitor"):
        profiler.client.monitor(address, duration_ms=10)


def test_a_second_server_is_an_error(address: str) -> None:
    with pytest.raises(tf.errors.AlreadyExistsError, match="expected that no server is running"):
        profiler.server.start(free_port())


def test_a_server_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(
        tf.errors.UnavailableError, match="expected a profiler that answers Profile at 127.0.0.1:"
    ):
        profiler.client.trace(f"grpc://127.0.0.1:{free_port()}", tmp_path, duration_ms=10)
    assert not find(tmp_path)


def test_a_trace_in_which_nothing_happened_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Any] = []

    def empty(method: str, addresses: list[str], *_: Any) -> dict[str, bytes]:
        calls.append(method)
        return dict.fromkeys(addresses, b"")

    monkeypatch.setattr(profiler.client, "_call", empty)
    with pytest.raises(tf.errors.UnavailableError, match="No trace event was collected"):
        profiler.client.trace("grpc://a:1,grpc://b:2", tmp_path, duration_ms=10, num_tracing_attempts=2)
    assert calls == ["Profile", "Profile"]


def test_a_trace_takes_time(tmp_path: Path) -> None:
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="duration_ms must be greater than zero; got duration_ms=0"
    ):
        profiler.client.trace("grpc://localhost:1", tmp_path, duration_ms=0)


@pytest.mark.parametrize("port", [0, 70000])
def test_a_port_has_sixteen_bits(port: int) -> None:
    with pytest.raises(ValueError, match=f"expected a port from 1 to 65535; got port={port}"):
        profiler.server.start(port)
