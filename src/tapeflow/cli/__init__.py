"""The `tapeflow` command: one module for each of its commands, which import what they need when they run."""

from tapeflow.cli.main import main as main
