"""Whether a request comes from the board's own page, or from a page of another site.

Browsers say where a request comes from in `Sec-Fetch-Site`, `Origin` and `Referer`, and no page can forge them. All of
them that are there must name the board's own origin: the scheme, name and port that the request was made to, or those
of a proxy (`--allowed-host`). Scripts send none of the three; whether they may is for the token to say.

The board's page asks with `fetch`, in whose requests browsers name the origin although the page has the referrer policy
`no-referrer`. A form of it would say `null`; it has none.
"""

from __future__ import annotations

from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.types import Scope

_PORTS = {"http": ":80", "https": ":443"}


def serialized(scheme: str, host: str) -> str:
    """An origin as browsers write it: in lower case, without the port that the scheme implies."""
    return f"{scheme}://{host.lower().removesuffix(_PORTS.get(scheme, ''))}"


def own_origins(scope: Scope, headers: Headers, proxies: Iterable[str]) -> set[str]:
    """The origins that the board's page may have: where the request was made to, and those of proxies."""
    own = {serialized(scope["scheme"], headers.get("host", ""))}
    return own | {serialized(scheme, name) for name in proxies for scheme in _PORTS}


def foreign_origin(scope: Scope, headers: Headers, proxies: Iterable[str]) -> str:
    """The first origin of a request that is not the board's own; "" if there is none.

    A page may keep `Referer` back or shorten it, so it counts only where there is no `Origin`.
    """
    named = headers.getlist("origin") or [_origin_of(url) for url in headers.getlist("referer")]
    own = own_origins(scope, headers, proxies)
    return next((origin or "''" for origin in named if origin.lower() not in own), "")


def foreign_site(headers: Headers, allowed: tuple[str, ...]) -> str:
    """The first `Sec-Fetch-Site` of a request that is not one of those allowed; "" if there is none."""
    return next((site or "''" for site in headers.getlist("sec-fetch-site") if site not in allowed), "")


def _origin_of(url: str) -> str:
    scheme, _, rest = url.partition("://")
    return serialized(scheme, rest.partition("/")[0].partition("?")[0].partition("#")[0])
