"""Search over hyperparameters, on Optuna: `tune.search`.

    from tapeflow import tune
    from tapeflow.plugins.hparams import api as hp

    space = {"units": hp.Discrete([16, 32, 64]), "rate": tune.LogInterval(1e-4, 1e-1)}
    result = tune.search(train, space, trials=30, metric="val_accuracy", logdir="logs/search")
    print(result.best, result.table())

Optuna chooses values, decides what is pruned and keeps the trials; here is what it does not do: every trial is a
run that the board shows, a search that was killed goes on, and trials run in processes that suit JAX.

`search` is the whole; `space` and `domains` are what is varied, `samplers` how; `storage` and `places` say which
trials there are, which are lost and what is still to do; `session` hands trials out and takes their results;
`running` runs one, here or in a process of `workers`; `trial` and `report` are what the user's function sees;
`progress` and `result` are what comes out. `backend` imports Optuna: nothing else in TapeFlow does.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
