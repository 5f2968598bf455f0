"""Word vectors of other libraries, recognised without importing these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Floats, read_only
from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.vectors.subwords import NgramInference, PieceInference, tokens_of, words_of
from fuzzbow.vectors.tables import StoredTable, usable_rows, weighted_rows
from fuzzbow.vectors.vocabulary import MemoryVocabulary
from fuzzbow.vectors.word_vectors import LoadReport, WordVectors


def from_object(source: Any) -> WordVectors:
    """Convert an object of gensim, spaCy, model2vec, sentence-transformers, or a dictionary."""
    if isinstance(source, Mapping):
        return _from_mapping(source)
    if _is(source, "spacy", "Language"):
        names = source.meta.get("lang", "xx"), source.meta.get("name", "pipeline")
        return _from_spacy(source.vocab, "_".join(names))
    if _is(source, "spacy", "Vocab"):
        return _from_spacy(source, f"spacy-{source.lang or 'vocab'}")
    if _is(source, "model2vec", "StaticModel"):
        return _from_model2vec(source)
    if _is(source, "sentence_transformers", "SentenceTransformer"):
        return _from_sentence_transformer(source)
    inner = getattr(source, "wv", None)  # of gensim's Word2Vec, FastText and Doc2Vec models
    for vectors in (source, inner):
        if _is(vectors, "gensim", "KeyedVectors"):
            return _from_gensim(vectors)
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


def _from_mapping(source: Mapping[str, Any]) -> WordVectors:
    """Convert a dictionary from word to vector, all of one length."""
    if not source:
        raise InputError("dict: the vocabulary is empty; there must be at least one word")
    rows = {word: np.asarray(vector) for word, vector in source.items()}
    first = next(iter(rows.values()))
    for word, row in rows.items():
        if row.ndim != 1 or row.shape != first.shape:
            raise InputError(
                f"dict: every vector must be 1-D and as long as the first, {first.shape}; that of"
                f" {word!r} has shape {row.shape}"
            )
    return WordVectors.from_words(list(rows), np.stack(list(rows.values())), name="dict")


def _from_gensim(source: Any) -> WordVectors:
    """Convert KeyedVectors; those of fastText also have n-grams for unknown words."""
    inference, counts = None, None
    grams = getattr(source, "vectors_ngrams", None)
    if grams is not None and len(grams) and source.max_n > 0:
        table = StoredTable(read_only(np.asarray(grams, dtype=np.float32)))
        inference = NgramInference(table, int(source.min_n), int(source.max_n))
    found = getattr(source, "expandos", {}).get("count")
    if found is not None and len(found) == len(source.index_to_key):
        numbers = np.asarray(found, dtype=np.int64)
        # for a file without counts gensim makes up V, V - 1, …, 1
        counts = None if (np.diff(numbers) == -1).all() else numbers
    return WordVectors.from_words(
        source.index_to_key,
        np.asarray(source.vectors),
        counts=counts,
        name="gensim",
        inference=inference,
    )


def spacy_pipeline(source: str, name: str) -> WordVectors:
    """Read the vectors of an installed spaCy pipeline, or of one in a folder."""
    try:
        import spacy
    except ImportError as error:
        raise MissingExtraError("spacy", "spacy") from error
    try:
        folder = Path(source)
        if spacy.util.is_package(source):  # then the folder has the version in its name
            folder = Path(spacy.util.get_package_path(source))
            folder = next((file.parent for file in folder.glob("*/config.cfg")), folder)
        config = spacy.util.load_config(folder / "config.cfg")
        pipeline = spacy.load(source, exclude=list(config["nlp"]["pipeline"]))
    except Exception as error:  # a damaged folder can raise almost anything
        raise InputError(f"{source}: spaCy cannot load it: {error}") from error
    return _from_spacy(pipeline.vocab, name)


def _from_spacy(vocab: Any, name: str) -> WordVectors:
    """Convert the vectors of a spaCy vocabulary, in which several words may share a row."""
    vectors = vocab.vectors
    if str(getattr(vectors, "mode", "")).endswith("floret"):
        raise InputError(f"{name}: floret vectors have no list of words; use an _md or _lg model")
    if not len(vectors.key2row) or not vectors.data.size:
        raise InputError(
            f"{name}: this spaCy pipeline has no word vectors; use an _md or _lg model"
        )
    found = {
        vocab.strings[key]: row
        for key, row in vectors.key2row.items()
        if row >= 0 and key in vocab.strings
    }
    words, rows = list(found), np.array(list(found.values()), dtype=np.int64)
    data: NDArray[Any] = np.asarray(vectors.data)
    bad = ~usable_rows(data)[rows]
    if bad.any():
        word = words[int(bad.argmax())]
        raise InputError(f"{name}: the vector of {word!r} must be finite; got NaN or infinity")
    return WordVectors(
        MemoryVocabulary(words),
        StoredTable(read_only(data), row_of=read_only(rows)),
        name=name,
        report=LoadReport(skipped=len(vectors.key2row) - len(words)),
    )


def _from_model2vec(source: Any) -> WordVectors:
    """Convert a StaticModel: its tokens, and the sum of a word's pieces for other words."""
    matrix = np.asarray(source.embedding, dtype=np.float32)
    mapping, weights = getattr(source, "token_mapping", None), getattr(source, "weights", None)
    if mapping is not None:
        matrix = matrix[np.asarray(mapping)]
    name = str(getattr(source, "base_model_name", None) or "model2vec")
    if weights is not None:
        matrix = weighted_rows(matrix, np.asarray(weights), name)
    return _from_pieces(source.tokens, matrix, source.tokenizer, name)


def _from_sentence_transformer(source: Any) -> WordVectors:
    """Convert a SentenceTransformer of a StaticEmbedding: its tokens, and sums of pieces.

    A Normalize after it acts on whole texts, and changes no word.
    """
    first, *others = source
    if not _is(first, "sentence_transformers", "StaticEmbedding"):
        raise InputError(
            "a SentenceTransformer must begin with a StaticEmbedding to have vectors of words; this"
            f" one begins with a {type(first).__name__} (fuzzbow.model.contextual compares its"
            " words in context, and `fuzzbow vectors distil` makes vectors of them)"
        )
    changing = [type(module).__name__ for module in others if type(module).__name__ != "Normalize"]
    if changing:
        raise InputError(
            "after its StaticEmbedding a SentenceTransformer may have a Normalize, nothing else;"
            f" this one has {', '.join(changing)}"
        )
    matrix = first.embedding.weight.detach().float().cpu().numpy()
    name = "sentence-transformers"
    tokens = tokens_of(first.tokenizer.to_str(), name)
    return _from_pieces(tokens, matrix, first.tokenizer, name)


def _from_pieces(tokens: Sequence[str], matrix: Floats, tokenizer: Any, name: str) -> WordVectors:
    """Make vectors of a row for each token, and the sum of its pieces' rows for another word."""
    inference = PieceInference(StoredTable(read_only(matrix)), tokenizer.to_str(), name)
    return WordVectors.from_words(words_of(tokens), matrix, name=name, inference=inference)
