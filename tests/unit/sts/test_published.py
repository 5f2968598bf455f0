"""The paper's numbers as data: complete, and true to what the paper says of them."""

from __future__ import annotations

import numpy as np
import pytest

from fuzzbow.sts.datasets import SUBTASKS, YEARS
from fuzzbow.sts.published import (
    literature,
    paper,
    published_interval,
    published_rows,
    published_values,
)
from fuzzbow.sts.tables import SPECS


def test_every_table_has_its_rows():
    sizes = {name: len(published_rows(name)) for name in SPECS}
    assert sizes == {
        "main": 12, "sif": 6, "normalised": 6, "ssm": 9, "ablation": 8, "figure1": 0, "figure2": 0,
    }  # fmt: skip
    assert len(literature()) == 6


def test_published_systems_are_those_of_our_tables():
    for name, spec in SPECS.items():
        ours = {system for _, system in spec.rows}
        assert {row.system for row in published_rows(name)} <= ours


def test_spot_values():
    assert published_values("main", "glove", "dynamax-jaccard")["STS16"] == 71.1
    assert published_values("sif", "psl", "dynamax-jaccard+sif")["STS12"] == 63.2
    assert published_values("normalised", "word2vec", "avg-cosine+norm")["STS13"] == 49.3
    assert published_values("ssm", "fasttext", "dynamax-dice")["STS15"] == 76.0
    assert published_values("ablation", "fasttext", "dynamin-jaccard")["STS12"] == 28.4
    assert published_values("main", "nothing", "avg-cosine") == {}


@pytest.mark.parametrize("vectors", ["glove", "fasttext", "word2vec"])
def test_subtasks_of_the_significance_table_average_to_the_main_table(vectors):
    for system, side in (("dynamax-jaccard", "system"), ("avg-cosine", "baseline")):
        values = published_values("main", vectors, system)
        for year in YEARS:
            cells = [published_interval(vectors, f"{year}/{name}") for name in SUBTASKS[year]]
            mean = np.mean([getattr(cell, side) for cell in cells])
            assert mean == pytest.approx(values[year], abs=0.06)


def test_intervals_count_as_the_paper_says():
    cells = [
        published_interval(vectors, f"{year}/{name}")
        for vectors in ("glove", "fasttext", "word2vec")
        for year, names in SUBTASKS.items()
        for name in names
    ]
    summary = paper()["significance"]["summary"]
    assert sum(cell.low > 0 for cell in cells) == summary["better"] == 56
    assert sum(cell.high < 0 for cell in cells) == summary["worse"] == 1
    assert len(cells) == summary["experiments"] == 72
