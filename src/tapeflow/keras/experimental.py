"""`tf.keras.experimental`: ready-made linear models, and older names."""

from __future__ import annotations

from tapeflow.keras.models.linear_model import LinearModel as LinearModel
from tapeflow.keras.models.linear_model import WideDeepModel as WideDeepModel
from tapeflow.keras.optimizers.schedules import CosineDecay as CosineDecay
from tapeflow.keras.optimizers.schedules import CosineDecayRestarts as CosineDecayRestarts
from tapeflow.keras.utils.sidecar_evaluator import SidecarEvaluator as SidecarEvaluator
