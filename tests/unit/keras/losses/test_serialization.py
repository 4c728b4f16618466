"""Losses by name."""

from __future__ import annotations

from typing import Any

import pytest

from tapeflow.keras import losses
from tapeflow.keras.saving.registry import custom_object_scope

ALIASES = {
    "mean_squared_error": ["mse", "MSE"],
    "mean_absolute_error": ["mae", "MAE"],
    "mean_absolute_percentage_error": ["mape", "MAPE"],
    "mean_squared_logarithmic_error": ["msle", "MSLE"],
    "kl_divergence": ["kld", "KLD", "kullback_leibler_divergence"],
    "binary_crossentropy": ["bce", "BCE"],
    "cosine_similarity": ["cosine_proximity", "cosine"],
    "log_cosh": ["logcosh"],
    "huber": ["huber_loss"],
}


@pytest.mark.parametrize(("name", "alias"), [(n, a) for n, aliases in ALIASES.items() for a in aliases])
def test_aliases(name: str, alias: str) -> None:
    function = getattr(losses, name)
    assert function.__name__ == name
    assert losses.get(alias) is losses.get(name) is getattr(losses, alias) is function


def test_what_passes_unchanged() -> None:
    def own(y_true: Any, y_pred: Any) -> Any:
        return y_pred

    loss = losses.Huber()
    assert losses.get(None) is None
    assert losses.get(own) is own
    assert losses.get(loss) is loss


def test_unknown_names() -> None:
    text = r"Unknown loss function: 'mean_squared_eror'. Please ensure you are using a `keras.utils.custom_object"
    with pytest.raises(ValueError, match=text):
        losses.get("mean_squared_eror")
    with pytest.raises(ValueError, match="Unknown loss function: 'Nope'"):
        losses.get({"class_name": "Nope", "config": {}})
    with pytest.raises(ValueError, match="Unknown loss function: 'serialize'"):
        losses.get("serialize")
    with pytest.raises(ValueError, match="Could not interpret loss function identifier: 3"):
        losses.get(3)


def test_serialized_forms() -> None:
    assert losses.serialize(losses.mse) == "mean_squared_error"
    assert losses.serialize(losses.Huber(2.0)) == {
        "class_name": "Huber",
        "config": {"reduction": "auto", "name": "huber_loss", "delta": 2.0, "fn": "huber"},
    }
    assert losses.deserialize(losses.serialize(losses.mse)) is losses.mse


def test_custom_objects() -> None:
    class Own(losses.MeanSquaredError):
        pass

    assert type(losses.deserialize(losses.serialize(Own()), custom_objects={"Own": Own})) is Own
    with custom_object_scope({"Own": Own}):
        assert type(losses.get("Own")) is Own
