"""Hostile exported programs: they are looked at before they run, and tried in another process before that."""

from __future__ import annotations

import collections
import dataclasses
import json
import os
import random
import re
import select
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.engine.exporting import program_trial
from tapeflow.engine.exporting.portable import PortableProgram
from tapeflow.engine.exporting.program_scan import RefusedProgram

CALL = "%out = stablehlo.custom_call @{}(%in) : (tensor<3xf32>) -> tensor<3xf32>"
COPY = "%out = stablehlo.abs %in : tensor<3xf32>"
INNER = """
  func.func private @inner(%in: tensor<3xf32>) -> tensor<3xf32> {
    %out = stablehlo.custom_call @foreign(%in) : (tensor<3xf32>) -> tensor<3xf32>
    return %out : tensor<3xf32>
  }"""
WHILE = """
  %out = stablehlo.while(%x = %in) : tensor<3xf32> cond {
    %no = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %no : tensor<i1>
  } do {
    %y = stablehlo.custom_call @foreign(%x) : (tensor<3xf32>) -> tensor<3xf32>
    stablehlo.return %y : tensor<3xf32>
  }"""
SORT = """
  %out = "stablehlo.sort"(%in) <{{dimension = 0 : i64, is_stable = {}}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %yes = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %yes : tensor<i1>
  }}) : (tensor<3xf32>) -> tensor<3xf32>"""
RANDOM = """
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %shape = stablehlo.constant dense<3> : tensor<1xi64>
  %out = stablehlo.rng %zero, %one, %shape, distribution = UNIFORM
    : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>"""
INFEED = """
  %token = stablehlo.create_token : !stablehlo.token
  %out, %next = "stablehlo.infeed"(%token) <{infeed_config = "", layout = [[0]]}>
    : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)"""
# Without a side effect, a call whose results nobody uses would be left out when the program is written.
LAPACK = """
  %a:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%in) {{mhlo.backend_config = {{}}, has_side_effect = true}}
    : (tensor<64x64xf32>) -> ({})
  %out = stablehlo.abs %in : tensor<64x64xf32>"""
RIGHT = "tensor<64x64xf32>, tensor<64xi32>, tensor<i32>"

SCANNED = {
    "callback": (CALL.format("xla_ffi_python_cpu_callback"), "", "calls 'xla_ffi_python_cpu_callback'"),
    "quoted name": (CALL.format('"a b, \\" c"'), "", "calls 'a b, \" c'"),
    "empty name": (CALL.format('""'), "", "calls ''"),
    "in a function": ("%out = call @inner(%in) : (tensor<3xf32>) -> tensor<3xf32>", INNER, "calls 'foreign'"),
    "in a function that is not called": (COPY, INNER, "calls 'foreign'"),
    "in a composite": (
        '%out = stablehlo.composite "a.b" %in {decomposition = @inner} : (tensor<3xf32>) -> tensor<3xf32>',
        INNER,
        "calls 'foreign'",
    ),
    "in a loop": (WHILE, "", "calls 'foreign'"),
    "LAPACK without its ending": (CALL.format("lapack_spotrf"), "", "calls 'lapack_spotrf'"),
    "LAPACK we do not use": (CALL.format("lapack_sgehrd_ffi"), "", "calls 'lapack_sgehrd_ffi'"),
    "LAPACK in an old way": (
        CALL.format("lapack_spotrf_ffi").replace(" :", " {api_version = 2 : i32} :", 1),
        "",
        "calls 'lapack_spotrf_ffi' in another way than JAX does",
    ),
    "another format string": (
        "%yes = stablehlo.constant dense<true> : tensor<i1>\n"
        'stablehlo.custom_call @shape_assertion(%yes) {error_message = "{7}", has_side_effect = true}'
        f" : (tensor<i1>) -> ()\n{COPY}",
        "",
        "calls 'shape_assertion' in another way than JAX does",
    ),
    "unstable sort": (SORT.format("false"), "", "sorts without keeping the order of equal values"),
    "random numbers": (RANDOM, "", "uses 'stablehlo.rng'"),
    "infeed": (INFEED, "", "uses 'stablehlo.infeed'"),
}


@pytest.mark.parametrize("name", SCANNED)
@pytest.mark.parametrize("order", [0, 1, 2])
def test_what_a_program_or_its_gradients_may_not_do(name: str, order: int, forger: Any) -> None:
    body, rest, expected = SCANNED[name]
    exported = forger.program(body, rest=rest)
    for _ in range(order):
        exported = forger.with_gradient(forger.program(COPY), exported)
    with pytest.raises(ValueError, match=re.escape(f"got 'x.stablehlo', which {expected}. It is not run")):
        PortableProgram(bytes(exported.serialize(vjp_order=order)), "x.stablehlo")


def test_a_program_without_any_of_this_runs(forger: Any) -> None:
    for body in (COPY, SORT.format("true")):
        program = PortableProgram(bytes(forger.program(body).serialize()), "x")
        assert np.asarray(program([], np.ones(3, np.float32))[0]).tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    "results",
    [
        "tensor<64x64xf32>, tensor<1xi32>, tensor<i32>",
        "tensor<64x64xf32>, tensor<64xi32>, tensor<0xi32>",
        "tensor<8x8xf32>, tensor<64xi32>, tensor<i32>",
        "tensor<64x64xf32>, tensor<64xi16>, tensor<i32>",
        "tensor<2x64x64xf32>, tensor<2x64xi32>, tensor<2xi32>",
    ],
)
def test_lapack_with_lying_shapes(results: str, forger: Any) -> None:
    program = forger.program(LAPACK.format(RIGHT), size="64x64")
    PortableProgram(bytes(program.serialize()), "x")
    program = forger.program(LAPACK.format(results), size="64x64")
    with pytest.raises(
        ValueError, match=r"calls 'lapack_sgetrf_ffi' with other shapes or types than it takes and"
    ):
        PortableProgram(bytes(program.serialize()), "x")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"nr_devices": 8}, "is for 8 devices"),
        ({"uses_global_constants": False}, "does not say what its open sizes are"),
    ],
)
def test_headers(change: dict[str, Any], expected: str) -> None:
    import jax
    from jax import export

    exported = export.export(jax.jit(lambda x: x + 1.0))(
        jax.ShapeDtypeStruct(export.symbolic_shape("rows, 3"), "f4")
    )
    with pytest.raises(ValueError, match=f"which {expected}. It is not run"):
        PortableProgram(bytes(dataclasses.replace(exported, **change).serialize()), "x")


@pytest.mark.parametrize("shape", ["a, 3", "rows, rows", "2*rows, 3"])
def test_open_sizes_other_than_the_rows(shape: str) -> None:
    import jax
    from jax import export

    exported = export.export(jax.jit(lambda x: x + 1.0))(
        jax.ShapeDtypeStruct(export.symbolic_shape(shape), "f4")
    )
    with pytest.raises(ValueError, match=r"which has open sizes other than the number of rows"):
        PortableProgram(bytes(exported.serialize()), "x")


def test_gradients_of_gradients_end(forger: Any) -> None:
    exported = forger.program(COPY)
    for _ in range(5):
        exported = forger.with_gradient(forger.program(COPY), exported)
    with pytest.raises(ValueError, match=r"which has gradients of gradients without end"):
        PortableProgram(bytes(exported.serialize(vjp_order=5)), "x")


class Plain(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([3], tf.float32)])
    def plain(self, x: Any) -> Any:
        return x + 1.0


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache in which no program is remembered."""
    monkeypatch.setenv("TAPEFLOW_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def folder(tmp_path: Path, cache: Path) -> Path:
    tf.saved_model.save(Plain(), tmp_path / "m")
    return tmp_path / "m"


def forget(cache: Path) -> None:
    for file in (cache / "tried-programs").iterdir():
        file.unlink()


ROWS = """module @jit_f attributes {{jax.uses_shape_polymorphism = true}} {{
  func.func public @main(%in: tensor<?x3x3xf32>) -> tensor<?x3x3xf32> {{
    %three = stablehlo.constant dense<3> : tensor<1xi32>
    %most = stablehlo.constant dense<{most}> : tensor<1xi32>
    %size = stablehlo.get_dimension_size %in, dim = 0 : (tensor<?x3x3xf32>) -> tensor<i32>
    %rows = stablehlo.reshape %size : (tensor<i32>) -> tensor<1xi32>
    %few = stablehlo.minimum %rows, %most : tensor<1xi32>
    %shape = stablehlo.concatenate %rows, %three, %three, dim = 0
      : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %out, %info = stablehlo.custom_call @lapack_spotrf_ffi(%in, %shape, %few) {{has_side_effect = true,
      indices_of_shape_operands = dense<[1, 2]> : tensor<2xi64>, mhlo.backend_config = {{uplo = 76 : ui8}}}}
      : (tensor<?x3x3xf32>, tensor<3xi32>, tensor<1xi32>) -> (tensor<?x3x3xf32>, tensor<?xi32>)
    return %out : tensor<?x3x3xf32>
  }}
}}"""


def test_sizes_that_lie_once_rows_are_many(forger: Any) -> None:
    """Right for up to two rows, which a trial has, and too small for more."""
    import jax
    from jax import export

    rows = jax.ShapeDtypeStruct(export.symbolic_shape("rows, 3, 3"), "float32")
    exported = export.export(jax.jit(lambda values, x: [jax.lax.linalg.cholesky(x)]))([], rows)
    lying = forger.with_module(exported, ROWS.format(most=2))
    data = bytes(lying.serialize())
    program_trial._try_one(data)
    program = PortableProgram(data, "x")
    assert program([], np.stack([np.eye(3, dtype="f4")] * 2))[0].shape == (2, 3, 3)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"calls 'lapack_spotrf_ffi' with other shapes or types than it"
    ):
        program([], np.stack([np.eye(3, dtype="f4")] * 5))
    lying = bytes(forger.with_module(exported, ROWS.format(most=1)).serialize())
    with pytest.raises(RefusedProgram, match=r"calls 'lapack_spotrf_ffi' with other shapes or types than it"):
        program_trial._try_one(lying)


def test_a_program_that_ends_the_compiler(folder: Path, forger: Any) -> None:
    """A function that calls itself: XLA inlines it until its stack is full."""
    rest = """
      func.func private @f(%in: tensor<3xf32>) -> tensor<3xf32> {
        %out = call @f(%in) : (tensor<3xf32>) -> tensor<3xf32>
        return %out : tensor<3xf32>
      }"""
    program = forger.program("%out = call @f(%in) : (tensor<3xf32>) -> tensor<3xf32>", rest=rest)
    forger.replace(folder, bytes(program.serialize()))
    with pytest.raises(ValueError, match=r"plain-0.stablehlo', which (ends the process|cannot be compiled)"):
        tf.saved_model.load(folder)


def test_a_program_that_is_never_compiled(folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forget(cache)
    monkeypatch.setattr(program_trial, "TIMEOUT_S", 1.0)
    hanging = "import time; print('{\"began\": 0}', flush=True); time.sleep(60)"
    monkeypatch.setattr(program_trial, "_START", hanging)
    with pytest.raises(ValueError, match=r"which cannot be compiled within 1 seconds. It is not run"):
        tf.saved_model.load(folder)
    monkeypatch.setattr(program_trial, "_START", "print('{\"began\": 0}', flush=True); import os; os.abort()")
    with pytest.raises(ValueError, match=r"which ends the process that tries it \(SIGABRT\). It is not run"):
        tf.saved_model.load(folder)
    monkeypatch.setattr(program_trial, "_START", "print('{\"passed\": []}')")
    with pytest.raises(
        RuntimeError, match=r"got one that ends the process .*can `import tapeflow`, or, if you trust"
    ):
        tf.saved_model.load(folder)


def test_without_an_interpreter(folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tf.saved_model.load(folder).plain(tf.zeros(3)).numpy().tolist() == [1.0, 1.0, 1.0], "our own"
    forget(cache)
    for name in ("", None, "/usr/bin/server"):
        monkeypatch.setattr(sys, "executable", name)
        with pytest.raises(
            RuntimeError, match=r"expected a Python interpreter to try it in another process; got sys."
        ):
            tf.saved_model.load(folder)
    trusted = tf.saved_model.LoadOptions(safe_mode=False)
    loaded = tf.saved_model.load(folder, options=trusted)
    assert loaded.plain(tf.zeros(3)).numpy().tolist() == [1.0, 1.0, 1.0]


def test_a_trial_is_remembered(folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forget(cache)
    results: list[Any] = []
    thread = threading.Thread(
        target=lambda: results.append(tf.saved_model.load(folder).plain(tf.zeros(3)).numpy()), daemon=True
    )
    thread.start()
    thread.join(120)
    assert results[0].tolist() == [1.0, 1.0, 1.0]
    monkeypatch.setattr(sys, "executable", None)
    tf.saved_model.load(folder)
    monkeypatch.setenv("TAPEFLOW_CACHE", "off")
    with pytest.raises(RuntimeError, match="expected a Python interpreter"):
        tf.saved_model.load(folder)


def test_scripts_without_a_file_in_a_hostile_folder(folder: Path, cache: Path, tmp_path: Path) -> None:
    """From standard input, without a guard for `__main__`, beside a module that has the name of one of ours."""
    forget(cache)
    here = tmp_path / "here"
    here.mkdir()
    (here / "jaxlib.py").write_text("open('ran', 'w')")
    code = f"""
        import sys
        sys.path[:] = [p for p in sys.path if p]
        import tapeflow as tf
        print(tf.saved_model.load({str(folder)!r}).plain(tf.zeros(3)).numpy().tolist())
    """
    done = subprocess.run(
        [sys.executable, "-"],
        input=textwrap.dedent(code),
        capture_output=True,
        text=True,
        cwd=here,
        timeout=120,
    )
    assert done.stdout == "[1.0, 1.0, 1.0]\n", done.stderr
    assert [p.name for p in here.iterdir()] == ["jaxlib.py"]


def test_the_manifest_decides_nothing_about_trust(folder: Path, forger: Any) -> None:
    """A program that came through stays known by its bytes alone."""
    forger.replace(folder, bytes(forger.program(CALL.format("foreign")).serialize()))
    with pytest.raises(ValueError, match=r"which calls 'foreign'. It is not run"):
        tf.saved_model.load(folder)


# Tries one mutation for each number it is given, as the process of a trial does, then as the user's does.
FUZZING = """
import json, random, sys
import numpy as np
from tapeflow.engine.exporting import program_trial
from tapeflow.engine.exporting.portable import PortableProgram
from tapeflow.engine.exporting.program_scan import RefusedProgram
program_trial._limit_memory()
program_trial._READING_S = 3.0
good = open(sys.argv[1], "rb").read()
def mutated(i):
    draw, data = random.Random(i), bytearray(good)
    kind = draw.random()
    if kind < 0.1:
        del data[draw.randrange(len(data)) :]
    elif kind < 0.2:
        a, b, n = draw.randrange(len(data)), draw.randrange(len(data)), draw.randrange(1, 64)
        data[a : a + n] = data[b : b + n]
    else:
        for _ in range(draw.choice((1, 1, 1, 2, 4, 16))):
            j = draw.randrange(len(data))
            data[j] = draw.choice((draw.randrange(256), data[j] ^ (1 << draw.randrange(8)), 0, 255, 127, 128))
    return bytes(data)
for line in sys.stdin:
    data = mutated(int(line))
    print("begin", flush=True)
    try:
        program_trial._try_one(data)
    except RefusedProgram:
        print("refused", flush=True)
        continue
    print("passed", flush=True)
    try:
        program = PortableProgram(data, "x")
        exported = program._exported
        for rows in (1, 2, 7):
            given = [np.ones([d if isinstance(d, int) else rows for d in a.shape], a.dtype) for a in exported.in_avals]
            program.run(given[:-1], given[-1])
    except Exception:
        pass
    print("ran", flush=True)
"""


def fuzzed(path: Path, numbers: range, timeout_s: float) -> collections.Counter[str]:
    """What became of mutations; a process goes on behind the one that ended or hung another."""
    tally: collections.Counter[str] = collections.Counter()
    child: subprocess.Popen[str] | None = None
    for number in numbers:
        if child is None:
            child = subprocess.Popen(
                [sys.executable, "-c", FUZZING, str(path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env={**os.environ, "TAPEFLOW_CACHE": "off"},
            )
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(f"{number}\n")
        child.stdin.flush()
        last = ""
        while last not in ("refused", "ran"):
            is_ready = select.select([child.stdout], [], [], timeout_s)[0]
            line = child.stdout.readline().strip() if is_ready else ""
            if not line:
                child.kill()
                child.wait()
                child = None
                last = f"{'ended' if is_ready else 'hung'} after {last}"
                break
            last = line
        tally[last] += 1
    if child is not None:
        child.kill()
        child.wait()
    return tally


@pytest.mark.parametrize("count", [10, pytest.param(4000, marks=pytest.mark.slow)])
def test_mutated_programs(count: int, tmp_path: Path) -> None:
    """Whatever a trial lets through runs without harm; what ends or hangs a process, ends or hangs the trial's."""
    layers = [tf.keras.Input((3,)), tf.keras.layers.Dense(4, activation="relu"), tf.keras.layers.Dense(2)]
    tf.keras.Sequential(layers).export(tmp_path / "m")
    tally = fuzzed(tmp_path / "m" / "serve-0.stablehlo", range(count), 120.0)
    assert sum(tally.values()) == count
    assert tally["refused"] > count / 3
    assert set(tally) <= {"refused", "ran", "ended after begin", "hung after begin"}, tally


def nodes(value: Any) -> Iterator[tuple[Any, Any]]:
    """The places of a JSON structure: a dict or list, and a key or index."""
    for key in value if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], (dict, list)):
            yield from nodes(value[key])


@pytest.mark.parametrize("count", [60, pytest.param(3000, marks=pytest.mark.slow)])
def test_mutated_manifests(count: int, folder: Path) -> None:
    """Each gives one clear error, when it is loaded or when its function is called."""
    manifest = folder / "saved_model.json"
    good = manifest.read_text()
    draw = random.Random(count)
    others = [
        None,
        True,
        -1,
        2**70,
        1e300,
        "",
        "x",
        "../x",
        [],
        {},
        [[]],
        {"input": 5},
        {"x": 1},
        ["__class__"],
    ]
    refused = 0
    for _ in range(count):
        described = json.loads(good)
        owner, key = draw.choice(list(nodes(described)))
        owner[key] = draw.choice(others)
        manifest.write_text(json.dumps(described))
        try:
            loaded = tf.saved_model.load(folder)
        except ValueError as error:
            if not str(error).startswith("tf.saved_model.load expected a whole saved model; got "):
                raise
            refused += 1
            continue
        try:
            loaded.plain(tf.zeros(3))
        except (ValueError, TypeError, AttributeError, tf.errors.InvalidArgumentError):
            refused += 1
    assert refused > count / 3
