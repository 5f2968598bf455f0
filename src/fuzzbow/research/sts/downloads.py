"""Download of the official STS archives: verified, laid out, tokenised.

Every file is checked against the SHA-256 sums in `data/sha256.json`, which are those of the
files with line feeds as line ends: an archive may hold CR LF for the same content.
"""

from __future__ import annotations

import hashlib
import http.client
import io
import os
import re
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.io.streams import BROKEN
from fuzzbow.progress import Progress, no_progress
from fuzzbow.research.loading import write_file
from fuzzbow.research.sts.datasets import SUBTASKS, lines_of
from fuzzbow.research.sts.paper import known_sums

BASE_URL = "http://ixa2.si.ehu.eus/stswiki/images/"
ARCHIVES = {
    "STS12": "4/40/STS2012-en-test.zip",
    "STS13": "2/2f/STS2013-en-test.zip",
    "STS14": "8/8c/STS2014-en-test.zip",
    "STS15": "d/da/STS2015-en-test.zip",
    "STS16": "9/98/STS2016-en-test.zip",
}
TIMEOUT = 60.0
NOTES = re.compile(r"readme|license|licence", re.IGNORECASE)  # copied with the data
LARGEST = 64 << 20  # bytes of one extracted file; the real ones are below one MiB

Sums = Mapping[str, Mapping[str, str]]  # year -> file name -> SHA-256


def download(
    folder: Path,
    *,
    years: Iterable[str] = tuple(ARCHIVES),
    base_url: str = BASE_URL,
    sums: Sums | None = None,
    progress: Progress = no_progress,
) -> list[dict[str, Any]]:
    """Fill `folder/raw` and `folder/tokenized`; existing files with the right sums are kept.

    The result has, for each `year`, the number of `files`, whether all existed (`reused`), and
    the number of `tokenised_lines`.
    """
    expected = known_sums() if sums is None else sums
    tokenise = senteval_tokenizer()
    if os.path.lexists(folder) and not folder.is_dir():
        raise InputError(f"the output must be a folder; '{folder}' is a file")
    folder.mkdir(parents=True, exist_ok=True)
    chosen, results = list(years), []
    for year in chosen:
        raw = folder / "raw" / f"{year}-en-test"
        reused = all(
            (raw / name).is_file() and sum_of((raw / name).read_bytes()) == digest
            for name, digest in expected[year].items()
        )
        if not reused:
            url = base_url + ARCHIVES[year]
            unpack(fetch(url), url, year, raw, expected[year])
        made, lines = folder / "tokenized" / raw.name, 0
        made.mkdir(parents=True, exist_ok=True)
        for name in SUBTASKS[year]:
            gold, texts = f"STS.gs.{name}.txt", f"STS.input.{name}.txt"
            if (made / texts).is_file() and (made / gold).is_file():
                continue
            pairs = (line.split("\t")[:2] for line in lines_of(raw / texts))
            tokens = ["\t".join(map(tokenise, pair)) for pair in pairs]
            write_file(made / texts, ("\n".join(tokens) + "\n").encode())
            write_file(made / gold, (raw / gold).read_bytes())
            lines += len(tokens)
        facts = {"files": len(expected[year]), "reused": reused, "tokenised_lines": lines}
        results.append({"year": year, **facts})
        progress(len(results), len(chosen))
    return results


def fetch(url: str) -> bytes:
    """Download a file; an archive is about one MiB."""
    try:
        with urllib.request.urlopen(url, timeout=TIMEOUT) as answer:
            content: bytes = answer.read()
            return content
    except urllib.error.HTTPError as error:
        raise InputError(f"{url}: the server answered {error.code} {error.reason}") from error
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise InputError(f"{url}: cannot be loaded ({reason}); run again") from error


def canonical(content: bytes) -> bytes:
    """Return content with line feeds as line ends."""
    return content.replace(b"\r\n", b"\n")


def sum_of(content: bytes) -> str:
    """Compute the SHA-256 of content with line feeds as line ends."""
    return hashlib.sha256(canonical(content)).hexdigest()


def unpack(
    archive: bytes, source: str, year: str, folder: Path, expected: Mapping[str, str]
) -> None:
    """Extract the wanted files of an archive, from any folder in it, and verify them."""
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as pack:
            entries = [(PurePosixPath(item.filename).name, item) for item in pack.infolist()]
            entries = [(name, item) for name, item in entries if item.file_size < LARGEST]
            notes = {name: pack.read(item) for name, item in entries if NOTES.search(name)}
            found = {}
            for name, digest in expected.items():
                other = name.replace("STS.", f"STS20{year[3:]}.", 1)  # in the archive of 2016
                contents = [pack.read(item) for known, item in entries if known in (name, other)]
                if not contents:
                    raise InputError(f"'{source}' must hold {name} or {other}; it does not")
                right = [content for content in contents if sum_of(content) == digest]
                found[name] = (right or contents)[0]
    except InputError:
        raise
    except BROKEN as error:
        raise InputError(f"'{source}' is not a readable archive ({error}); run again") from error
    wrong = [name for name in expected if sum_of(found[name]) != expected[name]]
    if wrong:
        raise InputError(
            f"{year}: the content of {', '.join(wrong)} is not what fuzzbow knows (SHA-256 differs)"
        )
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in {**notes, **found}.items():
        write_file(folder / name, canonical(content))


def senteval_tokenizer() -> Callable[[str], str]:
    """Return a function that splits a text into Moses tokens as SentEval did, lower-cased.

    SentEval ran the Moses script without its list of abbreviations, so that "Inc." becomes
    "inc ." there; numbers ("No. 2") are the exception.
    """
    try:
        from sacremoses import MosesTokenizer
    except ImportError as error:
        raise MissingExtraError("sacremoses", "sts") from error
    moses = MosesTokenizer(lang="en")
    moses.NONBREAKING_PREFIXES = []
    return lambda text: " ".join(moses.tokenize(text, escape=False)).lower()
