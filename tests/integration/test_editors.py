"""Completions, signatures and hover texts in editors, from Jedi and from pyright's language server."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import jedi
import pytest

import tapeflow as tf

SOURCES = Path(__file__).resolve().parents[2] / "src"
START = "import tapeflow as tf\n\nmodel = tf.keras.Sequential()\n"


class Call(NamedTuple):
    """A call that a user begins to type, and the function that it calls."""

    typed: str
    function: Any
    arguments: list[str]

    @property
    def name(self) -> str:
        return self.typed[:-1].rpartition(".")[2]

    @property
    def begun(self) -> str:
        """The program, up to the middle of the name."""
        return START + self.typed[: -1 - len(self.name) // 2]

    @property
    def first_line(self) -> str:
        return (inspect.getdoc(self.function) or "").partition("\n")[0]


CALLS = [
    Call("tf.keras.layers.Dense(", tf.keras.layers.Dense, ["units", "activation", "use_bias"]),
    Call("model.fit(", tf.keras.Model.fit, ["x", "y", "batch_size", "epochs"]),
    Call("tf.data.Dataset.map(", tf.data.Dataset.map, ["map_func", "num_parallel_calls", "deterministic"]),
    Call("tf.keras.optimizers.Adam(", tf.keras.optimizers.Adam, ["learning_rate", "beta_1", "beta_2"]),
]
calls = pytest.mark.parametrize("call", CALLS, ids=[call.typed for call in CALLS])


@pytest.fixture(scope="module")
def project() -> jedi.Project:
    return jedi.Project(SOURCES, added_sys_path=[str(SOURCES)])


@calls
def test_jedi_completes_and_shows_signature_and_docstring(call: Call, project: jedi.Project) -> None:
    completions = jedi.Script(call.begun, project=project).complete()
    assert call.name in [completion.name for completion in completions]
    (signature,) = jedi.Script(START + call.typed, project=project).get_signatures()
    names = [parameter.name for parameter in signature.params if parameter.name != "self"]
    assert names[: len(call.arguments)] == call.arguments
    assert signature.docstring(raw=True).startswith(call.first_line)


class Pyright:
    """Pyright's language server, which Pylance is built on, over its standard streams."""

    def __init__(self, folder: Path) -> None:
        (folder / "pyrightconfig.json").write_text(json.dumps({"extraPaths": [str(SOURCES)]}))
        command = [sys.executable, "-m", "pyright.langserver", "--stdio"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)
        self._folder, self._requests = folder, 0
        text_document = {
            "hover": {"contentFormat": ["plaintext"]},
            "signatureHelp": {"signatureInformation": {"documentationFormat": ["plaintext"]}},
        }
        self.ask(
            "initialize",
            processId=os.getpid(),
            capabilities={"textDocument": text_document},
            rootUri=folder.as_uri(),
            workspaceFolders=[{"uri": folder.as_uri(), "name": "editor"}],
        )
        self._send({"method": "initialized", "params": {}})

    def ask_at_end(self, method: str, text: str, back: int = 0) -> Any:
        """The answer to a question about the end of a new file, or some characters before it."""
        document = {"uri": (self._folder / f"file_{self._requests}.py").as_uri()}
        opened = {**document, "languageId": "python", "version": 1, "text": text}
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": opened}})
        lines = text.splitlines()
        position = {"line": len(lines) - 1, "character": len(lines[-1]) - back}
        return self.ask(f"textDocument/{method}", textDocument=document, position=position)

    def ask(self, method: str, **params: Any) -> Any:
        self._requests += 1
        self._send({"id": self._requests, "method": method, "params": params})
        while True:
            message = self._receive()
            if "method" not in message and message.get("id") == self._requests:
                assert "error" not in message, message
                return message["result"]
            if "method" in message and "id" in message:  # a question of the server: no settings, no wishes
                items = message.get("params", {}).get("items", ())
                is_list = message["method"] == "workspace/configuration"
                self._send({"id": message["id"], "result": [{} for _ in items] if is_list else None})

    def close(self) -> None:
        self.ask("shutdown")
        self._send({"method": "exit"})
        self._process.communicate(timeout=30)

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        length = 0
        for line in iter(self._process.stdout.readline, b"\r\n"):
            assert line, "the language server has ended"
            if line.lower().startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        return json.loads(self._process.stdout.read(length))


@pytest.fixture(scope="module")
def pyright(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pyright]:
    server = Pyright(tmp_path_factory.mktemp("editor"))
    yield server
    server.close()


@calls
def test_pyright_completes_and_shows_signature_and_docstring(call: Call, pyright: Pyright) -> None:
    completions = pyright.ask_at_end("completion", call.begun)
    assert call.name in [item["label"] for item in completions["items"]]
    (signature,) = pyright.ask_at_end("signatureHelp", START + call.typed)["signatures"]
    names = [name for name in re.findall(r"(\w+): ", signature["label"]) if name != "self"]
    assert names[: len(call.arguments)] == call.arguments
    hover = pyright.ask_at_end("hover", START + call.typed, back=2)["contents"]["value"]
    assert call.first_line.replace("`", "") in hover.replace("`", "")
