"""Layers that turn raw data into numbers: text, categories, features, and random changes of images."""
