"""The graphs that boards open: ResNet-50 as TapeFlow traces it, and as TensorFlow writes a training step of it.

The second is made here, node by node: as many nodes, as deeply named and as connected as TensorFlow's own 7,702.
"""

import tempfile
from pathlib import Path
from typing import Any

FOLDER = Path(tempfile.gettempdir()) / "tapeflow-benchmark-graphs"
TAPEFLOW, TENSORFLOW = "tapeflow", "tensorflow"
_BLOCKS = {2: 3, 3: 4, 4: 6, 5: 3}  # blocks of each stage
_OPS = {"conv": 9, "bn": 44, "relu": 2}  # ops of a layer


def make(name: str) -> None:
    """Write a set, unless it is there."""
    done = FOLDER / name / "done"
    if done.exists():
        return
    (_trace if name == TAPEFLOW else _write)(FOLDER / name / "run")
    done.touch()


def _trace(folder: Path) -> None:
    import tapeflow as tf

    model = tf.keras.applications.ResNet50(weights=None)
    function = tf.function(lambda x: model(x))
    tf.summary.trace_on(graph=True)
    function(tf.zeros((1, 224, 224, 3)))
    writer = tf.summary.create_file_writer(str(folder))
    with writer.as_default():
        tf.summary.trace_export("resnet", step=0)
    writer.close()


def _write(folder: Path) -> None:
    from tapeflow import summary

    writer = summary.create_file_writer(str(folder))
    with writer.as_default():
        summary.graph(training_step())
    writer.close()


def training_step() -> Any:
    """The GraphDef of a training step."""
    from tapeflow.summary.protos import message

    graph = message("GraphDef")()

    def add(name: str, op: str, *inputs: str) -> str:
        node = graph.node.add(name=name, op=op, input=inputs)
        node.attr["T"].type = 1
        shape = node.attr["_output_shapes"].list.shape.add()
        for size in (-1, 56, 56, 64):
            shape.dim.add(size=size)
        return name

    def layer(scope: str, kind: str, given: str, extra: str = "") -> str:
        last = given
        for number in range(_OPS[kind] // 2):
            constant = add(f"{scope}/step_{number}/const", "Const")
            last = add(f"{scope}/step_{number}/Mul", "Mul", last, constant, *([extra] if extra else []))
        return last

    last = add("x", "Placeholder")
    made: list[tuple[str, str, str]] = []
    for stage, blocks in _BLOCKS.items():
        for block in range(1, blocks + 1):
            entry = last
            for part in range(1, 4):
                for kind in _OPS:
                    name = f"conv{stage}_block{block}_{part}_{kind}_1"
                    last = layer(f"resnet50_1/{name}", kind, last)
                    made.append((name, kind, last))
            last = add(f"resnet50_1/conv{stage}_block{block}_add_1/Add", "AddV2", last, entry)
    gradient = add("Mean", "Mean", last)
    for number, (name, kind, output) in enumerate(reversed(made)):
        gradient = layer(f"gradient_tape/resnet50_1/{name}", kind, gradient, output)
        gradient = add(f"AddN_{number}", "AddN", gradient)
        if kind != "relu":
            for part in ("mul", "AssignSubVariableOp"):
                add(f"sgd_1/update_{number}/{part}", part, gradient)
    return graph
