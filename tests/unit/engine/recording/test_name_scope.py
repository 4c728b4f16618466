"""Name scopes: prefixes as TensorFlow 2.21 gives them in eager mode."""

import threading

import pytest

from tapeflow.engine.recording.name_scope import (
    current_name_scope,
    get_current_name_scope,
    name_scope,
)


def test_nesting() -> None:
    with name_scope("a") as outer:
        assert outer == current_name_scope() == "a/"
        with name_scope("b") as inner:
            assert inner == current_name_scope() == "a/b/"
            assert get_current_name_scope() == "a/b"
        with name_scope("b") as again:
            assert again == "a/b/"
    assert current_name_scope() == get_current_name_scope() == ""


def test_absolute_and_root_names() -> None:
    with name_scope("a"):
        with name_scope("x/y/") as absolute:
            assert absolute == current_name_scope() == "x/y/"
        with name_scope("") as root:
            assert root == current_name_scope() == ""
        assert current_name_scope() == "a/"


def test_name_is_the_name_as_given() -> None:
    scope = name_scope("q")
    with name_scope("a"):
        assert scope.name == "q"


def test_one_object_entered_again() -> None:
    scope = name_scope("a")
    with scope, scope as inner:
        assert inner == "a/a/"
    with scope as outer:
        assert outer == "a/"
    assert current_name_scope() == ""


def test_an_error_leaves_the_scope() -> None:
    with pytest.raises(RuntimeError, match="inside"), name_scope("a"):
        raise RuntimeError("inside")
    assert current_name_scope() == ""


@pytest.mark.parametrize("name", [None, 3, b"a"])
def test_a_name_must_be_a_string(name: object) -> None:
    with pytest.raises(ValueError, match=r"tf.name_scope expected name to be a string; got name="):
        name_scope(name)  # pyright: ignore[reportArgumentType]


def test_threads_have_their_own_scope_even_of_one_object() -> None:
    shared = name_scope("shared")
    entered, release = threading.Event(), threading.Event()
    seen: list[str] = []

    def other_thread() -> None:
        seen.append(current_name_scope())
        with name_scope("other"), shared as path:
            seen.append(path)
            entered.set()
            release.wait(10)
        seen.append(current_name_scope())

    thread = threading.Thread(target=other_thread)
    with shared:
        thread.start()
        assert entered.wait(10)
    # Left here while the other thread is still inside, having entered later.
    assert current_name_scope() == ""
    release.set()
    thread.join()
    assert seen == ["", "other/shared/", ""]
