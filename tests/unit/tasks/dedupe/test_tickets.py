"""The default on a small file of tickets, and the committed numbers of the large one."""

from __future__ import annotations

import json

import fuzzbow
from benchmarks.quality.dedupe import RESULTS, quality
from benchmarks.quality.tickets import make_tickets


def test_the_default_is_precise_and_never_below_the_threshold():
    tickets = make_tickets(1500, seed=3)
    found = quality(tickets, fuzzbow.load().duplicates(tickets.texts))
    assert found["below_threshold"] == 0
    assert found["precision"] >= 0.9
    assert found["recall"] >= 0.85


def test_the_same_seed_makes_the_same_file():
    assert make_tickets(50, seed=1) == make_tickets(50, seed=1) != make_tickets(50, seed=2)


def test_the_committed_numbers_hold_what_is_promised():
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert results["rows"] == 50_000
    assert results["default"]["below_threshold"] == 0
    assert results["default"]["precision"] >= 0.9
    assert results["default"]["recall"] >= 0.85
