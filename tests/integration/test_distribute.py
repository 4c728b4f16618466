"""Training on several devices, and in several processes, computes what one device does."""

from __future__ import annotations

import itertools
import json
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf

PROGRAMS = Path(__file__).parent / "programs"


def start(program: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(PROGRAMS / program), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def answer(process: subprocess.Popen[str]) -> dict[str, Any]:
    """What a program printed last, which is JSON."""
    try:
        out, err = process.communicate(timeout=180)
    finally:
        process.kill()
    lines = [line for line in out.splitlines() if line.startswith("{")]
    assert lines, f"exit code {process.returncode}\n{out}\n{err}"
    return json.loads(lines[-1])


@pytest.fixture(scope="module")
def four() -> dict[str, Any]:
    return answer(start("four_devices.py"))


def test_devices_share_a_batch(four: dict[str, Any]) -> None:
    assert four["replicas"] == [4, 2, 1]
    assert four["devices"] == 4
    assert four["local"] == [[0, 1], [2, 3], [4, 5], [6, 7]]


def test_a_loop_by_hand_gives_the_losses_of_one_device(four: dict[str, Any]) -> None:
    several, one = four["by_hand"]
    assert len(one) == 16
    assert one[-2] < one[0]
    np.testing.assert_allclose(several, one, rtol=1e-5, atol=1e-6)


def test_fit_gives_the_losses_of_one_device(four: dict[str, Any]) -> None:
    several, one = four["by_fit"]
    np.testing.assert_allclose(several, one, rtol=1e-5, atol=1e-5)


def test_convolutions_and_pooling_exchange_gradients_alone(four: dict[str, Any]) -> None:
    several, one = four["images"]
    assert one["losses"][1] < one["losses"][0]
    np.testing.assert_allclose(several["losses"], one["losses"], rtol=1e-5)
    np.testing.assert_allclose(several["sums"], one["sums"], rtol=1e-5)
    assert (several["exchanged"], one["exchanged"]) == (["all-reduce"], [])


def test_batches_of_replicas_are_joined(four: dict[str, Any]) -> None:
    assert four["from_function"] == [[0, 1, 2, 3, 4, 5, 6, 7], [8, 9]]
    assert four["reduced"] == 2.0


def test_values_of_each_replica(four: dict[str, Any]) -> None:
    values = four["values"]
    assert values["twice"] == [[0, 2], [4, 6], [8, 10], [12, 14]]
    assert values["total"] == [1, 5, 9, 13]
    assert values["reduced"] == [28, 7, 56]
    assert values["sum"] == [24, 32]
    assert values["gathered"] == [0, 2, 4, 6, 8, 10, 12, 14]
    assert values["numbers"] == [0, 1, 2, 3, 1, 2, 3, 4]
    assert values["joined"] == [4, 4, 4, 4]
    assert values["local"] == [[0, "x"], [1, "x"], [2, "x"], [3, "x"]]
    assert values["name"] == "x"
    for text, rule in zip(
        values["told"],
        [
            "Strategy.run expected args to be a list or tuple; got args=PerReplica:{",
            "using a PerReplica object while not inside a replica context",
            "all_reduce expected one call for all replicas; got one for replica 0",
        ],
        strict=True,
    ):
        assert rule in text


def addresses(count: int) -> str:
    """Free ports on the loopback."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    found = [f"127.0.0.1:{each.getsockname()[1]}" for each in sockets]
    for each in sockets:
        each.close()
    return ",".join(found)


def test_two_processes_train_as_one_does() -> None:
    place = addresses(2)
    workers = [start("worker.py", str(i), place) for i in range(2)]
    alone = start("worker.py", "0", addresses(1))
    found, expected = [answer(w) for w in workers], answer(alone)
    assert [f["replicas"] for f in found] == [2, 2]
    assert [f.pop("own") for f in found] == [[[0, 2]], [[4, 6]]]
    assert expected["own"] == [found[0]["gathered"]] == [[0, 2, 4, 6]]
    assert found[0] == found[1]
    np.testing.assert_allclose(found[0]["losses"], expected["losses"], rtol=1e-5)
    np.testing.assert_allclose(found[0]["evaluated"], expected["evaluated"], rtol=1e-5)
    np.testing.assert_allclose(found[0]["predicted"], expected["predicted"], rtol=1e-4, atol=1e-6)


def launch(program: str, count: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program in so many local processes."""
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "tapeflow.cli",
            "launch",
            "-n",
            str(count),
            str(PROGRAMS / program),
            *arguments,
        ],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def launched(program: str, count: int, *arguments: str) -> dict[str, Any]:
    """What a program prints as JSON in the first of so many local processes."""
    done = launch(program, count, *arguments)
    lines = [line for line in done.stdout.splitlines() if line.startswith("[0] {")]
    assert (done.returncode, len(lines)) == (0, 1), f"{done.stdout}\n{done.stderr}"
    return json.loads(lines[0][4:])


@pytest.mark.parametrize("count", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_workers_read_their_rows_alone_and_compute_what_one_does(count: int) -> None:
    one, several = launched("shares.py", 1), launched("shares.py", count)
    assert (one.pop("replicas"), several.pop("replicas")) == (1, count)
    read = {
        name: (one.pop(name), several.pop(name)) for name in list(one) if name.startswith(("rows", "gath"))
    }
    assert one.keys() == several.keys()
    for name, losses in one.items():
        np.testing.assert_allclose(several[name], losses, atol=1e-6, err_msg=name)
    assert read.pop("gathered off") == (90, 90)
    for name, (alone, shared) in read.items():
        # With four, the last batch of ten is nobody's alone.
        most = 1 / 2 if count == 2 else (80 / 4 + 10) / 90
        assert alone / count <= shared <= alone * most, name


def launched_all(program: str, count: int, *arguments: str) -> list[Any]:
    """What a program prints as JSON in each of so many local processes."""
    done = launch(program, count, *arguments)
    lines = sorted(line for line in done.stdout.splitlines() if re.match(r"\[\d\] [\[{]\W", line))
    assert (done.returncode, len(lines)) == (0, count), f"{done.stdout}\n{done.stderr}"
    return [json.loads(line[4:]) for line in lines]


@pytest.fixture(scope="module")
def number_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four TFRecord files with 20 rows of numbers."""
    folder, number = tmp_path_factory.mktemp("numbers"), 0
    for file, size in enumerate((6, 4, 5, 5)):
        with tf.io.TFRecordWriter(folder / f"data-{file}") as writer:
            for _ in range(size):
                writer.write(np.full(2048, number, "float32").tobytes())
                number += 1
    return folder


RECORD_BYTES = 2048 * 4 + 16
IN_ORDER = [[*range(8)], [*range(8, 16)], [*range(16, 20)]]


def test_each_worker_reads_files_and_shards_of_its_own(number_files: Path) -> None:
    first, second = launched_all("own_data.py", 2, str(number_files))
    for name in ("OFF", "AUTO", "DATA"):
        assert first[f"files {name}"] == second[f"files {name}"] == IN_ORDER
        for found in (first, second):
            bytes_read = found[f"files {name} bytes"]
            if name == "OFF":
                assert bytes_read >= 20 * RECORD_BYTES
            else:  # its half, three records to see what they are like, and the length of each
                assert 10 * RECORD_BYTES <= bytes_read <= 13 * RECORD_BYTES + 20 * 24
    of_files = [[0, 1, 2, 3, 6, 7, 8, 9], [4, 5, 10, 11, 15, 16, 17, 18], [12, 13, 14, 19]]
    of_shards = [[0, 2, 4, 6, 1, 3, 5, 7], [8, 10, 12, 14, 9, 11, 13, 15], [16, 18, 17, 19]]
    for found in (first, second):
        assert found["files FILE"] == of_files
        assert found["mapped"] == [[n + 1 for n in batch] for batch in of_files]
        assert found["cached"] == of_files * 2
        assert found["interleaved"][0] == [0, 10, 1, 11, 6, 15, 7, 16]
        assert sorted(itertools.chain(*found["interleaved"])) == list(range(20))
        assert found["hint"] == found["by function"] == of_shards
        np.testing.assert_allclose(found["fit"], found["expected"], rtol=1e-6)
    assert (first["pipelines"], second["pipelines"]) == ([2, 0], [2, 1])
    # Each reads its own files alone, and no record of the others'.
    assert (first["files FILE bytes"], second["files FILE bytes"]) == (11 * RECORD_BYTES, 9 * RECORD_BYTES)
    assert (first["cached bytes"], second["cached bytes"]) == (11 * RECORD_BYTES, 9 * RECORD_BYTES)
    assert "Found an unshardable source dataset" in first["no files"]
    assert "only has 1 file(s), which is not enough for the required 2 shards/workers" in second["few files"]
    assert "can only be used in" in first["no hint"]
    assert "global batch size that the 2 workers can share equally; got 7" in first["odd"]
    assert "expected a dataset of global batches" in first["no batch"]
    for found in (first, second):
        assert "Received a label value of 7" in found["label"]


def test_texts_ragged_and_sparse_rows_of_each_worker_reach_all(tmp_path: Path) -> None:
    for file, numbers in enumerate(([0, 1, 2], [3, 4], [5, 6, 7], [8, 9])):
        (tmp_path / f"{file}.txt").write_text("".join(f"{number}\n" for number in numbers))
    first, second = launched_all("own_texts.py", 2, str(tmp_path))
    assert first == second
    orders = {"files": [[0, 1, 3, 4], [2, 5, 8, 9], [6, 7]], "shards": [[0, 2, 1, 3], [4, 6, 5, 7], [8, 9]]}
    orders["by function"] = orders["shards"]
    for name, order in orders.items():
        expected = [[batch, [str(n) for n in batch], [n % 4 for n in batch], batch] for batch in order]
        assert first[name] == expected, name
    np.testing.assert_allclose(first["losses"], first["expected"], rtol=1e-5)


@pytest.mark.slow
def test_one_and_four_workers_with_files_and_shards_of_their_own(number_files: Path) -> None:
    [alone] = launched_all("own_data.py", 1, str(number_files))
    assert alone["files FILE"] == alone["hint"] == alone["by function"] == IN_ORDER
    four = launched_all("own_data.py", 4, str(number_files))
    for found in four:
        assert found["files FILE"] == [
            [0, 1, 6, 7, 10, 11, 15, 16],
            [2, 3, 8, 9, 12, 13, 17, 18],
            [4, 5, 14, 19],
        ]
        np.testing.assert_allclose(found["fit"], found["expected"], rtol=1e-6)
    assert [found["files FILE bytes"] / RECORD_BYTES for found in four] == [6, 4, 5, 5]


@pytest.mark.slow
def test_a_keras_program_for_several_workers(tmp_path: Path) -> None:
    [one] = launched_all("keras_workers.py", 1, str(tmp_path / "one"))
    first, second = launched_all("keras_workers.py", 2, str(tmp_path / "two"))
    assert first == second
    assert (one.pop("workers"), first.pop("workers")) == (1, 2)
    for name in ("first", "second", "third"):
        for metric, values in one.pop(name).items():
            np.testing.assert_allclose(first[name][metric], values, atol=1e-5, err_msg=f"{name} {metric}")
    np.testing.assert_allclose(first["evaluated"], one["evaluated"], atol=1e-5)
    assert not list((tmp_path / "two").glob("temporary-*"))
    saved = [tf.keras.models.load_model(tmp_path / count / "model").get_weights() for count in ("one", "two")]
    for found, expected in zip(*saved, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.slow
def test_training_on_own_files_resumes_on_as_many_workers(number_files: Path, tmp_path: Path) -> None:
    whole = launched_all("own_data_resumed.py", 2, str(number_files), str(tmp_path / "whole"))
    stopped = launch("own_data_resumed.py", 2, str(number_files), str(tmp_path / "backup"), "4")
    assert stopped.returncode == 3, stopped.stderr
    other = launch("own_data_resumed.py", 1, str(number_files), str(tmp_path / "backup"))
    assert other.returncode == 1
    assert "Resuming expected the 2 worker(s) that the training had; got 1" in other.stderr
    assert launched_all("own_data_resumed.py", 2, str(number_files), str(tmp_path / "backup")) == whole


def test_the_manifests_for_kubernetes_are_valid() -> None:
    schemas = pytest.importorskip("kubernetes_validate")
    yaml = pytest.importorskip("yaml")
    page = (Path(__file__).parents[2] / "docs" / "distribute.md").read_text()
    [manifests] = re.findall(r"```\n(apiVersion:.*?)```", page, re.DOTALL)
    found = list(yaml.safe_load_all(manifests))
    assert [manifest["kind"] for manifest in found] == ["Service", "Job"]
    for manifest in found:
        schemas.validate(manifest, "1.30", strict=True)  # raises an error


def test_a_lost_worker_is_told_of() -> None:
    place = addresses(2)
    first, second = (start("worker.py", str(i), place, "1") for i in range(2))
    try:
        error = answer(first)["error"]
    finally:
        second.kill()
        second.communicate()
    assert "A strategy expected all of its 2 workers to go on; one of them was lost" in error
    assert "BackupAndRestore" in error
