"""Steps of a pipeline, one transformation a module: batch, shuffle, map, filter, prefetch and others.

Each is a pipe with a stream; `stepping` is the base of those that make one element at a time.
"""
