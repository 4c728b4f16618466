"""`tf.print` and `tf.strings.format`: TensorFlow's text, in order, at every call."""

from __future__ import annotations

import collections
import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.ops.debugging.printing import group, no_op, string_format

Pair = collections.namedtuple("Pair", "x y")


class Thing:
    def __repr__(self) -> str:
        return "a thing"


def printed(capsys: pytest.CaptureFixture[str], *inputs: Any, **options: Any) -> str:
    tf.print(*inputs, output_stream=sys.stdout, **options)
    out = capsys.readouterr().out
    assert out.endswith("\n")
    return out[:-1]


def f32(*values: float) -> Any:
    return tf.constant(values, tf.float32)


# What is expected here was printed by TensorFlow 2.21, but for complex numbers and signed NaNs.
@pytest.mark.parametrize(
    ("inputs", "text"),
    [
        ((), ""),
        (("hello",), "hello"),
        (("it's {} %s",), "it's {} %s"),
        (("loss:", f32(0.123456789)[0], 3, 2.5, True), "loss: 0.123456791 3 2.5 True"),
        ((0.1, 1 / 3, 1e100, 2**40), "0.1 0.3333333333333333 1e+100 1099511627776"),
        ((float("nan"), None, Thing(), tf.float32), "nan None a thing tf.float32"),
        ((tf.constant([True, False]), tf.constant(True), False), "[1 0] 1 False"),
        ((tf.constant([1, -2], tf.int8), tf.constant(200, tf.uint8)), "[1 -2] 200"),
        ((tf.constant([1 + 2j, -0.5 - 1j], tf.complex64),), "[(1+2j) (-0.5-1j)]"),
        ((tf.Variable([1.0, 2.0]), tf.Variable(3)), "[1 2] 3"),
        ((np.float32(1 / 3), np.arange(3.0)), "np.float32(0.33333334) array([0., 1., 2.])"),
        ((tf.TensorShape([1, 2]),), "TensorShape([1, 2])"),
    ],
)
def test_values_are_printed_as_in_tensorflow(
    capsys: pytest.CaptureFixture[str], inputs: tuple[Any, ...], text: str
) -> None:
    assert printed(capsys, *inputs) == text


@pytest.mark.parametrize(
    ("values", "dtype", "text"),
    [
        ([0.1, 1e-5, 1e10, 123456789.0], "float32", "[0.1 1e-05 1e+10 123456792]"),
        ([1 / 3, 1e-10, -0.0, 100000.0], "float32", "[0.333333343 1e-10 -0 100000]"),
        ([1e6, 123456.0, 1234567.0, 12345678.0], "float32", "[1e+06 123456 1234567 12345678]"),
        ([np.nan, np.inf, -np.inf, -np.nan], "float32", "[nan inf -inf nan]"),
        ([3.4028235e38, 16777216.0], "float32", "[3.40282347e+38 16777216]"),
        ([0.1, 1e10, 1 / 3, 1e16], "float64", "[0.1 10000000000 0.33333333333333331 1e+16]"),
        ([123456789.123456789, 1.7976931348623157e308], "float64", None),
        ([0.1, 1 / 3, 65504.0], "float16", "[0.0999755859 0.333251953 65504]"),
        ([0.1, 1 / 3, 65504.0], "bfloat16", "[0.100097656 0.333984375 65536]"),
    ],
)
def test_floats(
    capsys: pytest.CaptureFixture[str], values: list[float], dtype: str, text: str | None
) -> None:
    expected = text or "[123456789.12345679 1.7976931348623157e+308]"
    assert printed(capsys, tf.constant(values, dtype)) == expected


@pytest.mark.parametrize(
    ("inputs", "text"),
    [
        ((tf.constant("alone\n it has no quotes"),), "alone\n it has no quotes"),
        (("not", tf.constant("alone")), 'not "alone"'),
        ((tf.constant(["a", 'b"q', "c\n", "é"]),), r'["a" "b\"q" "c\n" "é"]'),
        ((tf.constant([b"it's", b"\x00\x7f\\"]),), r"""["it\'s" "\000\177\\"]"""),
        ((tf.constant([["a", "b"], ["c", "d"]]),), '[["a" "b"]\n ["c" "d"]]'),
        ((b"x", [b"x"], ["é"]), "b'x' [b'x'] ['é']"),
    ],
)
def test_strings(capsys: pytest.CaptureFixture[str], inputs: tuple[Any, ...], text: str) -> None:
    assert printed(capsys, *inputs) == text


def test_bytes_that_are_not_utf8_do_not_stop_printing(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, tf.constant(b"\xffx"), 1) == '"\ufffdx" 1'


def test_long_dimensions_are_summarized(capsys: pytest.CaptureFixture[str]) -> None:
    row = "[0 0 0 ... 0 0 0]"
    rows = [row] * 3 + ["..."] + [row] * 3
    assert printed(capsys, tf.zeros([10, 10], tf.int32)) == "[" + "\n ".join(rows) + "]"
    cube = tf.reshape(tf.range(12), [2, 3, 2])
    assert printed(capsys, cube) == "[[[0 1]\n  [2 3]\n  [4 5]]\n\n [[6 7]\n  [8 9]\n  [10 11]]]"
    wide = tf.reshape(tf.range(27), [3, 3, 3])
    assert printed(capsys, wide, summarize=1) == (
        "[[[0 ... 2]\n  ...\n  [6 ... 8]]\n\n ...\n\n [[18 ... 20]\n  ...\n  [24 ... 26]]]"
    )


@pytest.mark.parametrize(
    ("summarize", "text"),
    [
        (3, "[0 1 2 ... 4 5 6]"),
        (None, "[0 1 2 ... 4 5 6]"),
        (1, "[0 ... 6]"),
        (0, "[ ...]"),
        (-1, "[0 1 2 3 4 5 6]"),
        (100, "[0 1 2 3 4 5 6]"),
        (np.int64(2), "[0 1 ... 5 6]"),
    ],
)
def test_summarize(capsys: pytest.CaptureFixture[str], summarize: Any, text: str) -> None:
    assert printed(capsys, tf.range(7), summarize=summarize) == text
    assert printed(capsys, tf.range(6), summarize=3) == "[0 1 2 3 4 5]"


def test_empty_tensors(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, tf.zeros([0]), tf.zeros([0, 3]), tf.zeros([2, 0])) == "[] [] [\n ...]"


@pytest.mark.parametrize(
    ("structure", "text"),
    [
        ([tf.constant(1), "a"], "[1, 'a']"),
        ((tf.constant(1),), "(1,)"),
        ({"b": tf.constant([1.0, 2.0]), "a": "x"}, "{'a': 'x', 'b': [1 2]}"),
        (Pair(1, tf.constant(2.0)), "Pair(x=1, y=2)"),
        (collections.OrderedDict(b=tf.constant(1), a=2), "OrderedDict([('b', 1), ('a', 2)])"),
        ({"k": [1, {"z": tf.range(10)}]}, "{'k': [1, {'z': [0 1 2 ... 7 8 9]}]}"),
        ([tf.constant("a b"), ["{}", tf.constant(["q"])]], '["a b", [\'{}\', ["q"]]]'),
        ([None, (), {}, Thing()], "[None, (), {}, a thing]"),
        (range(3), "[0, 1, 2]"),
        # As long as TensorFlow's mark for a tensor, and so broken into lines where it breaks them.
        ([tf.constant(1)] * 13, "[" + ", ".join("1" * 13) + "]"),
        ([tf.constant(1)] * 14, "[" + ",\n ".join("1" * 14) + "]"),
    ],
)
def test_structures(capsys: pytest.CaptureFixture[str], structure: Any, text: str) -> None:
    assert printed(capsys, structure) == text


def test_each_tensor_stands_in_its_own_place(capsys: pytest.CaptureFixture[str]) -> None:
    many = collections.OrderedDict((f"{i:02}", tf.constant(i)) for i in reversed(range(30)))
    expected = "OrderedDict([" + ",\n             ".join(f"('{k}', {int(k)})" for k in many) + "])"
    assert printed(capsys, many) == expected


def test_sep_and_end(capsys: pytest.CaptureFixture[str]) -> None:
    tf.print(1, tf.constant(2), [3, 4], sep=", ", end="!", output_stream=sys.stdout)
    assert capsys.readouterr().out == "1, 2, [3, 4]!"


def test_streams(capsys: pytest.CaptureFixture[str]) -> None:
    tf.print("err")
    tf.print("err too", output_stream=sys.stderr)
    tf.print("out", output_stream=sys.stdout)
    caught = capsys.readouterr()
    assert (caught.out, caught.err) == ("out\n", "err\nerr too\n")


def test_a_file_is_appended_to(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_text("old\n")
    for i in range(2):
        tf.print("é", tf.constant(i), output_stream=f"file://{path}")
    assert path.read_text(encoding="utf-8") == "old\né 0\né 1\n"


def test_a_stream_looked_up_when_printing(capsys: pytest.CaptureFixture[str]) -> None:
    stdout = sys.stdout

    @tf.function
    def f(x: Any) -> Any:
        tf.print(x, output_stream=stdout)
        return x

    f(tf.constant(1))
    capsys.readouterr()
    caught = io.StringIO()
    sys.stdout = caught
    try:
        f(tf.constant(2))
    finally:
        sys.stdout = stdout
    assert caught.getvalue() == "2\n"


@pytest.mark.parametrize(
    "stream", ["foo", 3, "file://", io.StringIO()], ids=["name", "number", "no path", "stream"]
)
def test_other_streams_are_refused(stream: Any) -> None:
    with pytest.raises(ValueError, match=r"expected output_stream to be sys\.stdout, sys\.stderr or"):
        tf.print("x", output_stream=stream)


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"tf\.print expected an int for summarize.*summarize='a'"):
        tf.print(1, summarize="a")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"tf\.print expected a string for sep; got sep=3"):
        tf.print(1, sep=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"tf\.print expected a string for end; got end=None"):
        tf.print(1, end=None)  # type: ignore[arg-type]
    with pytest.raises(tf.errors.NotFoundError, match="expected a file in a folder that exists"):
        tf.print(1, output_stream=f"file://{tmp_path}/missing/log.txt")


def test_eager_printing_is_in_order_and_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    x = tf.Variable(1.0)
    tf.print(x + 1.0, output_stream=sys.stdout)
    assert capsys.readouterr().out == "2\n"
    with tf.GradientTape() as tape:
        y = x * x
        tf.print(y, output_stream=sys.stdout)
    assert capsys.readouterr().out == "1\n"
    assert float(tape.gradient(y, x)) == 2.0


def test_a_function_prints_at_every_call(capsys: pytest.CaptureFixture[str]) -> None:
    weight = tf.Variable(10.0)

    @tf.function
    def f(x: Any) -> Any:
        tf.print("x", {"x": x, "n": 3}, output_stream=sys.stdout)
        weight.assign_add(x)
        tf.print("w", weight, tf.constant("s"), output_stream=sys.stdout)
        return x * 2.0

    for i in (1.0, 2.0, 3.0):
        f(tf.constant(i))
    assert f.experimental_get_tracing_count() == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "x {'n': 3, 'x': 1}",
        'w 11 "s"',
        "x {'n': 3, 'x': 2}",
        'w 13 "s"',
        "x {'n': 3, 'x': 3}",
        'w 16 "s"',
    ]


def test_a_function_that_only_prints(capsys: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def f() -> None:
        tf.print("hi", output_stream=sys.stdout)

    @tf.function
    def g(x: Any) -> Any:
        _ = x * 2.0
        tf.print("ho", output_stream=sys.stdout)
        return x

    for _ in range(3):
        f()
        g(tf.constant(1.0))
    assert capsys.readouterr().out == "hi\nho\n" * 3


def test_printing_after_python_has_read_a_value(capsys: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def f(x: Any) -> Any:
        if x.numpy() > 0:
            tf.print("positive", x, output_stream=sys.stdout)
        print("end")  # noqa: T201
        return x

    with pytest.warns(UserWarning, match="is run as plain Python"):
        f(tf.constant(1))
    f(tf.constant(2))
    assert capsys.readouterr().out == "positive 1\nend\npositive 2\nend\n"


def test_a_function_of_a_string(capsys: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def f(s: Any) -> Any:
        tf.print("got", s, output_stream=sys.stdout)
        return s

    for s in ("a", "b"):
        f(tf.constant(s))
    assert capsys.readouterr().out == 'got "a"\ngot "b"\n'


def test_printing_in_a_loop(capsys: pytest.CaptureFixture[str]) -> None:
    def body(i: Any) -> Any:
        tf.print("i", i, output_stream=sys.stdout)
        return i + 1

    tf.while_loop(lambda i: i < 3, body, [tf.constant(0)])
    assert capsys.readouterr().out == "i 0\ni 1\ni 2\n"


@pytest.mark.parametrize(
    ("template", "inputs", "text"),
    [
        ("a {} b", tf.constant([1, 2]), b"a [1 2] b"),
        ("{} {}", (tf.constant(1.5), tf.range(10)), b"1.5 [0 1 2 ... 7 8 9]"),
        ("{}: {}", [tf.constant('s"q'), tf.constant(["x"])], rb'"s\"q": ["x"]'),
        ("none", [], b"none"),
    ],
)
def test_string_format(template: str, inputs: Any, text: bytes) -> None:
    result = string_format(template, inputs)
    assert result.dtype == tf.string
    assert result.numpy() == text


def test_string_format_options_and_errors() -> None:
    assert string_format("a $", [tf.range(5)], placeholder="$", summarize=1).numpy() == b"a [0 ... 4]"
    with pytest.raises(ValueError, match=r"got 2 placeholders in template='{} {}' and 1 inputs"):
        string_format("{} {}", [1])
    with pytest.raises(TypeError, match="expected a Python string as template; got template=3"):
        string_format(3, [1])  # type: ignore[arg-type]


def test_group_and_no_op() -> None:
    v = tf.Variable(1.0)
    assert group(v.assign_add(1.0), tf.constant(1), None) is None
    assert group() is None
    assert no_op() is None
    assert float(v) == 2.0
