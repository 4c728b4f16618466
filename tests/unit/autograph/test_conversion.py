"""What is converted, what is left as it is, and how it is seen."""

from __future__ import annotations

import functools
import linecache
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tapeflow as tf
from tapeflow.autograph.callees import converted
from tapeflow.autograph.conversion import is_converted


def choose(x: Any) -> Any:
    """Twice a positive number."""
    if x > 0:
        return x * 2
    return x


def count_down(x: Any, n: Any) -> Any:
    """A function that calls itself, and has a function in it."""

    def halved(y: Any) -> Any:
        return y / 2 if y > 0 else y

    return count_down(halved(x), n - 1) if n > 0 else x


class TestWhatIsConverted:
    def test_a_function_that_calls_itself(self) -> None:
        assert float(tf.function(lambda x: count_down(x, 3))(tf.constant(8.0))) == 1.0

    def test_a_function_keeps_what_it_has(self) -> None:
        @functools.wraps(choose)
        def own(x: Any, y: Any = 3, *, z: Any = 4) -> Any:
            return x + y + z if x > 0 else y

        own.__kwdefaults__["z"] = 7
        made = converted(own)
        assert is_converted(made)
        assert made is converted(own)
        assert made is converted(made)
        assert (made.__name__, made.__doc__, made.__module__) == ("choose", choose.__doc__, __name__)
        assert made(1) == 11
        assert made(1, 2, z=3) == 6

    @pytest.mark.parametrize(
        "function",
        [len, int, tf.reduce_sum, tf.keras.layers.Dense(1), traceback.format_exc, lambda x: x, lambda: None],
        ids=["builtin", "type", "op", "layer", "standard library", "nothing to convert", "constant"],
    )
    def test_what_is_left_as_it_is(self, function: Any) -> None:
        if function is int:
            assert converted(function)("3") == 3
        else:
            assert converted(function) is function

    def test_generators_and_functions_that_look_at_their_frame_are_left(self) -> None:
        def generator(x: Any) -> Any:
            if x > 0:
                yield x

        def looks(x: Any) -> Any:
            if x > 0:
                return sorted(locals())
            return None

        assert converted(generator) is generator
        assert converted(looks) is looks
        assert list(tf.function(lambda: list(generator(1)))()) == [1]

    def test_without_source_a_function_runs_as_before(self) -> None:
        space: dict[str, Any] = {}
        exec("def f(x):\n    return x * 2 if x > 0 else x", space)
        assert converted(space["f"]) is space["f"]
        with pytest.warns(UserWarning, match="run as plain Python"):
            assert float(tf.function(space["f"])(tf.constant(3.0))) == 6.0

    def test_a_file_that_was_edited_after_its_import(self, tmp_path: Path) -> None:
        text = "def f(x):\n    if x > 0:\n        return x * 2\n    return x\n"
        path = tmp_path / "edited.py"
        for edited, is_same in ((text, True), (text.replace("x * 2", "y * 2"), False), (f"\n{text}", False)):
            path.write_text(text)
            space: dict[str, Any] = {"__name__": "edited"}
            exec(compile(text, str(path), "exec"), space)
            path.write_text(edited)
            linecache.checkcache(str(path))
            assert is_converted(converted(space["f"])) is is_same

    def test_two_lambdas_in_a_line(self) -> None:
        pair = (lambda x: x * 2 if x > 0 else x, lambda x: x * 3 if x > 0 else x)
        assert [float(tf.function(f)(tf.constant(1.0))) for f in pair] == [2.0, 3.0]

    def test_do_not_convert(self) -> None:
        @tf.autograph.experimental.do_not_convert
        def kept(x: Any) -> Any:
            return x if x > 0 else -x

        @tf.function
        def outer(x: Any) -> Any:
            return kept(x)

        assert converted(kept) is kept
        with pytest.warns(UserWarning, match="run as plain Python"):
            assert float(outer(tf.constant(-2.0))) == 2.0

    def test_autograph_can_be_switched_off(self) -> None:
        with pytest.warns(UserWarning, match="run as plain Python"):
            assert float(tf.function(choose, autograph=False)(tf.constant(2.0))) == 4.0

    def test_a_closure_is_shared_not_copied(self) -> None:
        factor = 2.0

        def scale(x: Any) -> Any:
            return x * factor if x > 0 else x

        made = converted(scale)
        factor = 5.0
        assert made(1.0) == 5.0

    def test_decorated_functions_are_converted_inside(self) -> None:
        def shouted(function: Callable[..., Any]) -> Callable[..., Any]:
            @functools.wraps(function)
            def wrapper(*args: Any) -> Any:
                return function(*args) + 1

            return wrapper

        @tf.function
        @shouted
        def f(x: Any) -> Any:
            return x * 2 if x > 0 else x

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert float(f(tf.constant(2.0))) == 5.0
            assert float(f(tf.constant(-2.0))) == -1.0


class TestPythonStaysPython:
    def test_values_are_not_touched(self) -> None:
        def everything(n: int) -> Any:
            seen: list[Any] = []
            total: int = 0
            for i in range(n):
                if i == 2:
                    continue
                if i > 5:
                    break
                seen.append(i)
                total += i
            else:
                seen.append("else")
            while total > 3:
                total -= 2
            first, *rest = seen
            answer = {"rest": rest} if rest and first is not None else None
            assert total <= 3, "too much"
            try:
                missing = never  # pyright: ignore
            except NameError:
                missing = 0 < total < 10
            with warnings.catch_warnings():
                if n > 3:
                    return seen, total, answer, missing, [x for x in seen if x if isinstance(x, int)]
            return None

        made = converted(everything)
        assert is_converted(made)
        for n in (3, 5, 9):
            assert made(n) == everything(n)

    def test_an_unset_name_is_an_error_of_pythons(self) -> None:
        def unset(flag: bool) -> Any:
            if flag:
                y = 1
            return y

        made = converted(unset)
        assert made(True) == 1
        with pytest.raises(UnboundLocalError, match="'y'"):
            made(False)

    def test_assertions(self) -> None:
        def check(x: Any) -> Any:
            assert x, f"no {x}"
            return x

        made = converted(check)
        assert is_converted(made)
        assert made(1) == 1
        with pytest.raises(AssertionError, match="no 0"):
            made(0)

    def test_globals_and_deletion(self) -> None:
        def own(flag: bool) -> Any:
            global _counted
            if flag:
                _counted = 5
                y = 3
                del y
            return _counted

        assert converted(own)(True) == 5


_counted = 0


class TestTracebacks:
    def test_name_the_users_lines_and_functions(self) -> None:
        def body(x: Any) -> Any:
            for _ in tf.range(3):
                if x > 0:
                    x = tf.matmul(x, x)  # the error
            return x

        start = body.__code__.co_firstlineno
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            tf.function(body)(tf.constant(1.0))
        frames = [f for f in traceback.extract_tb(caught.value.__traceback__) if f.filename == __file__]
        assert [f.lineno - start for f in frames[1:]] == [1, 2, 3]
        assert {f.name for f in frames[1:]} == {"body"}
        assert frames[-1].line == "x = tf.matmul(x, x)  # the error"

    def test_checks_name_the_line(self) -> None:
        @tf.function
        def f(x: Any) -> Any:
            for i in tf.range(3):
                x = x + tf.gather(tf.constant([1.0, 2.0]), i)
            return x

        line = f.python_function.__code__.co_firstlineno + 3
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"{__file__}:{line}"):
            f(tf.constant(1.0)).numpy()


class TestLooking:
    def test_to_code_shows_what_runs(self) -> None:
        code = tf.autograph.to_code(tf.function(choose))
        assert "ag__.if_(x > 0" in code
        compile(code, "converted", "exec")

    def test_to_graph_is_what_runs(self) -> None:
        made = tf.autograph.to_graph(choose)
        assert is_converted(made)
        assert made(3) == 6

    def test_bad_input(self) -> None:
        with pytest.raises(TypeError, match="to_graph expected a function"):
            tf.autograph.to_graph(3)  # pyright: ignore[reportArgumentType]
        with pytest.raises(ValueError, match="to_code expected a function that can be converted"):
            tf.autograph.to_code(eval("lambda x: x"))

    def test_verbosity(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        def generator(x: Any) -> Any:
            yield x

        tf.autograph.set_verbosity(3, alsologtostdout=True)
        try:
            converted(generator)
            converted(lambda x: x if x else 0)
        finally:
            tf.autograph.set_verbosity(0)
        told = capsys.readouterr().out
        assert "generator runs as it is: it is a generator or coroutine." in told
        assert "is converted." in told
