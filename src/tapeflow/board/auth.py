"""Access control: who may open the board, and what a browser may do with what it is shown.

On loopback, everybody who reaches the port is this machine, unless a web page of somebody else's makes the browser
ask for it under a name that leads here (DNS rebinding): so the `Host` must be one of ours. On any other address a
token is needed, which such a page does not have. A browser keeps it as a cookie; inside a frame of another site, as a
notebook may be, browsers keep none, so there the token is a part of the path (`/~TOKEN/`). Whoever has it must
nevertheless not be a page of another site (`origins`): browsers send cookies along with what such a page asks for.
"""

from __future__ import annotations

import hmac
import ipaddress
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tapeflow.board.answers import problem
from tapeflow.board.board import BoardOptions
from tapeflow.board.notes import REFUSALS
from tapeflow.board.origins import foreign_origin, foreign_site

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; "
    "font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors {}"
)
_FRAMES = (
    "'self' http://localhost:* http://127.0.0.1:* https://localhost:* https://127.0.0.1:* vscode-webview:"
)


def is_loopback(host: str) -> bool:
    """Whether an address or name is this machine, as seen from itself."""
    name = host.strip("[]").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def host_name(header: str) -> str:
    """The name in a `Host` header, without the port."""
    name, _, port = header.rpartition(":")
    return name if name and port.isdigit() else header


def _is_for_data(scope: Scope) -> bool:
    """Whether a script asks, and not somebody who opens the page."""
    return "/api/" in scope["path"] or "/data/" in scope["path"]


def _is_same(given: str, secret: str) -> bool:
    """Whether they are equal, in a time that does not tell how far."""
    return hmac.compare_digest(given.encode(), secret.encode())


class Guard:
    """Middleware around the whole board."""

    def __init__(self, app: ASGIApp, options: BoardOptions) -> None:
        self.app = app
        self.options = options
        self.names = {host_name(name).lower() for name in (options.host, *options.hosts)}
        self.cookie = f"tapeflow-board-{options.port}"
        self.door = f"{options.path_prefix}/~{options.token}/" if options.is_framed and options.token else ""
        # Who frames what has a door must know the token, wherever the notebook is.
        frames = "http: https: vscode-webview:" if self.door else _FRAMES if options.is_framed else "'self'"
        self.policy = _POLICY.format(frames)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["Content-Security-Policy"] = self.policy
                headers["X-Content-Type-Options"] = "nosniff"
                headers["Referrer-Policy"] = "no-referrer"
                headers["Cross-Origin-Resource-Policy"] = "same-origin"
                headers["Cross-Origin-Opener-Policy"] = "same-origin"
            await send(message)

        has_come_in = bool(self.door) and _is_same(scope["path"][: len(self.door)], self.door)
        if has_come_in:
            scope = {**scope, "path": f"{self.options.path_prefix}/{scope['path'][len(self.door) :]}"}
        refusal = self._refusal(scope, Headers(scope=scope), has_come_in)
        await (refusal or self.app)(scope, receive, send_guarded)

    def _refusal(self, scope: Scope, headers: Headers, has_come_in: bool) -> Response | None:
        if self.options.token:
            if not (has_come_in or self._has_token(headers)):
                return self._ask_for_token(scope)
        elif not self._is_ours(host_name(headers.get("host", ""))):
            return problem(
                403,
                f"the board is asked for as {headers.get('host', '')!r}, which is not a name it goes by; "
                "if it is yours, start the board with --allowed-host NAME",
            )
        return self._refusal_of_other_pages(scope, headers)

    def _refusal_of_other_pages(self, scope: Scope, headers: Headers) -> Response | None:
        """The one place that keeps pages of other sites from changing or reading anything."""
        changes = scope["method"] not in ("GET", "HEAD")
        if not changes and not _is_for_data(scope):
            return None  # a link to the page
        sites = ("same-origin", "none") if changes else ("same-origin", "same-site", "none")
        site = foreign_site(headers, sites)
        origin = foreign_origin(scope, headers, self.options.hosts)
        if not site and not origin:
            return None
        source = f"Origin {origin!r}" if origin else f"Sec-Fetch-Site {site!r}"
        return problem(
            403,
            f"a page of another site may not {'change' if changes else 'ask for'} anything here; got {source}. "
            "If it is the board's own page behind a proxy, start the board with --allowed-host NAME[:PORT]",
        )

    def _is_ours(self, name: str) -> bool:
        return is_loopback(name) or name.lower() in self.names

    def _has_token(self, headers: Headers) -> bool:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self._is_token(given.strip()):
            return True
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return False
        return found is not None and self._is_token(found.value)

    def _is_token(self, given: str) -> bool:
        return _is_same(given, self.options.token)

    def _ask_for_token(self, scope: Scope) -> Response:
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for name, value in query if name == "token"]
        if not given or not self._is_token(given[0]):
            if _is_for_data(scope):
                note = REFUSALS("token")
                return problem(401, note["text"], note)
            return PlainTextResponse(
                "A token is needed: open the URL that `tapeflow board` printed when it started.\n", 401
            )
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        path = "/" + scope["path"].lstrip("/")  # what begins with two leads to another host
        answer = RedirectResponse(path + (f"?{rest}" if rest else ""), 303)
        answer.set_cookie(
            self.cookie,
            self.options.token,
            httponly=True,
            samesite="strict",
            path=self.options.path_prefix or "/",
        )
        return answer
