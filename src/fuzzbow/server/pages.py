"""The page, its parts and the report: a fixed list of files, read once, and nothing else."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from pathlib import Path

from fastapi import APIRouter, Request, Response

from fuzzbow.server.errors import ApiError

KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'"
)
REPORT_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
)


def static_files() -> dict[str, bytes]:
    """The files of the page, by name."""
    folder = files("fuzzbow.server").joinpath("static")
    return {
        item.name: item.read_bytes() for item in folder.iterdir() if Path(item.name).suffix in KINDS
    }


def page_router(report: bytes | None) -> APIRouter:
    """Routes of everything that a browser shows."""
    router = APIRouter(include_in_schema=False)
    contents = static_files()

    @router.get("/")
    async def page(request: Request) -> Response:
        return _file(request, "index.html", contents["index.html"], PAGE_POLICY)

    @router.get("/docs")
    async def docs(request: Request) -> Response:
        return _file(request, "docs.html", contents["docs.html"], PAGE_POLICY)

    @router.get("/static/{name:path}")
    async def part(request: Request, name: str) -> Response:
        if name not in contents:
            raise ApiError(404, f"there is no file {name!r:.80}")
        return _file(request, name, contents[name], PAGE_POLICY)

    @router.get("/report")
    async def shown_report(request: Request) -> Response:
        if report is None:
            raise ApiError(404, "there is no report; start the server with --report DIR")
        return _file(request, "report.html", report, REPORT_POLICY)

    return router


def _file(request: Request, name: str, content: bytes, policy: str) -> Response:
    """A file, or word that the browser has it already."""
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache", "Content-Security-Policy": policy}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=KINDS[Path(name).suffix], headers=headers)
