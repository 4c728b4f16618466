"""Convert a model or weights to another format, and check that both sides predict the same.

tapeflow convert model.h5 model.keras
tapeflow convert saved_model_folder model.onnx
tapeflow convert checkpoints weights.safetensors --model model.keras

Sources: .keras and .h5 files, SavedModel folders, weights (.weights.h5, .h5, .safetensors), checkpoints of TapeFlow and
of TensorFlow. Targets: the same and .onnx; a path without an ending is a SavedModel folder, ckpt.index a TensorFlow
checkpoint. Sources are loaded without running code in them.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import tapeflow as tf
from tapeflow.cli.conversion import checkpoints, comparing, models, report
from tapeflow.cli.conversion.forms import FORMS, Form, source_form, target_form
from tapeflow.cli.failure import Failure

_TOLERANCE = 1e-4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    add = parser.add_argument
    add(
        "source",
        metavar="SOURCE",
        help="a model, weights, a checkpoint, or a folder of checkpoints (the latest is taken)",
    )
    add("target", metavar="TARGET", help="the file or folder to write; its ending selects the format")
    add("--to", choices=FORMS, help="the format of the target, if its ending does not select it")
    add("--model", metavar="MODEL", help="if SOURCE holds weights only: the model that they belong to")
    add("--opset", type=int, metavar="N", help="the version of ONNX's operator set (default: 18)")
    add("--overwrite", action="store_true", help="replace a target that exists")
    add("--no-check", action="store_true", help="do not compare the predictions of both sides")
    add(
        "--tolerance",
        type=float,
        default=_TOLERANCE,
        metavar="X",
        help=f"how much predictions may differ, relative to numbers above 1 (default: {_TOLERANCE:g})",
    )
    add("--trust", action="store_true", help="allow running code from the source, such as Lambda layers")


def run(chosen: argparse.Namespace) -> int:
    """Convert; the exit code is 0 if the target is written and both sides agree."""
    source, target = (Path(path).expanduser() for path in (chosen.source, chosen.target))
    form = target_form(target, chosen.to)
    if chosen.opset is not None and form.name != "onnx":
        raise Failure(f"expected --opset for ONNX alone; got it for {form.title}. Leave it out.", 2)
    there = models.written(target, form)
    if there is not None and not chosen.overwrite:
        raise Failure(
            f"expected a target that is not there yet; got {str(there)!r}. Pass --overwrite to replace it."
        )
    try:
        _convert(chosen, source, target, form)
    except ModuleNotFoundError as error:
        if error.name != "onnx":
            raise
        raise Failure(str(error)) from error
    except (ValueError, OSError, TypeError, NotImplementedError, AssertionError, tf.errors.OpError) as error:
        said = " ".join(str(error).split()).replace("pass safe_mode=False to load_model", "pass --trust")
        raise Failure(said) from error
    return 0


def _convert(chosen: argparse.Namespace, source: Path, target: Path, form: Form) -> None:
    _tell(f"Reading {source} ...")
    held, place = source_form(source)
    if held.name.endswith("checkpoint") and chosen.model is None and form.name in checkpoints.COPIED:
        _copy(place, target, form, is_checked=not chosen.no_check)
        return
    of_model = None if chosen.model is None else Path(chosen.model).expanduser()
    model = models.load(source, of_model, chosen.trust)
    _tell(f"Writing {target}: {form.title} ...")
    models.write(model, form, target, chosen.opset)
    _say(report.layer_table(model))
    if of_model is None:
        _say(report.part_table(model, held, form, (source.name, target.name)))
    else:
        whole, _ = source_form(of_model)
        _say(report.part_table(model, whole, form, (f"{source.name} in {of_model.name}", target.name)))
    if chosen.no_check:
        return
    _tell("Comparing predictions ...")

    def load_again() -> Any:
        return models.load(source, of_model, chosen.trust)

    again = models.target_predictor(target, form, model, load_again, chosen.trust)
    if again is None:
        _say(["Not compared: onnxruntime is not installed. Install it with: pip install 'tapeflow[onnx]'"])
        return
    inputs = comparing.random_inputs(model)
    deviation = comparing.difference(models.predictor(model), again, inputs)
    if not deviation <= chosen.tolerance:
        raise Failure(
            f"expected both sides to predict the same; got a difference of {deviation:.2g}, above --tolerance "
            f"{chosen.tolerance:g}. The target was written, but do not use it unless this is what you want."
        )
    _say(
        [
            f"Both predict the same for {comparing.ROWS} random rows: the largest difference is {deviation:.2g}."
        ]
    )


def _copy(place: Path, target: Path, form: Form, is_checked: bool) -> None:
    """Copy a checkpoint, tensor by tensor."""
    _tell(f"Writing {target}: {form.title} ...")
    tensors = checkpoints.copy_checkpoint(place, target, form)
    rows = [("tensor", "dtype", "shape")]
    rows += [(name, value.dtype.name, str(list(value.shape))) for name, value in tensors.items()]
    _say(report.aligned(rows))
    if is_checked:
        checkpoints.require_same(tensors, target, form)
        _say([f"{len(tensors)} tensors, the same bit by bit."])


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def _say(lines: list[str]) -> None:
    sys.stdout.write("\n".join(lines) + "\n\n")
