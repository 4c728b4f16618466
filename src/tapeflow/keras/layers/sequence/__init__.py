"""Layers for sequences: recurrent layers, their cells, and attention.

The built-in cells run as one op, `tapeflow.ops.nn.recurrent`; `recurrence` runs cells that users write, step by step.
"""
