"""What every layer is: `Layer`, its weights, losses, calls and names.

`layer` is made of `weight_owner`, `loss_owner` and `layer_history`. Models build on it in `keras.models`.
"""
