"""`tensorflow.tools.docs.doc_controls`: what is to be documented where. It has no effect here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


def _unchanged(obj: T) -> T:
    return obj


do_not_generate_docs = do_not_doc_inheritable = doc_private = _unchanged
for_subclass_implementers = do_not_doc_in_subclasses = doc_in_current_and_subclasses = hide_from_search = (
    _unchanged
)
should_doc_private = _unchanged


def decorate_all_class_attributes(decorator: Callable[[Any], Any], cls: T, skip: Sequence[str] = ()) -> T:
    """The class as it is: the decorators here change nothing."""
    return cls


def set_deprecated(obj: T) -> T:
    """The object as it is."""
    return obj
