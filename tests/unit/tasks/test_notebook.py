"""Tables that notebooks show: escaped, and bounded."""

from __future__ import annotations

import pytest

import fuzzbow
from fuzzbow.tasks import notebook

HOSTILE = "<script>alert('&')</script> a cat"


@pytest.fixture(scope="module")
def found():
    return fuzzbow.load().duplicates([HOSTILE, HOSTILE, *["a dog sat on a mat " * 9] * 40])


def test_texts_are_escaped_and_cut(found):
    shown = found._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;alert(&#x27;&amp;&#x27;)&lt;/script&gt; a cat" in shown
    assert max(map(len, shown.split("<td>")[1:])) < 2 * notebook.TEXT_WIDTH


def test_the_best_pairs_are_shown(found):
    for shown in (found._repr_html_(), found.pairs._repr_html_()):
        assert shown.count("<tr>") == 1 + notebook.SHOWN_ROWS
        assert f"the best {notebook.SHOWN_ROWS}</caption>" in shown
    best = found.pairs.best(5)
    assert list(zip(best.left.tolist(), best.right.tolist(), strict=True)) == [
        (0, 1),
        *((2, n) for n in range(3, 7)),
    ]


def test_a_join_shows_the_texts_of_both_sides():
    shown = fuzzbow.load().duplicates(["a cat"], others=["a bus", "a cat"])._repr_html_()
    assert "<td>0</td><td>a cat</td><td>1</td><td>a cat</td>" in shown


def test_nothing_found_is_a_table_without_rows():
    shown = fuzzbow.load().duplicates(["a cat", "trains"])._repr_html_()
    assert shown.count("<tr>") == 1
