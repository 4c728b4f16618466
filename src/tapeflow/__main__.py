"""`python -m tapeflow`: the command line, where the command itself is not on the path."""

import sys

from tapeflow.cli.main import main

sys.exit(main())
