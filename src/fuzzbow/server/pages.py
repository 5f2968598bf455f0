"""The page, its parts and the report, by Starlette's `StaticFiles`."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import Literal

import anyio
from fastapi import APIRouter, Request, Response
from starlette.responses import FileResponse
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

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
Theme = Literal["auto", "light", "dark"]
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'"
)
REPORT_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
)


class PageFiles(StaticFiles):
    """The files that a folder holds at the start, of known types, under a security policy."""

    def __init__(self, folder: Path, policy: str) -> None:
        super().__init__(directory=folder, follow_symlink=True)  # as some installers make
        self._names = {item.name for item in folder.iterdir() if item.suffix in MEDIA_TYPES}
        self.headers = {"Cache-Control": "no-cache", "Content-Security-Policy": policy}

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file of that name, or 304 if the browser has it already."""
        if path not in self._names:
            raise ApiError(404, f"there is no file {path!r:.80}")
        response = await super().get_response(path, scope)
        if isinstance(response, FileResponse):
            # read as a whole, since a file sent in parts stays open for as long as a client likes
            content = await anyio.Path(response.path).read_bytes()
            media_type, tag = MEDIA_TYPES[PurePath(path).suffix], response.headers["etag"]
            response = Response(content, headers={"ETag": tag}, media_type=media_type)
        response.headers.update(self.headers)
        return response


def in_theme(response: Response, theme: Theme) -> Response:
    """Return a page in another theme, for pages without a script to choose one."""
    if theme != "auto":
        response.body = bytes(response.body).replace(
            b"<html", b'<html data-theme="%b"' % theme.encode(), 1
        )
        response.headers["content-length"] = str(len(response.body))
    return response


def page_router(report: Path | None) -> APIRouter:
    """Routes of everything that a browser shows; `report` is a folder that holds one."""
    router = APIRouter(include_in_schema=False)
    page_files = PageFiles(FOLDER, PAGE_POLICY)
    report_files = None if report is None else PageFiles(report, REPORT_POLICY)

    @router.get("/")
    async def page(request: Request) -> Response:
        return await page_files.get_response("index.html", request.scope)

    @router.get("/docs")
    async def docs(request: Request) -> Response:
        return await page_files.get_response("docs.html", request.scope)

    @router.get("/static/palette.css")
    async def palette() -> Response:
        return Response(themed_page(), headers=page_files.headers, media_type=MEDIA_TYPES[".css"])

    @router.get("/static/{name:path}")
    async def part(request: Request, name: str) -> Response:
        return await page_files.get_response(name, request.scope)

    @router.get("/report")
    async def shown_report(request: Request, theme: Theme = "auto") -> Response:
        if report_files is None:
            raise ApiError(404, "there is no report; start the server with --report DIR")
        return in_theme(await report_files.get_response(REPORT, request.scope), theme)

    return router
