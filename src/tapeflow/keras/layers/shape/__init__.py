"""Layers that move, cut, pad or repeat elements without computing new ones."""
