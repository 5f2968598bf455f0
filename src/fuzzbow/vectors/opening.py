"""Opening word vectors from any source: a path, a known name, or an object."""

from __future__ import annotations

import codecs
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from fuzzbow.errors import InputError
from fuzzbow.paths import check_paths
from fuzzbow.progress import Progress
from fuzzbow.vectors.formats.native_writer import save_vectors
from fuzzbow.vectors.formats.vector_file import ReadOptions
from fuzzbow.vectors.objects import from_object
from fuzzbow.vectors.sources import open_named, unknown_source
from fuzzbow.vectors.tables import StoredType
from fuzzbow.vectors.word_vectors import WordVectors


def open_vectors(
    source: Any,
    *,
    limit: int | None = None,
    skip_bad: bool = False,
    encoding: str = "utf-8",
    progress: Progress | None = None,
) -> WordVectors:
    """Word vectors from a path, a known name, or an object that holds some.

    `limit` reads the first entries of a file only. `skip_bad` passes over unusable entries and
    counts them in `report`. `progress` is told how many bytes of a file are read, of how many.
    """
    if limit is not None and (not isinstance(limit, int) or limit < 1):
        raise InputError(f"limit must be at least 1; got {limit!r}")
    try:
        codecs.lookup(encoding)
    except LookupError as error:
        raise InputError(f"encoding must be one that Python knows; got {encoding!r}") from error
    options = ReadOptions(limit=limit, skip_bad=skip_bad, encoding=encoding, progress=progress)
    vectors = _open(source, options)
    return vectors if limit is None else vectors.first(limit)


def _open(source: Any, options: ReadOptions) -> WordVectors:
    if isinstance(source, WordVectors):
        return source
    if isinstance(source, str):
        named = open_named(source)
        if named is not None:
            return named
        if not os.path.exists(source):
            raise unknown_source(source)
    if isinstance(source, str | os.PathLike):
        from fuzzbow.vectors.formats.registry import read_path  # imports every reader

        return read_path(Path(source), options)
    return from_object(source)


def convert(
    source: Any,
    target: str | Path,
    *,
    dtype: StoredType | str = StoredType.FLOAT32,
    limit: int | None = None,
    skip_bad: bool = False,
    encoding: str = "utf-8",
    progress: Progress | None = None,
) -> WordVectors:
    """Read any source, write the native file `target`, and open that; the report is the source's.

    `progress` is told of bytes read, then of words written.
    """
    target = Path(target)
    named = source if isinstance(source, str | os.PathLike) else None
    check_paths(
        inputs={"the source": None if named is None else Path(named)},
        outputs={"the target": target},
    )
    vectors = open_vectors(
        source, limit=limit, skip_bad=skip_bad, encoding=encoding, progress=progress
    )
    save_vectors(vectors, target, dtype=dtype, progress=progress)
    return replace(open_vectors(target), report=vectors.report)
