"""What the board says of its own: in English, and as a code with values, so that the page says it in its language.

    NOTES = Phrases(cut="the first {n:,} of {total:,} points are shown")
    NOTES("cut", n=10, total=20)

The page has the same codes with Chinese texts (`notes` in `web/src/i18n/notes.ts`); a test compares the two.
"""

from __future__ import annotations

from collections.abc import Iterable

from tapeflow.board.schema import Note


class Phrases:
    """English texts by code, with places for values."""

    def __init__(self, **english: str) -> None:
        self.english = english

    def __call__(self, code: str, /, **values: str | float) -> Note:
        return {"code": code, "text": self.english[code].format(**values), "values": values}


RUNS = Phrases(
    failed="the board failed to read it ({error})",
    file_unreadable="{file} cannot be read: {error}",
    folder_unreadable="the folder cannot be read: {error}",
    link_out="a link that leads out of the log folder is not followed; give its target as a --logdir of its own",
    damage="{n} bad bytes at offset {offset} of {file}: {reason}",
    cut="the last {n} bytes are not a whole record",
    tags="{n} values under too many or too long tags are left out",
    samples="{n} samples beyond the first {most} of a step are left out",
    no_folder="{path} does not exist yet; runs are shown once it does",
    no_files="there are no event files yet; runs are shown once something is logged",
    looking="looking for runs",
    reading="{read} of {total} runs read",
    run_damage="{run} has {n} bad bytes at offset {offset}",
    more_damage="{n} more runs have damage",
    remote="{address} cannot be read: {error}",
    remote_names="{n} files in {address} are left out: their names are no paths here, or they are too many",
)

HEALTH = Phrases(
    nan="{tag} is not a finite number from step {step} on",
    diverged="{tag} diverges: it was {best} at step {step} and is {last} now",
    plateau="{tag} does not fall: it is still {last} at step {step}",
    overfitting="{tag} rises since step {step}, from {best} to {last}",
    vanishing="Gradients vanish: {tag} is practically 0 at step {step}",
    exploding="Gradients explode: {tag} is {last} at step {step}",
    zero_rate="The learning rate {tag} is 0 since step {step}",
    input_bound="Training waits for its input {share} % of the time (profile {session})",
    stalled="There is no sign of life any more",
    crashed="Crashed: {error}",
    killed="The process is gone and did not say why",
    disk="The disk is nearly full: {free} GB are left",
)

REFUSALS = Phrases(
    failed="the board failed; its log says more",
    token="a token is needed: open the URL the board printed when it started",
    read_only="this board was started with --read-only: settings cannot be changed",
    read_only_runs="this board was started with --read-only: runs cannot be deleted or restored",
    no_run="there is no run={run!r}; api/v1/runs has all",
    unwritable="settings could not be written to {path}: {error}",
    clients="the live stream expected at most {n} clients",
    no_series="{panel} has no run={run!r} with tag={tag!r}; api/v1/tags?panel={panel} has all",
    anew="the run has been written anew since: ask for its items again",
    gone="{error}",
    no_metric="hparams has no metric tag={tag!r} group={group!r}; api/v1/hparams/sessions has all",
    no_profile="there is no run={run!r} with a profile session={session!r}; api/v1/runs has all",
    profile_unreadable="profile {session!r} cannot be read: {error}",
    no_set="the projector has no run={run} with name={name} and step={step}; see projector/sets",
    no_package='{method} needs a package that is not installed: pip install "tapeflow[projector]"',
    few_points="projector/jobs expected at least 4 points; got {n}. Use PCA",
    jobs="there are too many projections under way: wait for one, or cancel it",
    no_job="there is no such projection any more: ask for it again",
    no_layout="this projection has no layout yet",
    no_label="axes expected labels there are: no label of {column!r} is or contains {label!r}",
    leads_out="the projector expected files in {folder!r}; got path={path!r}, which is outside of it",
    no_file="the projector expected a file {path!r}; got: {error}",
    no_numbers="{path!r} expected {width} numbers with tabs between them in every line; got: {error}",
    no_lines="{path!r} expected lines of numbers; got an empty file",
    no_shape=(
        "{path!r} expected lines of numbers, or float32 of the shape in the configuration; got shape {shape} and "
        "{n} bytes"
    ),
    wide="{path!r} expected at most {most} dimensions; got {n}",
    no_checkpoint=(
        "the vectors of {name!r} are in no file of their own, and there is no checkpoint to take them from: {error}"
    ),
    checkpoint="the vectors of {name!r} are in no file of their own, and the checkpoint {path!r} gives none: {error}",
    no_picture="{path!r} expected a picture (PNG, JPEG, GIF, WebP, BMP) of at most {most} bytes",
)


def about(run: str, note: Note) -> Note:
    """A note of one run, said among those of others."""
    return {**note, "text": f"{run}: {note['text']}", "run": run}


def joined(notes: Iterable[Note]) -> str:
    """Several of them as one English text."""
    return "; ".join([note["text"] for note in notes])
