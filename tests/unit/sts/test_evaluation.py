"""Averages that are told apart, and results that say what they lack."""

from __future__ import annotations

import json

import numpy as np
import pytest

from fuzzbow.sts.cache import Cache
from fuzzbow.sts.correlation import pearson
from fuzzbow.sts.datasets import load_tasks
from fuzzbow.sts.evaluation import assess, evaluate, summarise
from fuzzbow.sts.results import csv_rows, run_to_dict
from fuzzbow.sts.scoring import Frequencies, Scored, Scorer
from fuzzbow.sts.sources import parse_sources
from fuzzbow.sts.systems import System
from tests.unit.sts.conftest import make

SYSTEM = System(measure="max-jaccard")


def three(sizes=(4, 9, 20)):
    """Datasets of one year with scores for each."""
    random = np.random.default_rng(9)
    names = ("FNWN", "headlines", "OnWN")
    datasets = [
        make(["x"] * size, ["y"] * size, random.uniform(0, 5, size), name=name)
        for size, name in zip(sizes, names, strict=True)
    ]
    return datasets, [random.uniform(size=size) for size in sizes]


def summary(datasets, scores):
    found = [assess(d, Scored(s)) for d, s in zip(datasets, scores, strict=True)]
    return summarise("v", SYSTEM, found)


def test_mean_weighted_mean_and_all_are_three_numbers():
    datasets, scores = three()
    found = summary(datasets, scores)
    single = [pearson(s, d.gold) for d, s in zip(datasets, scores, strict=True)]
    average = found.task("STS13").pearson
    assert average.mean == pytest.approx(np.mean(single))
    assert average.weighted_mean == pytest.approx(np.average(single, weights=[4, 9, 20]))
    gold = np.concatenate([d.gold for d in datasets])
    assert average.all == pytest.approx(100 * np.corrcoef(np.concatenate(scores), gold)[0, 1])
    assert len({average.mean, average.weighted_mean, average.all}) == 3
    assert found.mean_pearson == average.mean
    assert found.notes == []


def test_a_failed_subtask_is_told_in_the_mean_of_its_year():
    datasets, scores = three()
    parts = [assess(d, Scored(s)) for d, s in zip(datasets[:2], scores[:2], strict=True)]
    found = summarise("v", SYSTEM, [*parts, assess(datasets[2], Scored(None, "ValueError: no"))])
    task = found.task("STS13")
    assert (task.used, task.subtasks, task.complete, found.failed) == (2, 3, False, True)
    assert task.note == "averages over 2 of 3 subtasks (OnWN: failed (ValueError: no))"


@pytest.mark.parametrize("side", ["gold", "system"])
def test_constant_scores_are_said_to_be_undefined_and_no_nan_appears(side):
    datasets, scores = three()
    if side == "gold":
        datasets[0] = make(["x"] * 4, ["y"] * 4, [2.0] * 4, name="FNWN")
    else:
        scores[0] = np.zeros(4)
    found = summary(datasets, scores)
    task = found.task("STS13")
    assert "averages over 2 of 3 subtasks (FNWN: correlation undefined: all" in task.note
    assert side in task.note
    assert not found.failed
    assert task.pearson.mean == pytest.approx(
        np.mean([pearson(s, d.gold) for d, s in zip(datasets[1:], scores[1:], strict=True)])
    )
    json.dumps(run_to_dict([found], datasets), allow_nan=False)


def test_a_task_without_any_correlation_has_no_mean():
    datasets, _ = three()
    failed = [assess(d, Scored(None, "E: x")) for d in datasets]
    found = summarise("v", SYSTEM, failed)
    assert found.task("STS13").pearson.mean is None
    assert found.mean_pearson is None


def test_subtasks_that_were_not_asked_for_are_told():
    datasets, scores = three()
    found = summarise("v", SYSTEM, [assess(datasets[0], Scored(scores[0]))])
    assert found.task("STS13").note == "averages over 1 of 3 subtasks (2 not asked for)"


def test_csv_rows_name_their_statistic():
    datasets, scores = three()
    found = summary(datasets, scores)
    rows = csv_rows([found])
    assert [row["statistic"] for row in rows] == ["subtask"] * 3 + ["mean", "weighted_mean", "all"]


def scorer(vectors_file, cache=None, **options):
    source = parse_sources([str(vectors_file)], cache=cache)[0]
    return Scorer(source, System(measure="dynamax-jaccard", **options), Frequencies(), cache)


def test_scores_come_from_the_cache_without_the_vectors(sts_data, vectors_file, tmp_path):
    cache = Cache(tmp_path / "cache")
    datasets = load_tasks(sts_data, ["STS13"])
    first = evaluate([scorer(vectors_file, cache)], datasets)[0]
    again = scorer(vectors_file, cache)
    second = evaluate([again], datasets)[0]
    assert "vectors" not in vars(again.source)  # they were never opened
    for left, right in zip(first.subtasks, second.subtasks, strict=True):
        np.testing.assert_array_equal(left.scores, right.scores)


def test_other_vectors_data_and_options_have_other_keys(sts_data, vectors_file, tmp_path):
    cache = Cache(tmp_path / "cache")
    one, two = load_tasks(sts_data, ["STS13/FNWN", "STS13/OnWN"])
    keys = {scorer(vectors_file, cache)._key(one), scorer(vectors_file, cache)._key(two)}
    keys.add(scorer(vectors_file, cache, normalise=True)._key(one))
    keys.add(scorer(vectors_file, cache, tokenizer="words")._key(one))
    vectors_file.write_text(vectors_file.read_text().replace("cat ", "cap ", 1))
    keys.add(scorer(vectors_file, cache)._key(one))
    assert len(keys) == 5


def test_a_broken_cache_file_is_computed_again(sts_data, vectors_file, tmp_path):
    cache = Cache(tmp_path / "cache")
    data = load_tasks(sts_data, ["STS13/FNWN"])[0]
    expected = scorer(vectors_file, cache).score(data).scores
    for file in (tmp_path / "cache").rglob("*.json"):
        file.write_text('{"scores": [1, ')
    np.testing.assert_array_equal(scorer(vectors_file, cache).score(data).scores, expected)


def test_a_cache_that_cannot_be_written_is_no_error(sts_data, vectors_file, tmp_path):
    (tmp_path / "file").write_text("")
    data = load_tasks(sts_data, ["STS13/FNWN"])[0]
    assert scorer(vectors_file, Cache(tmp_path / "file")).score(data).failure is None
