"""`model.explain()`: in words, the loss and the metrics that training computes, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tapeflow.engine.values import nest
from tapeflow.keras.annotations import DataLike
from tapeflow.keras.losses.describe import describe_loss
from tapeflow.keras.training.outputs import names_for
from tapeflow.keras.utils.samples import unpack_x_y_sample_weight

if TYPE_CHECKING:
    from tapeflow.keras.models.functional import Functional
    from tapeflow.keras.models.model import Model


def explanation(model: Any, x: DataLike = None, y: DataLike = None, has_own_step: bool = False) -> str:
    """What `model` computes when it is trained.

    Args:
        model: a compiled model.
        x: a batch of inputs, for a model that has not seen data.
        y: its labels.
        has_own_step: whether its class overrides `train_step`.
    """
    if x is not None:
        x, y, _ = unpack_x_y_sample_weight((x, y))
        y_pred = model(x, training=False)
        _build(model, y, y_pred)
    lines = [f"Model {model.name!r} is trained with {type(model.optimizer).__name__}."]
    if has_own_step:
        lines.append(
            f"{type(model).__name__} overrides train_step: what follows holds where that calls compiled_loss and "
            "compiled_metrics."
        )
    compiled = model.compiled_loss
    if not compiled.built:
        return "\n".join([*lines, *_before_data(model)])
    for i, name in enumerate(compiled.names):
        lines += ["", f"Output {name!r}" if len(compiled.names) > 1 else "Loss"]
        lines += [f"  {line}" for line in _loss_lines(compiled, i)]
        weight = compiled.weights[i]
        if weight is not None:
            lines.append(f"  times loss_weights={weight!r} in the total")
        if model.compiled_metrics.built:
            reasons = model.compiled_metrics.reasons[i]
            lines += [f"  metric {reason}" for reason in reasons]
    extra = len(model.losses)
    if extra:
        lines += ["", f"Added to the loss: {extra} term(s) from regularizers and add_loss."]
    lines += [
        "",
        "The loss shown in the logs is the mean over the samples of the epoch so far, not that of the last batch.",
    ]
    return "\n".join(lines)


def _loss_lines(compiled: Any, i: int) -> list[str]:
    loss, shapes = compiled.losses[i], compiled.shapes[i]
    if loss is None:
        return ["no loss: this output is not trained"]
    if shapes is None:
        return [f"{loss.name}: not computed yet"]
    true, pred = (tuple(s) for s in shapes)
    return describe_loss(loss, (None, *true[1:]), (None, *pred[1:])).split("\n")


def _build(model: Model, y: DataLike, y_pred: Any) -> None:
    """Let loss and metrics see a batch, leaving their counts as they were."""
    compiled = model.compiled_loss
    compiled(y, y_pred)
    if not model.compiled_metrics.built:
        model.compiled_metrics.build(y_pred, y)
    model.reset_metrics()


def _before_data(model: Functional) -> list[str]:
    lines = ["It has seen no data yet, so shapes, and what 'accuracy' means, are not known."]
    if model.built and model.output_names:
        outputs = zip(model.output_names, model.outputs, strict=False)
        lines += [f"Output {name!r} has shape {tuple(symbol.shape)}." for name, symbol in outputs]
    names = names_for([None] * len(nest.flatten(model.loss) or [None]), None)
    lines.append(f"Loss given to compile: {model.loss!r} for {len(names)} output(s).")
    lines.append("Pass a batch to know: model.explain(x[:32], y[:32]).")
    return lines
