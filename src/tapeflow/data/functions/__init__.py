"""Calling the user's functions on elements: directly, recorded for many rows at once, or without data."""
