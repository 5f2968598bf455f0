"""The official STS archives: fetched with resumption, verified, laid out, tokenised.

Every file is checked against the SHA-256 sums in `data/sha256.json`, which are those of the
files with line feeds as line ends: an archive may hold CR LF for the same content.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import re
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from fuzzbow.atomic import replacing
from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.progress import Progress, no_progress
from fuzzbow.streams import BROKEN, read_text
from fuzzbow.sts.datasets import SUBTASKS

BASE_URL = "http://ixa2.si.ehu.eus/stswiki/images/"
ARCHIVES = {
    "STS12": "4/40/STS2012-en-test.zip",
    "STS13": "2/2f/STS2013-en-test.zip",
    "STS14": "8/8c/STS2014-en-test.zip",
    "STS15": "d/da/STS2015-en-test.zip",
    "STS16": "9/98/STS2016-en-test.zip",
}
CHUNK = 1 << 18
TIMEOUT = 60.0
NOTES = re.compile(r"readme|license|licence", re.IGNORECASE)  # kept beside the data
LARGEST = 64 << 20  # bytes of one extracted file; the real ones are below one MiB

Sums = Mapping[str, Mapping[str, str]]  # year -> file name -> SHA-256


@dataclass(frozen=True)
class Fetched:
    """Result of the download of one year."""

    year: str
    files: int
    reused: bool
    tokenised_lines: int


@lru_cache(maxsize=1)
def known_sums() -> Sums:
    """The recorded SHA-256 sums."""
    text = files("fuzzbow.sts").joinpath("data/sha256.json").read_text(encoding="utf-8")
    sums: dict[str, dict[str, str]] = json.loads(text)
    return sums


def download(
    folder: Path,
    *,
    years: Iterable[str] = tuple(ARCHIVES),
    base_url: str = BASE_URL,
    sums: Sums | None = None,
    progress: Progress = no_progress,
) -> list[Fetched]:
    """Fill `folder/raw` and `folder/tokenized`; what is there and right is not fetched again."""
    expected = known_sums() if sums is None else sums
    tokenizer = SentEvalTokenizer()
    if os.path.lexists(folder) and not folder.is_dir():
        raise InputError(f"the data go into a folder; '{folder}' is a file")
    folder.mkdir(parents=True, exist_ok=True)
    results = []
    for year in years:
        raw = folder / "raw" / f"{year}-en-test"
        reused = _verified(raw, expected[year])
        if not reused:
            archive = folder / PurePosixPath(ARCHIVES[year]).name
            fetch(base_url + ARCHIVES[year], archive, progress=progress)
            _unpack(archive, year, raw, expected[year])
            archive.unlink()
        lines = _tokenise(year, raw, folder / "tokenized" / raw.name, tokenizer)
        results.append(Fetched(year, len(expected[year]), reused, lines))
    return results


def fetch(url: str, target: Path, *, progress: Progress = no_progress) -> None:
    """Load a file; what an earlier attempt left in `NAME.part` is not loaded again."""
    part = target.with_name(target.name + ".part")
    for _ in range(2):
        start = part.stat().st_size if part.exists() else 0
        request = urllib.request.Request(url, headers={"Range": f"bytes={start}-"} if start else {})
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
                _receive(answer, part, start, progress)
            part.replace(target)
            return
        except urllib.error.HTTPError as error:
            if error.code == 416 and start:  # more is there than the server has: begin anew
                part.unlink()
                continue
            raise InputError(f"{url}: the server answered {error.code} {error.reason}") from error
        except (urllib.error.URLError, http.client.HTTPException, TimeoutError, OSError) as error:
            reason = getattr(error, "reason", None) or error
            raise InputError(f"{url}: cannot be loaded ({reason}); run again to resume") from error


def _receive(answer: http.client.HTTPResponse, part: Path, start: int, progress: Progress) -> None:
    """Append what comes, or begin anew where the server sends the whole."""
    resumed = answer.status == 206
    done = start if resumed else 0
    length = answer.headers.get("Content-Length")
    total = done + int(length) if length else None
    with _part_file(part, resumed) as file:
        while block := answer.read(CHUNK):
            file.write(block)
            done += len(block)
            progress(done, total)
    if total is not None and done < total:
        raise http.client.IncompleteRead(b"", total - done)


def _part_file(part: Path, resumed: bool) -> BinaryIO:
    """The file that grows; its name can be foreseen, so that no link is followed from it."""
    flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    flags |= os.O_APPEND if resumed else os.O_TRUNC
    return os.fdopen(os.open(part, flags, 0o666), "ab" if resumed else "wb")


def canonical(content: bytes) -> bytes:
    """The content with line feeds as line ends."""
    return content.replace(b"\r\n", b"\n")


def sum_of(content: bytes) -> str:
    """SHA-256 whatever the line ends."""
    return hashlib.sha256(canonical(content)).hexdigest()


def _verified(folder: Path, expected: Mapping[str, str]) -> bool:
    """Return whether every file is there with the right content."""
    return all(
        (folder / name).is_file() and sum_of((folder / name).read_bytes()) == digest
        for name, digest in expected.items()
    )


def _unpack(archive: Path, year: str, folder: Path, expected: Mapping[str, str]) -> None:
    """Take the wanted files out of an archive, wherever they lie in it, and verify them."""
    try:
        with zipfile.ZipFile(archive) as pack:
            found = _wanted(pack, year, expected)
            notes = {
                PurePosixPath(item.filename).name: pack.read(item)
                for item in pack.infolist()
                if NOTES.search(PurePosixPath(item.filename).name) and item.file_size < LARGEST
            }
    except InputError:
        raise
    except BROKEN as error:
        archive.unlink()
        raise InputError(f"'{archive}' is not a readable archive ({error}); run again") from error
    wrong = [name for name in expected if sum_of(found[name]) != expected[name]]
    if wrong:
        archive.unlink()
        raise InputError(
            f"{year}: the content of {', '.join(wrong)} is not what fuzzbow knows (SHA-256 differs)"
        )
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in {**notes, **found}.items():
        _write(folder / name, canonical(content))


def _wanted(pack: zipfile.ZipFile, year: str, expected: Mapping[str, str]) -> dict[str, bytes]:
    """SentEval name -> content; the archive of 2016 calls its files STS2016.*."""
    found = {}
    for name, digest in expected.items():
        other = name.replace("STS.", f"STS20{year[3:]}.", 1)
        items = [
            item
            for item in pack.infolist()
            if PurePosixPath(item.filename).name in (name, other) and item.file_size < LARGEST
        ]
        if not items:
            raise InputError(f"'{pack.filename}' must hold {name} or {other}; it does not")
        contents = [pack.read(item) for item in items]
        right = [content for content in contents if sum_of(content) == digest]
        found[name] = (right or contents)[0]
    return found


def _tokenise(year: str, raw: Path, folder: Path, tokenizer: SentEvalTokenizer) -> int:
    """Write the tokenised twin of each file; those that are there already are kept."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = 0
    for name in SUBTASKS[year]:
        gold, texts = f"STS.gs.{name}.txt", f"STS.input.{name}.txt"
        if (folder / texts).is_file() and (folder / gold).is_file():
            continue
        made = [
            tokenizer.line(line) for line in read_text(raw / texts).removesuffix("\n").split("\n")
        ]
        _write(folder / texts, ("\n".join(made) + "\n").encode())
        _write(folder / gold, (raw / gold).read_bytes())
        lines += len(made)
    return lines


def _write(path: Path, content: bytes) -> None:
    with replacing(path) as beside:
        beside.write_bytes(content)


class SentEvalTokenizer:
    """Moses tokens as SentEval made them, lower-cased.

    SentEval ran the Moses script without its list of abbreviations, so that "Inc." becomes
    "inc ." there; numbers ("No. 2") are the exception.
    """

    def __init__(self) -> None:
        try:
            from sacremoses import MosesTokenizer
        except ImportError as error:
            raise MissingExtraError("sacremoses", "sts") from error
        self._moses = MosesTokenizer(lang="en")
        self._moses.NONBREAKING_PREFIXES = []

    def line(self, line: str) -> str:
        """The first two tab-separated texts of a line, tokenised."""
        return "\t".join(self.text(text) for text in line.split("\t")[:2])

    def text(self, text: str) -> str:
        """Tokens with a space between."""
        tokens: list[str] = self._moses.tokenize(text, escape=False)
        return " ".join(tokens).lower()


def agreement(ours: Path, theirs: Path) -> tuple[int, int]:
    """Lines of all input files that are the same in two tokenised folders, of how many."""
    same = total = 0
    for year, names in SUBTASKS.items():
        for name in names:
            file = f"{year}-en-test/STS.input.{name}.txt"
            left, right = (
                read_text(folder / file).removesuffix("\n").split("\n") for folder in (ours, theirs)
            )
            total += max(len(left), len(right))
            same += sum(a == b for a, b in zip(left, right, strict=False))
    return same, total
