"""Event files and their contents: records, messages, and reading runs back.

`encoding` writes events, `reader` and `bulk` read them, `runs` and `series` give them as columns.
"""
