"""Pooling layers: over windows, and over whole images or sequences."""
