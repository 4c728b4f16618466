"""`tf.io.decode_json_example`: examples written as JSON."""

from __future__ import annotations

from google.protobuf import json_format

from tapeflow.engine.values.annotations import TensorLike
from tapeflow.engine.values.tensor import Tensor
from tapeflow.ops.host_args import invalid
from tapeflow.ops.strings.text import read_strings, string_tensor
from tapeflow.summary.protos import message


def decode_json_example(json_examples: TensorLike, name: str | None = None) -> Tensor:
    """Each JSON string as a serialised `tf.train.Example`, for `tf.io.parse_example`."""
    where = "tf.io.decode_json_example"
    texts = read_strings(json_examples, where, "json_examples")

    def serialised(text: bytes) -> bytes:
        try:
            found = json_format.Parse(text, message("Example")())
        except json_format.ParseError as error:
            raise invalid(
                f"{where} expected an Example in protobuf's JSON: error while parsing JSON: {error}; got {text[:80]!r}."
            ) from None
        return found.SerializeToString(deterministic=True)

    return string_tensor([serialised(t) for t in texts.reshape(-1)], texts.shape)
