"""`tapeflow doctor`: what is installed, what is broken, what is slow and why, each with a remedy.

`examination` puts the parts together: `packages` (versions and extras), `engine` (JAX, its devices and its speed, found
out by `probe` in a process of its own, as JAX may be missing or crash), `machine` (cores, memory, clocks), `folders`
(caches and the board's page) and `environment` (variables that cost speed). Each gives `finding`s. Nothing is changed,
and nothing but `probe` imports JAX.
"""
