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


def read_files(folder: Path) -> dict[str, bytes]:
    """Read the files of known types in a folder, by their names."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix in MEDIA_TYPES}


def file_response(
    files: dict[str, bytes], name: str, request: Request, policy: str, theme: str = "auto"
) -> Response:
    """Respond with a file, or 304 if the client has it; a page can have another theme."""
    if name not in files:
        raise ApiError(404, f"there is no file {name!r:.80}")
    content = files[name]
    if theme != "auto":
        content = content.replace(b"<html", b'<html data-theme="%b"' % theme.encode(), 1)
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache", "Content-Security-Policy": policy}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type=MEDIA_TYPES[Path(name).suffix])


def page_routes(report: Path | None) -> list[Route]:
    """Make the routes of the page; `report` is a folder that holds one."""
    files = read_files(FOLDER) | {"palette.css": themed_page().encode()}
    report_files = {} if report is None else read_files(report)

    async def page(request: Request) -> Response:
        name = request.path_params.get("name") or PAGES.get(request.url.path, "")
        return file_response(files, name, request, PAGE_POLICY)

    async def shown_report(request: Request) -> Response:
        theme = request.query_params.get("theme", "auto")
        if theme not in THEMES:
            raise ApiError(422, "theme: must be auto, light or dark", field="theme")
        if report is None:
            raise ApiError(404, "there is no report; start the server with --report DIR")
        return file_response(report_files, REPORT, request, REPORT_POLICY, theme)

    paths = {**dict.fromkeys(PAGES, page), "/static/{name:path}": page, "/report": shown_report}
    return [Route(path, call, name=path) for path, call in paths.items()]
