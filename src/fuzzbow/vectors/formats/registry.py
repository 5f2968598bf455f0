"""Registry of formats: a file is read by the first that recognises it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from fuzzbow.errors import DataError
from fuzzbow.io.streams import open_stream
from fuzzbow.vectors.formats import (
    ReadOptions,
    VectorFile,
    fasttext_binary,
    tensors,
    text,
    word2vec_binary,
)
from fuzzbow.vectors.objects import spacy_pipeline
from fuzzbow.vectors.word_vectors import WordVectors

COMPRESSIONS = (".gz", ".bz2", ".xz", ".zip")


@dataclass(frozen=True)
class Format:
    """One format; `recognises` looks at the first bytes, `suffixes` are those of its files."""

    name: str
    suffixes: tuple[str, ...]
    recognises: Callable[[VectorFile], bool]
    read: Callable[[VectorFile], WordVectors]


# in this order: text, which no bytes mark, is last
FORMATS = (
    Format("fastText .bin", (".bin",), fasttext_binary.recognises, fasttext_binary.read),
    Format("safetensors", (".safetensors",), tensors.recognises, tensors.read),
    Format("word2vec binary", (".bin",), word2vec_binary.recognises, word2vec_binary.read),
    Format("text", (".txt", ".vec", ".w2v", ".glove"), text.recognises, text.read),
)


def read_path(path: Path, options: ReadOptions) -> WordVectors:
    """Read word vectors from a file of any known format, or from a model's folder."""
    if not path.exists():
        raise DataError(f"{path}: no such file")
    if path.is_dir():
        return _read_folder(path, options)
    suffixes = tuple(suffix for kind in FORMATS for suffix in kind.suffixes)
    name = path.name
    for endings in (COMPRESSIONS, suffixes):
        name = next((name[: -len(end)] for end in endings if name.lower().endswith(end)), name)
    with open_stream(path, progress=options.progress, wanted=suffixes) as stream:
        if not stream.head:
            raise DataError(f"{path}: the file is empty")
        file = VectorFile(path, stream, name or path.name, options)
        try:
            for kind in FORMATS:
                if kind.recognises(file):
                    return kind.read(file)
        except MemoryError as error:
            raise file.error("needs more memory than there is") from error
    known = ", ".join(kind.name for kind in FORMATS)
    raise DataError(f"{path}: not a file of word vectors in any known format; known are {known}")


def _read_folder(path: Path, options: ReadOptions) -> WordVectors:
    """Read a model2vec or other safetensors model, or a spaCy pipeline on disk."""
    if (path / "meta.json").is_file() and (path / "vocab").is_dir():
        return spacy_pipeline(str(path), path.name)
    inside = [path / "model.safetensors", path / "0_StaticEmbedding" / "model.safetensors"]
    found = [file for file in inside if file.is_file()] or sorted(path.glob("*.safetensors"))
    if not found or (len(found) > 1 and found[0] != inside[0]):
        raise DataError(
            f"{path}: a directory; give a file of word vectors, or a directory with one model"
        )
    return replace(read_path(found[0], options), name=path.name)
