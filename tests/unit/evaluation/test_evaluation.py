"""Systems on sets: the whole way from texts to differences."""

from __future__ import annotations

import json
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

import fuzzbow
from fuzzbow import InputError
from fuzzbow.evaluation import (
    CandidateSet,
    PairSet,
    Question,
    RetrievalSet,
    evaluate,
    read_set,
    systems,
)
from fuzzbow.evaluation.systems import ModelSystem
from fuzzbow.evaluation.tables import set_table
from fuzzbow.evaluation.ties import tie_keys
from tests.unit.evaluation import naive

WORDS = ["cat", "dog", "kitten", "puppy", "jet", "plane", "bread", "cake", "sofa", "garden"]


@pytest.fixture(scope="module")
def model():
    return fuzzbow.load()


def random_set(seed: int, *, documents: int = 40, queries: int = 15) -> RetrievalSet:
    """Documents of few words, so that many scores are equal, with graded relevance."""
    random = np.random.default_rng(seed)

    def texts(prefix: str, count: int, most: int) -> dict[str, str]:
        sizes = random.integers(1, most, size=count)
        return {
            f"{prefix}{place}": " ".join(random.choice(WORDS, size))
            for place, size in enumerate(sizes)
        }

    asked, held = texts("q", queries, 3), texts("d", documents, 4)
    grades = {
        query: {f"d{place}": float(random.integers(0, 3)) for place in random.choice(40, 6)}
        for query in asked
    }
    return RetrievalSet("random", asked, held, grades, recall_at=(3,))


@pytest.mark.parametrize("measure", ["weighted-jaccard", "weighted-coverage", "set-jaccard"])
def test_retrieval_is_what_sorting_all_scores_by_hand_gives(model, measure):
    data, chosen = random_set(1), model.with_measure(measure)
    names = list(data.documents)
    ties = dict(zip(names, tie_keys(names, seed=4).tolist(), strict=True))
    rows = []
    for query in data.judged:
        scored = chosen.matrix([data.queries[query]], list(data.documents.values()))[0]
        score = dict(zip(names, np.round(scored, 10).tolist(), strict=True))
        order = sorted(names, key=lambda name: (-score[name], ties[name]))
        grades = [data.qrels[query].get(name, 0.0) for name in order]
        relevant = [grade for grade in data.qrels[query].values() if grade > 0]
        rows.append(
            [
                naive.ndcg(grades, relevant),
                naive.average_precision(grades, relevant),
                naive.reciprocal_rank(grades),
                naive.recall(grades, relevant, 3),
            ]
        )
    found = data.measure(ModelSystem(measure, chosen), seed=4)
    assert found.sample == pytest.approx(np.array(rows))
    assert list(found.values) == ["nDCG@10", "MAP", "MRR", "recall@3"]
    assert list(found.values.values()) == pytest.approx(100 * np.mean(rows, axis=0))


def test_the_order_of_files_does_not_matter(model):
    data = random_set(2)
    turned = RetrievalSet(
        "random",
        data.queries,
        dict(reversed(data.documents.items())),
        data.qrels,
        data.recall_at,
    )
    system = ModelSystem("weighted-jaccard", model)
    assert data.measure(system).values == turned.measure(system).values


def test_a_constant_score_is_not_perfect_though_matches_come_first(model):
    labels = np.array([1.0] * 20 + [0.0] * 180)
    lefts, rights = ["xqzzy"] * 200, [f"wv{place}wv" for place in range(200)]
    found = PairSet("constant", lefts, rights, labels).measure(
        ModelSystem("avg-cosine", model.with_measure("avg-cosine"))
    )
    assert found.values["AP"] < 30
    grades = tuple([1.0] * 10 + [0.0] * 90)
    asked = Question("xqzzy", tuple(rights[:100]), grades)
    again = CandidateSet("constant", (asked,)).measure(
        ModelSystem("avg-cosine", model.with_measure("avg-cosine"))
    )
    assert again.values["MAP"] < 40
    assert again.notes == ("1 of 1 query with no score above 0",)


def test_a_query_without_known_words_counts_and_is_noted(folder, model):
    found = evaluate(folder, model, baselines=["bm25"], resamples=100)["house"]
    for name in ("weighted-jaccard", "bm25"):
        assert "of 3 queries with no score above 0" in found[name].notes[-1]
        assert np.isfinite(list(found[name].values.values())).all()


def test_candidates_are_ranked_within_their_query(candidates, model):
    found = evaluate(candidates, model, baselines=["bm25"])["answers"]
    assert found["weighted-jaccard"].values == {"MAP": 100.0, "MRR": 100.0}
    assert found.baselines == ("bm25",)


def test_a_measure_that_is_fitted_gets_the_collection(candidates, pairs, model):
    # sif-pca depends on the texts of a call unless it is fitted
    fitted = model.with_measure("sif-pca")
    data = read_set(pairs)
    scores = fitted.fit([*data.lefts, *data.rights]).pairs(data.lefts, data.rights)
    found = ModelSystem("sif-pca", fitted).over([*data.lefts, *data.rights])
    assert found.pairs(data.lefts, data.rights) == pytest.approx(scores, abs=1e-6)
    assert found.pairs(data.lefts[:1], data.rights[:1]) == pytest.approx(scores[:1], abs=1e-6)
    assert evaluate([candidates], fitted, baselines=[])["answers"].systems[0].values["MRR"] > 0


def test_the_usual_baselines_are_those_of_the_kind(folder, candidates, pairs, model):
    found = evaluate([folder, candidates, pairs], model, resamples=100)
    assert [item.baselines for item in found.sets] == [
        ("bm25",),
        ("bm25",),
        ("tfidf", "char-tfidf"),
    ]
    differences = found["records"]["weighted-jaccard"].differences
    assert list(differences) == ["tfidf", "char-tfidf"]
    assert list(differences["tfidf"]) == ["AP"]
    json.dumps(found.to_dict(), allow_nan=False)


def test_differences_are_those_of_the_values(folder, model):
    found = evaluate(folder, [model], baselines=["bm25", "weighted-coverage"], resamples=200)
    item = found["house"]
    ours = item["weighted-jaccard"]
    for name in item.baselines:
        for metric in item.metrics:
            delta = ours.values[metric] - item[name].values[metric]
            assert ours.differences[name][metric].delta == pytest.approx(delta, abs=1e-9)


def test_the_same_seed_gives_the_same_intervals(model):
    first, again, other = (
        evaluate(random_set(3), model, baselines=["weighted-coverage"], resamples=200, seed=seed)
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first.sets[0].systems[0].differences != other.sets[0].systems[0].differences


def test_a_baseline_among_the_models_is_run_once(folder, model):
    models = [model, model.with_measure("weighted-coverage")]
    found = evaluate(folder, models, baselines=["weighted-coverage"], resamples=100)["house"]
    assert [item.system for item in found.systems] == ["weighted-jaccard", "weighted-coverage"]
    assert not found["weighted-coverage"].differences


def test_the_best_variant_is_at_least_the_usual_one(model):
    found = evaluate(random_set(5), model, baselines=["bm25", "bm25-best"], resamples=100)
    item = found["random"]
    assert item["bm25-best"].values["nDCG@10"] >= item["bm25"].values["nDCG@10"]
    assert "stop words" in item["bm25-best"].notes[0]


def test_models_may_have_names_of_their_own(folder, model):
    found = evaluate(folder, {"ours": model, "again": model}, baselines=["again"], resamples=100)
    difference = found["house"]["ours"].differences["again"]["MAP"]
    assert (difference.low, difference.high) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"baselines": ["bm52"]}, r"baseline must be one of bm25, .*did you mean 'bm25"),
        ({"resamples": 10}, "resamples must be at least 100; got 10"),
        ({"seed": -1}, "seed must be a whole number of at least 0; got -1"),
        ({"sets": []}, "sets must hold at least one"),
        ({"models": []}, "models must hold at least one"),
    ],
)
def test_wrong_choices_are_refused(folder, model, changes, message):
    given = {"sets": folder, "models": model} | changes
    with pytest.raises(InputError, match=message):
        evaluate(given.pop("sets"), given.pop("models"), **given)


def test_two_models_of_one_name_are_refused(folder, model):
    with pytest.raises(InputError, match="weighted-jaccard more than once"):
        evaluate(folder, [model, model])


def test_progress_hears_of_every_system(folder, candidates, model):
    heard = []
    evaluate(
        [folder, candidates],
        model,
        resamples=100,
        progress=lambda done, total: heard.append((done, total)),
    )
    assert heard == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_result_that_is_not_there_is_a_key_error(candidates, model):
    found = evaluate(candidates, model, baselines=[])
    with pytest.raises(KeyError, match="wmd"):
        found["answers"]["wmd"]


def test_names_have_no_effect_on_a_terminal(model):
    asked = Question("a kitten", ("My cat sleeps", "A jet landed"), (1, 0))
    data = CandidateSet("[red]\x1b[31mset", (asked,))
    found = evaluate(data, {"[b]ours": model}, baselines=[])
    with Console(file=StringIO(), width=120) as console:
        console.print(set_table(found.sets[0]))
    shown = console.file.getvalue()
    assert "\x1b" not in shown
    assert "[red]" in shown
    assert "[b]ours" in shown


@pytest.mark.parametrize("baselines", [[], ["bm25"]])
def test_a_table_of_80_columns_cuts_no_name_and_no_number(model, baselines):
    names = ["weighted-jaccard", "weighted-coverage"]
    found = evaluate(random_set(3, queries=1), dict.fromkeys(names, model), baselines=baselines)
    with Console(file=StringIO(), width=80) as console:
        console.print(set_table(found.sets[0]))
    shown = console.file.getvalue()
    assert "1 query, 40 documents" in shown
    assert all(name in shown for name in names)
    for system in found.sets[0].systems:
        assert all(f" {value:.2f} " in shown for value in system.values.values())
    assert "…" not in shown


def test_a_large_collection_is_scored_in_blocks(model, monkeypatch):
    data, system = random_set(6), ModelSystem("set-jaccard", model.with_measure("set-jaccard"))
    whole = data.measure(system).values
    monkeypatch.setattr(systems, "SCORES_HELD", 100)
    assert data.measure(system).values == whole
