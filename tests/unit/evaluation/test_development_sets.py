"""The sets for development give the numbers that the guide shows, and search on them is exact."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

import fuzzbow
from benchmarks.quality import choose_page
from fuzzbow.evaluation import evaluate, read_set
from tests.command import fuzzbow_command

FEW = 100  # resamples, where intervals are not looked at
SHOWN = {
    item["name"]: {system["system"]: system["values"] for system in item["systems"]}
    for item in json.loads(choose_page.RESULTS.read_text(encoding="utf-8"))["sets"]
}


def assert_as_shown(path, name, purpose, baselines, metric, *, near=0.1):
    """A purpose and baselines on a set have the committed values."""
    models = {purpose: fuzzbow.load(purpose=purpose)}
    found = evaluate(path, models, baselines=baselines, resamples=FEW).sets[0]
    for system in (purpose, *baselines):
        shown = SHOWN[name][system][metric]
        assert found[system].values[metric] == pytest.approx(shown, abs=near), system


@pytest.mark.retrieval
@pytest.mark.parametrize("name", ["cranfield", "stackfaq-questions"])
def test_retrieval(retrieval_folder, name):
    assert_as_shown(retrieval_folder / name, name, "passages", ["bm25"], "nDCG@10")


@pytest.mark.retrieval
def test_answer_selection(retrieval_folder):
    path = retrieval_folder / "wikiqa-candidates.jsonl"
    assert_as_shown(path, "wikiqa-candidates", "answers", ["bm25"], "MAP")


@pytest.mark.matching
@pytest.mark.parametrize("name", ["abt-buy", "amazon-google"])
def test_matching(matching_folder, name):
    path = matching_folder / f"{name}.csv"
    assert_as_shown(path, name, "records", ["tfidf", "char-tfidf"], "AP")


@pytest.mark.retrieval
@pytest.mark.parametrize("purpose", ["passages", "answers"])
@pytest.mark.parametrize("name", ["cranfield", "covidfaq"])
def test_search_finds_what_comparing_with_every_document_finds(retrieval_folder, name, purpose):
    data = read_set(retrieval_folder / name)
    queries, texts = list(data.queries.values())[:40], list(data.documents.values())
    model = fuzzbow.load(purpose=purpose)
    scores = model.matrix(queries, texts)
    for hits, row in zip(model.index(texts).search(queries, k=10), scores, strict=True):
        best = np.argsort(-row, kind="stable")[:10]
        assert hits.ids == best.tolist()
        assert hits.scores.tolist() == row[best].tolist()


@pytest.mark.matching
def test_a_join_by_default_settings_finds_most_matches(matching_folder, tmp_path):
    with (matching_folder / "abt-buy.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for side in ("left", "right"):
        texts = [[row[side]] for row in rows]
        with (tmp_path / f"{side}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([["name"], *dict.fromkeys(map(tuple, texts))])
    out = tmp_path / "joined.csv"
    fuzzbow_command(
        "join", tmp_path / "left.csv", tmp_path / "right.csv", "--on", "name", "-o", out
    )
    with out.open(encoding="utf-8", newline="") as file:
        found = {(row["name"], row["name_right"]) for row in csv.DictReader(file)}
    wanted = {(row["left"], row["right"]) for row in rows if row["label"] == "1"}
    assert len(found & wanted) >= 0.85 * len(wanted)
