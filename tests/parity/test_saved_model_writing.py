"""SavedModels that TapeFlow writes, loaded by TensorFlow and by Keras 2 in an environment of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tapeflow as tf

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "saved_models"))

from models import MODELS, inputs_of  # noqa: E402

PEERS = Path(os.environ.get("TAPEFLOW_PEERS", HERE.parents[1] / ".venv-peers"), "bin", "python")


@pytest.mark.slow
@pytest.mark.skipif(not PEERS.exists(), reason="needs the peers: see the Makefile, or set TAPEFLOW_PEERS")
def test_tensorflow_loads_what_is_saved_here(tmp_path: Path) -> None:
    for name, make in MODELS.items():
        tf.keras.utils.set_random_seed(1)
        model = make()
        inputs = inputs_of(model)
        results = tf.nest.flatten(model(inputs if len(inputs) > 1 else inputs[0], training=False))
        model.save(tmp_path / name, save_format="tf")
        arrays = {f"x{i}": x.astype(str) if x.dtype == object else x for i, x in enumerate(inputs)} | {
            f"y{i}": y.numpy() for i, y in enumerate(results)
        }
        np.savez(tmp_path / name / "io.npz", **arrays)
    script = [str(PEERS), str(HERE / "saved_models" / "in_tensorflow.py"), str(tmp_path)]
    run = subprocess.run(script, capture_output=True, text=True, timeout=900, check=True)
    found = json.loads(run.stdout.splitlines()[-1])
    assert found.keys() == MODELS.keys()
    wrong = {name: by for name, by in found.items() if isinstance(by, str) or max(by.values()) > 1e-5}
    assert not wrong
