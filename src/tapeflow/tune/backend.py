"""Optuna, for the rest of `tapeflow.tune`: what to do where it is missing is said once, here."""

from __future__ import annotations

try:
    import optuna as optuna
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"tapeflow.tune expected Optuna to be installed; got no module {error.name!r}. "
        "Install it with: pip install 'tapeflow[tune]'",
        name=error.name,
    ) from error
