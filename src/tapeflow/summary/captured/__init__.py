"""What a run captures by itself: facts about it, the state it is in, its console output, system metrics, alerts.

`messages` is the format in event files, written and read; `facts`, `source_code`, `console` and `system` find things
out, `secrets` leaves out what nobody should read, and `capture` runs it all on a thread of its own. The board and
`tf.summary.read` read the messages through `messages` alone. Only `capture` touches a writer.
"""
