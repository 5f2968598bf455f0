"""FuzzyVectorizer, FuzzyKernel and FuzzyNeighborsTransformer in scikit-learn itself."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import DBSCAN, HDBSCAN, SpectralClustering
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils import estimator_checks

import fuzzbow
from examples.cluster_texts import main as cluster_texts
from fuzzbow.integrations.sklearn import FuzzyKernel, FuzzyNeighborsTransformer, FuzzyVectorizer

ESTIMATORS = [FuzzyVectorizer(), FuzzyKernel(), FuzzyNeighborsTransformer(n_neighbors=2)]
LABELS = ["pets", "money", "pets", "money", "music"]

estimators = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda made: type(made).__name__)


CHECKS = [  # those of scikit-learn's own that fit no numbers
    estimator_checks.check_do_not_raise_errors_in_init_or_set_params,
    estimator_checks.check_estimator_repr,
    estimator_checks.check_estimator_tags_renamed,
    estimator_checks.check_estimators_unfitted,
    estimator_checks.check_get_params_invariance,
    estimator_checks.check_mixin_order,
    estimator_checks.check_no_attributes_set_in_init,
    estimator_checks.check_parameters_default_constructible,
    estimator_checks.check_set_params,
    estimator_checks.check_valid_tag_types,
]


@estimators
def test_scikit_learns_own_checks_pass_where_they_apply_to_texts(estimator):
    with pytest.warns(SkipTestWarning, match="string=True"):  # it knows that numbers are no input
        estimator_checks.check_estimator(clone(estimator))
    for check in CHECKS:
        check(type(estimator).__name__, clone(estimator))


@estimators
def test_copies_and_separate_steps_give_what_fit_transform_gives(estimator, model, texts):
    made = clone(estimator).set_params(model=model)
    wanted = _dense(made.fit_transform(texts)).tolist()
    twin = clone(made)
    assert twin.model is model
    assert _dense(twin.fit(texts).transform(texts)).tolist() == wanted
    again = pickle.loads(pickle.dumps(clone(estimator).fit(texts)))  # noqa: S301
    assert _dense(again.transform(texts)).tolist() == wanted
    assert len(made.get_feature_names_out()) == len(wanted[0])


@estimators
def test_no_texts_have_no_rows_and_missing_ones_are_empty(estimator, texts):
    with pytest.raises(NotFittedError):
        clone(estimator).transform(texts)
    made = clone(estimator).fit(texts)
    assert made.transform([]).shape == (0, made.transform(texts).shape[1])
    with pytest.warns(fuzzbow.errors.FuzzbowWarning, match="1 of 2 are missing"):
        found = made.transform([None, texts[0]])
    assert _dense(found).tolist() == _dense(made.transform(["", texts[0]])).tolist()


@estimators
def test_other_things_than_texts_are_refused(estimator):
    with pytest.raises(fuzzbow.InputError, match="X must hold strings; item 0 is int"):
        clone(estimator).fit([1, 2])
    with pytest.raises(fuzzbow.InputError, match="X must be a list of strings; got str"):
        clone(estimator).fit("a text")
    with pytest.raises(fuzzbow.InputError, match=r"model must be a fuzzbow\.Model"):
        clone(estimator).set_params(model=3).fit(["a"])
    if not isinstance(estimator, FuzzyVectorizer):
        with pytest.raises(fuzzbow.InputError, match="at least one text"):
            clone(estimator).fit([])


def test_rows_are_the_memberships_of_the_measure(texts):
    model = fuzzbow.load(measure="max-jaccard")
    rows = FuzzyVectorizer().fit_transform(texts)
    together = np.minimum(rows[0], rows[2]).sum() / np.maximum(rows[0], rows[2]).sum()
    assert together == pytest.approx(model.similarity(texts[0], texts[2]), abs=1e-5)


def test_rows_have_as_many_columns_as_the_universe_and_their_names(pets):
    model = fuzzbow.load(pets)
    words = FuzzyVectorizer(model, universe="vocabulary").fit(["a cat"])
    assert words.get_feature_names_out().tolist() == list(pets.words)
    random = FuzzyVectorizer(model, universe="random", size=6, seed=1).fit(["a cat"])
    assert random.get_feature_names_out().tolist()[:2] == ["random vector 0", "random vector 1"]
    assert random.transform(["a cat", "he flew"]).shape == (2, 6)
    with pytest.raises(fuzzbow.InputError, match="cannot encode single texts"):
        FuzzyVectorizer(universe="dynamic").fit(["a"])


def test_rows_classify_in_a_pipeline_whose_universe_is_searched_for(pets, texts):
    model = fuzzbow.load(pets)
    pipeline = make_pipeline(FuzzyVectorizer(model), LogisticRegression())
    search = GridSearchCV(pipeline, {"fuzzyvectorizer__universe": ["identity", "random"]}, cv=2)
    data = ["a cat", "she has a dog", "a plane", "he flew"] * 2
    search.fit(data, [0, 0, 1, 1] * 2)
    assert search.predict(["a dog", "a plane flew"]).tolist() == [0, 1]


def test_rows_come_as_a_frame_beside_other_columns(texts):
    import pandas as pd

    frame = pd.DataFrame({"text": texts, "year": range(5)})
    columns = ColumnTransformer(
        [("text", FuzzyVectorizer(), "text"), ("rest", "passthrough", ["year"])]
    ).set_output(transform="pandas")
    made = columns.fit_transform(frame)
    assert list(made.columns)[-2:] == ["text__dimension 127", "rest__year"]


def test_a_kernel_is_the_matrix_of_the_model(model, texts):
    made = FuzzyKernel(model).fit(texts[:2])
    assert made.transform(texts).tolist() == model.matrix(texts, texts[:2]).tolist()
    distances = FuzzyKernel(model, output="distance").fit(texts[:2])
    assert distances.transform(texts).tolist() == (1 - model.matrix(texts, texts[:2])).tolist()
    with pytest.raises(fuzzbow.InputError, match="output must be one of"):
        FuzzyKernel(output="angle").fit(texts)


def test_a_kernel_serves_support_vectors_neighbours_and_spectral_clusters(texts):
    support = make_pipeline(FuzzyKernel(), SVC(kernel="precomputed")).fit(texts, LABELS)
    assert support.predict(["a kitten on a mat"]).tolist() == ["pets"]
    nearest = KNeighborsClassifier(1, metric="precomputed")
    nearest = make_pipeline(FuzzyKernel(output="distance"), nearest).fit(texts, LABELS)
    assert nearest.predict(["share prices fell"]).tolist() == ["money"]
    spectral = SpectralClustering(2, affinity="precomputed", random_state=0)
    found = make_pipeline(FuzzyKernel(), spectral).fit_predict(texts[:4])
    assert (found[0] == found[2], found[1] == found[3], found[0] == found[1]) == (True, True, False)


@pytest.mark.parametrize("mode", ["distance", "connectivity"])
def test_nearest_neighbours_are_those_of_all_scores(model, texts, mode):
    graph = FuzzyNeighborsTransformer(model, n_neighbors=2, mode=mode).fit_transform(texts)
    distances = 1 - model.matrix(texts)
    np.fill_diagonal(distances, 0.0)
    wanted = np.argsort(distances, axis=1, kind="stable")[:, : 3 if mode == "distance" else 2]
    assert np.diff(graph.indptr).tolist() == [wanted.shape[1]] * len(texts)
    assert graph.indices.reshape(wanted.shape).tolist() == wanted.tolist()
    if mode == "distance":
        found = np.take_along_axis(distances, wanted, axis=1)
        assert graph.data.reshape(wanted.shape) == pytest.approx(found, abs=1e-12)


def test_neighbours_above_a_threshold_are_those_of_all_scores(model, texts):
    texts = [*texts, texts[0], "", ""]  # copies, and texts without words
    graph = FuzzyNeighborsTransformer(model, threshold=0.6).fit_transform(texts)
    scores = model.matrix(texts)
    np.fill_diagonal(scores, 1.0)  # a text is a neighbour of itself whatever its words
    assert _pairs(graph) == {tuple(map(int, pair)) for pair in np.argwhere(scores >= 0.6)}
    assert graph.data == pytest.approx([1 - scores[pair] for pair in _order(graph)], abs=1e-12)


def test_new_texts_have_neighbours_among_the_fitted(model, texts):
    new = ["a cat on a mat", "zzz", texts[1]]
    scores = model.matrix(new, texts)
    above = FuzzyNeighborsTransformer(model, threshold=0.6).fit(texts).transform(new)
    assert _pairs(above) == {tuple(map(int, pair)) for pair in np.argwhere(scores >= 0.6)}
    nearest = FuzzyNeighborsTransformer(model, n_neighbors=1).fit(texts).transform(new)
    assert nearest.indices.reshape(3, 2)[:, 0].tolist() == scores.argmax(axis=1).tolist()


def test_more_neighbours_than_there_are_texts_are_refused(texts):
    with pytest.raises(fuzzbow.InputError, match="below the number of fitted texts, 5; got 5"):
        FuzzyNeighborsTransformer(n_neighbors=5).fit_transform(texts)
    with pytest.raises(fuzzbow.InputError, match="n_neighbors must be a whole number"):
        FuzzyNeighborsTransformer(n_neighbors=0).fit(texts)


def test_graphs_are_clustered_without_a_warning(texts):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        graph = FuzzyNeighborsTransformer(threshold=0.6).fit_transform(texts)
        found = DBSCAN(eps=0.4, min_samples=2, metric="precomputed").fit_predict(graph)
        assert found.tolist() == [0, 1, 0, 1, -1]
        classifier = KNeighborsClassifier(2, metric="precomputed")
        pipeline = make_pipeline(FuzzyNeighborsTransformer(n_neighbors=2), classifier)
        assert pipeline.fit(texts, LABELS).predict([texts[0]]).tolist() == ["pets"]


def test_a_graph_of_all_above_a_threshold_is_clustered_by_hdbscan(texts):
    more = [*texts, "A kitten sat on a mat", "Stock prices fell on Monday"]
    graph = FuzzyNeighborsTransformer(threshold=0.1).fit_transform(more)
    clusters = HDBSCAN(min_cluster_size=2, min_samples=2, metric="precomputed", copy=True)
    assert clusters.fit_predict(graph).tolist() == [1, 0, 1, 0, -1, 1, 0]


def test_the_example_finds_its_stories(capsys, tmp_path):
    cluster_texts(["--texts", "200"])
    counted, compared = capsys.readouterr().out.splitlines()
    assert counted.startswith("200 texts: ")
    assert float(compared.rpartition(" ")[2]) > 0.9
    (tmp_path / "titles.txt").write_text("a cat sat\na cat sits\nstocks fell\n", "utf-8")
    cluster_texts([str(tmp_path / "titles.txt")])
    assert capsys.readouterr().out.startswith("3 texts: 1 clusters, 1 alone")


def _dense(found):
    return found.toarray() if hasattr(found, "toarray") else found


def _order(graph) -> list[tuple[int, int]]:
    """Row and column of each stored value, in its order."""
    rows = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    return list(zip(rows.tolist(), graph.indices.tolist(), strict=True))


def _pairs(graph) -> set[tuple[int, int]]:
    return set(_order(graph))
