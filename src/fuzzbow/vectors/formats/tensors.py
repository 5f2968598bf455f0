"""Any safetensors file with a table of vectors, and its words from wherever they lie beside it."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np

from fuzzbow.arrays import Floats
from fuzzbow.errors import DataError
from fuzzbow.streams import read_text
from fuzzbow.vectors.formats.container import LONGEST_HEADER, Container, parse_container
from fuzzbow.vectors.formats.native import is_native, read_native
from fuzzbow.vectors.formats.vector_file import VectorFile
from fuzzbow.vectors.subwords.inference import Inference
from fuzzbow.vectors.subwords.pieces import PieceInference, tokens_of, words_of
from fuzzbow.vectors.tables import ArrayTable, weighted_rows
from fuzzbow.vectors.word_vectors import WordVectors, assemble, check_finite

USUAL_NAMES = ("embeddings", "vectors", "embedding.weight", "embeddings.weight", "weight")
WORD_KEYS = ("words", "vocab", "vocabulary", "tokens")


def recognises(file: VectorFile) -> bool:
    """Return whether a file begins with a length and "{", or has the suffix of tensors."""
    if file.path.suffix == ".safetensors":
        return True
    if file.head[8:9] != b"{":
        return False
    return int(struct.unpack_from("<Q", file.head)[0]) <= LONGEST_HEADER


def read(file: VectorFile) -> WordVectors:
    """fuzzbow's own file, or the 2-D array of another with words from its metadata or beside it."""
    container = parse_container(file.content(), file.origin)
    if is_native(container):
        return read_native(container)
    matrix = _matrix(container)
    words, inference = _words(container, file.path, matrix)
    if len(words) != len(matrix):
        raise DataError(
            f"{container.origin}: words and vectors must agree; got {len(words)} and {len(matrix)}"
        )
    check_finite(matrix, words, container.origin)
    return assemble(words, matrix, name=file.name, inference=inference)


def _matrix(container: Container) -> Floats:
    """The vectors, (V, d) float32; a model2vec file may share rows and weigh them."""
    tables = [name for name, entry in container.entries.items() if len(entry.shape) == 2]
    usual = [name for name in USUAL_NAMES if name in tables]
    if len(tables) != 1 and not usual:
        found = ", ".join(tables or container.entries) or "nothing"
        raise DataError(f"{container.origin}: must hold one 2-D array of vectors; holds {found}")
    array = container.array(usual[0] if usual else tables[0])
    if not np.issubdtype(array.dtype, np.floating) and array.dtype != np.int8:
        raise DataError(f"{container.origin}: vectors must be real numbers; got {array.dtype}")
    if array.shape[1] == 0:
        raise DataError(f"{container.origin}: dimension must be at least 1; got 0")
    if _is_row(container, "mapping"):
        array = array[_mapping(container, len(array))]
    matrix = array.astype(np.float32, copy=False)
    if _is_row(container, "weights"):
        matrix = weighted_rows(matrix, container.array("weights"), container.origin)
    return matrix


def _is_row(container: Container, name: str) -> bool:
    return name in container.entries and len(container.entries[name].shape) == 1


def _mapping(container: Container, rows: int) -> Floats:
    mapping = container.array("mapping")
    if len(mapping) and not 0 <= mapping.min() <= mapping.max() < rows:
        raise DataError(f"{container.origin}: mapping must point to rows 0 to {rows - 1}")
    return mapping


def _words(container: Container, path: Path, matrix: Floats) -> tuple[list[str], Inference | None]:
    """Words in row order, and a tokenizer's way to make others."""
    listed = _metadata_words(container)
    if listed is not None:
        return listed, None
    for file in (path.with_name("vocab.txt"), path.with_suffix(".txt")):
        if file.is_file():
            return read_word_list(file), None
    tokenizer = path.with_name("tokenizer.json")
    if tokenizer.is_file():
        text = read_text(tokenizer)
        words = words_of(tokens_of(text, str(tokenizer)))
        return words, PieceInference(ArrayTable(matrix), text, str(tokenizer))
    raise DataError(
        f"{container.origin}: no words; they must be in its metadata as a JSON list 'words', or "
        "beside it in vocab.txt (one per line) or tokenizer.json"
    )


def _metadata_words(container: Container) -> list[str] | None:
    for key in WORD_KEYS:
        if key in container.metadata:
            try:
                words = json.loads(container.metadata[key])
            except (RecursionError, MemoryError) as error:
                raise DataError(f"{container.origin}: damaged metadata {key!r}") from error
            except ValueError:
                words = container.metadata[key].split("\n")
            if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
                raise DataError(f"{container.origin}: metadata {key!r} must be a list of words")
            return words
    return None


def read_word_list(path: Path) -> list[str]:
    """One word per line."""
    lines = read_text(path).replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines and lines[-1] == "" else lines
