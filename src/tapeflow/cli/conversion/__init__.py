"""What `tapeflow convert` does, step by step.

- `forms` says what a path holds, or is to hold.
- `models` loads models and writes them; `checkpoints` copies checkpoints without a model, tensor by tensor.
- `comparing` has both sides predict for random inputs; `report` prints the table.

Sources are loaded as files of strangers are, unless the user trusts them.
"""
