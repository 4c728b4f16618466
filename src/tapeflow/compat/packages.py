"""Packages for TensorFlow that are tried with TapeFlow, and what came of it: `tests/packages` has the programs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple


class Package(NamedTuple):
    """A package that was tried.

    Attributes:
        project: its name in the package index.
        version: the one that was tried.
        is_working: whether its README's work gives what it gives with TensorFlow 2.15.
        note: what does not work, or what is needed.
    """

    project: str
    version: str
    is_working: bool = True
    note: str = ""

    @property
    def verdict(self) -> str:
        """`works` or `fails`, with what there is to say of it."""
        return ("works" if self.is_working else "fails") + (f": {self.note}" if self.note else "")


class Import(NamedTuple):
    """The import of a package, at a line."""

    name: str
    line: int


PACKAGES: dict[str, Package] = {
    "art": Package("adversarial-robustness-toolbox", "1.17.1", note="`TensorFlowV2Classifier`"),
    "alibi_detect": Package("alibi-detect", "0.12.0", note="detectors with TensorFlow's networks"),
    "autokeras": Package("autokeras", "1.1.0"),
    "cleverhans": Package("cleverhans", "4.0.0", note="`cleverhans.tf2`"),
    "deepctr": Package(
        "deepctr",
        "0.9.3",
        note="compared with TensorFlow 2.12, as 2.15 cannot import it; not DIEN, which is for graphs",
    ),
    "gpflow": Package("gpflow", "2.9.2", note="with tensorflow-probability 0.23"),
    "kapre": Package("kapre", "0.3.7"),
    "keract": Package("keract", "4.5.2", note="activations; gradients need graphs"),
    "keras_bert": Package("keras-bert", "0.89.0", note="networks; not its own optimizers"),
    "keras_cv": Package("keras-cv", "0.5.1", note="layers, losses, boxes and classifiers"),
    "keras_nlp": Package(
        "keras-nlp", "0.5.2", note="layers, samplers, BERT and GPT-2 without weights or tokenizers"
    ),
    "keras_self_attention": Package("keras-self-attention", "0.51.0"),
    "keras_tuner": Package("keras-tuner", "1.4.7"),
    "lime": Package("lime", "0.2.0.1"),
    "scikeras": Package("scikeras", "0.12.0"),
    "segmentation_models": Package("segmentation-models", "1.0.1", note="with `SM_FRAMEWORK=tf.keras`"),
    "shap": Package("shap", "0.51.0", note="`KernelExplainer`, `GradientExplainer` and permutations"),
    "sonnet": Package("dm-sonnet", "2.0.2"),
    "spektral": Package("spektral", "1.3.1"),
    "tcn": Package("keras-tcn", "3.5.7"),
    "tensorflow_addons": Package(
        "tensorflow-addons",
        "0.23.0",
        note="not the optimizers derived from Keras's own (`AdamW`, `Lookahead`), nor what is compiled",
    ),
    "tensorflow_datasets": Package(
        "tensorflow-datasets", "4.9.7", note="builders of one's own, and mock data"
    ),
    "tensorflow_hub": Package("tensorflow-hub", "0.15.0", note="modules in local folders"),
    "tensorflow_model_optimization": Package("tensorflow-model-optimization", "0.8.0"),
    "tensorflow_probability": Package(
        "tensorflow-probability",
        "0.23.0",
        note="not `predict` of models that end in a distribution; NUTS (`tfp.mcmc`) is slow",
    ),
    "tensorflow_recommenders": Package("tensorflow-recommenders", "0.7.3"),
    "tensorflow_similarity": Package("tensorflow-similarity", "0.17.1"),
    "tf_keras_vis": Package("tf-keras-vis", "0.8.7"),
    "transformers": Package("transformers", "4.46.3", note="TensorFlow's models; tried: BERT and GPT-2"),
    "wandb": Package("wandb", "0.22.0", note="the callbacks; `WandbCallback` not tried"),
}
"""What is known of each package, by the name it is imported by."""


def imports_of(tree: ast.AST) -> Iterator[Import]:
    """The packages that a script imports, each at its first line."""
    seen = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names = [node.module]
        else:
            continue
        for name in names:
            first = name.partition(".")[0]
            if first not in seen:
                seen.add(first)
                yield Import(first, node.lineno)


def table() -> str:
    """The packages as a table of Markdown."""
    rows = [
        f"| `{package.project}` {package.version} | {'yes' if package.is_working else 'no'} | {package.note} |"
        for _, package in sorted(PACKAGES.items(), key=lambda item: item[1].project)
    ]
    return "\n".join(["| package | works as in its README | note |", "|---|---|---|", *rows])
