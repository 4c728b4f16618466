"""Which trial fills which place, and which are lost."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time

import optuna
import pytest

from tapeflow.tune import places
from tapeflow.tune.places import State
from tapeflow.tune.storage import quiet


@pytest.fixture
def study():
    with quiet():
        yield optuna.create_study()


def ask(study, **attributes):
    trial = study.ask()
    trial.suggest_float("x", 0, 1)
    for name, value in attributes.items():
        trial.set_user_attr(name, value)
    return trial


def dead_owner():
    """A process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return {"host": socket.gethostname(), "pid": process.pid, "since": ""}


def frozen(study, number):
    return study.get_trials(deepcopy=False)[number]


def test_places_are_counted_from_the_numbers(study):
    ask(study)
    ask(study, surplus=True)
    ask(study)
    ask(study, again=0)
    ask(study)
    trials = study.get_trials()
    assert places.places(trials) == {0: 0, 2: 1, 3: 0, 4: 2}
    assert [[t.number for t in found] for found in places.by_place(trials).values()] == [[0, 3], [2], [4]]


def test_of_two_trials_in_one_place_the_first_counts(study):
    first, second = ask(study), ask(study, again=0)
    attempts = places.by_place(study.get_trials())[0]
    assert not places.is_taken(first, attempts)
    assert places.is_taken(second, attempts)
    study.tell(first, state=State.FAIL)
    assert not places.is_taken(second, places.by_place(study.get_trials())[0])


def test_a_trial_whose_process_has_ended_is_run_again(study):
    values = ask(study, owner=dead_owner()).params
    ask(study, owner=places.owner())
    assert [(t.number, reason) for t, reason in places.recover(study)] == [(0, "its process ended")]
    states = [t.state for t in study.trials]
    assert states == [State.FAIL, State.RUNNING, State.WAITING]
    assert places.places(study.trials)[2] == 0
    again = study.ask()
    assert {"x": again.suggest_float("x", 0, 1)} == values
    assert places.recover(study) == []
    assert len(study.trials) == 3


def test_a_search_killed_before_its_lost_trial_was_taken_up_takes_it_up_later(study):
    trial = ask(study, lost="its process ended")
    study.tell(trial, state=State.FAIL)
    assert places.recover(study) == []
    assert places.places(study.trials) == {0: 0, 1: 0}


def test_failures_are_run_again_only_if_asked_for(study):
    study.tell(ask(study), state=State.FAIL)
    places.recover(study)
    assert len(study.trials) == 1
    places.recover(study, retry_failed=True)
    assert places.places(study.trials) == {0: 0, 1: 0}


def test_a_process_number_that_is_used_again_is_another_process(study):
    if not os.path.exists("/proc/self/stat"):
        pytest.skip("this system does not tell when a process began")
    ask(study, owner={**places.owner(), "since": "1"})
    assert places.why_lost(frozen(study, 0)) == "its process ended"


def test_another_machine_is_taken_for_dead_after_a_long_silence(study):
    elsewhere = {"host": "far away", "pid": 1, "since": ""}
    ask(study, owner=elsewhere)
    ask(study, owner=elsewhere, seen=time.time() - 1000)
    assert places.why_lost(frozen(study, 0)) is None
    assert places.why_lost(frozen(study, 1)) == "far away gave no sign of life for 1000 s"


def test_what_has_ended_meanwhile_is_not_given_up(study):
    trial = ask(study)
    running = frozen(study, 0)
    study.tell(trial, 1.0)
    assert not places.give_up(study, running, "late")
    assert study.trials[0].state == State.COMPLETE
