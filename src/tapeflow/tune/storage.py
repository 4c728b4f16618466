"""Where the trials of a search are kept: an Optuna study in a database or a journal, and what it was begun with."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tapeflow.tune.backend import optuna

_SQLITE_PATIENCE_S = 60.0
_BEGUN_WITH = "tapeflow"


def open_storage(storage: Any, logdir: str) -> Any:
    """An Optuna storage.

    Args:
        storage: None for a SQLite file in `logdir`, "journal" for a journal file there; a path that ends with
            ".journal"; a database's URL; or an Optuna storage.
        logdir: the folder of the search.
    """
    if storage is None:
        storage = f"sqlite:///{os.path.join(os.path.abspath(logdir), 'tune.db')}"
    elif storage == "journal":
        storage = os.path.join(logdir, "tune.journal")
    if isinstance(storage, optuna.storages.BaseStorage):
        return storage
    if isinstance(storage, (str, os.PathLike)):
        text = os.fspath(storage)
        if text.endswith(".journal"):
            return optuna.storages.JournalStorage(_journal(text))
        if "://" in text:
            # Several processes write to one file: SQLite is to wait for the others, not to give up at once.
            arguments = {"connect_args": {"timeout": _SQLITE_PATIENCE_S}} if text.startswith("sqlite") else {}
            return _database(text, arguments)
    raise ValueError(
        "tune.search expected storage to be None, 'journal', a path ending with '.journal', a database URL such as "
        f"'postgresql://host/name', or an Optuna storage; got storage={storage!r}."
    )


def _database(url: str, arguments: dict[str, Any]) -> Any:
    from sqlalchemy.exc import ArgumentError, OperationalError  # optional

    try:
        return optuna.storages.RDBStorage(url, engine_kwargs=arguments)
    except (ArgumentError, ImportError, OperationalError) as error:
        # The whole URL may hold a password.
        reason, kind = str(error).splitlines()[0].rstrip("."), url.partition("://")[0]
        raise ValueError(
            f"tune.search expected storage to be the URL of a database that can be reached; got one of {kind}://: "
            f"{reason}. Mend the URL, or install the package that connects to this kind of database."
        ) from error


def _journal(path: str) -> Any:
    from optuna.storages.journal import JournalFileBackend  # start-up

    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    return JournalFileBackend(path)


def open_study(storage: Any, name: str, logdir: str, begun_with: dict[str, Any], pruner: Any) -> Any:
    """The study of a search, made if there is none; one that was begun differently is refused.

    Args:
        storage: as `open_storage` takes it.
        name: the study's name in the storage.
        logdir: the folder of the search.
        begun_with: `space`, `metric` and `direction`, which may not change in the middle.
        pruner: an Optuna pruner.
    """
    study = optuna.create_study(
        study_name=name,
        storage=open_storage(storage, logdir),
        direction=begun_with["direction"],
        pruner=pruner,
        load_if_exists=True,
    )
    before = study.user_attrs.get(_BEGUN_WITH)
    if before is None:
        study.set_user_attr(_BEGUN_WITH, begun_with)
        before = begun_with
    for what, value in begun_with.items():
        if before.get(what) != value:
            raise ValueError(
                f"tune.search expected the {what} with which {name!r} was started, {json.dumps(before.get(what))}; got "
                f"{what}={json.dumps(value)}. Choose another logdir or name for a search of its own."
            )
    return study


@contextmanager
def quiet() -> Iterator[None]:
    """Keep Optuna's own lines out of the way: what happens is said by `progress`."""
    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(level)
