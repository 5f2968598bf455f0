"""Opening word vectors from any source: a path, a known name, or an object."""

from __future__ import annotations

import codecs
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from numpy.typing import ArrayLike

from fuzzbow.errors import InputError
from fuzzbow.progress import Progress
from fuzzbow.vectors.formats import ReadOptions
from fuzzbow.vectors.formats.native import save_vectors
from fuzzbow.vectors.objects import from_object
from fuzzbow.vectors.sources import open_named, unknown_source_error
from fuzzbow.vectors.tables import StoredType
from fuzzbow.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from gensim.models import KeyedVectors
    from model2vec import StaticModel
    from sentence_transformers import SentenceTransformer
    from spacy.language import Language
    from spacy.vocab import Vocab

    VectorSource: TypeAlias = (
        str
        | os.PathLike[str]
        | WordVectors
        | Mapping[str, ArrayLike]
        | KeyedVectors
        | Language
        | Vocab
        | StaticModel
        | SentenceTransformer
    )
else:
    VectorSource = Any


def open_vectors(
    source: VectorSource,
    *,
    limit: int | None = None,
    skip_bad: bool = False,
    encoding: str = "utf-8",
    progress: Progress | None = None,
) -> WordVectors:
    """Open word vectors.

    Parameters
    ----------
    source
        Path of a file or a model's folder, a name (`named_sources` lists them), or an object:
        `WordVectors`, a gensim KeyedVectors or model, a spaCy pipeline, a model2vec StaticModel,
        a SentenceTransformer of static embeddings, or a dictionary from word to vector.
    limit
        Number of entries to read, the first ones of a file.
    skip_bad
        Whether to skip malformed entries, which are counted in `WordVectors.report`.
    encoding
        Encoding of words in text files and binary files.
    progress
        Function that is called with the number of bytes read and of all bytes.

    Raises
    ------
    InputError
        If there is no such source, or it is damaged.
    MissingExtraError
        If a package is needed that is not installed.

    Examples
    --------
    >>> vectors = open_vectors({"cat": [1.0, 0.0], "dog": [0.6, 0.8]})
    >>> vectors.dimension, list(vectors)
    (2, ['cat', 'dog'])
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
            raise unknown_source_error(source)
    if isinstance(source, str | os.PathLike):
        from fuzzbow.vectors.formats.registry import read_path  # imports every reader

        return read_path(Path(source), options)
    return from_object(source)


def convert(
    source: VectorSource,
    target: str | Path,
    *,
    dtype: StoredType | str = StoredType.FLOAT32,
    limit: int | None = None,
    skip_bad: bool = False,
    encoding: str = "utf-8",
    progress: Progress | None = None,
) -> WordVectors:
    """Write any source as fuzzbow's own file, and open that.

    Parameters
    ----------
    source
        Vectors to read, as for `open_vectors`.
    target
        File to write; its name must end in .safetensors.
    dtype
        "float32", "float16", "int8" or "int4"; int8 and int4 have a scale for each row.
    limit, skip_bad, encoding
        Options of `open_vectors`.
    progress
        Function that is called with bytes read of all bytes, then with words written of all words.

    Returns
    -------
    WordVectors
        The vectors of `target`, with the report of the source.
    """
    from fuzzbow.io.outputs import check_paths  # not needed to read

    target = Path(target)
    named = Path(source) if isinstance(source, str | os.PathLike) else None
    check_paths(inputs={"the source": named}, outputs={"the target": target})
    vectors = open_vectors(
        source, limit=limit, skip_bad=skip_bad, encoding=encoding, progress=progress
    )
    save_vectors(vectors, target, dtype=dtype, progress=progress)
    return replace(open_vectors(target), report=vectors.report)
