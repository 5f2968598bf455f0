"""Texts in Arrow's memory: every result is that of a list of strings, to the last bit."""

from __future__ import annotations

import warnings

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fuzzbow
from fuzzbow.encoding import ArrowTexts, blank_texts, check_texts, comparable_texts
from fuzzbow.text import is_blank, whole_text
from tests.hostile.texts import FIXED, LONG, TEXTS, small_vectors

VIEW = getattr(pa, "string_view", pa.string)()
KINDS = [pa.string(), pa.large_string(), VIEW, pa.dictionary(pa.int32(), pa.string())]
MODELS = {  # by a lexicon; by a batch of memberships; by a collection
    name: fuzzbow.load(small_vectors(), measure=name)
    for name in ("weighted-jaccard", "max-jaccard")
}
MODELS["fuzzy-bm25"] = fuzzbow.load(small_vectors(), measure="fuzzy-bm25").fit(["a cat", "dog cat"])
EACH = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
FEW = settings(max_examples=20)
SIZES = st.integers(0, 12)
STRINGS = st.none() | TEXTS.map(whole_text) | st.sampled_from(["cat\0dog", "\0"])
MANY = [whole_text(text) for text in FIXED] * 4  # enough for every way of the kernels


class Exported:
    """A column of a library that offers it as Arrow, and in no other way."""

    def __init__(self, column):
        self._column = column

    def __arrow_c_stream__(self, requested_schema=None):
        return self._column.__arrow_c_stream__(requested_schema)


@pytest.fixture(autouse=True)
def kernels_for_few(monkeypatch):
    """The kernels split few texts, too."""
    monkeypatch.setattr("fuzzbow.encoding.encoder.KERNEL_TEXTS", 0)


@pytest.fixture(autouse=True)
def no_progress():
    """Missing texts are counted by other tests."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fuzzbow.errors.FuzzbowWarning)
        yield


@st.composite
def columns(draw, sizes=SIZES):
    """A list, and a column of it in any type, in chunks that are parts of longer arrays."""
    size = draw(sizes)
    texts = draw(st.lists(STRINGS, min_size=size, max_size=size))
    ends = sorted(draw(st.lists(st.integers(0, size), max_size=3)))
    kind, outside = draw(st.sampled_from(KINDS)), draw(st.lists(STRINGS, max_size=2))
    return texts, column_of(texts, kind, ends, outside)


def column_of(texts, kind, ends=(), outside=()):
    """Chunks that end at some places, each cut out of an array with other texts around."""
    ends, outside = list(ends), list(outside)
    chunks = [
        pa.array([*outside, *texts[start:end], *outside], kind).slice(len(outside), end - start)
        for start, end in zip([0, *ends], [*ends, len(texts)], strict=True)
    ]
    return pa.chunked_array(chunks, kind)


@EACH
@FEW
@given(st.integers(0, 8).flatmap(lambda n: st.tuples(columns(st.just(n)), columns(st.just(n)))))
def test_pairs(model, sides):
    (lefts, left), (rights, right) = sides
    wanted = model.pairs(lefts, rights)
    for given_left, given_right in [(left, right), (lefts, right), (left, rights)]:
        np.testing.assert_array_equal(model.pairs(given_left, given_right), wanted)


@EACH
@FEW
@given(columns(), columns())
def test_index_and_search(model, documents, queries):
    wanted, found = model.index(documents[0]), model.index(documents[1])
    assert hits(found, queries[1]) == hits(wanted, queries[0])
    found.add(queries[1])
    wanted.add(queries[0])
    assert hits(found, queries[0]) == hits(wanted, queries[0])


def hits(index, queries):
    return [found.to_dicts() for found in index.search(queries, k=5)]


@FEW
@given(columns(), st.none() | columns(), st.booleans())
def test_duplicates(some, others, any_details):
    model = MODELS["weighted-jaccard"]
    options = {"threshold": 0.6, **({"details": ()} if any_details else {})}
    wanted = model.duplicates(some[0], others=others and others[0], **options)
    found = model.duplicates(some[1], others=others and others[1], **options)
    assert found.pairs.to_arrow() == wanted.pairs.to_arrow()
    assert (found.apart, found.copies) == (wanted.apart, wanted.copies)
    assert found.texts == wanted.texts
    if others is None:
        assert found.kept(keep="longest").tolist() == wanted.kept(keep="longest").tolist()


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_many_texts_and_long_ones(kind):
    model = MODELS["weighted-jaccard"]
    texts = [*MANY, LONG[0]]
    column = column_of(texts, kind, [1, 70, 70, 100], ["before", "é"])
    np.testing.assert_array_equal(model.pairs(column, texts[::-1]), model.pairs(texts, texts[::-1]))
    np.testing.assert_array_equal(model.matrix(column), model.matrix(texts))
    assert hits(model.index(column), texts[:9]) == hits(model.index(texts), texts[:9])
    assert model.coverage(column) == model.coverage(texts)


def test_an_index_on_disk(tmp_path):
    model = MODELS["weighted-jaccard"]
    model.index(column_of(MANY, pa.string(), [1, 70], ["before"]), path=tmp_path / "index")
    found = fuzzbow.open_index(tmp_path / "index", model=model)
    assert hits(found, MANY[:9]) == hits(model.index(MANY), MANY[:9])


@pytest.mark.parametrize("tokenizer", ["whitespace", "records", "names", str.split], ids=str)
@pytest.mark.parametrize("least", [0, 10**9], ids=["kernels", "python"])
def test_whoever_splits(tokenizer, least, monkeypatch):
    monkeypatch.setattr("fuzzbow.encoding.encoder.KERNEL_TEXTS", least)
    model = fuzzbow.load(small_vectors(), tokenizer=tokenizer)
    column = column_of(MANY, pa.string(), [5])
    np.testing.assert_array_equal(model.pairs(column, MANY[::-1]), model.pairs(MANY, MANY[::-1]))
    assert hits(model.index(column), MANY[:9]) == hits(model.index(MANY), MANY[:9])


@pytest.mark.parametrize("column", [
    pa.chunked_array([], pa.string()),
    pa.chunked_array([[], []], pa.large_string()),
    pa.array([], pa.dictionary(pa.int8(), pa.string())),
    pa.array(["x"]).slice(1),
], ids=["no chunks", "empty chunks", "dictionary", "slice"])  # fmt: skip
def test_a_column_without_texts(column):
    model = MODELS["weighted-jaccard"]
    assert model.pairs(column, column).shape == (0,)
    assert model.matrix(column, ["cat"]).shape == (0, 1)
    assert len(model.index(column)) == len(model.duplicates(column).texts) == 0
    assert model.index(["cat"]).search(column) == []


@pytest.mark.parametrize("call", [
    lambda model, column: model.pairs(column, column),
    lambda model, column: model.index(column),
    lambda model, column: model.duplicates(column).pairs.to_arrow(),
], ids=["pairs", "index", "duplicates"])  # fmt: skip
def test_no_text_becomes_a_string(call, monkeypatch):
    made = []
    plain = ArrowTexts.__iter__

    def counted(self):
        made.extend(plain(self))
        return plain(self)

    monkeypatch.setattr(ArrowTexts, "__iter__", counted)
    call(fuzzbow.load(small_vectors()), Exported(column_of(MANY, pa.string(), [50])))
    assert len(made) <= 16  # whose language is looked at


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_blank_texts_are_the_same_in_arrow_s_memory(kind):
    letters = [chr(code) for code in range(0x3200) if code not in range(0xD800, 0xE000)]
    texts = [*letters, "", " a", "\ufeff\u200b", "a\n", "\U000e0041", "\ufe0f", "\uffa0\u3164"]
    column = check_texts(column_of(texts, kind, [50, 4_000], []), "texts")
    blank = [is_blank(text) for text in texts]
    assert blank_texts(column).tolist() == blank_texts(texts).tolist() == blank
    assert list(comparable_texts(column)) == comparable_texts(texts)
    assert all(map(is_blank, filter(str.isspace, map(chr, range(0x110000)))))
