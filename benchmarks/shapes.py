"""Shapes that keep changing: the first pass over many sizes, from an empty cache, against TensorFlow.

Each contender is a script of its own, since what counts is what a process compiles. The second pass over the same
sizes is in the facts of each row ("second_s", "both_s").
"""

import shutil
import tempfile
from pathlib import Path

from benchmarks.contenders import PEERS, PROJECT, Script
from benchmarks.harness import Bar, Benchmark

_SCRIPT = ("-m", "benchmarks.scripts.changing_shapes")
_CACHE = Path(tempfile.gettempdir()) / "tapeflow-benchmarks-shapes"

TAPEFLOW, TENSORFLOW = "TapeFlow", "TensorFlow"
_TITLES = {
    "fit_dense": "`fit`, 200 batches each of its own length, dense model",
    "fit_lstm": "`fit`, 200 lengths, LSTM",
    "fit_conv": "`fit`, 200 lengths, convolution",
    "tape_dense": "undecorated tape loop, 200 lengths, dense model",
    "function_dense": "the same under `tf.function`",
    "tape_lstm": "undecorated tape loop, 200 lengths, LSTM",
    "predict": "`predict`, 200 lengths",
    "buckets": "`fit` over `bucket_by_sequence_length`",
    "policy": "policy gradient, 60 episodes",
    "fit_1000": "`fit`, 1,000 lengths, dense model",
    "two_axes": "`fit`, length and batch size both vary",
    "small_ops": "150 small results printed",
    "small_gradients": "30 small gradients of 30 shapes",
    "expression": "an expression of 500 ops",
    "widths": "ten models of different width, `fit` of two epochs each",
    "first_mlp": "the first step of `fit`, MLP",
    "first_cnn": "the first step of `fit`, CNN",
    "first_lstm": "the first step of `fit`, LSTM",
    "tiny": "`evaluate`, `predict`, `fit` and three tape steps of a tiny model",
    "greedy": "greedy decoding of 60 words",
    "beam": "beam search of 40 steps",
    "integrated_gradients": "integrated gradients over 50 pictures",
    "growing_context": "a context that grows to 500 tokens",
    "replay": "a replay buffer that grows",
    "curriculum": "`fit` with nine batch sizes",
    "last_batches": "`fit` on 30 datasets with last batches of 30 sizes",
    "other_batch_size": "`fit` with validation at another batch size",
    "stages": "progressive growing: new layers and picture sizes in four stages",
    "graphs": "graph networks: 60 batches of varying nodes and edges",
    "ragged": "60 ragged batches",
    "pictures": "`fit`, height and width of pictures vary",
    "style": "style transfer",
    "dream": "deep dream at four octaves",
}


def _forget() -> None:
    shutil.rmtree(_CACHE, ignore_errors=True)


BENCHMARKS = tuple(
    Benchmark(
        name=f"shapes_{work}",
        title=f"{title}: first pass",
        contenders=(
            Script(
                TAPEFLOW,
                PROJECT,
                (*_SCRIPT, "tapeflow", work),
                {"TAPEFLOW_CACHE": str(_CACHE)},
                emptied=_CACHE,
                times_itself=True,
            ),
            Script(TENSORFLOW, PEERS, (*_SCRIPT, "tensorflow", work), times_itself=True),
        ),
        reference=TENSORFLOW,
        bars=(Bar(TAPEFLOW, TENSORFLOW, at_most=2.0),),
        rounds=3,
        unit="s",
        prepare=_forget,
    )
    for work, title in _TITLES.items()
)
