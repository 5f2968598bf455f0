"""Word vectors that another library holds, recognised without importing that library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Floats, read_only
from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.vectors.subwords.inference import NgramInference
from fuzzbow.vectors.subwords.pieces import PieceInference, tokens_of, words_of
from fuzzbow.vectors.tables import ArrayTable, SharedTable, usable_rows, weighted_rows
from fuzzbow.vectors.vocabulary import MemoryVocabulary
from fuzzbow.vectors.word_vectors import LoadReport, WordVectors


def from_object(source: Any) -> WordVectors:
    """Word vectors of gensim, spaCy, model2vec or sentence-transformers, or of a dictionary."""
    if isinstance(source, Mapping):
        return from_mapping(source)
    if _is(source, "gensim", "KeyedVectors"):
        return from_gensim(source)
    if _is(source, "spacy", "Language"):
        return from_spacy(source.vocab, _spacy_name(source))
    if _is(source, "spacy", "Vocab"):
        return from_spacy(source, f"spacy-{source.lang or 'vocab'}")
    if _is(source, "model2vec", "StaticModel"):
        return from_model2vec(source)
    if _is(source, "sentence_transformers", "SentenceTransformer"):
        return from_sentence_transformer(source)
    inner = getattr(source, "wv", None)  # gensim's Word2Vec, FastText and Doc2Vec models
    if inner is not None and _is(inner, "gensim", "KeyedVectors"):
        return from_gensim(inner)
    raise InputError(
        "vectors must be a path, a known name, WordVectors, a gensim KeyedVectors, a spaCy "
        "pipeline, a model2vec StaticModel, a SentenceTransformer of static embeddings or a "
        f"dictionary of arrays; got {type(source)}"
    )


def _is(source: Any, package: str, name: str) -> bool:
    """Return whether an object's class, or a base of it, has this name and package."""
    return any(
        kind.__name__ == name and kind.__module__.split(".")[0] == package
        for kind in type(source).__mro__
    )


def from_mapping(source: Mapping[str, Any], name: str = "dict") -> WordVectors:
    """A dictionary from word to vector, all of one length."""
    if not source:
        raise InputError(f"{name}: the vocabulary is empty; there must be at least one word")
    words = list(source)
    rows = [np.asarray(vector) for vector in source.values()]
    for word, row in zip(words, rows, strict=True):
        if row.ndim != 1 or row.shape != rows[0].shape:
            raise InputError(
                f"{name}: every vector must be 1-D and as long as the first, {rows[0].shape}; "
                f"that of {word!r} has shape {row.shape}"
            )
    return WordVectors.from_words(words, np.stack(rows), name=name)


def from_gensim(source: Any) -> WordVectors:
    """KeyedVectors; those of fastText also bring the n-grams for unknown words."""
    inference = None
    grams = getattr(source, "vectors_ngrams", None)
    if grams is not None and len(grams) and source.max_n > 0:
        table = ArrayTable(read_only(np.asarray(grams, dtype=np.float32)))
        inference = NgramInference(table, int(source.min_n), int(source.max_n))
    return WordVectors.from_words(
        source.index_to_key,
        np.asarray(source.vectors),
        counts=_gensim_counts(source),
        name="gensim",
        inference=inference,
    )


def _gensim_counts(source: Any) -> NDArray[np.int64] | None:
    """The counts; None where gensim made them up as V, V - 1, …, 1, as it does for a file."""
    counts = getattr(source, "expandos", {}).get("count")
    if counts is None or len(counts) != len(source.index_to_key):
        return None
    numbers = np.asarray(counts, dtype=np.int64)
    return None if (np.diff(numbers) == -1).all() else numbers


def _spacy_name(pipeline: Any) -> str:
    meta = pipeline.meta
    return f"{meta.get('lang', 'xx')}_{meta.get('name', 'pipeline')}"


def spacy_pipeline(source: str, name: str) -> WordVectors:
    """The vectors of an installed spaCy pipeline, or of one in a folder."""
    try:
        import spacy
    except ImportError as error:
        raise MissingExtraError("spacy", "spacy") from error
    try:
        config = spacy.util.load_config(_spacy_folder(spacy, source) / "config.cfg")
        pipeline = spacy.load(source, exclude=list(config["nlp"]["pipeline"]))
    except Exception as error:  # a damaged folder can raise almost anything
        raise InputError(f"{source}: spaCy cannot load it: {error}") from error
    return from_spacy(pipeline.vocab, name)


def _spacy_folder(spacy: Any, source: str) -> Path:
    """Return the folder of a pipeline's files; in a package it has the version in its name."""
    if not spacy.util.is_package(source):
        return Path(source)
    package = Path(spacy.util.get_package_path(source))
    return next((file.parent for file in package.glob("*/config.cfg")), package)


def from_spacy(vocab: Any, name: str) -> WordVectors:
    """The vectors of a spaCy vocabulary; several words may share a row."""
    vectors = vocab.vectors
    if str(getattr(vectors, "mode", "")).endswith("floret"):
        raise InputError(f"{name}: floret vectors have no list of words; use an _md or _lg model")
    if not len(vectors.key2row) or not vectors.data.size:
        raise InputError(
            f"{name}: this spaCy pipeline has no word vectors; use an _md or _lg model"
        )
    words, rows, skipped = _spacy_words(vocab)
    data = np.asarray(vectors.data)
    _check_shared(data, words, rows, name)
    return WordVectors(
        MemoryVocabulary.from_words(words),
        SharedTable(read_only(data), read_only(rows)),
        name=name,
        report=LoadReport(skipped=skipped),
    )


def _spacy_words(vocab: Any) -> tuple[list[str], NDArray[np.int64], int]:
    """Words whose text is known, their rows, and how many are not."""
    words: list[str] = []
    rows: list[int] = []
    for key, row in vocab.vectors.key2row.items():
        if row >= 0 and key in vocab.strings:
            words.append(vocab.strings[key])
            rows.append(row)
    return words, np.array(rows, dtype=np.int64), len(vocab.vectors.key2row) - len(words)


def _check_shared(
    data: NDArray[Any], words: Sequence[str], rows: NDArray[np.int64], name: str
) -> None:
    bad = ~usable_rows(data)
    if bad[rows].any():
        word = words[int(bad[rows].argmax())]
        raise InputError(f"{name}: the vector of {word!r} must be finite; got NaN or infinity")


def from_model2vec(source: Any) -> WordVectors:
    """A StaticModel: its tokens, and the sum of a word's pieces for other words."""
    matrix = np.asarray(source.embedding, dtype=np.float32)
    mapping, weights = getattr(source, "token_mapping", None), getattr(source, "weights", None)
    if mapping is not None:
        matrix = matrix[np.asarray(mapping)]
    name = str(getattr(source, "base_model_name", None) or "model2vec")
    if weights is not None:
        matrix = weighted_rows(matrix, np.asarray(weights), name)
    return _from_pieces(source.tokens, matrix, source.tokenizer, name)


def from_sentence_transformer(source: Any) -> WordVectors:
    """A SentenceTransformer of a StaticEmbedding: its tokens, and sums of pieces for other words.

    A Normalize behind it acts on whole texts, and says nothing of words.
    """
    first, *others = source
    if not _is(first, "sentence_transformers", "StaticEmbedding"):
        raise InputError(
            "a SentenceTransformer must begin with a StaticEmbedding to have vectors of words; this"
            f" one begins with a {type(first).__name__} (fuzzbow.contextual compares its words in"
            " context, and `fuzzbow distil` makes vectors of them)"
        )
    changing = [type(module).__name__ for module in others if type(module).__name__ != "Normalize"]
    if changing:
        raise InputError(
            "behind its StaticEmbedding a SentenceTransformer may have a Normalize, nothing else;"
            f" this one has {', '.join(changing)}"
        )
    matrix = first.embedding.weight.detach().float().cpu().numpy()
    name = "sentence-transformers"
    tokens = tokens_of(first.tokenizer.to_str(), name)
    return _from_pieces(tokens, matrix, first.tokenizer, name)


def _from_pieces(tokens: Sequence[str], matrix: Floats, tokenizer: Any, name: str) -> WordVectors:
    """A row for each token, and the sum of its pieces' rows for another word."""
    inference = PieceInference(ArrayTable(read_only(matrix)), tokenizer.to_str(), name)
    return WordVectors.from_words(words_of(tokens), matrix, name=name, inference=inference)
