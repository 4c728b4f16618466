"""Questions about runs that assistants ask over the Model Context Protocol (`tapeflow board --mcp`).

`answers` asks a board through `Client` and cuts what it says to a size that an assistant can read; `server` offers that
as tools. Nothing can be changed through it.
"""
