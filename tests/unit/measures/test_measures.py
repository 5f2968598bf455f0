"""Each named measure against its formula on small vectors."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import fuzzbow
from fuzzbow.fuzzy import SET_SIMILARITIES
from fuzzbow.measures import MEASURES, Ability, compose, sif_pca, weighted_jaccard

LEFT, RIGHT = "he has a cat", "she had a dog a"
TEXTS = [LEFT, RIGHT, "", "unheard", "cat", "cat cat plane"]


def rows(vectors, text):
    return vectors.matrix[vectors.ids(text.split())].astype(np.float64)


def model(vectors, measure, **options):
    options = {"tokenizer": "whitespace", "engine": "reference"} | options
    return fuzzbow.load(vectors, measure=measure, **options)


def test_every_name_of_the_design_is_registered():
    similarities = ("jaccard", "otsuka", "dice", "cosine", "coverage", "overlap")
    poolings = ("max", "avg", "sum", "min")
    prefixes = ["weighted", "records", "letters", "names", *poolings]
    prefixes += [f"dyna{pooling}" for pooling in poolings]
    prefixes += ["randommax", "pcamax", "kmeansmax", "vocabmax"]
    composed = {f"{prefix}-{name}" for prefix in prefixes for name in similarities}
    baselines = {"set-jaccard", "bag-jaccard", "wmd", "soft-cardinality", "soft-cosine", "sif-pca"}
    assert set(MEASURES) == composed | baselines | {"fuzzy-bm25"}


LETTERS_COUNT = (
    "weighted-", "records-", "names-", "letters-", "fuzzy-bm25", "set-jaccard", "bag-jaccard"
)  # fmt: skip


@pytest.mark.filterwarnings("ignore::fuzzbow.errors.FuzzbowWarning")
@pytest.mark.parametrize("name", MEASURES)
def test_matrix_agrees_with_pairs_and_texts_without_known_words_score_zero(pets, name):
    if name == "wmd":
        pytest.importorskip("ot")
    scorer = model(pets, name)
    if not name.startswith(LETTERS_COUNT):
        assert scorer.similarity("unheard", "unheard") == 0.0
    if Ability.FIT in scorer.measure.abilities:
        scorer = scorer.fit(TEXTS)
    grid = scorer.matrix(TEXTS, TEXTS[::-1])
    lefts = [a for a in TEXTS for _ in TEXTS]
    rights = TEXTS[::-1] * len(TEXTS)
    np.testing.assert_allclose(grid.ravel(), scorer.pairs(lefts, rights), atol=1e-12)
    assert scorer.pairs(["", "unheard", ""], [LEFT, LEFT, ""]).tolist() == [0, 0, 0]


@pytest.mark.parametrize("pooling", ["max", "avg", "sum", "min"])
@pytest.mark.parametrize("similarity", SET_SIMILARITIES)
def test_dynamic_and_identity_measures_are_the_formula_over_repeated_rows(
    pets, pooling, similarity
):
    for prefix, universe in (("dyna", "dynamic"), ("", "identity")):
        expected = fuzzbow.set_similarity(
            rows(pets, LEFT),
            rows(pets, RIGHT),
            universe=universe,
            pooling=pooling,
            similarity=similarity,
        )
        found = model(pets, f"{prefix}{pooling}-{similarity}").similarity(LEFT, RIGHT)
        assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "universe"),
    [
        ("randommax-dice", lambda W: fuzzbow.fuzzy.random_universe(W.shape[1])),
        ("pcamax-dice", fuzzbow.fuzzy.principal_axes),
        ("kmeansmax-dice", fuzzbow.fuzzy.kmeans_centroids),
        ("vocabmax-dice", lambda W: W),
    ],
)
def test_fixed_universes_are_made_of_the_vocabulary(pets, name, universe):
    W = pets.matrix.astype(np.float64)
    expected = fuzzbow.set_similarity(
        rows(pets, LEFT), rows(pets, RIGHT), universe=universe(W), similarity="dice"
    )
    assert model(pets, name).similarity(LEFT, RIGHT) == pytest.approx(expected, abs=1e-12)


def test_bag_and_set_counting_differ_from_repeats(pets):
    X, Y = rows(pets, "cat dog"), rows(pets, "plane cat")
    for counting, counts in (("bag", [2.0, 1.0]), ("set", None)):
        found = model(pets, compose(counting=counting)).similarity("cat dog cat", "plane cat")
        assert found == pytest.approx(fuzzbow.set_similarity(X, Y, counts_x=counts), abs=1e-12)
    bag = model(pets, compose(counting="bag", pooling="avg"))
    pairs = bag.pairs([RIGHT] * len(TEXTS), TEXTS)
    np.testing.assert_allclose(bag.matrix([RIGHT], TEXTS)[0], pairs, atol=1e-12)


def test_sum_of_clipped_cosines_over_the_vocabulary_is_one_line(pets):
    zhao_mao = compose(
        universe="vocabulary",
        pooling="sum",
        word_similarity="clipped-cosine",
        similarity="cosine",
    )
    unit = pets.matrix / np.linalg.norm(pets.matrix, axis=1, keepdims=True)
    cosines = np.maximum(unit @ unit.T, 0).astype(np.float64)
    a, b = (cosines[pets.ids(text.split())].sum(axis=0) for text in (LEFT, RIGHT))
    expected = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    assert model(pets, zhao_mao).similarity(LEFT, RIGHT) == pytest.approx(expected, abs=1e-6)


def test_crisp_jaccard_counts_unknown_words_too(pets):
    assert model(pets, "set-jaccard").similarity("cat zebra a a", "zebra a") == 2 / 3
    assert model(pets, "bag-jaccard").similarity("cat zebra a a", "zebra a") == 2 / 4


def test_wmd_is_the_distance_of_words_and_moves_half_of_texts_that_share_half(pets):
    pytest.importorskip("ot")
    wmd = model(pets, "wmd")
    distance = np.linalg.norm(pets["cat"] - pets["dog"])
    assert wmd.similarity("cat cat", "dog") == pytest.approx(1 / (1 + distance))
    half = np.linalg.norm(pets["dog"] - pets["plane"]) / 2
    assert wmd.similarity("cat dog", "cat plane") >= 1 / (1 + half) - 1e-9


def test_soft_cardinality_unites_multisets(pets):
    def size(bag):
        words = list(bag.elements())
        X = rows(pets, " ".join(words))
        X = X / np.linalg.norm(X, axis=1, keepdims=True)
        return (1 / np.maximum(X @ X.T, 0).sum(axis=1)).sum()

    a, b = Counter(LEFT.split()), Counter(RIGHT.split())
    union = size(a | b)
    expected = (size(a) + size(b) - union) / union
    assert model(pets, "soft-cardinality").similarity(LEFT, RIGHT) == pytest.approx(expected)


def test_soft_cosine_of_single_words_is_their_clipped_cosine(pets):
    cat, dog = pets["cat"], pets["dog"]
    cosine = cat @ dog / np.linalg.norm(cat) / np.linalg.norm(dog)
    found = model(pets, "soft-cosine").similarity("cat", "dog")
    assert found == pytest.approx(max(cosine, 0.0), abs=1e-6)


def sif_average(pets, text, probabilities):
    ids = pets.ids(text.split())
    weights = 1e-3 / (1e-3 + probabilities[ids])
    return (weights[:, None] * pets.matrix[ids]).mean(axis=0)


def test_sif_pca_removes_the_first_component_of_the_texts_of_the_call(pets):
    lefts, rights = [LEFT, "cat dog", "plane flew"], [RIGHT, "dog", "a plane"]
    p = 1 / (np.arange(1, 10) + 2.7)
    X = np.array([sif_average(pets, text, p / p.sum()) for text in lefts + rights])
    component = np.linalg.svd(X)[2][0]
    X = X - np.outer(X @ component, component)
    a, b = X[:3], X[3:]
    expected = (a * b).sum(axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    np.testing.assert_allclose(model(pets, "sif-pca").pairs(lefts, rights), expected, atol=1e-6)


def test_sif_pca_with_a_stored_component_does_not_depend_on_the_call(pets):
    fitted = model(pets, "sif-pca").fit([LEFT, RIGHT, "cat dog", "plane flew"])
    together = fitted.pairs([LEFT, "cat"], [RIGHT, "plane"])
    assert fitted.similarity(LEFT, RIGHT) == pytest.approx(together[0], abs=1e-12)
    given = model(pets, sif_pca(fitted.measure.component))
    assert given.similarity(LEFT, RIGHT) == pytest.approx(together[0], abs=1e-12)


def test_scaling_by_sif_is_the_same_as_scaled_vectors(pets):
    p = 1 / (np.arange(1, 10) + 2.7)
    scaled = pets.matrix * (1e-3 / (1e-3 + p / p.sum()))[:, None]
    by_hand = fuzzbow.WordVectors.from_words(pets.words, scaled)
    expected = model(by_hand, "dynamax-jaccard").similarity(LEFT, RIGHT)
    found = model(pets, "dynamax-jaccard", weights="sif").similarity(LEFT, RIGHT)
    assert found == pytest.approx(expected, abs=1e-6)


def test_normalise_is_the_same_as_unit_vectors(pets):
    expected = model(pets, compose(word_similarity="clipped-cosine")).similarity(LEFT, RIGHT)
    found = model(pets, "dynamax-jaccard", normalise=True).similarity(LEFT, RIGHT)
    assert found == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda pets: model(pets, "weighted-jaccard", weights="sif"), "weighs words by itself"),
        (lambda pets: model(pets, "sif-pca", weights="sif"), "weighs words by itself"),
        (lambda pets: model(pets, "dynmax-jaccard"), "did you mean 'dynamax-jaccard'"),
        (lambda pets: model(pets, 3), "measure must be a name"),
        (lambda pets: compose(weights=[1.0]), "fixed universe"),
        (
            lambda pets: model(pets, compose(universe=np.eye(2))).similarity("cat", "dog"),
            "dimension of the vectors, 4; got 2",
        ),
        (
            lambda pets: model(pets, "max-jaccard").fit([LEFT]),
            "cannot be fitted to texts; these can: fuzzy-bm25, sif-pca",
        ),
    ],
)
def test_measures_and_parts_that_do_not_fit_are_refused(pets, make, message):
    with pytest.raises(fuzzbow.InputError, match=message):
        make(pets)


def test_weights_of_a_given_universe_are_used(pets):
    weighted = compose(universe=np.eye(4), weights=[1.0, 0.0, 0.0, 0.0])
    expected = fuzzbow.set_similarity(
        rows(pets, LEFT), rows(pets, RIGHT), universe="identity", weights=[1.0, 0, 0, 0]
    )
    assert model(pets, weighted).similarity(LEFT, RIGHT) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("left", "right", "score"),
    [
        ("1,650", "9,900", 0),
        ("123456.75", "123456.75", 1),
        ("zorblx", "zorbzz", 6 / 12),  # <zo zor orb rbl blx lx> against <zo zor orb rbz bzz zz>
        ("zorblx", "zorlbx", 1 - 1.2 / 6),  # by edits
    ],
)
def test_weighted_jaccard_compares_numbers_and_unknown_words_by_letters(left, right, score):
    assert fuzzbow.load("default").similarity(left, right) == pytest.approx(score)


def test_unknown_words_can_be_dropped():
    scorer = fuzzbow.load("default", measure=weighted_jaccard(unknown=False))
    assert scorer.similarity("zorblx cat", "cat") == 1.0


def test_small_vocabularies_warn(pets):
    few = fuzzbow.WordVectors.from_words(pets.words[:5], pets.matrix[:5])
    with pytest.warns(fuzzbow.errors.FuzzbowWarning, match="far more words than dimensions"):
        fuzzbow.load(few, tokenizer="words").similarity("a he", "she")
    with pytest.warns(fuzzbow.errors.FuzzbowWarning):
        assert fuzzbow.load({"cat": [1.0, 2.0]}).similarity("cat", "cat") == 1.0
