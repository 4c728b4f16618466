"""The `onnx` package, for the rest of this one: what to do where it is missing is said once, here."""

from __future__ import annotations

try:
    import onnx as onnx
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"Model.export expected the onnx package to be installed; got no module {error.name!r}. "
        "Install it with: pip install 'tapeflow[onnx]'",
        name=error.name,
    ) from error
