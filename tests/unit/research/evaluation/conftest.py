"""A tiny set of each kind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

CORPUS = [
    {"_id": "cat", "title": "Pets", "text": "A cat sleeps on the sofa."},
    {"_id": "jet", "title": "", "text": "The jet landed at noon."},
    {"_id": "dog", "text": "Her dog barked at the postman."},
    {"_id": 7, "text": "Bread is baked in the morning."},
]
QUERIES = [
    {"_id": "q1", "text": "a sleeping kitten"},
    {"_id": "q2", "text": "airplane"},
    {"_id": "q3", "text": "nobody asked"},
    {"_id": "q4", "text": "xqzzy"},
]
QRELS = [("q1", "cat", 2), ("q1", "dog", 1), ("q2", "jet", 1), ("q2", "cat", 0), ("q4", "7", 1)]
PAIRS = [
    ("a red bicycle", "red bike", 1),
    ("a red bicycle", "green salad", 0),
    ("kitten toys", "toys for cats", 1),
    ("kitten toys", "plane tickets", 0),
    ("winter coat", "warm winter jacket", 1),
    ("winter coat", "summer hat", 0),
]


def write_lines(path: Path, records: list[dict]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


@pytest.fixture
def folder(tmp_path) -> Path:
    """A retrieval set in BEIR layout: two judged queries of known words, one of none."""
    place = tmp_path / "house"
    place.mkdir()
    write_lines(place / "corpus.jsonl", CORPUS)
    write_lines(place / "queries.jsonl", QUERIES)
    rows = ["\t".join(map(str, row)) for row in QRELS]
    (place / "qrels.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *rows]) + "\n")
    return place


@pytest.fixture
def candidates(tmp_path) -> Path:
    """Candidates of three queries, one of which has no relevant one."""
    texts = ["A cat sleeps", "A jet landed", "A cat sleeps"]
    return write_lines(
        tmp_path / "answers.jsonl",
        [
            {"query": "a kitten", "candidates": texts, "relevant": [1, 0, 1]},
            {"query": "a plane", "candidates": texts[:2], "relevant": [0, 1]},
            {"query": "bread", "candidates": texts[:2], "relevant": [0, 0]},
        ],
    )


@pytest.fixture
def pairs(tmp_path) -> Path:
    """Labelled pairs."""
    path = tmp_path / "records.csv"
    rows = [f"{left},{right},{label}" for left, right, label in PAIRS]
    path.write_text("\n".join(["left,right,label", *rows]) + "\n", "utf-8")
    return path
