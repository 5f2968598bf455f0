"""Groups against SciPy's, leaders, reasons and the order in which pairs are processed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import squareform

from benchmarks.quality.dedupe import NAME, quality
from benchmarks.quality.tickets import make_tickets
from benchmarks.runner import read_results
from fuzzbow import InputError
from fuzzbow.dedupe import DedupeOptions, groups
from fuzzbow.dedupe.groups import Groups, complete_labels, connected, leaders
from fuzzbow.dedupe.pairs import PairArrays
from fuzzbow.engine.batch import similarities
from tests.unit.dedupe import corpora


def partition(labels) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)}


@given(
    size=st.integers(1, 60),
    edges=st.lists(st.tuples(st.integers(0, 59), st.integers(0, 59)), max_size=90),
    parts=st.integers(1, 5),
)
def test_connected_groups_are_scipy_s_components(size, edges, parts):
    a, b = np.array([(a % size, b % size) for a, b in edges], dtype=np.int64).reshape(-1, 2).T
    split = zip(np.array_split(a, parts), np.array_split(b, parts), strict=True)
    labels = connected(np.arange(size), split)
    graph = coo_matrix((np.ones(len(a)), (a, b)), shape=(size, size))
    assert partition(labels) == partition(connected_components(graph)[1])
    assert all(labels[label] == label for label in labels)
    assert (labels <= np.arange(size)).all()


def test_a_long_chain_and_a_star_take_few_rounds():
    size = 200_000
    middle = np.random.default_rng(0).permutation(size)
    chain = connected(np.arange(size), [(middle[:-1], middle[1:])])
    star = connected(np.arange(size), [(np.full(size - 1, size - 1), np.arange(size - 1))])
    assert not chain.any()
    assert not star.any()


def complete(scores: np.ndarray, threshold: float) -> np.ndarray:
    left, right = np.nonzero(np.triu(scores >= threshold, 1))
    pairs = PairArrays(left, right, scores[left, right], np.zeros(len(left), dtype=np.bool_))
    nodes = np.arange(len(scores))
    return complete_labels(connected(nodes, [(left, right)]), nodes, lambda: iter([pairs]))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("threshold", [0.3, 0.6, 0.9])
def test_complete_groups_are_scipy_s(seed, threshold):
    random = np.random.default_rng(seed)
    points = random.standard_normal((40, 2))
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    scores = np.exp(-distances)
    np.fill_diagonal(distances, 0)
    tree = linkage(squareform(distances, checks=False), "complete")
    expected = fcluster(tree, -np.log(threshold), criterion="distance")
    assert partition(complete(scores, threshold)) == partition(expected)


@given(st.integers(0, 10_000), st.sampled_from([0.25, 0.5, 0.75]))
def test_every_two_of_a_complete_group_are_a_pair_and_no_two_groups_could_be_one(seed, threshold):
    random = np.random.default_rng(seed)
    scores = random.integers(0, 5, (12, 12)) / 4  # many ties
    scores = np.maximum(scores, scores.T)
    np.fill_diagonal(scores, 1)
    labels = complete(scores, threshold)
    alike = labels[:, None] == labels[None, :]
    assert (scores[alike] >= threshold).all()
    groups = [sorted(group) for group in partition(labels)]
    for place, group in enumerate(groups):
        for other in groups[:place]:
            assert (scores[np.ix_(group, other)] < threshold).any()


def test_groups_can_be_taken_by_number():
    groups = Groups(np.array([0, 1, 1, 0, 4, 1]))
    assert groups.sizes.tolist() == [3, 2]
    assert groups[-1].tolist() == [0, 3]
    with pytest.raises(IndexError):
        groups[2]


def test_complete_groups_keep_copies_together():
    model, texts = corpora.model(), corpora.corpus(150, 12)
    found = model.duplicates(texts, threshold=0.6)
    labels, single = found.groups("complete").labels, found.groups("single").labels
    assert len(found.groups("complete")) != len(found.groups("single"))
    by_text = {}
    for text, label in zip(texts, labels.tolist(), strict=True):
        assert not text or by_text.setdefault(text, label) == label
    for group in found.groups("complete"):
        distinct = sorted({texts[place] for place in group.tolist()})
        assert model.matrix(distinct).min() >= 0.6 or len(distinct) == 1
    np.testing.assert_array_equal(single[labels], single)


def naive(ranks, scores):
    """The rule as it is written, with a dictionary of pairs."""
    stays: list[int] = []
    for text in np.argsort(ranks).tolist():
        if not any(frozenset((text, other)) in scores for other in stays):
            stays.append(text)
    led = []
    for text in range(len(ranks)):
        partners = [other for other in stays if frozenset((text, other)) in scores]
        best = max(
            partners, key=lambda other: (scores[frozenset((text, other))], -other), default=0
        )
        led.append(text if text in stays else best)
    return led


@given(
    size=st.integers(2, 30),
    drawn=st.lists(
        st.tuples(st.integers(0, 29), st.integers(0, 29), st.integers(1, 4)), max_size=80
    ),
    order=st.randoms(use_true_random=False),
    parts=st.integers(1, 4),
    held=st.sampled_from([0, 5, 1000]),
)
def test_leaders_are_those_of_the_rule(size, drawn, order, parts, held):
    scores = {
        frozenset((a % size, b % size)): score / 4 for a, b, score in drawn if a % size != b % size
    }
    edges = [(*sorted(pair), score) for pair, score in scores.items()]
    left, right, score = (
        np.array(column, dtype=kind)
        for column, kind in zip(
            zip(*edges, strict=True) if edges else ([], [], []), (int, int, float), strict=True
        )
    )
    ranks = list(range(size))
    order.shuffle(ranks)
    split = [
        PairArrays(*columns, np.zeros(len(columns[0]), dtype=np.bool_))
        for columns in zip(*(np.array_split(c, parts) for c in (left, right, score)), strict=True)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(groups, "HELD_PAIRS", held)
        found = leaders(np.array(ranks), lambda: iter(split))
    assert found.tolist() == naive(ranks, scores)


@given(
    texts=st.lists(st.lists(st.sampled_from(corpora.WORDS[:8]), max_size=5), max_size=25),
    threshold=st.floats(0.1, 1.0),
    keep=st.sampled_from(["first", "longest"]),
)
def test_no_row_goes_that_scores_below_the_threshold_with_what_stays(texts, threshold, keep):
    model = corpora.model()
    strings = [" ".join(words) for words in texts]
    found = model.duplicates(strings, threshold=threshold)
    removed = found.removed(keep=keep).to_pylist()
    kept = found.kept(keep=keep).tolist()
    assert sorted([*kept, *(row["position"] for row in removed)]) == list(range(len(strings)))
    for row in removed:
        assert row["kept"] in kept
        same = strings[row["position"]] == strings[row["kept"]]
        score = 1.0 if same else model.similarity(strings[row["position"]], strings[row["kept"]])
        assert row["score"] == pytest.approx(score, abs=1e-6)
        assert np.float32(row["score"]) >= np.float32(threshold)
    pairs = {(row["left"], row["right"]) for row in found.pairs.to_arrow().to_pylist()}
    assert not any((a, b) in pairs for a in kept for b in kept)  # and nothing stays that should go


def test_a_chain_is_cut_where_single_linkage_is_not():
    texts = ["ba be bi bo da de", "be bi bo da de di", "bi bo da de di do", "bo da de di do fa"]
    model = corpora.model()
    ends = model.similarity(texts[0], texts[-1])
    steps = model.pairs(texts[:-1], texts[1:]).min()
    threshold = corpora.between_scores(model.matrix(texts), (ends + steps) / 2)
    found = model.duplicates(texts, threshold=threshold)
    assert found.kept(linkage="single").tolist() == [0]
    assert found.removed(linkage="single")["score"].to_numpy().min() < threshold
    assert len(found.kept()) > 1
    assert found.removed()["score"].to_numpy().min() >= threshold


def test_groups_of_leaders_hold_what_goes_for_them():
    texts = corpora.corpus(80, 5)
    found = corpora.model().duplicates(texts, threshold=0.6)
    for keep in ("first", "longest"):
        removed = found.removed(keep=keep).to_pylist()
        expected = {}
        for row in removed:
            expected.setdefault(row["kept"], {row["kept"]}).add(row["position"])
        groups = found.groups(keep=keep)
        assert {frozenset(group.tolist()) for group in groups} == set(
            map(frozenset, expected.values())
        )
        assert set(found.representatives(keep=keep).tolist()) == expected.keys()


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


def test_one_pair_in_words(model):
    found = model.duplicates(
        ["The airplane landed at noon", "The plane landed at noon", "12 zzyzxq", "\ud800x zzyzxk"]
    )
    reason = found.why(0, 1)
    assert str(reason) == "airplane ~ plane 0.83, landed, noon"
    assert reason.score == model.similarity(*found.texts[:2])
    assert [match.word for match in reason.right_words] == ["the", "plane", "landed", "at", "noon"]
    assert "zzyzxq ~ zzyzxk 0.80" in str(found.why(2, 3))


def test_copies_and_texts_without_words_have_reasons():
    found = corpora.model().duplicates(["ba be", "!", "ba be", "!", ""])
    assert (str(found.why(0, 2)), str(found.why(1, 3))) == ("exact duplicate",) * 2
    reason = found.why(0, 4)
    assert [(match.match, match.similarity) for match in reason.left_words] == [(None, 0.0)] * 2
    assert (reason.score, reason.right_words, str(reason)) == (0.0, (), "")
    assert len(found.reasons([], [])) == 0


@pytest.mark.parametrize(
    ("lefts", "rights", "message"),
    [
        ([0], [0, 1], "equal length; got 1 and 2"),
        ([0], [2], "rights must be positions from 0 to 1; got 2"),
        ([-1], [0], "lefts must be positions from 0 to 1; got -1"),
        ([0.5], [0], "lefts must be whole numbers; got float64"),
    ],
)
def test_reasons_are_of_positions(lefts, rights, message):
    with pytest.raises(InputError, match=message):
        corpora.model().duplicates(["ba", "be"]).reasons(lefts, rights)
    found = corpora.model().duplicates(["ba be"], others=["do", "be ba"])
    assert found.why(0, 1).score == 1.0
    with pytest.raises(InputError, match="lefts must be positions from 0 to 0; got 1"):
        found.why(1, 0)


def test_the_default_is_precise_and_never_below_the_threshold(model):
    assert DedupeOptions().threshold == 0.9
    tickets = make_tickets(1500, seed=3)
    assert make_tickets(50, seed=1) == make_tickets(50, seed=1) != make_tickets(50, seed=2)
    committed = read_results(NAME)
    assert committed["rows"] == 50_000
    for found in (quality(tickets, model.duplicates(tickets.texts)), committed["default"]):
        assert found["below_threshold"] == 0
        assert found["precision"] >= 0.9
        assert found["recall"] >= 0.85
