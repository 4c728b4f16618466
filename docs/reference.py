"""The API reference: pages made from the docstrings of every public name, while the site is built.

MkDocs calls `on_files`. A page is a namespace such as `tf.math`; an entry has the signature, what the docstring says,
and, of a class, its public methods.
"""

from __future__ import annotations

import importlib
import inspect
import re
import types
from collections.abc import Iterator
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from tapeflow.compat.listing import names

OWN = ("tf.keras.datasets.digits", "tf.plugins.hparams.api", "tf.plugins.projector", "tf.tune", "tf.notebook")
HEADS = re.compile(r"^(Args|Returns|Yields|Raises|Attributes|Example|Examples):\s*$")
WIDTH = 78  # of a line of code on the page
INDEX = """# Reference

Every public name, from its docstring. [Compatibility](../compatibility.md) lists the names of TensorFlow that are not
here. `tf` is `import tapeflow as tf`.

"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for each namespace, and their index."""
    index = INDEX
    for space in sorted((*names(), *OWN)):
        module = _module(space)
        if module is None:
            continue
        entries = list(_entries(space, module))
        summary = _paragraphs(module)[0]
        index += f"- [`{space}`]({space}.md) ({len(entries)}): {summary}\n"
        text = "\n".join([f"# {space}", "", summary, "", *entries])
        files.append(File.generated(config, f"api/{space}.md", content=text))
    files.append(File.generated(config, "api/index.md", content=index))
    return files


def _module(space: str) -> types.ModuleType | None:
    """The module behind a namespace, if TapeFlow has it: some are attributes, not files."""
    head, *rest = space.replace("tf", "tapeflow", 1).split(".")
    module = importlib.import_module(head)
    for name in rest:
        try:
            module = getattr(module, name)
        except AttributeError:
            return None
    return module


def _entries(space: str, module: types.ModuleType) -> Iterator[str]:
    listed = names().get(space, ())
    is_package = hasattr(module, "__path__")
    for name in sorted(dir(module), key=str.lower):
        value = getattr(module, name)
        if name.startswith("_") or isinstance(value, types.ModuleType) or not callable(value):
            continue
        home = getattr(value, "__module__", None) or ""
        is_own = home.startswith("tapeflow.") and (is_package or home == module.__name__)
        if name in listed or is_own:
            yield _entry(f"{space}.{name}", value)


def _entry(name: str, value: Any) -> str:
    kind = "class " if inspect.isclass(value) else ""
    head = f"{kind}{name}{_signature(value)}"
    if len(head) > WIDTH:
        head = re.sub(r"(?<=\()|(?<=, )(?=[*\w]+(?:=|,|\)$))", "\n    ", head, flags=re.MULTILINE).replace(
            " \n", "\n"
        )
    lines = [f"## {name}", "", "```python", head, "```", "", *_markdown(value)]
    if inspect.isclass(value):
        for key, member in vars(value).items():
            function = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
            if not key.startswith("_") and inspect.isfunction(function) and function.__doc__:
                lines += [f"**`{key}{_signature(function)}`**", "", *_markdown(function)]
    return "\n".join(lines)


def _signature(value: Any) -> str:
    """The arguments and their defaults; without annotations, which the source and the editor show."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):  # classes of protocol buffers, dtypes
        return ""
    bare = [p.replace(annotation=p.empty) for p in signature.parameters.values() if p.name != "self"]
    text = str(signature.replace(parameters=bare, return_annotation=signature.empty))
    return re.sub(r"<([\w.]+)[^<>]*>", r"\1", text)


def _paragraphs(value: Any) -> list[str]:
    return [" ".join(part.split()) for part in (inspect.getdoc(value) or "").split("\n\n")]


def _markdown(value: Any) -> list[str]:
    """A docstring as Markdown: sections become lists, doctests become code."""
    lines: list[str] = []
    section, is_code = "", False
    for line in (inspect.getdoc(value) or "").splitlines():
        text = line.strip()
        starts_code = text.startswith(">>>")
        if is_code and not text:
            lines.append("```")
            is_code = False
        if starts_code and not is_code:
            lines += ["", "```pycon"]
            is_code = True
        head = HEADS.match(line)
        if is_code:
            lines.append(text)
        elif head:
            section = head[1]
            lines += ["", f"*{section}*", ""]
        elif section in ("Args", "Attributes", "Raises") and (
            item := re.match(r"    (\*{0,2}\w[\w, *.]*): (.*)", line)
        ):
            lines.append(f"- `{item[1]}`: {item[2]}")
        else:
            lines.append(f"  {text}" if section and text and line.startswith("     ") else text)
        if line and not line.startswith(" ") and not head:
            section = ""
    return [*lines, "```", ""] if is_code else [*lines, ""]
