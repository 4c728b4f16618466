"""Objects of one kind, by name."""

from __future__ import annotations

import pytest

import tapeflow as tf
from tapeflow.keras.losses.serialization import LOSSES
from tapeflow.keras.metrics.lookup import METRICS


def test_a_name_a_config_a_class_a_function_and_an_object() -> None:
    mse = tf.keras.losses.mean_squared_error
    loss = tf.keras.losses.Huber(2.0)
    assert LOSSES.get(None) is None
    assert LOSSES.get("mse") is mse
    assert LOSSES.get(mse) is mse
    assert LOSSES.get(loss) is loss
    assert type(LOSSES.get("Huber")) is type(LOSSES.get(tf.keras.losses.Huber)) is tf.keras.losses.Huber
    config = tf.keras.losses.serialize(loss)
    assert LOSSES.get(config).get_config() == loss.get_config()


def test_what_looks_up_is_not_looked_up() -> None:
    assert not {"get", "serialize", "deserialize"} & {*LOSSES.known, *METRICS.known}
    assert METRICS.known["AUC"] is tf.keras.metrics.AUC


def test_what_is_none_of_them_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"Could not interpret loss function identifier: 3. Pass a name such as 'mse'"
    ):
        LOSSES.get(3)
    with pytest.raises(ValueError, match="Unknown metric function: 'acuracy'.*Did you mean"):
        METRICS.get("acuracy")
    assert LOSSES.deserialize("own", {"own": len}) is len
