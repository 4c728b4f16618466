"""`tf.config`: switches that do what they say, and refusals that say why."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import warnings
from typing import Any

import pytest

import tapeflow as tf
from tapeflow.config import devices
from tapeflow.engine.devices import startup
from tapeflow.engine.devices.device import PhysicalDevice

CPU = PhysicalDevice("/physical_device:CPU:0", "CPU")
GPU = PhysicalDevice("/physical_device:GPU:0", "GPU")


def run_script(script: str, **environment: str) -> str:
    """What a script prints in a process of its own, where JAX has not started."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def fake_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with a GPU, as far as `tf.config.experimental` can see."""

    def listed(device_type: str | None = None) -> list[PhysicalDevice]:
        return [d for d in (CPU, GPU) if device_type in (None, d.device_type)]

    monkeypatch.setattr(tf.config.experimental, "physical_devices", listed)
    monkeypatch.setattr(tf.config.experimental.startup, "has_started", lambda: True)


# ------------------------------------------------------------------------------------- functions


def test_functions_run_eagerly() -> None:
    calls = []

    @tf.function
    def f(x: Any) -> Any:
        calls.append(1)
        return x + 1

    assert tf.config.functions_run_eagerly() is False
    for _ in range(2):
        f(tf.constant(1))
    assert len(calls) == 1
    tf.config.run_functions_eagerly(True)
    try:
        assert tf.config.functions_run_eagerly() is True
        assert tf.config.experimental_functions_run_eagerly() is True
        for _ in range(2):
            assert int(f(tf.constant(1))) == 2
    finally:
        tf.config.experimental_run_functions_eagerly(False)
    assert len(calls) == 3
    assert tf.config.functions_run_eagerly() is False


def test_compilation_is_always_on() -> None:
    for enabled in (False, True, "autoclustering"):
        assert tf.config.optimizer.set_jit(enabled) is None
        assert tf.config.optimizer.get_jit() == "autoclustering"
    tf.config.optimizer.set_experimental_options({"layout_optimizer": True})
    assert tf.config.optimizer.get_experimental_options()["layout_optimizer"] is True


def test_options_without_effect_are_remembered() -> None:
    tf.config.optimizer.set_experimental_options({"auto_mixed_precision": True})
    tf.config.optimizer.set_experimental_options({"layout_optimizer": False})
    assert tf.config.optimizer.get_experimental_options() == {
        "auto_mixed_precision": True,
        "layout_optimizer": False,
    }
    older = tf.config.experimental
    assert older.get_synchronous_execution() is True
    older.set_synchronous_execution(False)
    assert older.get_synchronous_execution() is False
    older.set_synchronous_execution(True)
    assert older.get_device_policy() == "silent"
    older.set_device_policy("warn")
    assert older.get_device_policy() == "warn"
    older.set_device_policy(None)
    assert older.get_device_policy() == "silent"
    with pytest.raises(
        ValueError, match="set_device_policy expected one of 'default', .*device_policy='loud'"
    ):
        older.set_device_policy("loud")
    for call in (older.enable_mlir_bridge, older.disable_mlir_bridge, older.enable_mlir_graph_optimization):
        assert call() is None
    with tf.experimental.async_scope(), tf.experimental.function_executor_type(""):
        assert int(tf.constant(1) + 1) == 2
    tf.experimental.async_clear_error()


# --------------------------------------------------------------------------------------- devices


def test_devices_are_listed() -> None:
    assert CPU in tf.config.list_physical_devices()
    assert tf.config.list_physical_devices("CPU")[0] == CPU
    assert tf.config.list_logical_devices("CPU")[0].name == "/device:CPU:0"
    assert tf.config.list_physical_devices("no such type") == []
    assert tf.config.get_visible_devices() == tf.config.list_physical_devices()
    assert isinstance(tf.config.list_physical_devices()[0], tf.config.PhysicalDevice)
    assert isinstance(tf.config.list_logical_devices()[0], tf.config.LogicalDevice)
    older = tf.config.experimental
    assert older.list_physical_devices("CPU") == tf.config.list_physical_devices("CPU")
    assert older.list_logical_devices("CPU") == tf.config.list_logical_devices("CPU")


def test_what_is_there_can_be_made_visible() -> None:
    tf.config.set_visible_devices(tf.config.list_physical_devices())
    tf.config.set_visible_devices(tf.config.list_physical_devices("GPU"), "GPU")
    tf.config.experimental.set_visible_devices(tuple(tf.config.list_physical_devices("CPU")), "CPU")
    assert tf.config.get_visible_devices() == tf.config.list_physical_devices()


@pytest.mark.parametrize(
    ("chosen", "device_type"),
    [("x", None), (None, None), ([PhysicalDevice("/physical_device:GPU:9", "GPU")], None), (CPU, "GPU")],
)
def test_what_is_not_there_cannot(chosen: Any, device_type: str | None) -> None:
    with pytest.raises(ValueError, match=r"^Unrecognized device: .*expected devices from"):
        tf.config.set_visible_devices(chosen, device_type)


def test_one_device_must_stay_visible(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "physical_devices", lambda kind=None: [CPU] if kind != "GPU" else [])
    with pytest.raises(ValueError, match=r"expected at least one device to stay visible; got devices=\[\]"):
        tf.config.set_visible_devices([], "CPU")


def test_hiding_a_device_moves_the_work() -> None:
    script = """
        import tapeflow as tf
        first, second = tf.config.list_physical_devices()
        before = tf.constant([1.0]) + 1.0
        print(before.device[-5:])
        tf.config.set_visible_devices(second)
        print([d.name for d in tf.config.get_visible_devices()])
        print([d.name for d in tf.config.list_logical_devices()])
        after = tf.constant([1.0]) + before
        print(after.numpy(), after.device[-5:])
        tf.config.set_visible_devices([first, second])
        print((after + 1.0).device[-5:], len(tf.config.get_visible_devices()))
    """
    assert run_script(script, XLA_FLAGS="--xla_force_host_platform_device_count=2").splitlines() == [
        "CPU:0",
        "['/physical_device:CPU:1']",
        "['/device:CPU:1']",
        "[3.] CPU:1",
        "CPU:0 2",
    ]


def test_unknown_devices_cannot_be_run_on() -> None:
    with pytest.raises(ValueError, match="run_on expected a device of this machine"):
        startup.run_on(PhysicalDevice("/physical_device:TPU:99", "TPU"))


def test_soft_placement_is_how_devices_are_placed() -> None:
    tf.config.set_soft_device_placement(True)
    assert tf.config.get_soft_device_placement() is True
    with pytest.raises(tf.errors.UnimplementedError, match="expected True; got enabled=False"):
        tf.config.set_soft_device_placement(False)


# --------------------------------------------------------------------------------------- threads


def test_threads_are_set_before_anything_runs() -> None:
    script = """
        import os
        import tapeflow as tf
        threads = tf.config.threading
        print(threads.get_intra_op_parallelism_threads(), threads.get_inter_op_parallelism_threads())
        threads.set_intra_op_parallelism_threads(3)
        threads.set_inter_op_parallelism_threads(2)
        tf.config.experimental.enable_op_determinism()
        x = tf.ones([512, 512])
        (x @ x).numpy()
        folder = "/proc/self/task"
        if os.path.isdir(folder):
            names = [open(f"{folder}/{task}/comm").read().strip() for task in os.listdir(folder)]
            print(names.count("tf_XLAEigen"))
        else:
            print(3)
        print(threads.get_intra_op_parallelism_threads(), threads.get_inter_op_parallelism_threads())
        threads.set_intra_op_parallelism_threads(3)  # as it is: no reason to complain
        for set_count in (threads.set_intra_op_parallelism_threads, threads.set_inter_op_parallelism_threads):
            try:
                set_count(4)
            except RuntimeError as error:
                print(error)
        print(os.environ["XLA_FLAGS"])
    """
    env = {"PJRT_NPROC": "", "XLA_FLAGS": "--xla_force_host_platform_device_count=1"}
    lines = run_script(script, **env).splitlines()
    assert lines[:3] == ["0 0", "3", "3 2"]
    assert lines[3].startswith("Intra op parallelism cannot be modified after initialization")
    assert lines[4].startswith("Inter op parallelism cannot be modified after initialization")
    assert lines[5] == "--xla_force_host_platform_device_count=1 --xla_gpu_deterministic_ops=true"


@pytest.mark.parametrize("value", [-1, 1.5, "2", None])
def test_thread_counts_are_counts(value: Any) -> None:
    for name in ("set_intra_op_parallelism_threads", "set_inter_op_parallelism_threads"):
        with pytest.raises(ValueError, match=rf"{name} expected a number of threads.*num_threads={value!r}"):
            getattr(tf.config.threading, name)(value)


def test_threads_can_be_left_to_xla(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(startup, "has_started", lambda: False)
    monkeypatch.setenv("PJRT_NPROC", "5")
    tf.config.threading.set_intra_op_parallelism_threads(0)
    assert "PJRT_NPROC" not in os.environ
    assert tf.config.threading.get_intra_op_parallelism_threads() == 0


# ---------------------------------------------------------------------------- GPUs, as if there


def test_memory_growth_is_for_gpus() -> None:
    for use in (
        lambda d: tf.config.experimental.set_memory_growth(d, True),
        tf.config.experimental.get_memory_growth,
    ):
        with pytest.raises(ValueError, match="expected a GPU: memory growth is not a property of non-GPU"):
            use(tf.config.list_physical_devices("CPU")[0])
        with pytest.raises(ValueError, match=r"^Unrecognized device: 'x'"):
            use("x")


@pytest.mark.usefixtures("fake_gpu")
def test_memory_growth_is_chosen_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tf.config.experimental.set_memory_growth(GPU, True)
    assert tf.config.experimental.get_memory_growth(GPU) is True
    monkeypatch.delenv("XLA_PYTHON_CLIENT_PREALLOCATE")
    with pytest.warns(UserWarning, match=r"comes too late.*XLA_PYTHON_CLIENT_PREALLOCATE=false"):
        tf.config.experimental.set_memory_growth(GPU, True)
    assert tf.config.experimental.get_memory_growth(GPU) is False


def test_a_cpu_is_deterministic_in_any_case() -> None:
    tf.config.list_physical_devices()  # JAX has started
    assert tf.config.experimental.enable_op_determinism() is None


@pytest.mark.usefixtures("fake_gpu")
def test_determinism_on_a_gpu_is_chosen_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XLA_FLAGS", "")
    with pytest.raises(RuntimeError, match="enable_op_determinism expected to come before JAX has started"):
        tf.config.experimental.enable_op_determinism()
    monkeypatch.setenv("XLA_FLAGS", "--xla_gpu_deterministic_ops=true")
    tf.config.experimental.enable_op_determinism()


def test_what_cannot_be_done_is_absent() -> None:
    for name in ("experimental_connect_to_host", "experimental_connect_to_cluster"):
        assert not hasattr(tf.config, name)
    assert not hasattr(tf.config.experimental, "reset_memory_stats")


def test_details_of_a_device() -> None:
    assert tf.config.experimental.get_device_details(tf.config.list_physical_devices("CPU")[0]) == {}
    with pytest.raises(ValueError, match="get_device_details expected a device from .*; got 'CPU'"):
        tf.config.experimental.get_device_details("CPU")


# ------------------------------------------------------------------------------ logical devices


def test_one_cpu_as_several_devices() -> None:
    """As the guides do: listing the devices first, and a strategy over them, with the losses of one device."""
    printed = run_script(
        """
        import numpy as np
        import tapeflow as tf
        [cpu] = tf.config.list_physical_devices("CPU")
        three = [tf.config.LogicalDeviceConfiguration()] * 3
        assert tf.config.get_logical_device_configuration(cpu) is None
        tf.config.set_logical_device_configuration(cpu, three)
        assert tf.config.get_logical_device_configuration(cpu) == three
        assert tf.config.list_physical_devices("CPU") == [cpu]
        x = np.arange(24, dtype="float32").reshape(12, 2) / 24
        losses = []
        for strategy in (tf.distribute.MirroredStrategy(), tf.distribute.OneDeviceStrategy("/CPU:1")):
            with strategy.scope():
                layer = tf.keras.layers.Dense(1, "tanh", kernel_initializer="ones", input_shape=(2,))
                model = tf.keras.Sequential([layer])
                model.compile(tf.keras.optimizers.SGD(0.1), "mse")
            losses.append(model.fit(x, x[:, :1], batch_size=6, epochs=2, verbose=0, shuffle=False).history["loss"])
            print(strategy.num_replicas_in_sync)
        np.testing.assert_allclose(*losses, rtol=1e-5)
        print([d.name for d in tf.config.list_logical_devices("CPU")])
        with tf.device("CPU:2"):
            print(tf.constant([1.0]).device[-5:])
        tf.config.experimental.set_virtual_device_configuration(cpu, three)  # the same: nothing to do
        try:
            tf.config.set_logical_device_configuration(cpu, three[:2])
        except RuntimeError as error:
            print("Virtual devices cannot be modified after being initialized" in str(error))
        """
    )
    assert printed.splitlines() == [
        "3",
        "1",
        "['/device:CPU:0', '/device:CPU:1', '/device:CPU:2']",
        "CPU:2",
        "True",
    ]


def test_logical_devices_come_first() -> None:
    held = tf.Variable([1.0])
    configuration = tf.config.LogicalDeviceConfiguration
    assert held.numpy().tolist() == [1.0]
    with pytest.raises(RuntimeError, match="Virtual devices cannot be modified after being initialized"):
        tf.config.set_logical_device_configuration(CPU, [configuration()] * 2)
    with pytest.raises(
        ValueError, match="Setting memory limit on CPU virtual devices is currently not supported"
    ):
        tf.config.set_logical_device_configuration(CPU, [configuration(memory_limit=1024)])
    with pytest.raises(ValueError, match="at least one configuration"):
        tf.config.set_logical_device_configuration(CPU, [])
    with pytest.raises(ValueError, match="Unrecognized device"):
        tf.config.set_logical_device_configuration(GPU, [configuration()])


def test_a_gpu_is_not_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    from tapeflow.config import logical_configuration

    monkeypatch.setattr(logical_configuration, "physical_devices", lambda: [CPU, GPU])
    with pytest.raises(RuntimeError, match="XLA_PYTHON_CLIENT_MEM_FRACTION"):
        tf.config.set_logical_device_configuration(GPU, [tf.config.LogicalDeviceConfiguration(1024)])


def test_memory_is_counted_where_jax_counts_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="Allocator stats not available for device 'CPU:0'"):
        tf.config.experimental.get_memory_info("CPU:0")
    stats = {"bytes_in_use": 3, "peak_bytes_in_use": 7, "num_allocs": 1}
    monkeypatch.setattr(tf.config.experimental, "memory_of", lambda name: stats)
    assert tf.config.experimental.get_memory_info("GPU:0") == {"current": 3, "peak": 7}
    assert tf.config.experimental.get_memory_usage("GPU:0") == 3


def test_rounded_products() -> None:
    assert tf.config.experimental.tensor_float_32_execution_enabled()
    tf.config.experimental.enable_tensor_float_32_execution(False)
    try:
        assert not tf.config.experimental.tensor_float_32_execution_enabled()
    finally:
        tf.config.experimental.enable_tensor_float_32_execution(True)
    assert tf.config.experimental.tensor_float_32_execution_enabled()
