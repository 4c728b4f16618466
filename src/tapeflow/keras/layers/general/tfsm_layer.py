"""`TFSMLayer`: a function of a SavedModel as a layer."""

from __future__ import annotations

import os
from typing import Any

import tapeflow as tf
from tapeflow.engine.values.annotations import TensorLike
from tapeflow.keras.annotations import PathLike
from tapeflow.keras.layers.base.layer import Layer
from tapeflow.keras.saving.function_body import is_code_allowed


class TFSMLayer(Layer):
    """A SavedModel, from TensorFlow or `model.export`, as a trainable layer.

    Args:
        filepath: the folder.
        call_endpoint: what is called: a signature, or a function that hangs on the loaded object.
        call_training_endpoint: what is called while training; `call_endpoint` if None.
        trainable: whether its Variables are trained.
        name: the name of the layer.
        dtype: the dtype of the layer.
    """

    def __init__(
        self,
        filepath: PathLike,
        call_endpoint: str = "serve",
        call_training_endpoint: str | None = None,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(trainable=trainable, name=name, dtype=dtype)
        self.filepath = os.fspath(filepath)
        loaded = tf.saved_model.load(self.filepath)
        # Behind a function: of what it leads to, such as an optimizer, only the Variables are ours.
        self._find_loaded = lambda: loaded
        self._loaded_variables = list(getattr(loaded, "variables", ()))
        self.call_endpoint, self.call_training_endpoint = call_endpoint, call_training_endpoint
        self._serving = self._endpoint(call_endpoint)
        self._training = self._endpoint(call_training_endpoint or call_endpoint)
        self.built = True

    def _endpoint(self, name: str) -> Any:
        signatures = getattr(self._find_loaded(), "signatures", {})
        if name in signatures:
            return signatures[name]
        found = getattr(self._find_loaded(), name, None)
        if not callable(found):
            raise ValueError(
                f"TFSMLayer expected the name of a function of the SavedModel; got {name!r}: The endpoint is neither "
                f"an attribute of the reloaded SavedModel nor an entry in its signatures, {sorted(signatures)}."
            )
        return found

    def call(self, inputs: TensorLike, training: bool | None = False, **kwargs: Any) -> Any:
        function = self._training if training else self._serving
        if isinstance(inputs, dict) and function in getattr(self._find_loaded(), "signatures", {}).values():
            return function(**inputs, **kwargs)
        return function(inputs, **kwargs)

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> TFSMLayer:
        """A layer of the folder that a config names, which only a trusted file may do."""
        if not is_code_allowed():
            raise ValueError(
                "TFSMLayer expected a config that may name a SavedModel to run; got filepath="
                f"{config.get('filepath')!r} in one that is not trusted. Pass safe_mode=False to the load if you know "
                "where the file comes from, or make the layer with TFSMLayer(filepath)."
            )
        return cls(**config)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "filepath": self.filepath,
            "call_endpoint": self.call_endpoint,
            "call_training_endpoint": self.call_training_endpoint,
        }
