"""File formats of word vectors: a file is read by the first format that recognises it."""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fuzzbow.errors import DataError
from fuzzbow.progress import Progress
from fuzzbow.vectors.formats.container import map_file
from fuzzbow.vectors.objects import spacy_pipeline
from fuzzbow.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from fuzzbow.io.streams import Stream

# name -> suffixes of its files, and the module with `recognises` and `read`, both of a VectorFile;
# in this order: text, which no bytes mark, is last
FORMATS: dict[str, tuple[tuple[str, ...], str]] = {
    "fastText .bin": ((".bin",), "fuzzbow.vectors.formats.fasttext_binary"),
    "safetensors": ((".safetensors",), "fuzzbow.vectors.formats.tensors"),
    "word2vec binary": ((".bin",), "fuzzbow.vectors.formats.word2vec_binary"),
    "text": ((".txt", ".vec", ".w2v", ".glove"), "fuzzbow.vectors.formats.text"),
}
COMPRESSIONS = (".gz", ".bz2", ".xz", ".zip")


@dataclass(frozen=True, eq=False)
class VectorFile:
    """Open file, recognised by `head`, then read from `stream` or `content()`."""

    path: Path
    stream: Stream  # decompressed, at its first byte
    name: str  # of the vectors: the name of the file without the suffixes of its format
    limit: int | None = None  # number of entries to read
    skip_bad: bool = False
    encoding: str = "utf-8"

    @property
    def head(self) -> bytes:
        """First decompressed bytes, or all of a small file."""
        return self.stream.head

    def content(self) -> mmap.mmap | bytes:
        """Return all bytes, memory-mapped, or in memory if they had to be decompressed."""
        return self.stream.read_all() if self.stream.compression else map_file(self.path)

    def error(self, message: str) -> DataError:
        """Make an error about this file."""
        return DataError(f"{self.path}: {message}")

    def decode(self, raw: Sequence[bytes]) -> tuple[list[str], list[int]]:
        """Decode words; return the decoded ones and their positions, and refuse or skip others."""
        words: list[str] = []
        positions: list[int] = []
        for position, word in enumerate(raw):
            try:
                words.append(word.decode(self.encoding))
                positions.append(position)
            except UnicodeDecodeError as error:
                if not self.skip_bad:
                    raise DataError(
                        f"{self.path}, word {position + 1}: {word!r} is not {self.encoding}; give"
                        " its encoding"
                    ) from error
        return words, positions


def read_path(path: Path, *, progress: Progress | None = None, **options: Any) -> WordVectors:
    """Read word vectors from a file of any known format, or from a model's folder.

    `options` are the last fields of VectorFile.
    """
    from fuzzbow.io.streams import open_stream  # imports every compression

    if not path.exists():
        raise DataError(f"{path}: no such file")
    if path.is_dir():
        if (path / "meta.json").is_file() and (path / "vocab").is_dir():
            return spacy_pipeline(str(path), path.name)
        usual = [path / "model.safetensors", path / "0_StaticEmbedding" / "model.safetensors"]
        found = [file for file in usual if file.is_file()] or sorted(path.glob("*.safetensors"))
        if not found or (len(found) > 1 and found[0] != usual[0]):
            raise DataError(
                f"{path}: a directory; give a file of word vectors, or a directory with one model"
            )
        return replace(read_path(found[0], progress=progress, **options), name=path.name)
    suffixes = tuple(suffix for known, _ in FORMATS.values() for suffix in known)
    name = path.name
    for endings in (COMPRESSIONS, suffixes):
        name = next((name[: -len(end)] for end in endings if name.lower().endswith(end)), name)
    with open_stream(path, progress=progress, wanted=suffixes) as stream:
        if not stream.head:
            raise DataError(f"{path}: the file is empty")
        file = VectorFile(path, stream, name or path.name, **options)
        try:
            for _, module in FORMATS.values():
                kind = import_module(module)
                if kind.recognises(file):
                    vectors: WordVectors = kind.read(file)
                    return vectors
        except MemoryError as error:
            raise file.error("needs more memory than there is") from error
    raise DataError(
        f"{path}: not a file of word vectors in any known format; known are {', '.join(FORMATS)}"
    )
