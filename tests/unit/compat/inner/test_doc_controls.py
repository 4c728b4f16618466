"""Decorators for documentation, which change nothing."""

from __future__ import annotations

from tapeflow.compat.inner import doc_controls


def test_they_give_back_what_they_get() -> None:
    class Documented:
        pass

    for decorator in (doc_controls.do_not_generate_docs, doc_controls.do_not_doc_in_subclasses):
        assert decorator(Documented) is Documented
    assert (
        doc_controls.decorate_all_class_attributes(doc_controls.doc_private, Documented, ["a"]) is Documented
    )
    assert doc_controls.set_deprecated(Documented) is Documented
