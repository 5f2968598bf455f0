"""A real Chromium, for what only a browser can tell: what a page looks like, and to whom."""

from __future__ import annotations

import importlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

REQUIRED = bool(os.environ.get("FUZZBOW_REQUIRE_BROWSER"))
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
WIDE, PHONE, SMALL_PHONE = 1280, 390, 360
AXE_OPTIONS: dict[str, dict[str, Any]] = {
    # the rule is experimental, and what a person who talks to a browser depends on
    "light": {
        "resultTypes": ["violations"],
        "rules": {"label-content-name-mismatch": {"enabled": True}},
    },
    # a theme changes nothing but colours
    "dark": {"resultTypes": ["violations"], "runOnly": ["color-contrast"]},
}


def needed(module: str) -> Any:
    """A module of the tests; without it they are skipped, or fail where they must run."""
    if REQUIRED:
        return importlib.import_module(module)
    return pytest.importorskip(module, reason=f"needs {module}")


playwright = needed("playwright.sync_api")
playwright.expect.set_options(timeout=20_000)  # a machine may be busy


def browser_path() -> str:
    """Where a Chromium is; without one the tests are skipped, or fail where they must run."""
    named = os.environ.get("FUZZBOW_CHROMIUM")
    found = named or next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        message = f"needs a browser: FUZZBOW_CHROMIUM, or one of {', '.join(BROWSERS)}"
        (pytest.fail if REQUIRED else pytest.skip)(message)
    return found


@contextmanager
def open_browser() -> Iterator[Any]:
    """A browser; no asyncio can run in this thread while it is open."""
    path = browser_path()
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        try:
            yield opened
        finally:
            opened.close()


def flaws(page: Any) -> list[str]:
    """What is wrong with a page as it stands, wide and on a phone, in light and in dark."""
    return [*too_wide(page), *violations(page)]


def too_wide(page: Any) -> list[str]:
    """The screens on which one would have to scroll sideways."""
    found = []
    for width in (WIDE, PHONE, SMALL_PHONE):
        page.set_viewport_size({"width": width, "height": 800})
        reach = page.evaluate("document.documentElement.scrollWidth")
        if reach > width:
            found.append(f"{width}: reaches to {reach}")
    return found


def violations(page: Any) -> list[str]:
    """What axe finds: slow where there is much text, since it looks behind each piece of it."""
    page.evaluate(needed("axe_playwright_python.base").AXE_SCRIPT)
    page.emulate_media(reduced_motion="reduce")
    found = []
    for width in (WIDE, PHONE):
        page.set_viewport_size({"width": width, "height": 800})
        for scheme, options in AXE_OPTIONS.items():
            page.emulate_media(color_scheme=scheme)
            answer = page.evaluate("options => axe.run(options)", options)
            found += [f"{width} {scheme}: {_described(item)}" for item in answer["violations"]]
    return found


def _described(violation: dict[str, Any]) -> str:
    nodes = [f"{node['target']} {node['html']:.120}" for node in violation["nodes"]]
    return f"{violation['id']}, {violation['help']}: {'; '.join(nodes)}"
