"""Command that rebuilds the package with its kernels."""

from __future__ import annotations

import json
import os
import shlex
import sys
from importlib.metadata import PackageNotFoundError, distribution
from subprocess import list2cmdline
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname


def reinstall_command() -> str:
    """Return the command that rebuilds the package from its source."""
    try:
        recorded = distribution("fuzzbow").read_text("direct_url.json")
    except PackageNotFoundError:
        recorded = None
    command = [sys.executable, "-m", "pip", "install", "--force-reinstall", "--no-deps"]
    command += ["--no-cache-dir", *_origin(json.loads(recorded or "{}"))]
    return list2cmdline(command) if os.name == "nt" else shlex.join(command)


def _origin(recorded: dict[str, Any]) -> list[str]:
    """Return pip's arguments for the source in `direct_url.json`, or for the package index."""
    url = recorded.get("url", "")
    if "dir_info" in recorded:
        editable = ["--editable"] if recorded["dir_info"].get("editable") else []
        return [*editable, url2pathname(urlsplit(url).path)]
    if "vcs_info" in recorded:
        version = recorded["vcs_info"]
        folder = f"#subdirectory={recorded['subdirectory']}" if "subdirectory" in recorded else ""
        return [f"{version['vcs']}+{url}@{version['commit_id']}{folder}"]
    if url and not url.endswith(".whl"):
        return [url]
    return ["--no-binary", "fuzzbow", "fuzzbow"]
