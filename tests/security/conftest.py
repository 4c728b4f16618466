"""What tests of hostile programs share: forging them."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest


class Forger:
    """Makes programs that no exporter writes."""

    def program(self, body: str, size: str = "3", rest: str = "") -> Any:
        """A program from `tensor<3xf32>` to itself: `body` makes %out of %in."""
        import jax
        from jax import export

        spec = jax.ShapeDtypeStruct([int(d) for d in size.split("x")], "float32")
        exported = export.export(jax.jit(lambda values, x: [x + 1.0]))([], spec)
        kind = f"tensor<{size}xf32>"
        text = f"""module @jit_f {{
          func.func public @main(%in: {kind}) -> {kind} {{
            {body}
            return %out : {kind}
          }}
          {rest}
        }}"""
        return self.with_module(exported, text)

    def with_module(self, exported: Any, text: str) -> Any:
        """An exported program whose module is another one."""
        from jax._src.export import _export
        from jax._src.interpreters import mlir
        from jaxlib.mlir import ir

        with mlir.make_ir_context():
            data = _export._module_to_bytecode(ir.Module.parse(text))
        return dataclasses.replace(exported, mlir_module_serialized=data)

    def with_gradient(self, exported: Any, gradient: Any) -> Any:
        return dataclasses.replace(exported, _get_vjp=lambda _: gradient)

    def replace(self, folder: Path, data: bytes) -> None:
        """Put a program into a saved folder, with the checksum it needs."""
        [file] = folder.glob("*.stablehlo")
        file.write_bytes(data)
        manifest = folder / "saved_model.json"
        described = json.loads(manifest.read_text())
        described["sha256"][file.name] = hashlib.sha256(data).hexdigest()
        manifest.write_text(json.dumps(described))


@pytest.fixture
def forger() -> Forger:
    return Forger()
