"""The command that the warning of a missing kernel names installs what was installed."""

from __future__ import annotations

import shlex
import sys
from importlib.metadata import PackageNotFoundError

import pytest

from fuzzbow.engine import installation

PIP = [sys.executable, "-m", "pip", "install", "--force-reinstall", "--no-deps", "--no-cache-dir"]
INDEX = ["--no-binary", "fuzzbow", "fuzzbow"]


class Installed:
    """A distribution with what pip recorded of its origin."""

    def __init__(self, recorded):
        self._recorded = recorded

    def read_text(self, name):
        assert name == "direct_url.json"
        return self._recorded


@pytest.mark.parametrize(("recorded", "origin"), [
    ('{"dir_info": {}, "url": "file:///home/me/my%20clone"}', ["/home/me/my clone"]),
    (
        '{"dir_info": {"editable": true}, "url": "file:///home/me/clone"}',
        ["--editable", "/home/me/clone"],
    ),
    (
        '{"url": "https://host/x.git", "vcs_info": {"vcs": "git", "commit_id": "ab12"},'
        ' "subdirectory": "py"}',
        ["git+https://host/x.git@ab12#subdirectory=py"],
    ),
    ('{"url": "https://host/x.tar.gz", "archive_info": {}}', ["https://host/x.tar.gz"]),
    ('{"url": "https://host/x-py3-none-any.whl", "archive_info": {}}', INDEX),
    (None, INDEX),
])  # fmt: skip
def test_the_origin_is_the_recorded_one(recorded, origin, monkeypatch):
    monkeypatch.setattr(installation, "distribution", lambda name: Installed(recorded))
    assert shlex.split(installation.reinstall_command()) == [*PIP, *origin]


def test_a_package_that_pip_did_not_install_is_taken_from_the_index(monkeypatch):
    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(installation, "distribution", missing)
    assert shlex.split(installation.reinstall_command()) == [*PIP, *INDEX]
