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
