"""Word vectors as named on the command line, opened when first needed, and the paper's own."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fuzzbow.errors import InputError
from fuzzbow.plurals import counted
from fuzzbow.sts.cache import Cache
from fuzzbow.vectors import WordVectors, open_vectors
from fuzzbow.vectors.sources import (
    DEFAULT_FILE,
    GLOVE_PACKAGE,
    WORDLLAMA_PACKAGE,
    package_folder,
)

PACKAGES = {"glove-6b-50d": GLOVE_PACKAGE, "wordllama-256": WORDLLAMA_PACKAGE}


@dataclass(frozen=True)
class PaperVectors:
    """Word vectors that the paper used; `pattern` finds their usual file names."""

    key: str
    title: str
    pattern: str
    supervised: bool = False


# sub-word and other-sized variants of the same corpora are other vectors
PAPER_VECTORS = (
    PaperVectors("glove", "GloVe 840B", r"glove[._-]?840b([._-]?300d)?(?![._-]?\d)"),
    PaperVectors(
        "fasttext",
        "fastText crawl 600B",
        r"crawl-300d-2m(?!-?subword)|fasttext[._ -]?(common[._ -]?)?crawl([._ -]?600b)?$",
    ),
    PaperVectors("word2vec", "word2vec Google News", r"google[._ -]?news"),
    PaperVectors("word2vec-conll", "word2vec CoNLL", r"conll"),
    PaperVectors("word2vec-books", "word2vec Book Corpus", r"books?[._ -]?corpus"),
    PaperVectors("psl", "PSL", r"\bpsl\b|paragram[._ -]?(300[._ -]?)?sl999", True),
    PaperVectors("pp-xxl", "PP-XXL", r"pp[._ -]?xxl|paragram[._ -]?phrase[._ -]?xxl", True),
    PaperVectors("pnmt", "PNMT", r"pnmt|para[._ -]?nmt", True),
)


@dataclass(frozen=True)
class Source:
    """Vectors with a label; `limit` reads the first words only."""

    label: str
    origin: str  # a name or a path
    limit: int | None = None
    cache: Cache | None = None

    @cached_property
    def vectors(self) -> WordVectors:
        """The vectors, opened once."""
        return open_vectors(self.origin, limit=self.limit)

    @cached_property
    def fingerprint(self) -> str:
        """Content hash; for unchanged files it is remembered, so that they need not be read."""
        stamp = self._stamp()
        if self.cache is None or stamp is None:
            return self.vectors.fingerprint
        known = self.cache.read("vectors", stamp)
        if known is not None and isinstance(known.get("fingerprint"), str):
            return str(known["fingerprint"])
        self.cache.write("vectors", stamp, {"fingerprint": self.vectors.fingerprint})
        return self.vectors.fingerprint

    def release(self) -> None:
        """Let the vectors go, which may be gigabytes; their fingerprint stays."""
        if "vectors" in vars(self):
            _ = self.fingerprint
            del vars(self)["vectors"]

    @cached_property
    def paper(self) -> PaperVectors | None:
        """Return the paper's vectors that have the name of this file or label."""
        if self.limit is not None:
            return None
        stem = Path(self.origin).name if Path(self.origin).exists() else self.origin
        return recognise(stem) or recognise(self.label)

    @property
    def title(self) -> str:
        """The label, with the paper's name for the vectors or a note that they are others."""
        if self.paper is not None:
            return self.paper.title
        part = f", first {counted(self.limit, 'word')}" if self.limit is not None else ""
        return f"{self.label} (not the paper's vectors{part})"

    def _stamp(self) -> str | None:
        """Names, sizes and times of the files behind the vectors, hashed."""
        if self.origin in PACKAGES:
            folder = package_folder(PACKAGES[self.origin])
            files = [] if folder is None else [DEFAULT_FILE, *sorted(folder.rglob("*"))]
        else:
            path = Path(self.origin)
            files = sorted(path.rglob("*")) if path.is_dir() else [path] if path.is_file() else []
        facts = [(file.resolve(), file.stat()) for file in files if file.is_file()]
        if not facts:
            return None
        text = [f"{path}|{stat.st_size}|{stat.st_mtime_ns}" for path, stat in facts]
        return hashlib.sha256("\n".join([*text, str(self.limit)]).encode()).hexdigest()


def recognise(name: str) -> PaperVectors | None:
    """The paper's vectors of this name, or None."""
    for vectors in PAPER_VECTORS:
        if re.search(vectors.pattern, name.lower()):
            return vectors
    return None


def parse_sources(
    given: Iterable[str], *, limit: int | None = None, cache: Cache | None = None
) -> list[Source]:
    """Sources from what is `given`: `LABEL=NAME_OR_FILE`, or a bare name or file.

    Labels must differ. `limit` reads only the first words of a file; a `cache` remembers the
    content hashes of files.
    """
    sources = []
    for text in given:
        label, equals, origin = text.partition("=")
        if not equals or Path(text).exists():
            label, origin = Path(text).name if Path(text).exists() else text, text
        if not label or not origin:
            raise InputError(f"vectors must be given as LABEL=FILE or FILE; got {text!r}")
        sources.append(Source(label, origin, limit, cache))
    labels = [source.label for source in sources]
    for label in labels:
        if labels.count(label) > 1:
            raise InputError(
                f"the label of each set of vectors must differ; got {label!r} twice"
                " (give LABEL=FILE)"
            )
    return sources
