"""What the projector says of points, labels and layouts."""

from __future__ import annotations

from tapeflow.board.notes import Phrases

NOTES = Phrases(
    columns_cut="the first {n} of {total} columns of labels are shown",
    no_names="the labels have as many lines as there are points, so the first is not taken for names",
    lines="there are {points:,} points and {n:,} lines of labels",
    more_lines="there are {points:,} points and more than {n:,} lines of labels",
    unreadable="{error}",
    labels_unreadable="{error}",
    bookmarks_unreadable="bookmarks cannot be read: {error}",
    not_finite="{n} points have numbers that are not finite; these count as the mean",
    points_cut="{path} has more points than are shown: the first {n:,}",
    points_cut_of="{path} has {total:,} points; the first {n:,} are shown",
    saved_points="this saved page carries {n:,} of {total:,} points, drawn at random; components are those of all",
    saved_sprite="the pictures of these points are too large for a saved page",
    saved_sets="{n} more embeddings are not in this saved page",
    laid_out=(
        "{n:,} of {total:,} points, drawn at random, are laid out; each of the others is put beside its nearest one "
        "among them"
    ),
    principal="principal components",
    others="neighbours of the points that are not laid out themselves",
    neighbors="nearest neighbours",
    loading="loading UMAP",
    compiling="compiling itself, nearest neighbours",
)
