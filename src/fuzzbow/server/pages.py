"""Routes of the page, its parts and the report."""

from __future__ import annotations

import hashlib
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fuzzbow.palette import themed_page
from fuzzbow.server.errors import ApiError
from fuzzbow.server.settings import REPORT

FOLDER = Path(__file__).parent / "static"
# the registry of a system may call a script plain text, which a browser then does not run
MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
THEMES = ("auto", "light", "dark")
PAGES = {"/": "index.html", "/docs": "docs.html"}
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'"
)
REPORT_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
)


class PageFiles:
    """Static files of a folder, listed at the start, served under a security policy."""

    def __init__(self, folder: Path, policy: str) -> None:
        self._policy = policy
        known = [path for path in folder.iterdir() if path.suffix in MEDIA_TYPES]
        self.contents = {path.name: path.read_bytes() for path in known}

    def response(self, name: str, request: Request, theme: str = "auto") -> Response:
        """Answer by a file, or by 304 if the browser has it; pages can be in another theme."""
        if name not in self.contents:
            raise ApiError(404, f"there is no file {name!r:.80}")
        content = self.contents[name]
        if theme != "auto":
            content = content.replace(b"<html", b'<html data-theme="%b"' % theme.encode(), 1)
        tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
        policy = {"Cache-Control": "no-cache", "Content-Security-Policy": self._policy}
        headers = {"ETag": tag, **policy}
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(content, headers=headers, media_type=MEDIA_TYPES[Path(name).suffix])


def page_routes(report: Path | None) -> list[Route]:
    """Make the routes of the page; `report` is a folder that holds one."""
    page_files = PageFiles(FOLDER, PAGE_POLICY)
    page_files.contents["palette.css"] = themed_page().encode()
    report_files = None if report is None else PageFiles(report, REPORT_POLICY)

    async def page(request: Request) -> Response:
        name = request.path_params.get("name") or PAGES.get(request.url.path, "")
        return page_files.response(name, request)

    async def shown_report(request: Request) -> Response:
        theme = request.query_params.get("theme", "auto")
        if theme not in THEMES:
            raise ApiError(422, "theme: must be auto, light or dark", field="theme")
        if report_files is None:
            raise ApiError(404, "there is no report; start the server with --report DIR")
        return report_files.response(REPORT, request, theme)

    paths = {**dict.fromkeys(PAGES, page), "/static/{name:path}": page, "/report": shown_report}
    return [Route(path, call, name=path) for path, call in paths.items()]
