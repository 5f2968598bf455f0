"""The page: from here only, and nothing of elsewhere."""

from __future__ import annotations

import re

import pytest

from fuzzbow.palette import themed_page
from fuzzbow.server.pages import FOLDER, read_files
from tests.unit.server.conftest import client_of, error_of

FILES = {path.name: path.read_bytes() for path in FOLDER.iterdir()}
SCRIPTS = "".join(text.decode() for name, text in FILES.items() if name.endswith(".js"))


def test_no_part_needs_anything_of_elsewhere_or_makes_markup_of_text():
    assert {"index.html", "docs.html", "style.css", "app.js", "icon.svg"} <= FILES.keys()
    for name, content in FILES.items():
        text = content.decode("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.findall(r"(?:https?:)?//[\w.-]+\.\w+", text), name
    assert not re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", SCRIPTS)


@pytest.mark.parametrize("path", ["/", "/docs", "/static/app.js"])
def test_the_page_may_load_from_its_own_server_only(client, path):
    answer = client.get(path)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_colours_and_type_of_the_page_are_those_of_the_palette(client):
    answer = client.get("/static/palette.css")
    assert answer.headers["content-type"] == "text/css; charset=utf-8"
    assert answer.text == themed_page()
    style = FILES["style.css"].decode()
    assert not re.findall(r"#[0-9a-f]{3,8}\b|\b(?:ui-)?(?:sans-)?serif;", style)
    for name in re.findall(r"var\(--([a-z-]+)", style):
        assert (
            f"--{name}:" in (themed_page() + style).replace(": ", ":") or f'"--{name}"' in SCRIPTS
        )


def test_the_document_of_the_api_is_at_docs(client):
    assert "<h1>The API</h1>" in client.get("/docs").text
    assert "/v1/similarity" in client.get("/openapi.json").json()["paths"]


def test_a_part_that_did_not_change_is_not_sent_again(client):
    first = client.get("/static/style.css")
    again = client.get("/static/style.css", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("app.js", "text/javascript; charset=utf-8"),
        ("style.css", "text/css; charset=utf-8"),
        ("index.html", "text/html; charset=utf-8"),
        ("icon.svg", "image/svg+xml"),
    ],
)
def test_a_part_has_its_media_type_whatever_the_system_thinks(
    client, monkeypatch, name, media_type
):
    monkeypatch.setattr("mimetypes.guess_type", lambda *given, **options: ("text/plain", None))
    answer = client.get(f"/static/{name}")
    assert (answer.headers["content-type"], answer.content) == (media_type, FILES[name])


@pytest.mark.parametrize(
    "name",
    [
        "", "nothing.js", "../app.py", "..%2fapp.py", "%2e%2e/%2e%2e/errors.py", "/etc/passwd",
        "..\\app.py", "%2e%2e%2froutes.py", "..%5croutes.py", "a%00.js", "style.css%00.html",
        "app.js/", "%2e/app.js", "x" * 5_000 + ".js",
    ],
)  # fmt: skip
def test_nothing_else_is_served(client, name):
    answer = client.get(f"/static/{name}")
    assert error_of(answer) == (404, "not_found")


def test_files_of_known_types_are_served_links_too(tmp_path):
    (tmp_path / "page.html").write_text("page")
    (tmp_path / "other.html").symlink_to(tmp_path / "page.html")  # as some installers make
    (tmp_path / "key.pem").write_text("secret")
    assert read_files(tmp_path) == {"page.html": b"page", "other.html": b"page"}


def test_without_a_report_there_is_none(client):
    assert client.get("/report").status_code == 404
    assert client.get("/v1/info").json()["report"] is False


def test_a_report_is_shown_without_any_right_in_the_theme_of_the_page(model, tmp_path):
    text = "<!doctype html><html lang='en'><h1>Claims about &lt;html</h1><script>1</script></html>"
    (tmp_path / "report.html").write_text(text)
    with client_of(model, report=tmp_path) as client:
        answer = client.get("/report")
        assert answer.text == client.get("/report?theme=auto").text == text
        assert answer.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
        dark = client.get("/report?theme=dark").text
        assert dark == text.replace("<html", '<html data-theme="dark"', 1)
        assert client.get("/report?theme=%22onload").status_code == 422
        assert client.get("/v1/info").json()["report"] is True
