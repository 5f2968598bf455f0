"""Systems on sets: metrics, ties, differences, the command and the page of choices."""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import fuzzbow
from benchmarks.markdown import inserted
from benchmarks.quality import choose, choose_page, sts_page, sts_quality
from benchmarks.runner import read_results
from fuzzbow import InputError
from fuzzbow.research.evaluation import (
    CandidateSet,
    PairSet,
    RetrievalSet,
    evaluate,
    metrics,
    read_set,
    systems,
)
from fuzzbow.research.evaluation.results import set_table
from fuzzbow.research.evaluation.systems import (
    model_system,
    occurrences,
    ranked,
    tie_keys,
)
from tests.command import invoked
from tests.unit.research.evaluation import naive

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
    found = data.measure(model_system(measure, chosen), seed=4)
    assert found.sample == pytest.approx(np.array(rows))
    assert list(found.values) == ["nDCG@10", "MAP", "MRR", "recall@3"]
    assert list(found.values.values()) == pytest.approx(100 * np.mean(rows, axis=0))


def test_the_order_of_files_does_not_matter(model):
    data = random_set(2)
    turned = replace(data, documents=dict(reversed(data.documents.items())))
    system = model_system("weighted-jaccard", model)
    assert data.measure(system) == turned.measure(system)


def test_a_constant_score_is_not_perfect_though_matches_come_first(model):
    labels = np.array([1.0] * 20 + [0.0] * 180)
    lefts, rights = ["xqzzy"] * 200, [f"wv{place}wv" for place in range(200)]
    system = model_system("avg-cosine", model.with_measure("avg-cosine"))
    assert PairSet("constant", lefts, rights, labels).measure(system).values["AP"] < 30
    grades = tuple([1.0] * 10 + [0.0] * 90)
    asked = ("xqzzy", rights[:100], grades)
    again = CandidateSet("constant", (asked,)).measure(system)
    assert again.values["MAP"] < 40
    assert again.notes == ("1 of 1 query with no score above 0",)


def test_a_measure_that_is_fitted_gets_the_collection(candidates, pairs, model):
    # sif-pca depends on the texts of a call unless it is fitted
    fitted = model.with_measure("sif-pca")
    data = read_set(pairs)
    scores = fitted.fit([*data.lefts, *data.rights]).pairs(data.lefts, data.rights)
    found = model_system("sif-pca", fitted).over([*data.lefts, *data.rights])
    assert found.pairs(data.lefts, data.rights) == pytest.approx(scores, abs=1e-6)
    assert found.pairs(data.lefts[:1], data.rights[:1]) == pytest.approx(scores[:1], abs=1e-6)
    assert evaluate([candidates], fitted, baselines=[])["answers"].systems[0].values["MRR"] > 0


def test_models_beside_the_usual_baselines_of_each_kind(folder, candidates, pairs, model):
    found = evaluate([folder, candidates, pairs], model, resamples=100)
    baselines = {"house": ("bm25",), "answers": ("bm25",), "records": ("tfidf", "char-tfidf")}
    assert {item.name: item.baselines for item in found.sets} == baselines
    for name in ("weighted-jaccard", "bm25"):  # a query without known words counts
        assert "of 3 queries with no score above 0" in found["house"][name].notes[-1]
        assert np.isfinite(list(found["house"][name].values.values())).all()
    assert found["answers"]["weighted-jaccard"].values == {"MAP": 100.0, "MRR": 100.0}
    differences = found["records"]["weighted-jaccard"].differences
    assert list(differences) == ["tfidf", "char-tfidf"]
    assert list(differences["tfidf"]) == ["AP"]
    for item in found.sets:
        ours = item["weighted-jaccard"]
        for name, found_metrics in ours.differences.items():
            for metric, difference in found_metrics.items():
                delta = ours.values[metric] - item[name].values[metric]
                assert difference.delta == pytest.approx(delta, abs=1e-9)
    json.dumps(found.to_dict(), allow_nan=False)


def test_the_same_seed_gives_the_same_intervals(model):
    first, again, other = (
        evaluate(random_set(3), model, baselines=["weighted-coverage"], resamples=200, seed=seed)
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first.sets[0].systems[0].differences != other.sets[0].systems[0].differences


def test_a_baseline_among_the_models_is_run_once_and_names_may_be_their_own(folder, model):
    models = {"ours": model, "weighted-coverage": model}
    found = evaluate(folder, models, baselines=["weighted-coverage"], resamples=100)["house"]
    assert [item.system for item in found.systems] == ["ours", "weighted-coverage"]
    assert not found["weighted-coverage"].differences
    difference = found["ours"].differences["weighted-coverage"]["MAP"]
    assert (difference.low, difference.high) == (0.0, 0.0)


def test_the_best_variant_is_at_least_the_usual_one(model):
    found = evaluate(random_set(5), model, baselines=["bm25", "bm25-best"], resamples=100)
    item = found["random"]
    assert item["bm25-best"].values["nDCG@10"] >= item["bm25"].values["nDCG@10"]
    assert "stop words" in item["bm25-best"].notes[0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"baselines": ["bm52"]}, r"baseline must be one of bm25, .*did you mean 'bm25"),
        ({"resamples": 10}, "resamples must be a whole number of at least 100; got 10"),
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


def test_progress_counts_every_system(folder, candidates, model):
    counted = []
    evaluate(
        [folder, candidates], model, resamples=100, progress=lambda *done: counted.append(done)
    )
    assert counted == [(1, 4), (2, 4), (3, 4), (4, 4)]


def shown(found, width):
    """The table of the first set, as a terminal shows it."""
    with Console(file=StringIO(), width=width) as console:
        console.print(set_table(found.sets[0]))
    return console.file.getvalue()


def test_names_have_no_effect_on_a_terminal(model):
    asked = ("a kitten", ("My cat sleeps", "A jet landed"), (1, 0))
    data = CandidateSet("[red]\x1b[31mset", (asked,))
    table = shown(evaluate(data, {"[b]ours": model}, baselines=[]), 120)
    assert "\x1b" not in table
    assert "[red]" in table
    assert "[b]ours" in table


@pytest.mark.parametrize("baselines", [[], ["bm25"]])
def test_a_table_of_80_columns_cuts_no_name_and_no_number(model, baselines):
    names = ["weighted-jaccard", "weighted-coverage"]
    found = evaluate(random_set(3, queries=1), dict.fromkeys(names, model), baselines=baselines)
    table = shown(found, 80)
    assert "1 query, 40 documents" in table
    assert all(name in table for name in names)
    for system in found.sets[0].systems:
        assert all(f" {value:.2f} " in table for value in system.values.values())
    assert "…" not in table


def test_a_large_collection_is_scored_in_blocks(model, monkeypatch):
    data, system = random_set(6), model_system("set-jaccard", model.with_measure("set-jaccard"))
    whole = data.measure(system)
    monkeypatch.setattr(systems, "SCORES_HELD", 100)
    assert data.measure(system) == whole


RESULTS = read_results("choose")


@pytest.mark.parametrize("path", choose_page.PAGES, ids=lambda path: path.name)
def test_a_page_is_made_of_the_committed_results(path):
    page = path.read_text(encoding="utf-8")
    assert inserted(page, choose_page.NAME, choose_page.render(RESULTS)) == page


def test_the_results_hold_every_row_on_every_set():
    names = [row.name for row in choose.ROWS]
    assert [row["name"] for row in RESULTS["rows"]] == names
    for item in RESULTS["sets"]:
        systems = [system["system"] for system in item["systems"]]
        assert systems == [*names, *item["baselines"]]


def test_what_is_no_set_is_passed_over_and_a_broken_set_is_not(folder, pairs, capsys):
    (pairs.parent / "README.md").write_text("about")
    assert [item.name for item in choose.sets_in(pairs.parent)] == ["house", "records"]
    assert "README.md" in capsys.readouterr().err
    (folder / "qrels.tsv").write_text("")
    with pytest.raises(InputError, match="must hold grades"):
        list(choose.sets_in(pairs.parent))


def values_on(kind: str) -> dict[str, dict[str, float]]:
    """Set -> system -> the metric that decides, in the committed results."""
    return {
        item["name"]: {
            system["system"]: system["values"][item["metrics"][0]] for system in item["systems"]
        }
        for item in RESULTS["sets"]
        if item["kind"] == kind
    }


def test_the_rows_hold_against_their_baselines():
    for values in values_on("retrieval").values():
        assert values["passages"] > values["bm25-best"]
    for values in values_on("candidates").values():
        assert values["answers"] > max(values["bm25-best"], 65)
    found = values_on("pairs")
    for name in ("abt-buy", "amazon-google"):
        assert found[name]["records"] > found[name]["tfidf"]
    assert found["dblp-acm"]["records"] > found["dblp-acm"]["tfidf"] - 1
    assert found["abt-buy"]["records"] > found["abt-buy"]["char-tfidf"] - 3


def test_the_page_about_quality_is_made_of_the_committed_results():
    results = read_results("quality")
    page = sts_page.PAGE.read_text(encoding="utf-8")
    assert inserted(page, sts_page.NAME, sts_page.render(results)) == page
    assert list(results["vectors"]) == ["default", "glove-6b-50d", "wordllama-256"]
    for found in results["vectors"].values():
        assert set(sts_quality.NAMES) <= set(found)


def test_tables_for_sets_of_all_kinds(folder, candidates, pairs):
    done = invoked(
        "eval", folder, candidates, pairs, "-m", "weighted-jaccard", "-m", "weighted-coverage",
        "--resamples", "200", "--recall-at", "2", env={"COLUMNS": "160"},
    )  # fmt: skip
    assert "house (retrieval): 3 queries, 1 query left out, 4 documents" in done.stdout
    assert "recall@2" in done.stdout
    assert "AP less char-tfidf" in done.stdout
    assert done.stdout.count("weighted-coverage") == 3
    assert "note: bm25: lucene, without stop words, stemmed (house, answers)" in done.stderr


def test_json_and_a_file_of_results_hold_the_same(folder, tmp_path):
    out = tmp_path / "results.json"
    done = invoked("eval", folder, "-b", "bm25", "--json", "-o", out, "--resamples", "200")
    printed = json.loads(done.stdout)
    assert printed == json.loads(out.read_text("utf-8"))
    [item] = printed["sets"]
    assert [system["system"] for system in item["systems"]] == [
        "fuzzy-bm25", "weighted-coverage", "weighted-jaccard", "bm25",
    ]  # fmt: skip
    difference = item["systems"][0]["differences"]["bm25"]["nDCG@10"]
    assert set(difference) == {"delta", "low", "high", "p_value", "decision"}


def test_columns_and_baselines_by_options(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a,b,same\na cat,a kitten,1\na cat,a jet,0\n")
    columns = ("-l", "a", "-r", "b", "--label", "same", "--kind", "pairs")
    done = invoked("eval", path, *columns, "-b", "none", "--json", "--for", "sentences")
    [system] = json.loads(done.stdout)["sets"][0]["systems"]
    assert system["values"] == {"AP": 100.0, "best F1": 100.0}
    assert system["differences"] == {}


def test_an_error_is_one_line_and_the_data_are_not_replaced(folder):
    corpus = folder / "corpus.jsonl"
    assert "must be different files" in invoked("eval", folder, "-o", corpus, check=2).stderr
    assert corpus.read_text().startswith('{"_id": "cat"')
    done = invoked("eval", folder, "-b", "none", "-b", "bm25", check=2)
    assert done.stderr == "error: baseline must be none alone, or others; got none, bm25\n"
    with (folder / "qrels.tsv").open("a") as file:
        file.write("q1\tcow\t1\n")
    done = invoked("eval", folder, check=1)
    assert done.stderr == f"error: {folder}/qrels.tsv, line 7: 'cow' is not in corpus.jsonl\n"


def test_pairs_are_tried_for_every_purpose_that_fits_with_the_threshold_of_the_best_f1(pairs):
    given = ("eval", pairs, "-b", "none")
    table = invoked(*given, env={"COLUMNS": "160"}).stdout
    systems = json.loads(invoked(*given, "--json").stdout)["sets"][0]["systems"]
    assert [system["system"] for system in systems] == ["weighted-jaccard", "records-otsuka"]
    for system in systems:
        shown = next(line for line in table.splitlines() if system["system"] in line)
        threshold = float(shown.split("│")[4])
        assert threshold <= system["threshold"] < threshold + 1e-4


GRADES = st.sampled_from([-1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0])


def array(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float64)


@given(st.lists(GRADES, max_size=30), st.lists(st.sampled_from([1.0, 2.0]), max_size=3))
def test_rankings_agree_with_the_second_implementation(grades, unranked):
    relevant = [grade for grade in grades if grade > 0] + unranked
    if not relevant:
        return
    ranked, all_relevant = array(*grades), array(*relevant)
    assert metrics.ndcg(ranked, all_relevant) == pytest.approx(naive.ndcg(grades, relevant))
    assert metrics.average_precision(ranked, all_relevant) == pytest.approx(
        naive.average_precision(grades, relevant)
    )
    assert metrics.reciprocal_rank(ranked) == pytest.approx(naive.reciprocal_rank(grades))
    for k in (1, 5, 100):
        assert metrics.recall(ranked, all_relevant, k) == pytest.approx(
            naive.recall(grades, relevant, k)
        )


@given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from([0.0, 1.0])), min_size=1, max_size=20))
def test_best_f1_agrees_with_the_second_implementation(rows):
    scores, labels = [float(score) for score, _ in rows], [label for _, label in rows]
    if any(labels):
        found, threshold = metrics.best_f1(array(*scores), array(*labels))
        wanted = [(naive.f1(scores, labels, score), score) for score in scores]
        assert found == pytest.approx(max(wanted)[0])
        assert (pytest.approx(found), threshold) in wanted


def test_keys_belong_to_ids_and_seeds_not_to_positions():
    keys = dict(zip("abc", tie_keys("abc").tolist(), strict=True))
    assert dict(zip("cab", tie_keys("cab").tolist(), strict=True)) == keys
    ids = [str(number) for number in range(20)]
    orders = {tuple(np.argsort(tie_keys(ids, seed=seed)).tolist()) for seed in range(5)}
    assert len(orders) == 5
    assert tie_keys(["d0"]).tolist() == [219923687571642822]  # published results depend on it
    assert len(tie_keys(["", "\ud800", "💡"])) == 3
    assert len(tie_keys([])) == 0


def test_scores_that_differ_by_rounding_alone_are_equal():
    scores = np.array([0.3, 0.1 + 0.2, 0.5])
    assert ranked(scores, np.array([1, 0, 2])).tolist() == [2, 1, 0]


def test_copies_of_one_text_are_told_apart():
    assert len(set(occurrences([("a", "b"), ("a", "b"), ("b", "a")]))) == 3
