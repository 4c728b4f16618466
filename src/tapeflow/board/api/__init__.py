"""The panels: one package for each kind of content, found by `tapeflow.board.panels`.

Each has a `PANEL`: which series it shows, its routes below `/api/v1/<name>` and TensorBoard's below `/data/plugin`.
Panels of things shown step by step (images, sounds, ...) share `tapeflow.board.media`. None imports another.
"""
