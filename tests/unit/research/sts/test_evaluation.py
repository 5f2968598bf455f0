"""Averages that are told apart, and results that say what they lack."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

from fuzzbow.errors import MissingExtraError
from fuzzbow.research.bootstrap import pearson
from fuzzbow.research.evaluation.evaluation import measure_best
from fuzzbow.research.sts.cache import cache_folder
from fuzzbow.research.sts.datasets import load_tasks
from fuzzbow.research.sts.evaluation import Evaluation, SystemScorer, evaluate
from fuzzbow.research.sts.results import run_to_dict
from fuzzbow.research.sts.systems import System, parse_sources
from tests.unit.research.sts.conftest import giving, make

SYSTEM = System(measure="max-jaccard")


def three(sizes=(4, 9, 20)):
    """Datasets of one year with scores for each."""
    random = np.random.default_rng(9)
    names = ("STS13/FNWN", "STS13/headlines", "STS13/OnWN")
    datasets = [
        make(["x"] * size, ["y"] * size, random.uniform(0, 5, size), name=name)
        for size, name in zip(sizes, names, strict=True)
    ]
    return datasets, [random.uniform(size=size) for size in sizes]


def summary(datasets, scores):
    measured = [measure_best(*item) for item in zip(datasets, map(giving, scores), strict=True)]
    return Evaluation("v", SYSTEM, tuple(datasets), tuple(measured))


def test_mean_weighted_mean_and_all_are_three_numbers():
    datasets, scores = three()
    found = summary(datasets, scores)
    single = [pearson(s, d.gold) for d, s in zip(datasets, scores, strict=True)]
    average = found.tasks["STS13"].pearson
    assert average["mean"] == pytest.approx(np.mean(single))
    assert average["weighted_mean"] == pytest.approx(np.average(single, weights=[4, 9, 20]))
    gold = np.concatenate([d.gold for d in datasets])
    assert average["all"] == pytest.approx(100 * np.corrcoef(np.concatenate(scores), gold)[0, 1])
    assert len({average["mean"], average["weighted_mean"], average["all"]}) == 3
    assert found.mean_pearson == average["mean"]
    assert found.notes == []


@pytest.mark.parametrize("side", ["gold", "system"])
def test_constant_scores_are_said_to_be_undefined_and_no_nan_appears(side):
    datasets, scores = three()
    if side == "gold":
        datasets[0] = make(["x"] * 4, ["y"] * 4, [2.0] * 4, name="STS13/FNWN")
    else:
        scores[0] = np.zeros(4)
    found = summary(datasets, scores)
    task = found.tasks["STS13"]
    assert "averages over 2 of 3 subtasks (FNWN: correlation undefined: all" in task.note
    assert side in task.note
    assert not found.failed
    assert task.pearson["mean"] == pytest.approx(
        np.mean([pearson(s, d.gold) for d, s in zip(datasets[1:], scores[1:], strict=True)])
    )
    json.dumps(run_to_dict([found]), allow_nan=False)


def test_averages_lack_failed_subtasks_and_those_not_asked_for():
    datasets, scores = three()
    found = summary(datasets, [*scores[:2], "ValueError: no"])
    task = found.tasks["STS13"]
    assert (task.used, task.subtasks, task.complete, found.failed) == (2, 3, False, True)
    assert task.note == "averages over 2 of 3 subtasks (OnWN: failed (ValueError: no))"
    found = summary(datasets, ["E: x"] * 3)
    assert (found.tasks["STS13"].pearson["mean"], found.mean_pearson) == (None, None)
    found = summary(datasets[:1], scores[:1])
    assert found.tasks["STS13"].note == "averages over 1 of 3 subtasks (2 not requested)"


def scorer(vectors_file, cache=None, **options):
    source = parse_sources([str(vectors_file)], cache=cache)[0]
    return SystemScorer(source, System(measure="dynamax-jaccard", **options))


def test_scores_come_from_the_cache_without_the_vectors(sts_data, vectors_file, tmp_path):
    cache = tmp_path / "cache"
    datasets = load_tasks(sts_data, ["STS13"])
    first = evaluate([scorer(vectors_file, cache)], datasets)[0]
    again = scorer(vectors_file, cache)
    second = evaluate([again], datasets)[0]
    assert "vectors" not in vars(again.source)  # they were never opened
    for left, right in zip(first.results, second.results, strict=True):
        np.testing.assert_array_equal(left.sample, right.sample)


def test_other_vectors_data_and_options_have_other_keys(sts_data, vectors_file, tmp_path):
    cache = tmp_path / "cache"
    one, two = load_tasks(sts_data, ["STS13/FNWN", "STS13/OnWN"])
    keys = {
        scorer(vectors_file, cache).key(one.lefts, one.rights),
        scorer(vectors_file, cache).key(two.lefts, two.rights),
    }
    keys.add(scorer(vectors_file, cache, normalise=True).key(one.lefts, one.rights))
    keys.add(scorer(vectors_file, cache, tokenizer="words").key(one.lefts, one.rights))
    vectors_file.write_text(vectors_file.read_text().replace("cat ", "cap ", 1))
    keys.add(scorer(vectors_file, cache).key(one.lefts, one.rights))
    assert len(keys) == 5


def test_a_damaged_or_read_only_cache_is_no_error(sts_data, vectors_file, tmp_path):
    cache = tmp_path / "cache"
    data = load_tasks(sts_data, ["STS13/FNWN"])[0]
    texts = data.lefts, data.rights
    expected = scorer(vectors_file, cache).pairs(*texts)
    for file in (tmp_path / "cache").rglob("*.json"):
        file.write_text("[1, ")
    np.testing.assert_array_equal(scorer(vectors_file, cache).pairs(*texts), expected)
    (tmp_path / "file").write_text("")
    assert scorer(vectors_file, tmp_path / "file").pairs(*texts).shape == (len(data),)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other places")
@pytest.mark.parametrize("variable", [None, "", "elsewhere"])
def test_the_cache_is_in_the_folder_of_the_system(tmp_path, monkeypatch, variable):
    for name in ("FUZZBOW_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    if variable is not None:
        monkeypatch.setenv("XDG_CACHE_HOME", variable and str(tmp_path / variable))
    assert cache_folder() == tmp_path / (variable or ".cache") / "fuzzbow"
    monkeypatch.setitem(sys.modules, "platformdirs", None)
    with pytest.raises(MissingExtraError, match=r"platformdirs: pip install \"fuzzbow\[sts\]\""):
        cache_folder()
    monkeypatch.setenv("FUZZBOW_CACHE", str(tmp_path / "given"))
    assert cache_folder() == tmp_path / "given"
