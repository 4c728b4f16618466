"""Decorators of deprecated functions warn, once."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from tapeflow.compat.inner import deprecation


def test_a_function_warns_once() -> None:
    @deprecation.deprecated("2030-01-01", "Use new.")
    def old(x: int) -> int:
        return x + 1

    with pytest.warns(
        DeprecationWarning, match=r"old is deprecated and will be removed after 2030-01-01\. Use new\."
    ):
        assert old(1) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert old(2) == 3


def test_a_class_keeps_being_one() -> None:
    @deprecation.deprecated(None, "Use New.")
    class Old:
        def __init__(self, x: int) -> None:
            self.x = x

    with pytest.warns(DeprecationWarning, match="in a future version"):
        assert Old(3).x == 3
    assert isinstance(Old, type)


def test_arguments() -> None:
    @deprecation.deprecated_args(None, "Leave it.", "b", ("c", 0), warn_once=False)
    def function(a: int, b: Any = None, c: int = 0) -> int:
        return a

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert function(1) == function(1, c=0) == function(1, b=None) == 1
    with pytest.warns(DeprecationWarning, match="with b=2 is deprecated"):
        function(1, 2)
    with pytest.raises(TypeError, match="unexpected keyword"):
        function(1, d=2)  # pyright: ignore[reportCallIssue]


def test_values_of_arguments_and_silence() -> None:
    @deprecation.deprecated_arg_values(None, "Use False.", warn_once=False, flag=True)
    def function(flag: bool = False) -> bool:
        return flag

    with pytest.warns(DeprecationWarning, match="flag=True"):
        function(True)
    with deprecation.silence(), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert function(True)


def test_an_alias_and_two_names_of_an_argument() -> None:
    alias = deprecation.deprecated_alias("old_abs", "abs", abs)
    with pytest.warns(DeprecationWarning, match="The name old_abs is deprecated"):
        assert alias(-1) == 1
    assert deprecation.deprecated_argument_lookup("new", None, "old", 2) == 2
    with pytest.raises(ValueError, match="Cannot specify both: pass 'new'"):
        deprecation.deprecated_argument_lookup("new", 1, "old", 2)
