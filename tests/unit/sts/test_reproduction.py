"""Tables, claims, figures and reports on made-up data."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from fuzzbow import InputError
from fuzzbow.palette import style_variables
from fuzzbow.sts.claims import Study, Verdict, beats, equals, only_on, unsupervised_only
from fuzzbow.sts.comparison import bootstrap_all
from fuzzbow.sts.correlation import RESAMPLES
from fuzzbow.sts.datasets import load_tasks
from fuzzbow.sts.evaluation import assess, summarise
from fuzzbow.sts.report import render_report, to_dict, write_report
from fuzzbow.sts.reproduction import reproduce
from fuzzbow.sts.scoring import Scored
from fuzzbow.sts.sources import parse_sources
from fuzzbow.sts.systems import System
from fuzzbow.sts.tables import needed_systems
from fuzzbow.sts.text_report import latex
from tests.unit.sts.conftest import make, write_sts, write_vectors

pytestmark = pytest.mark.filterwarnings("ignore::fuzzbow.errors.FuzzbowWarning")


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    """Two sets of vectors, one of which has the name of the paper's."""
    folder = tmp_path_factory.mktemp("reproduction")
    papers = write_vectors(folder / "glove.840B.300d.txt")
    own = write_vectors(folder / "own_&_odd.txt", seed=8)
    data = load_tasks(write_sts(folder / "sts"))
    return reproduce(parse_sources([f"glove={papers}", str(own)]), data, resamples=300)


@pytest.fixture(scope="module")
def rendered(result):
    return render_report(result)


def test_ten_thousand_resamples_unless_told_otherwise():
    assert RESAMPLES == 10_000


def test_there_is_every_table_of_the_paper(result):
    keys = [table.key for table in result.tables]
    assert keys == ["main", "sif", "normalised", "ssm", "ablation", "figure1", "figure2"]
    for table in result.tables:
        assert sum("weighted-jaccard" in row.approach for row in table.rows) == 2


def test_published_numbers_stand_beside_the_papers_vectors_only(result):
    main = result.tables[0]
    cells = {(row.group, row.approach): row.cells[0] for row in main.rows if row.measured}
    ours = cells["GloVe 840B", "DynaMax"]
    assert ours.published == 58.2
    assert ours.difference == pytest.approx(ours.ours - 58.2)
    other = cells["own_&_odd.txt (not the paper's vectors)", "DynaMax"]
    assert (other.published, other.difference) == (None, None)


def test_vectors_that_were_not_given_are_shown_as_published(result):
    rows = [row for row in result.tables[0].rows if not row.measured]
    groups = {row.group for row in rows}
    assert "PNMT" in groups
    assert "GloVe 840B" not in groups
    assert all(cell.ours is None for row in rows for cell in row.cells)


def test_the_best_of_each_group_is_marked(result):
    main = result.tables[0]
    for group in {row.group for row in main.rows if row.measured}:
        column = [row.cells[0] for row in main.rows if row.group == group]
        best = max(round(cell.ours, 1) for cell in column)
        assert all(cell.best == (round(cell.ours, 1) == best) for cell in column)


def test_significance_has_a_row_for_each_subtask_and_vectors(result):
    assert [len(comparison.rows) for comparison in result.comparisons] == [24, 24]
    assert result.counts.total == 48


def test_differences_of_means_are_those_of_the_tables(result):
    for item in result.comparisons:
        system, baseline = item.system, item.baseline
        assert item.overall.delta == pytest.approx(system.mean_pearson - baseline.mean_pearson)
        for name, found in item.tasks.items():
            means = [side.task(name).pearson.mean for side in (system, baseline)]
            assert found.delta == pytest.approx(means[0] - means[1])


def test_every_claim_has_a_verdict_with_numbers(result):
    for outcomes in result.outcomes.values():
        assert list(outcomes) == [claim.key for claim in result.claims]
        for outcome in outcomes.values():
            assert outcome.evidence or outcome.reason


def test_html_needs_nothing_else(rendered):
    page = rendered["report.html"].decode()
    assert page.count("<svg") == 2 * 2  # figures × sets of vectors
    assert not re.search(r"""(src|href)=["'](?!#)""", page.replace("xlink:href", "x"))
    assert "http://" not in re.sub(r'xmlns(:\w+)?="[^"]*"|"http://www.w3.org[^"]*"', "", page)
    assert "own_&amp;_odd.txt" in page


def test_the_page_and_its_figures_have_the_colours_of_the_palette(rendered):
    page = rendered["report.html"].decode()
    assert style_variables() in page
    rest = page.replace(style_variables(), "")
    assert not re.findall(r"(?<![\w&])#[0-9a-f]{6}\b", rest.replace('href="#', ""))
    assert "var(--accent-faint)" in page[page.index("<svg") :]


SHORTER = """for (const row of document.querySelectorAll("tbody tr:nth-child(n + 4)")) row.remove();
for (const panel of document.querySelectorAll(".panel svg")) panel.replaceChildren();"""


def test_the_page_fits_a_phone_and_is_for_everyone(rendered):
    from tests.browser import open_browser, too_wide, violations  # skips where there is no browser

    with open_browser() as browser:
        page = browser.new_page()
        page.set_content(rendered["report.html"].decode())
        page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
        assert too_wide(page) == []
        page.evaluate(SHORTER)  # one row is like the other, and axe takes its time for each
        assert violations(page) == []


def test_every_panel_of_a_figure_has_the_same_scale(rendered):
    panels = rendered["report.html"].decode().split("<svg")[1:]
    scales = [re.findall(r"<!-- (\d+) -->", panel) for panel in panels]
    assert all(scales)
    assert scales[0] == scales[1]
    assert scales[2] == scales[3]


def test_figures_are_svg_and_png(rendered):
    for name in ("figure1", "figure2"):
        assert ElementTree.fromstring(rendered[f"{name}.svg"]).tag.endswith("svg")
        assert rendered[f"{name}.png"].startswith(b"\x89PNG")


def test_the_same_numbers_give_the_same_files(result, rendered):
    again = render_report(result)
    assert {name for name in again if again[name] != rendered[name]} == set()


def test_latex_is_booktabs_and_escaped(rendered):
    page = rendered["tables.tex"].decode()
    assert page.count(r"\begin{tabular}") == page.count(r"\end{tabular}") == 7 + 2
    assert page.count(r"\toprule") == page.count(r"\bottomrule") == 9
    assert r"own\_\&\_odd.txt" in page
    assert not re.search(r"(?<!\\)[%](?! made)", page)


def test_latex_escapes_what_it_must():
    assert latex("50% & a_b\\") == r"50\% \& a\_b\textbackslash{}"


def test_markdown_has_tables_claims_and_figures(rendered):
    page = rendered["report.md"].decode()
    assert "| GloVe 840B |" in page
    assert "![Figure 2](figure2.svg)" in page
    assert "**Max-pooled word vectors outperform" in page


def test_json_is_whole_and_without_nan(result, rendered):
    data = json.loads(rendered["report.json"], parse_constant=pytest.fail)
    assert data == json.loads(json.dumps(to_dict(result)))
    assert len(data["results"]) == 2 * len(needed_systems())
    assert [vectors["paper_vectors"] for vectors in data["vectors"]] == ["glove", None]


def test_files_are_written_into_a_new_folder(rendered, tmp_path):
    written = write_report(tmp_path / "a" / "b", rendered)
    assert {path.name for path in written} == set(rendered)


def test_a_file_in_place_of_the_folder_is_refused(rendered, tmp_path):
    (tmp_path / "out").write_text("")
    with pytest.raises(InputError, match="is a file"):
        write_report(tmp_path / "out", rendered)


def study(**noise):
    """Systems that are the gold scores plus noise; None is a constant system."""
    random = np.random.default_rng(2)
    data = make(["x"] * 300, ["y"] * 300, random.uniform(0, 5, 300))
    evaluations = {}
    for name, amount in noise.items():
        drawn = random.standard_normal(300)
        scores = np.zeros(300) if amount is None else data.gold + amount * drawn
        evaluations[name] = summarise("v", System(measure=name), [assess(data, Scored(scores))])
    bootstraps = bootstrap_all(list(evaluations.values()), resamples=500)
    return Study("v", evaluations, bootstraps)


def test_a_clear_difference_holds_and_its_reverse_does_not():
    found = study(good=0.5, bad=4.0)
    assert beats(("good", "bad"))(found).verdict is Verdict.HOLDS
    assert beats(("bad", "good"))(found).verdict is Verdict.DOES_NOT_HOLD
    assert beats(("good", "bad"), by=90.0)(found).verdict is Verdict.DOES_NOT_HOLD


def test_no_difference_is_not_significant():
    assert beats(("one", "two"))(study(one=2.0, two=2.0)).verdict is Verdict.NOT_SIGNIFICANT


def test_one_contrary_comparison_breaks_a_claim_of_several():
    found = study(good=0.5, bad=4.0, worst=9.0)
    assert beats(("good", "bad"), ("worst", "bad"))(found).verdict is Verdict.DOES_NOT_HOLD


def test_equivalence_needs_a_narrow_interval():
    found = study(one=0.1, two=0.1, far=5.0)
    assert equals(("one", "two"))(found).verdict is Verdict.HOLDS
    assert equals(("one", "far"))(found).verdict is Verdict.DOES_NOT_HOLD
    assert equals(("one", "one"))(found).verdict is Verdict.HOLDS


def test_an_undefined_correlation_is_not_tested():
    outcome = beats(("one", "none"))(study(one=1.0, none=None))
    assert (outcome.verdict, outcome.reason) == (Verdict.NOT_TESTED, "a correlation is undefined")


def test_claims_about_other_vectors_are_not_tested():
    found = study(one=1.0, two=1.0)
    assert only_on(["pnmt"], "PNMT", beats(("one", "two")))(found).verdict is Verdict.NOT_TESTED
    assert unsupervised_only(beats(("one", "two")))(found).verdict is not Verdict.NOT_TESTED
