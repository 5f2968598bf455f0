"""The page: from here only, and nothing of elsewhere."""

from __future__ import annotations

import re

import pytest

from fuzzbow.server.pages import static_files
from tests.unit.server.conftest import client_of

FILES = static_files()


def test_the_page_and_its_parts_are_in_the_package():
    assert {"index.html", "docs.html", "style.css", "app.js", "icon.svg"} <= FILES.keys()


@pytest.mark.parametrize("name", FILES)
def test_no_part_needs_anything_of_elsewhere(name):
    text = FILES[name].decode("utf-8").replace("http://www.w3.org/2000/svg", "")
    assert not re.findall(r"(?:https?:)?//[\w.-]+\.\w+", text)


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".js")])
def test_no_script_makes_markup_of_text(name):
    assert not re.findall(
        rb"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", FILES[name]
    )


@pytest.mark.parametrize("path", ["/", "/docs", "/static/app.js"])
def test_the_page_may_load_from_its_own_server_only(client, path):
    answer = client.get(path)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_the_document_of_the_api_is_at_docs(client):
    assert "<h1>The API</h1>" in client.get("/docs").text
    assert "/v1/similarity" in client.get("/openapi.json").json()["paths"]


def test_a_part_that_did_not_change_is_not_sent_again(client):
    first = client.get("/static/style.css")
    again = client.get("/static/style.css", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_without_a_report_there_is_none(client):
    assert client.get("/report").status_code == 404
    assert client.get("/v1/info").json()["report"] is False


def test_a_report_is_shown_without_any_right(model, tmp_path):
    (tmp_path / "report.html").write_text("<h1>Claims</h1><script>alert(1)</script>")
    with client_of(model, report=tmp_path) as client:
        answer = client.get("/report")
        assert client.get("/v1/info").json()["report"] is True
    assert "<h1>Claims</h1>" in answer.text
    assert answer.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
