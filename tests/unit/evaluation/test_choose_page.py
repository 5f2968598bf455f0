"""The tables of measures by purpose are those that the committed results make."""

from __future__ import annotations

import json

import pytest

from benchmarks.quality import choose, choose_page
from fuzzbow import InputError

RESULTS = json.loads(choose_page.RESULTS.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", choose_page.PAGES, ids=lambda path: path.name)
def test_a_page_is_made_of_the_committed_results(path):
    page = path.read_text(encoding="utf-8")
    assert choose_page.insert(page, choose_page.render(RESULTS)) == page


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


def test_the_row_for_passages_is_above_the_best_bm25_on_every_set():
    for values in values_on("retrieval").values():
        assert values["passages"] > values["bm25-best"]


def test_the_row_for_answers_is_above_the_best_bm25():
    for values in values_on("candidates").values():
        assert values["answers"] > max(values["bm25-best"], 65)


def test_the_row_for_records_holds_against_tfidf():
    found = values_on("pairs")
    for name in ("abt-buy", "amazon-google"):
        assert found[name]["records"] > found[name]["tfidf"]
    assert found["dblp-acm"]["records"] > found["dblp-acm"]["tfidf"] - 1
    assert found["abt-buy"]["records"] > found["abt-buy"]["char-tfidf"] - 3
