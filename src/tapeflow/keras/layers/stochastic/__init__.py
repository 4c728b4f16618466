"""Layers that are random in training and do nothing otherwise: dropout and noise."""
