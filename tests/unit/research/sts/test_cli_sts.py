"""The commands of `fuzzbow sts`."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tests.command import invoked


@pytest.fixture
def sts(tmp_path, sts_data, vectors_file):
    """Run a subcommand on the tiny data with a cache of its own."""
    variables = {"FUZZBOW_CACHE": str(tmp_path / "cache"), "COLUMNS": "160"}

    def call(name, *arguments, check=0, data=sts_data, vectors=vectors_file):
        given = ["-d", data, "--vectors", vectors, *arguments]
        return invoked("sts", name, *given, check=check, env=variables)

    return call


def test_run_shows_a_table_of_the_chosen_average(sts):
    done = sts("run", "-m", "dynamax-jaccard", "-m", "avg-cosine")
    assert "dynamax-jaccard" in done.stdout
    assert "STS16" in done.stdout
    assert "24 subtasks, 312 pairs; 24 pairs without a score skipped" in done.stderr
    done = sts("run", "-m", "max-jaccard", "--average", "all", "--spearman")
    assert "Spearman × 100, over all pairs of a task together" in done.stdout


def test_run_as_json_has_every_combination(sts):
    arguments = ("-m", "max-jaccard", "-m", "sif-pca", "-w", "none", "-w", "sif")
    done = sts("run", *arguments, "--normalise", "both", "--task", "STS13", "--json")
    data = json.loads(done.stdout)
    assert [item["system"] for item in data["results"]] == [
        "max-jaccard", "max-jaccard+norm", "max-jaccard+sif", "max-jaccard+sif+norm",
        "sif-pca", "sif-pca+norm",
    ]  # fmt: skip
    assert "not run: sif-pca+sif" in done.stderr
    first = data["results"][0]
    assert set(first["tasks"]["STS13"]["pearson"]) == {"mean", "weighted_mean", "all"}
    assert data["datasets"][0]["pairs"] == 13
    assert len(data["datasets"][0]["sha256"]) == 64


def test_run_as_csv(sts):
    done = sts("run", "-m", "max-jaccard", "--task", "STS13", "--csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [row["statistic"] for row in rows] == ["subtask"] * 3 + ["mean", "weighted_mean", "all"]


def test_a_rerun_takes_the_cache_and_prints_the_same(sts, tmp_path):
    arguments = ("run", "-m", "max-jaccard", "--task", "STS13", "--json")
    sts(*arguments, "--no-cache")
    assert not (tmp_path / "cache").exists()
    first = sts(*arguments).stdout
    before = sorted((tmp_path / "cache").rglob("*.json"))
    assert len(before) == 3 + 1  # scores of three subtasks, the vectors' fingerprint
    assert sts(*arguments).stdout == first
    assert sorted((tmp_path / "cache").rglob("*.json")) == before


def test_a_measure_of_the_users_own_may_fail_in_a_subtask(sts, tmp_path):
    (tmp_path / "mine.py").write_text(
        "def f(X, Y):\n    return float((X @ Y.T).max())\n\n"
        "def g(lefts, rights):\n    assert len(lefts) == 0, 'never'\n    return []\n"
    )
    measures = ("-m", f"{tmp_path / 'mine.py'}:f", "-m", f"{tmp_path / 'mine.py'}:g")
    done = sts("run", *measures, "--task", "STS13", "--json", check=1)
    works, fails = json.loads(done.stdout)["results"]
    assert works["complete"]
    task = fails["tasks"]["STS13"]
    assert (task["used"], task["pearson"]["mean"]) == (0, None)
    assert "FNWN: failed (AssertionError: never)" in task["note"]
    assert "averages over 0 of 3 subtasks" in done.stderr


def test_a_table_of_pairs(sts, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("a,b,s\na cat,a dog,3\nhe ran,red car,1\nbig cat,small dog,2.5\n")
    columns = ("--left", "a", "--right", "b", "--score", "s")
    data = json.loads(sts("run", *columns, "-m", "max-jaccard", "--json", data=path).stdout)
    assert list(data["results"][0]["subtasks"]) == ["mine"]


def test_compare_shows_intervals_and_counts(sts):
    done = sts("compare", "--task", "STS13", "--resamples", 500)
    assert "dynamax-jaccard against tiny.txt avg-cosine" in done.stdout
    assert "STS13/FNWN" in done.stdout
    assert "3 subtasks:" in done.stdout


def test_compare_as_json_is_the_same_for_the_same_seed(sts):
    given = ("compare", "-s", "max-jaccard+sif", "--task", "STS13", "--resamples", 500, "--json")
    first, again, other = (json.loads(sts(*given, "--seed", seed).stdout) for seed in (1, 1, 2))
    assert first == again
    assert first["comparisons"] != other["comparisons"]
    row = first["comparisons"][0]["subtasks"]["STS13/FNWN"]
    assert row["low"] <= row["delta"] <= row["high"]
    assert {"decision", "decision_holm", "p_value"} <= set(row)


def test_compare_two_sets_of_vectors(sts):
    done = sts(
        "compare", "-s", "max-jaccard", "-b", "max-jaccard", "--baseline-vectors", "default",
        "--task", "STS13", "--resamples", 200, "--json",
    )  # fmt: skip
    found = json.loads(done.stdout)["comparisons"][0]
    assert (found["system"]["vectors"], found["baseline"]["vectors"]) == ("tiny.txt", "default")


def test_reproduce_writes_the_report(sts, tmp_path):
    done = sts("reproduce", "-o", tmp_path / "out", "--resamples", 200)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "report.html", "report.md", "report.json", "tables.tex",
        "figure1.svg", "figure1.png", "figure2.svg", "figure2.png",
    }  # fmt: skip
    assert done.stdout == ""
    assert "of the paper's claims" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "--task", "STS99"), "task must be one of STS12"),
        (("run", "-m", "dynmax-jaccard"), "did you mean 'dynamax-jaccard'"),
        (("run", "-m", "weighted-jaccard", "-w", "sif"), "has word weights of its own"),
        (("run", "-w", "siff"), "did you mean 'sif'"),
        (("run", "--average", "median"), "average must be one of mean, weighted_mean, all"),
        (("run", "--normalise", "maybe"), "no, yes, both"),
        (("run", "-m", "max-jaccard", "-w", "sif", "--counts", "none.txt"), "none.txt"),
        (("run", "-t", "spaces", "-m", "max-jaccard"), "tokenizer must be one of"),
        (("run", "-m", "nothing.py:f"), "nothing.py"),
        (("run", "--vectors", "no-such.vec"), "no-such.vec: no such file"),
        (("compare", "--resamples", 5), "at least 100"),
    ],
)
def test_bad_options_are_one_line(sts, arguments, message):
    done = sts(*arguments, check=2)
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_download_that_cannot_be_had_is_one_line(tmp_path):
    place = ("--to", tmp_path / "to", "--base-url", "http://127.0.0.1:9/")
    done = invoked("sts", "download", *place, check=2)
    assert "STS2012-en-test.zip: cannot be loaded" in done.stderr
    assert "Traceback" not in done.stderr
