"""The API reference: pages made from the docstrings of every public name, while the site is built.

MkDocs calls `on_files`. A page is a namespace such as `tf.math`. An entry has the signature, the docstring, the
difference from TensorFlow if there is one, and, for a class, its public methods.
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
from mkdocs.structure.pages import Page

from tapeflow.compat.differences import DIFFERENCES
from tapeflow.compat.listing import names

OWN = ("tf.keras.datasets.digits", "tf.plugins.hparams.api", "tf.plugins.projector", "tf.tune", "tf.notebook")
HEADS = re.compile(r"^(Args|Returns|Yields|Raises|Attributes|Example|Examples):\s*$")
# Pages that repeat the words of others in many names: the search shows them last.
RARE = re.compile(r"api/.*(applications|experimental|legacy|compat)|compatibility\.md")
WIDTH = 78  # of a line of code on the page
INDEX = """# API reference

Every public name, with its signature, arguments and examples, and how it differs from TensorFlow. The search at the
top of the page finds names by their last part, such as `Dense`. [Compatibility](../compatibility.md) lists the names
of TensorFlow that are missing. `tf` stands for `import tapeflow as tf`.

"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for each namespace, and their index."""
    index = INDEX
    modules = {space: module for space in sorted((*names(), *OWN)) if (module := _module(space))}
    homes = _homes(modules)
    for space, module in modules.items():
        entries = [*_entries(space, module, homes), *_constants(space, module)]
        summary = _paragraphs(module)[0]
        index += f"- [`{space}`]({space}.md) ({len(entries)}): {summary}\n"
        text = "\n".join([f"# {space}", "", summary, "", *entries])
        files.append(File.generated(config, f"api/{space}.md", content=text))
    files.append(File.generated(config, "api/index.md", content=index))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Rank guides before the reference in the search, and pages of rare names last."""
    path = page.file.src_uri
    if RARE.search(path):
        page.meta["search"] = {"boost": 0.02}
    elif path.startswith("api/"):
        page.meta["search"] = {"boost": 0.7}
    return markdown


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


def _public(space: str, module: types.ModuleType) -> Iterator[tuple[str, Any]]:
    """The functions and classes of a namespace, in alphabetical order."""
    listed = names().get(space, ())
    is_package = hasattr(module, "__path__")
    for name in sorted(dir(module), key=str.lower):
        value = getattr(module, name)
        if name.startswith("_") or isinstance(value, types.ModuleType) or not callable(value):
            continue
        home = getattr(value, "__module__", None) or ""
        is_own = home.startswith("tapeflow.") and (is_package or home == module.__name__)
        if name in listed or is_own:
            yield name, value


def _homes(modules: dict[str, types.ModuleType]) -> dict[type, str]:
    """The page on which each public class has its entry: the namespace with the shortest name."""
    homes: dict[type, str] = {}
    for space in sorted(modules, key=len):
        for name, value in _public(space, modules[space]):
            if inspect.isclass(value) and value.__name__ == name:
                homes.setdefault(value, space)
    return homes


def _entries(space: str, module: types.ModuleType, homes: dict[type, str]) -> Iterator[str]:
    for name, value in _public(space, module):
        yield _entry(f"{space}.{name}", value, homes)


def _constants(space: str, module: types.ModuleType) -> list[str]:
    """A table of TensorFlow's names that are neither functions, classes nor modules: dtypes, numbers, strings."""
    rows = []
    for name in sorted(names().get(space, ())):
        value = getattr(module, name, None)
        if value is not None and not isinstance(value, types.ModuleType) and not callable(value):
            rows.append(f"| `{space}.{name}` | `{value!r}` |")
    return ["## Constants", "", "| name | value |", "|---|---|", *rows, ""] if rows else []


def _entry(name: str, value: Any, homes: dict[type, str]) -> str:
    kind = "class " if inspect.isclass(value) else ""
    head = f"{kind}{name}{_signature(value)}"
    if len(head) > WIDTH:
        head = re.sub(r"(?<=\()|(?<=, )(?=[*\w]+(?:=|,|\)$))", "\n    ", head, flags=re.MULTILINE).replace(
            " \n", "\n"
        )
    lines = [f"## {name}", "", "```python", head, "```", "", *_markdown(value), *_difference(name)]
    if inspect.isclass(value):
        lines += _methods(value, homes)
    return "\n".join(lines)


def _difference(name: str) -> list[str]:
    how = DIFFERENCES.get(name, "")
    return ['!!! warning "Differs from TensorFlow"', "", f"    {how[0].upper()}{how[1:]}.", ""] if how else []


def _methods(value: type, homes: dict[type, str]) -> Iterator[str]:
    """The methods of a class, with those of bases that have no entry of their own; links to the bases that have one."""
    seen: set[str] = set()
    for base in value.__mro__:
        space = homes.get(base) if base is not value else None
        methods = {name: f for kind in (base.__mro__ if space else [base]) for name, f in _functions(kind)}
        new = {name: function for name, function in methods.items() if name not in seen}
        seen |= set(new)
        if space and new:
            anchor = f"{space}.{base.__name__}".replace(".", "").lower()
            yield f"Inherited from [`{space}.{base.__name__}`]({space}.md#{anchor}): " + ", ".join(
                f"`{name}`" for name in new
            )
            yield ""
        for name, function in () if space else new.items():
            yield f"**`{name}{_signature(function)}`**"
            yield ""
            yield from _markdown(function)


def _functions(base: type) -> Iterator[tuple[str, types.FunctionType]]:
    if not (base.__module__ or "").startswith("tapeflow"):  # protocol buffers have none
        return
    for name, member in vars(base).items():
        function = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
        if not name.startswith("_") and inspect.isfunction(function) and function.__doc__:
            yield name, function


def _signature(value: Any) -> str:
    """The arguments and their defaults; without annotations, which the source and the editor show."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):  # classes of protocol buffers, dtypes
        return ""
    bare = [
        p.replace(annotation=p.empty) for p in signature.parameters.values() if p.name not in ("self", "cls")
    ]
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
