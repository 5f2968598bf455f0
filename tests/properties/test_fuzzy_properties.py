"""What must hold for any texts and any vectors, against deliberately naive code."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import fuzzbow
from fuzzbow.fuzzy import SET_SIMILARITIES, Pooling, fuzzify
from fuzzbow.measures import MEASURES

NUMBERS = st.floats(-8, 8, width=32).map(lambda x: 0.0 if abs(x) < 1e-3 else x)


def sets_of_vectors(dimension: int = 3):
    shapes = st.tuples(st.integers(1, 5), st.just(dimension))
    return shapes.flatmap(lambda shape: arrays.arrays(np.float64, shape, elements=NUMBERS))


SIMILARITIES = st.sampled_from(list(SET_SIMILARITIES))
UNIVERSES = st.sampled_from(["dynamic", "identity", "random"])


@given(sets_of_vectors(), sets_of_vectors(), UNIVERSES, SIMILARITIES)
def test_max_pooled_scores_are_between_zero_and_one(X, Y, universe, similarity):
    score = fuzzbow.set_similarity(X, Y, universe=universe, similarity=similarity)
    assert 0 <= score <= 1 + 1e-12


@given(sets_of_vectors(), sets_of_vectors(), SIMILARITIES, st.sampled_from(Pooling))
def test_scores_are_symmetric(X, Y, similarity, pooling):
    assume(SET_SIMILARITIES[similarity].symmetric)
    options = {"similarity": similarity, "pooling": pooling}
    there = fuzzbow.set_similarity(X, Y, **options)
    back = fuzzbow.set_similarity(Y, X, **options)
    # plain averages may divide by almost nothing; compare relatively there
    assert there == pytest.approx(back, rel=1e-6, abs=1e-9)


@given(sets_of_vectors(), SIMILARITIES)
def test_a_set_is_like_itself(X, similarity):
    expected = 1.0 if np.abs(X).max() > 0 else 0.0
    assert fuzzbow.set_similarity(X, X, similarity=similarity) == expected


@given(sets_of_vectors(), sets_of_vectors(), st.randoms(use_true_random=False))
def test_word_order_does_not_matter(X, Y, random):
    order = list(range(len(X)))
    random.shuffle(order)
    shuffled = fuzzbow.set_similarity(X[order], Y)
    assert shuffled == pytest.approx(fuzzbow.set_similarity(X, Y), abs=1e-12)


@given(sets_of_vectors(), sets_of_vectors())
def test_union_of_texts_is_the_maximum_of_memberships(X, Y):
    universe = np.eye(3)
    together = fuzzify(np.concatenate([X, Y]), universe)
    np.testing.assert_array_equal(together, np.maximum(fuzzify(X, universe), fuzzify(Y, universe)))


@given(sets_of_vectors())
def test_max_pooled_vectors_equal_the_identity_universe(X):
    pooled = [max(0.0, *column) for column in X.T.tolist()]
    np.testing.assert_array_equal(fuzzify(X, np.eye(3)), pooled)


WORDS = st.lists(st.integers(0, 7), min_size=1, max_size=8)


@given(WORDS, WORDS)
def test_with_orthonormal_vectors_fuzzy_jaccard_is_set_jaccard(a, b):
    vocabulary = np.eye(8)
    fuzzy = fuzzbow.set_similarity(vocabulary[a], vocabulary[b], universe=vocabulary)
    crisp = len(set(a) & set(b)) / len(set(a) | set(b))
    assert fuzzy == pytest.approx(crisp)


def naive_dynamax(X, Y, similarity, weights):
    """Loops only: no matrix, no broadcasting."""

    def member(words, u):
        return max([0.0] + [sum(x * y for x, y in zip(word, u, strict=True)) for word in words])

    U = [*X.tolist(), *Y.tolist()]
    a = [member(X.tolist(), u) for u in U]
    b = [member(Y.tolist(), u) for u in U]
    rows = list(zip(a, b, weights, strict=True))
    if similarity == "cosine":
        top = sum(w * x * y for x, y, w in rows)
        bottom = (sum(w * x * x for x, _, w in rows) * sum(w * y * y for _, y, w in rows)) ** 0.5
    else:
        top = sum(w * min(x, y) for x, y, w in rows)
        size_a, size_b = sum(w * x for x, _, w in rows), sum(w * y for _, y, w in rows)
        union = sum(w * max(x, y) for x, y, w in rows)
        bottom = {
            "jaccard": union,
            "otsuka": (size_a * size_b) ** 0.5,
            "dice": (size_a + size_b) / 2,
            "coverage": size_a,
            "overlap": min(size_a, size_b),
        }[similarity]
    return top / bottom if bottom else 0.0


@given(sets_of_vectors(), sets_of_vectors(), SIMILARITIES, st.data())
def test_dynamax_agrees_with_naive_loops(X, Y, similarity, data):
    size = len(X) + len(Y)
    weights = data.draw(st.lists(st.floats(0.125, 4), min_size=size, max_size=size))
    found = fuzzbow.set_similarity(X, Y, similarity=similarity, weights=weights)
    assert found == pytest.approx(naive_dynamax(X, Y, similarity, weights), abs=1e-9)


TEXTS = st.one_of(
    st.text(max_size=30),
    st.text(alphabet=st.characters(), max_size=30),
    st.lists(st.sampled_from(["cat", "Dog", "3.5", "1,650", "zzq", "n't", "."])).map(" ".join),
)


@pytest.fixture(scope="module")
def models():
    small = fuzzbow.load("default", limit=3000).vectors
    slow = ("vocabmax-", "kmeansmax-", "wmd")
    names = [name for name in MEASURES if not name.startswith(slow)]
    made = {name: fuzzbow.load(small, measure=name) for name in names}
    return made | {"fuzzy-bm25": made["fuzzy-bm25"].fit(["the cat", "3.5 dogs ."])}


@given(TEXTS, TEXTS)
@settings(max_examples=20)
def test_scores_are_finite_and_those_of_dynamic_measures_bounded_and_reflexive(models, a, b):
    for name, model in models.items():
        there, back, same = scores = model.pairs([a, b, a], [b, a, a])
        assert np.isfinite(scores).all(), name
        if name.startswith(("dynamax", "weighted")):
            assert 0 <= there <= 1, name
            assert not model.measure.symmetric or there == pytest.approx(back, abs=1e-12), name
            has_element = name.startswith("weighted") or model.coverage([a]) > 0
            assert same == (1.0 if model.tokenizer.words(a) and has_element else 0.0), name
