"""The page about quality is the one that the committed results make."""

from __future__ import annotations

import json

from benchmarks.quality import sts_page, sts_quality


def test_the_page_is_made_of_the_committed_results():
    text = sts_page.render(json.loads(sts_page.RESULTS.read_text(encoding="utf-8")))
    page = sts_page.PAGE.read_text(encoding="utf-8")
    assert sts_page.insert(page, text) == page


def test_the_results_hold_every_measure_on_three_sets_of_vectors():
    vectors = json.loads(sts_page.RESULTS.read_text(encoding="utf-8"))["vectors"]
    assert list(vectors) == ["default", "glove-6b-50d", "wordllama-256"]
    for found in vectors.values():
        assert set(sts_quality.NAMES) <= set(found)
