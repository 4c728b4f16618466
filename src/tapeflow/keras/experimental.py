"""`tf.keras.experimental`: older spellings of what `tf.keras.optimizers.schedules` has."""

from __future__ import annotations

from tapeflow.keras.optimizers.schedules import CosineDecay as CosineDecay
from tapeflow.keras.optimizers.schedules import CosineDecayRestarts as CosineDecayRestarts
