"""Objects of gensim, spaCy and model2vec, and dictionaries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fuzzbow.errors import InputError
from fuzzbow.vectors import WordVectors, open_vectors, save_vectors

from .samples import WORDS, Write, text_of


def test_word_vectors_pass_through(vectors: WordVectors) -> None:
    assert open_vectors(vectors) is vectors


def test_limit_holds_for_objects(vectors: WordVectors) -> None:
    assert len(open_vectors(vectors, limit=2)) == 2


def test_a_dictionary_keeps_its_order(matrix: np.ndarray) -> None:
    opened = open_vectors(dict(zip(WORDS, matrix, strict=True)))
    assert list(opened.words) == WORDS


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({}, "empty"),
        ({"a": [1.0, 2.0], "b": [1.0]}, r"that of 'b' has shape \(1,\)"),
        ({"a": [np.nan]}, "'a' must be finite"),
        ({1: [1.0]}, "words must be strings"),
        (object(), "must be a path, a known name"),
        (None, "must be a path, a known name"),
    ],
)
def test_an_unusable_object_is_refused(source: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        open_vectors(source)


@pytest.fixture(scope="module")
def gensim() -> Any:
    return pytest.importorskip("gensim.models")


def test_keyed_vectors_keep_words_and_vectors(gensim: Any, matrix: np.ndarray) -> None:
    source = gensim.KeyedVectors(vector_size=4)
    source.add_vectors(WORDS, matrix)
    np.testing.assert_array_equal(open_vectors(source).matrix, matrix)


def test_a_whole_gensim_model_brings_its_counts(gensim: Any) -> None:
    texts = [["a", "b"], ["a", "c"], ["a", "b"], ["a", "a"]]
    counts = open_vectors(gensim.Word2Vec(texts, vector_size=3, min_count=1)).counts
    assert counts is not None
    assert counts.tolist() == [5, 2, 1]


def test_counts_that_gensim_made_up_are_dropped(
    gensim: Any, write: Write, matrix: np.ndarray
) -> None:
    path = write("x.vec", text_of(WORDS, matrix, header=True))
    assert open_vectors(gensim.KeyedVectors.load_word2vec_format(str(path))).counts is None


def test_fasttext_keyed_vectors_infer_as_gensim_does(gensim: Any) -> None:
    model = gensim.FastText([["cat", "dog", "the"]] * 3, vector_size=8, min_count=1, bucket=200)
    made, known = open_vectors(model.wv).infer(["kitten", "thé"])
    assert known.all()
    np.testing.assert_allclose(made, np.stack([model.wv["kitten"], model.wv["thé"]]), atol=1e-5)


@pytest.fixture
def pipeline(matrix: np.ndarray) -> Any:
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.blank("en")
    for word, row in zip(WORDS, matrix, strict=True):
        pipeline.vocab.set_vector(word, row)
    return pipeline


def test_a_spacy_pipeline_keeps_its_vectors(pipeline: Any, matrix: np.ndarray) -> None:
    opened = open_vectors(pipeline)
    np.testing.assert_allclose(opened.rows(opened.ids(WORDS)), matrix)


def test_a_spacy_vocabulary_is_accepted(pipeline: Any) -> None:
    assert len(open_vectors(pipeline.vocab)) == len(WORDS)


def test_spacy_words_that_share_a_row_have_the_same_vector(pipeline: Any) -> None:
    vocab = pipeline.vocab
    vocab.vectors.add(vocab.strings.add("feline"), row=vocab.vectors.key2row[vocab.strings["cat"]])
    opened = open_vectors(pipeline)
    np.testing.assert_array_equal(opened["feline"], opened["cat"])


def test_shared_rows_survive_conversion(pipeline: Any, tmp_path: Path) -> None:
    opened = open_vectors(pipeline)
    save_vectors(opened, tmp_path / "s.safetensors")
    np.testing.assert_array_equal(open_vectors(tmp_path / "s.safetensors").matrix, opened.matrix)


def test_a_spacy_folder_is_opened(pipeline: Any, tmp_path: Path) -> None:
    pipeline.to_disk(tmp_path / "pipeline")
    assert sorted(open_vectors(tmp_path / "pipeline").words) == sorted(WORDS)


def test_a_spacy_pipeline_without_vectors_says_what_to_use() -> None:
    spacy = pytest.importorskip("spacy")
    with pytest.raises(InputError, match="no word vectors; use an _md or _lg model"):
        open_vectors(spacy.blank("en"))


@pytest.fixture
def static_model() -> Any:
    model2vec = pytest.importorskip("model2vec")
    tokenizers = pytest.importorskip("tokenizers")
    tokens = ["[PAD]", "[UNK]", "cat", "dog", "##s", "##gy"]
    model = tokenizers.models.WordPiece(dict(zip(tokens, range(6), strict=True)), unk_token="[UNK]")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    rows = np.arange(18, dtype=np.float32).reshape(6, 3)
    return model2vec.StaticModel(vectors=rows, tokenizer=tokenizer)


def test_model2vec_tokens_are_words(static_model: Any) -> None:
    assert open_vectors(static_model)["dog"].tolist() == [9.0, 10.0, 11.0]


def test_model2vec_unknown_word_is_the_sum_of_its_pieces(static_model: Any) -> None:
    made, known = open_vectors(static_model).infer(["cats", "xyz", "doggy"])
    assert known.tolist() == [True, False, True]
    assert made.tolist() == [[18.0, 20.0, 22.0], [0.0, 0.0, 0.0], [24.0, 26.0, 28.0]]


def test_model2vec_folder_infers_as_the_object(static_model: Any, tmp_path: Path) -> None:
    static_model.save_pretrained(tmp_path / "model")
    made, _ = open_vectors(tmp_path / "model").infer(["cats"])
    assert made.tolist() == [[18.0, 20.0, 22.0]]


def test_converted_model2vec_still_infers(static_model: Any, tmp_path: Path) -> None:
    save_vectors(open_vectors(static_model), tmp_path / "m.safetensors")
    made, _ = open_vectors(tmp_path / "m.safetensors").infer(["cats"])
    assert made.tolist() == [[18.0, 20.0, 22.0]]


@pytest.mark.parametrize("odd", ["", "\ud800", "😀", "a b", "\x00"])
def test_model2vec_infers_nothing_bad_from_odd_words(static_model: Any, odd: str) -> None:
    made, _ = open_vectors(static_model).infer([odd])
    assert np.isfinite(made).all()
