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
        note="not what is compiled",
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
    "classification_models": Package("image-classifiers", "1.0.0"),
    "deel": Package("deel-lip", "1.5.0"),
    "deepxde": Package("deepxde", "1.11.1", note="with `DDE_BACKEND=tensorflow`"),
    "einops": Package("einops", "0.8.1"),
    "foolbox": Package("foolbox", "3.3.4"),
    "gradient_accumulator": Package("gradient-accumulator", "0.5.2"),
    "keras_adabound": Package(
        "keras-adabound", "0.6.0", note="with `TF_KERAS=1`; not compared, as TensorFlow 2.15 cannot run it"
    ),
    "keras_cv_attention_models": Package(
        "keras-cv-attention-models",
        "1.4.1",
        note="networks without weights; tried: MLP-Mixer and attention layers; not compared",
    ),
    "keras_mdn_layer": Package("keras-mdn-layer", "0.4.4"),
    "keras_multi_head": Package("keras-multi-head", "0.29.0", note="with `TF_KERAS=1`"),
    "keras_radam": Package(
        "keras-rectified-adam",
        "0.20.0",
        note="with `TF_KERAS=1`; not compared, as TensorFlow 2.15 cannot run it",
    ),
    "keras_transformer": Package("keras-transformer", "0.40.0", note="with `TF_KERAS=1`"),
    "keras_unet_collection": Package("keras-unet-collection", "0.1.13"),
    "kgcnn": Package("kgcnn", "3.1.0", note="layers of ragged tensors"),
    "livelossplot": Package("livelossplot", "0.5.6"),
    "mlflow": Package(
        "mlflow", "2.22.0", note="autologging, `MlflowCallback`, and models logged and loaded; not compared"
    ),
    "neural_structured_learning": Package(
        "neural-structured-learning", "1.4.0", note="Keras models; not estimators"
    ),
    "optuna_integration": Package(
        "optuna-integration", "4.2.1", note="`TFKerasPruningCallback` and `KerasPruningCallback`"
    ),
    "qkeras": Package("qkeras", "0.9.0", note="not compared"),
    "tensorflow_lattice": Package(
        "tensorflow-lattice", "2.1.1", note="layers and premade Keras models; not estimators"
    ),
    "tensorflow_model_remediation": Package("tensorflow-model-remediation", "0.1.7.1", note="not compared"),
    "tensorflow_privacy": Package(
        "tensorflow-privacy",
        "0.9.0",
        note="the optimizers; not `DPSequential`, nor what is for graphs",
    ),
    "tensorflow_ranking": Package(
        "tensorflow-ranking", "0.5.5", note="Keras losses and metrics; not compared; not estimators"
    ),
    "tensornetwork": Package("tensornetwork", "0.4.6"),
    "tf2crf": Package("tf2crf", "0.1.33"),
    "tf_explain": Package(
        "tf-explain",
        "0.3.1",
        note="gradients are shown as uint8 without clipping, which differs between machines in TensorFlow, too",
    ),
    "tqdm": Package("tqdm", "4.70.1", note="`tqdm.keras`"),
    "visualkeras": Package("visualkeras", "0.1.4"),
    "vit_keras": Package("vit-keras", "0.1.2", note="networks without weights"),
    "xplique": Package("xplique", "1.4.0"),
    "innvestigate": Package(
        "innvestigate", "2.1.2", is_working=False, note="turns eager execution off, and works on graphs"
    ),
    "larq": Package(
        "larq",
        "0.13.3",
        is_working=False,
        note="its quantized Variables wrap others through private parts of TensorFlow",
    ),
    "keras_lookahead": Package(
        "keras-lookahead", "0.9.0", is_working=False, note="builds updates of graphs (`get_updates`)"
    ),
    "rl": Package(
        "keras-rl2", "1.0.5", is_working=False, note="turns eager execution off, and works on graphs"
    ),
    "tf_slim": Package(
        "tf-slim", "1.1.0", is_working=False, note="its layers collect Variables and losses in graphs"
    ),
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
