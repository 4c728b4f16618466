"""Has the board's page built before a wheel or an sdist is made, unless it is there and up to date.

An sdist carries the page, so that building from one needs no Node; an editable install is made without it, as `make`
builds it there. Where no Node is installed, the one of the package index is asked for as a build requirement.
"""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PageHook(BuildHookInterface):
    """Hatchling's side of it; `web/npm.py` does the work."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """A Node, if one is needed and none is installed."""
        npm = load_npm(Path(self.root))
        return [] if is_built(Path(self.root)) or npm.installed_node() else [npm.WHEEL]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page."""
        root = Path(self.root)
        if version == "editable" or is_built(root):
            return
        npm = load_npm(root)
        try:
            self.app.display_info("Building the board's page")
            is_done = not npm.run("ci", "--loglevel=error") and not npm.run("run", "build", "--silent")
        except npm.NoNode as error:
            sys.exit(str(error))
        if not is_done or not is_built(root):
            sys.exit(
                "The board's page could not be built: npm has said why above. It needs the npm registry once."
            )


def is_built(root: Path) -> bool:
    """Whether the page is there, and no older than anything it is made of."""
    pages = [root / "src" / "tapeflow" / "board" / "static" / name for name in ("index.html", "export.html")]
    if not all(page.is_file() for page in pages):
        return False
    oldest = min(page.stat().st_mtime for page in pages)
    return all(file.stat().st_mtime <= oldest for file in sources(root / "web"))


def sources(web: Path) -> list[Path]:
    """The files that the page is made of."""
    found = [file for file in (web / "src").rglob("*") if file.is_file() and ".test." not in file.name]
    names = ("index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts")
    return found + [web / name for name in names if (web / name).is_file()]


def load_npm(root: Path) -> ModuleType:
    """`web/npm.py`, which is no part of a package."""
    spec = importlib.util.spec_from_file_location("tapeflow_npm", root / "web" / "npm.py")
    if spec is None or spec.loader is None:
        sys.exit(f"{root / 'web' / 'npm.py'} is missing: build from a whole checkout, or from an sdist.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
