"""Functions that define their own gradients, and directional derivatives. The tape is `engine.differentiation`."""
