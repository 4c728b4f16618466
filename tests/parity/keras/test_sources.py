"""The batches `fit` makes of its data, against those of Keras 2."""

import json
import runpy
from pathlib import Path

import pytest

import tapeflow as tf
from tapeflow.engine.values.nest import flatten, pack_sequence_as
from tapeflow.keras.training.sources import make_source
from tapeflow.keras.utils.sequence import Sequence

FIXTURES = Path(__file__).parent / "fixtures"
EXPECTED = json.loads((FIXTURES / "sources.json").read_text())
_module = runpy.run_path(str(FIXTURES / "source_cases.py"))
described = _module["described"]


@pytest.fixture
def cases():
    """Built anew for every test: generators are used up."""
    return _module["cases"](tf, Sequence)


def epochs_of(source, count, group):
    """The batches of each epoch as a training loop would get them."""
    epochs = []
    for number in range(count):
        batches = []
        for g in source.epoch(number, group=group):
            leaves = flatten(g.data)
            rows = [leaves] if g.count == 1 else [[leaf[k] for leaf in leaves] for k in range(g.count)]
            batches += [described(pack_sequence_as(g.data, row)) for row in rows]
        epochs.append(batches)
        if source.ran_out:
            break
        source.on_epoch_end()
    source.close()
    return epochs


@pytest.mark.parametrize("group", [1, 2])
@pytest.mark.parametrize("name", [name for name in EXPECTED if "error" not in EXPECTED[name]])
def test_batches(cases, name, group):
    source = make_source(**cases[name])
    expected = EXPECTED[name]
    assert epochs_of(source, cases[name].get("epochs", 1), group) == expected["epochs"]
    assert source.steps == expected["steps"]
    assert source.ran_out == expected["ran_out"]


@pytest.mark.parametrize("name", [name for name in EXPECTED if "error" in EXPECTED[name]])
def test_error_texts_equal_those_of_keras(cases, name):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the text is compared below
        make_source(**cases[name])
    assert EXPECTED[name]["error"] in str(caught.value)
    assert name.startswith("error")
