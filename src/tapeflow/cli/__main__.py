"""`python -m tapeflow.cli`."""

import sys

from tapeflow.cli.main import main

sys.exit(main())
