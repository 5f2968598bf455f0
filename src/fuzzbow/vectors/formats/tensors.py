"""Any safetensors file with a table of vectors; its words are in its metadata or in a file."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np

from fuzzbow.arrays import Floats
from fuzzbow.io.streams import read_text
from fuzzbow.vectors.formats import VectorFile
from fuzzbow.vectors.formats.container import LONGEST_HEADER, Container, parse_container
from fuzzbow.vectors.formats.native import is_native, read_native
from fuzzbow.vectors.subwords import Inference, PieceInference, tokens_of, words_of
from fuzzbow.vectors.tables import StoredTable, weighted_rows
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
    """Read fuzzbow's own file, or the 2-D array of another with its words."""
    container = parse_container(file.content(), str(file.path))
    if is_native(container):
        return read_native(container)
    matrix = _matrix(container)
    words, inference = _words(container, file.path, matrix)
    if len(words) != len(matrix):
        raise file.error(f"words and vectors must agree; got {len(words)} and {len(matrix)}")
    check_finite(matrix, words, container.origin)
    return assemble(words, matrix, name=file.name, inference=inference)


def _matrix(container: Container) -> Floats:
    """Read the vectors, (V, d) float32; a model2vec file may share rows and weight them."""
    tables = [name for name, (_, shape, _, _) in container.entries.items() if len(shape) == 2]
    lists = [name for name, (_, shape, _, _) in container.entries.items() if len(shape) == 1]
    usual = [name for name in USUAL_NAMES if name in tables]
    if len(tables) != 1 and not usual:
        found = ", ".join(tables or container.entries) or "nothing"
        raise container.error(f"must hold one 2-D array of vectors; holds {found}")
    array = container.array(usual[0] if usual else tables[0])
    if not np.issubdtype(array.dtype, np.floating) and array.dtype != np.int8:
        raise container.error(f"vectors must be real numbers; got {array.dtype}")
    if array.shape[1] == 0:
        raise container.error("dimension must be at least 1; got 0")
    if "mapping" in lists:
        mapping = container.array("mapping")
        if len(mapping) and not 0 <= mapping.min() <= mapping.max() < len(array):
            raise container.error(f"mapping must point to rows 0 to {len(array) - 1}")
        array = array[mapping]
    matrix = array.astype(np.float32, copy=False)
    if "weights" in lists:
        matrix = weighted_rows(matrix, container.array("weights"), container.origin)
    return matrix


def _words(container: Container, path: Path, matrix: Floats) -> tuple[list[str], Inference | None]:
    """Read words in row order, and the inference of other words by a tokenizer, if any."""
    key = next((key for key in WORD_KEYS if key in container.metadata), None)
    if key is not None:
        text = container.metadata[key]
        try:
            words = json.loads(text)
        except (RecursionError, MemoryError) as error:
            raise container.error(f"damaged metadata {key!r}") from error
        except ValueError:
            return text.split("\n"), None
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise container.error(f"metadata {key!r} must be a list of words")
        return words, None
    for file in (path.with_name("vocab.txt"), path.with_suffix(".txt")):
        if file.is_file():
            lines = read_text(file).replace("\r\n", "\n").split("\n")
            return lines[:-1] if lines[-1] == "" else lines, None
    tokenizer = path.with_name("tokenizer.json")
    if tokenizer.is_file():
        text = read_text(tokenizer)
        words = words_of(tokens_of(text, str(tokenizer)))
        return words, PieceInference(StoredTable(matrix), text, str(tokenizer))
    raise container.error(
        "no words; they must be in its metadata as a JSON list 'words', or in the same folder in"
        " vocab.txt (one per line) or tokenizer.json"
    )
