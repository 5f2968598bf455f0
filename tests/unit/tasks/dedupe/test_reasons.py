"""The words that matched, against the definition, one pair at a time."""

from __future__ import annotations

import numpy as np
import pytest

import fuzzbow
from fuzzbow import InputError
from fuzzbow.engine.batch import similarities
from tests.unit.tasks.dedupe import corpora


def expected_matches(model, text, other):
    """Word, similarity of the best match, and the words that reach it."""
    batch, which = model.encoder.encode([text, other])
    compared = model.measure.word_matches(batch)
    a, b = (compared.rows[row] for row in which.tolist())
    a = np.array(list(dict.fromkeys(a.tolist())), dtype=np.int64)
    grid = similarities(compared.table, a, b, compared.options)
    for word, row in zip(a.tolist(), grid, strict=True):
        best = row.max(initial=0.0)
        reached = {batch.words[b[place]] for place in np.flatnonzero(row > best - 1e-6)}
        yield batch.words[word], best, reached


@pytest.mark.parametrize(
    "measure", ["weighted-jaccard", "dynamax-jaccard", "dynamax-otsuka", "avg-cosine", "sif-pca"]
)
def test_reasons_are_the_best_matches_of_every_word(measure):
    model, texts = corpora.model(measure), corpora.corpus(80, 21)
    found = model.duplicates(texts, threshold=0.6)
    lefts, rights = np.arange(79), np.arange(1, 80)
    table = found.reasons(lefts, rights).to_pylist()
    assert len(table) == 79
    for row in table:
        for side, other in (("left", "right"), ("right", "left")):
            expected = list(expected_matches(model, texts[row[side]], texts[row[other]]))
            assert len(row[f"{side}_words"]) == len(expected)
            for mine, (word, best, reached) in zip(row[f"{side}_words"], expected, strict=True):
                assert mine["word"] == word
                assert mine["similarity"] == pytest.approx(best, abs=1e-5)
                assert mine["match"] in reached if best > 1e-6 else True


def test_reasons_have_the_scores_of_the_pairs():
    found = corpora.model().duplicates(corpora.corpus(100, 22), threshold=0.5)
    pairs = found.pairs.to_arrow()
    table = found.reasons(pairs["left"].to_numpy(), pairs["right"].to_numpy())
    assert table.select(["left", "right", "score", "exact"]) == pairs


def test_one_pair_in_words():
    model = fuzzbow.load("default")
    found = model.duplicates(
        ["The airplane landed at noon", "The plane landed at noon", "12 zzyzxq", "\ud800x zzyzxk"]
    )
    reason = found.why(0, 1)
    assert str(reason) == "airplane ~ plane 0.83, landed, noon"
    assert reason.score == model.similarity(*found.texts[:2])
    assert [match.word for match in reason.right_words] == ["the", "plane", "landed", "at", "noon"]
    assert "zzyzxq ~ zzyzxk 0.80" in str(found.why(2, 3))


def test_a_copy_is_called_an_exact_duplicate():
    found = corpora.model().duplicates(["ba be", "!", "ba be", "!"])
    assert (str(found.why(0, 2)), str(found.why(1, 3))) == ("exact duplicate",) * 2


def test_a_text_without_words_matches_nothing():
    reason = corpora.model().duplicates(["ba be", ""]).why(0, 1)
    assert [(match.match, match.similarity) for match in reason.left_words] == [(None, 0.0)] * 2
    assert (reason.score, reason.right_words, str(reason)) == (0.0, (), "")


def test_no_pairs_have_no_reasons():
    assert len(corpora.model().duplicates(["ba"]).reasons([], [])) == 0


def test_sides_of_a_join_of_two_data_sets():
    found = corpora.model().duplicates(["ba be"], others=["do", "be ba"])
    assert found.why(0, 1).score == 1.0
    with pytest.raises(InputError, match="lefts must be positions from 0 to 0; got 1"):
        found.why(1, 0)


@pytest.mark.parametrize(
    ("lefts", "rights", "message"),
    [
        ([0], [0, 1], "equal length; got 1 and 2"),
        ([0], [2], "rights must be positions from 0 to 1; got 2"),
        ([-1], [0], "lefts must be positions from 0 to 1; got -1"),
        ([0.5], [0], "lefts must be whole numbers; got float64"),
    ],
)
def test_positions_that_are_none(lefts, rights, message):
    with pytest.raises(InputError, match=message):
        corpora.model().duplicates(["ba", "be"]).reasons(lefts, rights)
