"""Fetching archives from a server on this machine: verified, laid out, tokenised."""

from __future__ import annotations

import io
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from fuzzbow import InputError
from fuzzbow.research.sts.datasets import SUBTASKS
from fuzzbow.research.sts.downloads import (
    ARCHIVES,
    download,
    known_sums,
    senteval_tokenizer,
    sum_of,
)

TEXT = "Mr. Smith's firm, Acme Inc. paid $5.\tIt cost No. 2 dearly!\tnote\tnote\n"
GOLD = "4.2\n"


def contents(year):
    """File name -> content for a year."""
    made = {}
    for name in SUBTASKS[year]:
        made[f"STS.input.{name}.txt"] = f"{name} {TEXT}".encode()
        made[f"STS.gs.{name}.txt"] = GOLD.encode()
    return made


def archive(year, files):
    """A zip as the official ones are: in a folder, and with other names in 2016."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as pack:
        for name, content in files.items():
            name = name.replace("STS.", "STS2016.", 1) if year == "STS16" else name
            pack.writestr(f"some folder/{name}", content)
        pack.writestr("some folder/00-readme.txt", "about the data")
        pack.writestr("../../evil.txt", "out of the folder")
    return buffer.getvalue()


class Server(ThreadingHTTPServer):
    """Serves archives; keeps what was asked for, and can drop the connection half-way."""

    def __init__(self, archives):
        super().__init__(("127.0.0.1", 0), Handler)
        self.archives = archives
        self.asked: list[str] = []
        self.break_after: int | None = None
        self.url = f"http://127.0.0.1:{self.server_address[1]}/"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        content = self.server.archives.get(self.path[1:])
        if content is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        stop, self.server.break_after = self.server.break_after, None
        self.wfile.write(content[:stop])

    def log_message(self, *args):
        pass


@pytest.fixture
def files():
    return {year: contents(year) for year in ARCHIVES}


@pytest.fixture
def sums(files):
    return {year: {k: sum_of(v) for k, v in made.items()} for year, made in files.items()}


@pytest.fixture
def server(files):
    archives = {ARCHIVES[year]: archive(year, made) for year, made in files.items()}
    with Server(archives) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


def test_all_years_are_fetched_verified_and_laid_out(server, sums, tmp_path):
    found = download(tmp_path / "to", base_url=server.url, sums=sums)
    assert [(item["year"], item["reused"]) for item in found] == [
        (year, False) for year in ARCHIVES
    ]
    for year, names in SUBTASKS.items():
        for name in names:
            raw = tmp_path / "to" / "raw" / f"{year}-en-test" / f"STS.input.{name}.txt"
            assert raw.read_text() == f"{name} {TEXT}"
            tokens = tmp_path / "to" / "tokenized" / f"{year}-en-test" / f"STS.input.{name}.txt"
            assert len(tokens.read_text().rstrip("\n").split("\t")) == 2
            assert (tokens.parent / f"STS.gs.{name}.txt").read_text() == GOLD
    assert (tmp_path / "to" / "raw" / "STS12-en-test" / "00-readme.txt").is_file()


def test_a_second_run_fetches_nothing_and_nothing_is_outside_the_folder(server, sums, tmp_path):
    download(tmp_path / "a" / "b", base_url=server.url, sums=sums)
    assert not [*tmp_path.rglob("evil.txt"), *tmp_path.rglob("*.zip*")]
    server.asked.clear()
    found = download(tmp_path / "a" / "b", base_url=server.url, sums=sums)
    assert server.asked == []
    assert all(item["reused"] for item in found)


def test_a_broken_download_leaves_nothing_and_is_run_again(server, sums, tmp_path):
    server.break_after = 500
    with pytest.raises(InputError, match=r"cannot be loaded .*run again"):
        download(tmp_path, base_url=server.url, sums=sums)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(item["reused"] for item in download(tmp_path, base_url=server.url, sums=sums))


def test_windows_line_ends_are_the_same_content(server, files, sums, tmp_path):
    other = {name: content.replace(b"\n", b"\r\n") for name, content in files["STS13"].items()}
    server.archives[ARCHIVES["STS13"]] = archive("STS13", other)
    download(tmp_path, years=["STS13"], base_url=server.url, sums=sums)
    raw = tmp_path / "raw" / "STS13-en-test" / "STS.input.FNWN.txt"
    assert raw.read_bytes() == files["STS13"]["STS.input.FNWN.txt"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"STS.gs.OnWN.txt": b"5.0\n"}, r"STS13: the content of STS\.gs\.OnWN\.txt"),
        ({"STS.gs.OnWN.txt": None}, r"must hold STS\.gs\.OnWN\.txt or STS2013\.gs\.OnWN\.txt"),
        (b"<html>moved</html>", "not a readable archive"),
        (None, r"STS2013-en-test\.zip: the server answered 404"),
    ],
)
def test_another_archive_is_refused_and_nothing_stays(
    server, files, sums, tmp_path, change, message
):
    if isinstance(change, dict):
        changed = {name: text for name, text in (files["STS13"] | change).items() if text}
        change = archive("STS13", changed)
    server.archives[ARCHIVES["STS13"]] = change
    with pytest.raises(InputError, match=message):
        download(tmp_path, years=["STS13"], base_url=server.url, sums=sums)
    assert not list(tmp_path.rglob("*.txt"))


def test_sums_are_recorded_for_every_file():
    for year, names in SUBTASKS.items():
        kinds = {f"STS.{kind}.{name}.txt" for name in names for kind in ("input", "gs")}
        assert set(known_sums()[year]) == kinds


def test_tokens_are_those_of_senteval():
    line = "\t".join(map(senteval_tokenizer(), TEXT.rstrip("\n").split("\t")[:2]))
    assert line == "mr . smith 's firm , acme inc. paid $ 5 .\tit cost no. 2 dearly !"
