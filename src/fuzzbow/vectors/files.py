"""Which reader a file needs, found out from its first bytes."""

from __future__ import annotations

import mmap
import struct
from dataclasses import replace
from pathlib import Path

from fuzzbow.errors import InputError
from fuzzbow.streams import Stream, open_stream
from fuzzbow.vectors.container import LONGEST_HEADER, map_file, parse_container
from fuzzbow.vectors.fasttext_binary import MAGIC, read_fasttext
from fuzzbow.vectors.native import is_native, read_native
from fuzzbow.vectors.objects import spacy_pipeline
from fuzzbow.vectors.options import ReadOptions
from fuzzbow.vectors.tensors import read_tensors
from fuzzbow.vectors.text_blocks import Layout, parse_line
from fuzzbow.vectors.text_format import Header, find_header, read_text
from fuzzbow.vectors.word2vec_binary import read_word2vec_binary
from fuzzbow.vectors.word_vectors import WordVectors

VECTOR_SUFFIXES = (".txt", ".vec", ".bin", ".safetensors", ".w2v", ".glove")
COMPRESSIONS = (".gz", ".bz2", ".xz", ".zip")


def read_path(path: Path, options: ReadOptions) -> WordVectors:
    """Word vectors from a file of any known format, or from a model's folder."""
    if not path.exists():
        raise InputError(f"{path}: no such file")
    if path.is_dir():
        return _read_folder(path, options)
    with open_stream(path, progress=options.progress, wanted=VECTOR_SUFFIXES) as stream:
        if not stream.head:
            raise InputError(f"{path}: the file is empty")
        try:
            return _read_stream(stream, path, options)
        except MemoryError as error:
            raise InputError(f"{path}: needs more memory than there is") from error


def short_name(path: Path) -> str:
    """A label for a file: its name without the endings that say only the format."""
    name = path.name
    for endings in (COMPRESSIONS, VECTOR_SUFFIXES):
        name = next((name[: -len(end)] for end in endings if name.lower().endswith(end)), name)
    return name or path.name


def _read_stream(stream: Stream, path: Path, options: ReadOptions) -> WordVectors:
    head, name = stream.head, short_name(path)
    if head.startswith(MAGIC):
        return read_fasttext(_whole(stream, path), str(path), name, options)
    if _looks_like_safetensors(head) or path.suffix == ".safetensors":
        container = parse_container(_whole(stream, path), str(path))
        return (
            read_native(container) if is_native(container) else read_tensors(container, path, name)
        )
    header = find_header(head, str(path))
    if header is not None and not _is_text(head, header):
        return read_word2vec_binary(stream, header, name, options)
    if header is None and b"\0" in head:
        raise InputError(f"{path}: not a file of word vectors in any known format")
    return read_text(stream, name, options)


def _whole(stream: Stream, path: Path) -> mmap.mmap | bytes:
    """All bytes: mapped, or in memory where they had to be decompressed."""
    return stream.read_all() if stream.compression else map_file(path)


def _looks_like_safetensors(head: bytes) -> bool:
    if len(head) < 9 or head[8:9] != b"{":
        return False
    return int(struct.unpack_from("<Q", head)[0]) <= LONGEST_HEADER


def _is_text(head: bytes, header: Header) -> bool:
    """Whether what follows a header line is text: its first line says so, or no byte denies it."""
    line, newline, _ = head[header.size :].partition(b"\n")
    if newline:
        try:
            parse_line(line, Layout("", header.dimension, "latin-1"))
        except InputError:
            pass
        else:
            return True
    sample = head[header.size : header.size + 4096]
    return all(byte >= 32 or byte in b"\t\n\r" for byte in sample)


def _read_folder(path: Path, options: ReadOptions) -> WordVectors:
    """A model2vec or other safetensors model, or a spaCy pipeline on disk."""
    if (path / "meta.json").is_file() and (path / "vocab").is_dir():
        return spacy_pipeline(str(path), path.name)
    inside = [path / "model.safetensors", path / "0_StaticEmbedding" / "model.safetensors"]
    found = [file for file in inside if file.is_file()] or sorted(path.glob("*.safetensors"))
    if not found or (len(found) > 1 and found[0] != inside[0]):
        raise InputError(
            f"{path}: a directory; give a file of word vectors, or a directory with one model"
        )
    return replace(read_path(found[0], options), name=path.name)
