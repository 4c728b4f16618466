"""Logs in storage elsewhere: copied here, so that all else of the board reads files of this machine.

`names` says which names are taken, and as which paths; `listing` what there is; `mirror` fetches what is new of it;
`mirrors` does so again and again, for each log folder that is an address.
"""
