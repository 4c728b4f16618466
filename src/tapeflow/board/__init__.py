"""The board: a web application over event files, served by one process. No JAX, and of TapeFlow only `summary`.

```
 logdirs ─► ingest (threads) ─► store: runs ─► series (columns) ─► api/<panel>, live ─► the page (static/)
              │    ▲                                 │
              ▼    └─ index (cache folder)           └─ sampling, column_messages
            reader (tapeflow.summary)
```

`logdirs` finds runs and never leaves the folders it was given; `remote` copies here what is elsewhere. `ingest` reads
them, newest first, and watches them. `runs` holds what one run has logged as `series`: numpy columns of numbers, and
for everything else the places in the files where it stands. `index` keeps both on disk for the next start, and
`snapshot` an `outline` of all runs, from which lists and tables are made. `store` knows all runs and what changed
when; `live` tells the pages. `panels` finds the folders in `api/`, one for each kind of content, each with its part
of the API and TensorBoard's routes beside it. `app` puts it together, `auth` lets the right ones in, and no page of
another site (`origins`), `connections` ends those that keep it waiting, `serving` starts it, `export` writes it all
into one file, `mcp` answers assistants. The board writes nothing but its index and its settings, neither of them in a
log folder, and moves files there only to the trash and back (`api/runs`).
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, submod_attrs={"client": ["Client"]})
