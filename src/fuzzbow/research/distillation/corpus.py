"""Texts as word ids with their teacher's embeddings, and perturbed copies of them.

Only the word ids of texts are in memory. Embeddings, of unit length and in float16, are in a
temporary file, so that memory hardly grows with the corpus.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from random import Random
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Floats, Integers, Ragged
from fuzzbow.encoding import Encoder, TokenIds, check_text
from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.io.text import TextFile
from fuzzbow.plurals import counted
from fuzzbow.research.distillation.recipe import LEAST_TEXTS, DistilReport, Listener

BLOCK = 8192  # texts read together
MOST_WORDS = 96  # of a text; the rest is not trained on
UNKNOWN_IDS = 1 << 22  # words without a vector are known by a hash below this
DROP, REPLACE = 0.35, 0.50  # of the perturbed copies; the others keep a part
MOST_CHANGED = 3  # words of a copy
NEAREST = 20
NEAR_SHARE = 0.5  # of the words put in; the others are any words

TextSource = Iterable[str] | str | os.PathLike[str]
Encode = Callable[[list[str]], Any]
WANTED = (
    "teacher must be a function from texts to an array, an array of embeddings or its .npy file,"
    " a sentence-transformers or model2vec model, or the folder of one"
)


@dataclass(frozen=True)
class Teacher:
    """Source of embeddings: a function, or an array of existing rows."""

    encode: Encode | None = None
    rows: Floats | None = None

    def embed(self, texts: Sequence[str], first: int) -> Floats:
        """Return embeddings of consecutive texts, from number `first` on: n -> (n, e) float32."""
        if self.encode is None:
            made: Any = None if self.rows is None else self.rows[first : first + len(texts)]
        else:
            try:
                made = self.encode(list(texts))
            except Exception as error:  # any code of the user's
                last = first + len(texts) - 1
                message = f"the teacher failed on texts {first} to {last}: {error}"
                raise InputError(message) from error
        rows = _rows(made)
        if len(rows) != len(texts):
            raise InputError(
                f"teacher must give one row for each text; got {counted(len(rows), 'row')}"
                f" for {counted(len(texts), 'text')} from text {first} on"
            )
        narrow = rows.astype(np.float32)
        finite = np.isfinite(narrow).all(axis=1)
        if not finite.all():
            bad = first + int(finite.argmin())
            raise InputError(f"embeddings must be finite; that of text {bad} holds NaN or infinity")
        return narrow


def parse_teacher(source: Any) -> Teacher:
    """Make a teacher of a function, a model, an array, a .npy file or the folder of a model."""
    if isinstance(source, (str, os.PathLike)):
        return _teacher_at(Path(source))
    encode = getattr(source, "encode", None)
    if callable(encode) and not isinstance(source, type):
        return Teacher(encode)
    return Teacher(source) if callable(source) else Teacher(rows=_rows(source))


def _rows(source: Any) -> Floats:
    try:
        rows = np.asarray(source)
    except (TypeError, ValueError):
        rows = np.empty(0, dtype=object)
    if rows.dtype.kind not in "fiu":
        raise InputError(f"{WANTED}; got {type(source).__name__}")
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise InputError(f"embeddings must be 2-D (texts, dimension); got {rows.shape}")
    return rows


def _teacher_at(path: Path) -> Teacher:
    """Load a .npy file, or a model on disk: sentence-transformers' has modules.json."""
    if path.is_file():
        try:
            loaded = np.load(path, mmap_mode="r", allow_pickle=False)
        except (ValueError, OSError, EOFError) as error:
            raise InputError(f"{path}: must be a .npy file of embeddings: {error}") from error
        return Teacher(rows=_rows(loaded))
    if not path.is_dir():
        raise InputError(f"{WANTED}; there is no '{path}'")
    modules = path / "modules.json"
    static = not modules.is_file() or "StaticEmbedding" in modules.read_text("utf-8")
    name, extra = ("model2vec", "model2vec") if static else ("sentence-transformers", "teacher")
    try:
        if static:
            from model2vec import StaticModel

            return Teacher(StaticModel.from_pretrained(str(path)).encode)
        from sentence_transformers import SentenceTransformer

        return Teacher(SentenceTransformer(str(path)).encode)
    except ImportError as error:
        raise MissingExtraError(name, extra) from error
    except Exception as error:  # a damaged folder can raise almost anything
        raise InputError(f"{path}: {name} cannot load it: {error}") from error


@dataclass
class Perturbation:
    """Seeded generator of copies of texts with words dropped or replaced, or cut to a part.

    Neighbours in a corpus seldom show how a single word changes the meaning of a text.
    """

    words: Sequence[str]  # (V,)
    near: Integers  # (V, k): words that resemble each; -1 for none
    usable: Sequence[int]  # words that may replace another
    random: Random

    def copies(self, tokens: TokenIds) -> tuple[Ragged, list[str]]:
        """Return a changed copy of each text, as ids and as strings."""
        size, unknown = len(self.words), tokens.unknown
        made = [self._changed(row.tolist()) for row in tokens.rows]
        written = [
            " ".join([self.words[word] if word < size else unknown[word - size] for word in ids])
            for ids in made
        ]
        return Ragged.from_rows(made), written

    def _changed(self, ids: list[int]) -> list[int]:
        random, kind = self.random, self.random.random()
        if kind < DROP:
            count = random.randint(1, MOST_CHANGED)
            dropped = set(random.sample(range(len(ids)), min(count, len(ids) - 1)))
            return [word for position, word in enumerate(ids) if position not in dropped]
        if kind < DROP + REPLACE:
            count = random.randint(1, MOST_CHANGED)
            for position in random.sample(range(len(ids)), min(count, len(ids))):
                ids[position] = self._other(ids[position])
            return ids
        size = random.randint(1, len(ids))
        start = random.randint(0, len(ids) - size)
        return ids[start : start + size]

    def _other(self, word: int) -> int:
        """Choose a replacement of a word: a similar word, or any."""
        if word < len(self.near) and self.random.random() < NEAR_SHARE:
            near = int(self.near[word, self.random.randrange(self.near.shape[1])])
            if near >= 0:
                return near
        return self.random.choice(self.usable)


@dataclass(frozen=True, eq=False)
class TrainingTexts:
    """Texts 0 to n-1, optionally followed by one perturbed copy of each."""

    rows: Ragged  # word ids; from `vocabulary` on, words without a vector
    embeddings: NDArray[np.float16]  # (rows, e), unit length
    vocabulary: int
    copies: bool
    digest: str  # of ids and embeddings
    file: IO[bytes] = field(repr=False)  # of the embeddings

    @property
    def texts(self) -> int:
        """Number of texts without their copies."""
        return len(self.rows) // 2 if self.copies else len(self.rows)

    def cosines(self, lefts: Integers, rights: Integers) -> Floats:
        """Return the teacher's cosine of pairs, at least 0: (n,), (n,) -> (n,)."""
        a, b = self.embeddings[lefts], self.embeddings[rights]
        found = np.einsum("ij,ij->i", a.astype(np.float32), b.astype(np.float32))
        return np.asarray(np.clip(found, 0.0, 1.0))


def read_corpus(
    texts: TextSource,
    teacher: Teacher,
    encoder: Encoder,
    perturbation: Perturbation | None,
    listener: Listener,
) -> TrainingTexts:
    """Read all texts; texts without words are left out, with their embeddings."""
    size = len(encoder.vectors)
    writer = _EmbeddingWriter(blake2b(digest_size=16))
    copies = _EmbeddingWriter(writer.digest)
    copied = perturbation if teacher.encode is not None else None
    done = 0
    for block in _blocks(texts):
        tokens = encoder.word_ids(block)
        hashes = [
            blake2b(word.encode("utf-8", "replace"), digest_size=4).digest()
            for word in tokens.unknown
        ]
        hashed = size + np.frombuffer(b"".join(hashes), "<u4").astype(np.int64) % UNKNOWN_IDS
        ids = np.concatenate([np.arange(size), hashed])
        kept = np.flatnonzero(tokens.rows.lengths > 0)
        rows = tokens.rows.take(kept)
        position = np.arange(len(rows.values)) - np.repeat(rows.offsets[:-1], rows.lengths)
        rows = rows.keep(position < MOST_WORDS)
        writer.add(rows.map(ids), teacher.embed(block, done)[kept], done)
        if copied is not None and len(kept):
            changed, written = copied.copies(TokenIds(rows, tokens.unknown))
            copies.add(changed.map(ids), teacher.embed(written, done), done)
        done += len(block)
        listener(DistilReport("reading texts", done))
    if teacher.rows is not None and len(teacher.rows) != done:
        raise InputError(
            f"teacher must have one row for each text; got {counted(len(teacher.rows), 'row')}"
            f" for {counted(done, 'text')}"
        )
    count = sum(map(len, writer.lengths))
    if count < LEAST_TEXTS:
        raise InputError(
            f"texts must hold at least {LEAST_TEXTS} with words in them; got {count} of {done}"
        )
    copies.file.seek(0)
    shutil.copyfileobj(copies.file, writer.file, 1 << 24)
    copies.file.close()
    writer.file.flush()
    lengths = np.concatenate([*writer.lengths, *copies.lengths])
    shape = (len(lengths), writer.dimension or 1)
    embeddings = np.memmap(writer.file, dtype=np.float16, mode="r", shape=shape)
    ragged = Ragged.from_lengths(np.concatenate([*writer.values, *copies.values]), lengths)
    digest = writer.digest.hexdigest()
    return TrainingTexts(ragged, embeddings, size, copied is not None, digest, writer.file)


def _blocks(texts: TextSource) -> Iterator[list[str]]:
    """Yield lists of at most BLOCK texts, each checked."""
    if isinstance(texts, (str, os.PathLike)):
        path = Path(texts)
        if not path.is_file():
            raise InputError(f"texts must be a file or an iterable of strings; got '{path}'")
        file = TextFile(path)
        yield from _blocks(line.rstrip("\r\n") for line in file.lines())
        return
    if not isinstance(texts, Iterable):
        raise InputError(f"texts must be an iterable of strings; got {type(texts).__name__}")
    items, number = iter(texts), 0
    while block := list(islice(items, BLOCK)):
        yield [check_text(text, f"text {number + row}") for row, text in enumerate(block)]
        number += len(block)


class _EmbeddingWriter:
    """Writer of word ids, in memory, and of embeddings, in a temporary file."""

    def __init__(self, digest: Any) -> None:
        self.file = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the corpus
        self.digest = digest
        self.values: list[NDArray[np.int32]] = []
        self.lengths: list[NDArray[np.int64]] = []
        self.dimension: int | None = None

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
        for part in (values.tobytes(), rows.lengths.tobytes(), unit.tobytes()):
            self.digest.update(part)
        self.file.write(unit.tobytes())
        self.values.append(values)
        self.lengths.append(rows.lengths)
