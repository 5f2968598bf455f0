"""Texts as word ids with their teacher's embeddings, read once and in blocks.

Of a text only its words' ids are kept. Embeddings, of unit length and in float16, lie in a
temporary file that ends with the process, so that memory does not grow with the corpus by much.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Floats, Integers, Ragged
from fuzzbow.distillation.perturbation import Perturbation
from fuzzbow.distillation.recipe import LEAST_TEXTS
from fuzzbow.distillation.report import DistilReport, Listener
from fuzzbow.distillation.teacher import Teacher
from fuzzbow.encoding import Encoder, TokenIds, check_text
from fuzzbow.errors import InputError
from fuzzbow.streams import open_stream

BLOCK = 8192  # texts at once
MOST_WORDS = 96  # of a text; the rest is not trained on
UNKNOWN_IDS = 1 << 22  # words without a vector are known by a hash below this

TextSource = Iterable[str] | str | os.PathLike[str]


@dataclass(frozen=True, eq=False)
class Corpus:
    """Texts 0 to n-1, then as many perturbed copies of them, or none."""

    rows: Ragged  # word ids; from `vocabulary` on, words without a vector
    embeddings: NDArray[np.float16]  # (rows, e), unit length
    vocabulary: int
    copies: bool
    digest: str  # of all of it
    file: IO[bytes] = field(repr=False)  # what the embeddings lie in

    @property
    def texts(self) -> int:
        """How many texts there are, copies not counted."""
        return len(self.rows) // 2 if self.copies else len(self.rows)

    def cosines(self, lefts: Integers, rights: Integers) -> Floats:
        """The teacher's cosine of pairs, at least 0: (n,), (n,) -> (n,)."""
        a, b = self.embeddings[lefts], self.embeddings[rights]
        found = np.einsum("ij,ij->i", a.astype(np.float32), b.astype(np.float32))
        return np.asarray(np.clip(found, 0.0, 1.0))


def read_corpus(
    texts: TextSource,
    teacher: Teacher,
    encoder: Encoder,
    perturbation: Perturbation | None,
    listener: Listener,
) -> Corpus:
    """Read all texts; those without words are left out, with their embeddings."""
    writer = _Writer()
    copies = _Writer(writer.digest)
    with_copies = perturbation is not None and teacher.encode is not None
    done = 0
    for block in _blocks(texts):
        tokens = encoder.word_ids(block)
        hashes = _hashes(tokens.unknown, len(encoder.vectors))
        kept = np.flatnonzero(tokens.rows.lengths > 0)
        rows = _short(tokens.rows.take(kept))
        writer.add(rows.map(hashes), teacher.embed(block, done)[kept], done)
        if perturbation is not None and with_copies and len(kept):
            changed, written = perturbation.copies(TokenIds(rows, tokens.unknown))
            copies.add(changed.map(hashes), teacher.embed(written, done), done)
        done += len(block)
        listener(DistilReport("reading texts", done))
    teacher.check_length(done)
    if writer.count < LEAST_TEXTS:
        raise InputError(
            f"texts must hold at least {LEAST_TEXTS} with words in them; got {writer.count}"
            f" of {done}"
        )
    return _assembled(writer, copies if with_copies else None, len(encoder.vectors))


def _blocks(texts: TextSource) -> Iterator[list[str]]:
    """Lists of at most BLOCK texts, each checked."""
    if isinstance(texts, (str, os.PathLike)):
        path = Path(texts)
        if not path.is_file():
            raise InputError(f"texts must be a file or an iterable of strings; got '{path}'")
        with open_stream(path) as stream:
            yield from _grouped(line.rstrip("\r\n") for line in stream.text_lines())
        return
    if not isinstance(texts, Iterable):
        raise InputError(f"texts must be an iterable of strings; got {type(texts).__name__}")
    yield from _grouped(texts)


def _grouped(texts: Iterable[Any]) -> Iterator[list[str]]:
    items, number = iter(texts), 0
    while block := list(islice(items, BLOCK)):
        yield [check_text(text, f"text {number + place}") for place, text in enumerate(block)]
        number += len(block)


def _short(rows: Ragged) -> Ragged:
    """The first MOST_WORDS words of each text."""
    if not len(rows) or rows.lengths.max() <= MOST_WORDS:
        return rows
    place = np.arange(len(rows.values)) - np.repeat(rows.offsets[:-1], rows.lengths)
    return rows.keep(place < MOST_WORDS)


def _hashes(unknown: Sequence[str], size: int) -> NDArray[np.int64]:
    """Ids by ids of a block: the vocabulary's stay, unknown words have a hash."""
    hashes = [
        int.from_bytes(blake2b(word.encode("utf-8", "replace"), digest_size=4).digest(), "little")
        for word in unknown
    ]
    return np.concatenate([np.arange(size), size + np.array(hashes, dtype=np.int64) % UNKNOWN_IDS])


class _Writer:
    """Collects rows of words in memory and embeddings in a temporary file."""

    def __init__(self, digest: Any = None) -> None:
        self.file = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the corpus
        self.digest = blake2b(digest_size=16) if digest is None else digest
        self.values: list[NDArray[np.int32]] = []
        self.lengths: list[NDArray[np.int64]] = []
        self.dimension: int | None = None
        self.count = 0

    def add(self, rows: Ragged, embeddings: Floats, first: int) -> None:
        width = embeddings.shape[1]
        self.dimension = width if self.dimension is None else self.dimension
        if width != self.dimension:
            raise InputError(
                f"embeddings must all have the dimension {self.dimension}; those from text"
                f" {first} on have {width}"
            )
        lengths = np.linalg.norm(embeddings, axis=1, keepdims=True)
        unit = (embeddings / np.where(lengths > 0, lengths, 1.0)).astype(np.float16)
        values = rows.values.astype(np.int32)
        self.digest.update(values.tobytes() + rows.lengths.tobytes())
        self.digest.update(np.ascontiguousarray(unit).tobytes())
        self.file.write(np.ascontiguousarray(unit).tobytes())
        self.values.append(values)
        self.lengths.append(rows.lengths)
        self.count += len(rows)


def _assembled(writer: _Writer, copies: _Writer | None, vocabulary: int) -> Corpus:
    """One corpus of what was written, the copies behind."""
    parts = [writer] if copies is None else [writer, copies]
    if copies is not None:
        copies.file.seek(0)
        while piece := copies.file.read(1 << 24):
            writer.file.write(piece)
        copies.file.close()
    writer.file.flush()
    values = np.concatenate([values for part in parts for values in part.values])
    lengths = np.concatenate([lengths for part in parts for lengths in part.lengths])
    shape = (len(lengths), writer.dimension or 1)
    embeddings = np.memmap(writer.file, dtype=np.float16, mode="r", shape=shape)
    rows = Ragged.from_lengths(values, lengths)
    digest = writer.digest.hexdigest()
    return Corpus(rows, embeddings, vocabulary, copies is not None, digest, writer.file)
