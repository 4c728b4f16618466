"""Report what is installed, broken or slow, with a fix for each problem.

It checks versions, devices, caches and their size, the board's page, cores and quotas, clocks, and environment
variables that cost speed, and measures for some seconds: a matrix product, calling a program, the cache's disk. It
also works without JAX. It changes nothing and sends nothing anywhere.

  tapeflow doctor
  tapeflow doctor --json > report.json
  srun tapeflow doctor --cluster        # on all hosts at once, started as the training would be

With --cluster, it instead looks for the other processes of a cluster, as MultiWorkerMirroredStrategy does, tries to
connect each with each, and names those that cannot. Start it in place of the training, with the same launcher.

Marks: X broken, ! costs speed, i for information. The exit code is 1 if something is broken, otherwise 0.
"""

from __future__ import annotations

import argparse
import json
import sys

from tapeflow.doctor import cluster
from tapeflow.doctor.examination import conclusion, examine, line
from tapeflow.doctor.finding import Finding, State


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument(
        "--json",
        action="store_true",
        help="print JSON: section, name, value, state and remedy of each finding",
    )
    parser.add_argument(
        "--cluster", action="store_true", help="check that the processes of a cluster reach one another"
    )
    parser.add_argument(
        "--timeout",
        type=float,
        default=60.0,
        metavar="SECONDS",
        help="with --cluster: how long to wait for the others (default: %(default)s)",
    )


def run(chosen: argparse.Namespace) -> int:
    """Examine, saying what is found as it is found."""
    findings: list[Finding] = []
    section = ""
    for finding in cluster.examine(chosen.timeout) if chosen.cluster else examine():
        findings.append(finding)
        if chosen.json:
            continue
        if finding.section != section:
            sys.stdout.write(f"\n{finding.section}\n" if section else f"{finding.section}\n")
            section = finding.section
        sys.stdout.write(f"  {line(finding)}\n")
        sys.stdout.flush()
    is_broken = any(finding.state == State.BROKEN for finding in findings)
    if chosen.json:
        report = {"is_broken": is_broken, "findings": [finding.as_json() for finding in findings]}
        sys.stdout.write(json.dumps(report, indent=2, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(f"\n{conclusion(findings)}\n")
    return 1 if is_broken else 0
