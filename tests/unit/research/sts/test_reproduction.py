"""Tables, claims, figures and reports on made-up data."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from fuzzbow import InputError
from fuzzbow.palette import style_variables
from fuzzbow.research.evaluation.evaluation import measure_best
from fuzzbow.research.sts.datasets import SUBTASKS, YEARS, load_tasks
from fuzzbow.research.sts.evaluation import Evaluation, bootstrap_all
from fuzzbow.research.sts.paper import (
    needed_systems,
    paper,
    published_interval,
    published_rows,
    published_values,
    study,
)
from fuzzbow.research.sts.report import cell_text, latex, render_report, to_dict, write_report
from fuzzbow.research.sts.reproduction import Claim, reproduce
from fuzzbow.research.sts.systems import System, parse_sources
from tests.unit.research.sts.conftest import giving, make, write_sts, write_vectors

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


def test_there_is_every_table_of_the_paper(result):
    keys = [table["key"] for table in result.tables]
    assert keys == ["main", "sif", "normalised", "ssm", "ablation", "figure1", "figure2"]
    for table in result.tables:
        assert sum("weighted-jaccard" in row["approach"] for row in table["rows"]) == 2


def test_a_table_has_ours_the_papers_and_the_best_of_each_group(result):
    rows = result.tables[0]["rows"]
    measured = [row for row in rows if row["measured"]]
    cells = {(row["group"], row["approach"]): row["cells"][0] for row in measured}
    ours = cells["GloVe 840B", "DynaMax"]
    assert ours["published"] == 58.2
    assert cell_text(ours).startswith(f"{ours['ours']:.1f} (58.2, {ours['ours'] - 58.2:+.1f})")
    other = cells["own_&_odd.txt (not the paper's vectors)", "DynaMax"]
    assert other["published"] is None
    published = [row for row in rows if not row["measured"]]
    assert "PNMT" in {row["group"] for row in published}
    assert "GloVe 840B" not in {row["group"] for row in published}
    assert all(cell["ours"] is None for row in published for cell in row["cells"])
    for group in {row["group"] for row in measured}:
        column = [row["cells"][0] for row in measured if row["group"] == group]
        best = max(round(cell["ours"], 1) for cell in column)
        assert all(cell["best"] == (round(cell["ours"], 1) == best) for cell in column)


def test_differences_of_means_are_those_of_the_tables(result):
    assert [len(comparison.rows) for comparison in result.comparisons] == [24, 24]
    assert sum(result.counts.values()) == 48
    for item in result.comparisons:
        system, baseline = item.system, item.baseline
        assert item.overall.delta == pytest.approx(system.mean_pearson - baseline.mean_pearson)
        for name, found in item.tasks.items():
            means = [side.tasks[name].pearson["mean"] for side in (system, baseline)]
            assert found.delta == pytest.approx(means[0] - means[1])


def test_every_claim_has_a_verdict_with_numbers(result):
    for outcomes in result.outcomes.values():
        assert list(outcomes) == [claim.key for claim in result.claims]
        for outcome in outcomes.values():
            assert outcome["evidence"] or outcome["reason"]


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


def test_the_same_numbers_give_the_same_files_and_figures_are_svg_and_png(result, rendered):
    again = render_report(result)
    assert {name for name in again if again[name] != rendered[name]} == set()
    for name in ("figure1", "figure2"):
        assert ElementTree.fromstring(rendered[f"{name}.svg"]).tag.endswith("svg")
        assert rendered[f"{name}.png"].startswith(b"\x89PNG")


def test_latex_is_booktabs_and_escaped(rendered):
    page = rendered["tables.tex"].decode()
    assert page.count(r"\begin{tabular}") == page.count(r"\end{tabular}") == 7 + 2
    assert page.count(r"\toprule") == page.count(r"\bottomrule") == 9
    assert r"own\_\&\_odd.txt" in page
    assert not re.search(r"(?<!\\)[%](?! made)", page)
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


def test_files_are_written_into_a_new_folder_and_never_over_a_file(rendered, tmp_path):
    written = write_report(tmp_path / "a" / "b", rendered)
    assert {path.name for path in written} == set(rendered)
    (tmp_path / "out").write_text("")
    with pytest.raises(InputError, match="is a file"):
        write_report(tmp_path / "out", rendered)


def made_up(**noise):
    """Systems that are the gold scores plus noise; None is a constant system."""
    random = np.random.default_rng(2)
    data = make(["x"] * 300, ["y"] * 300, random.uniform(0, 5, 300))
    evaluations = {}
    for name, amount in noise.items():
        drawn = random.standard_normal(300)
        scores = np.zeros(300) if amount is None else data.gold + amount * drawn
        measured = measure_best(data, giving(scores))
        evaluations[name] = Evaluation("v", System(measure=name), (data,), (measured,))
    return evaluations, bootstrap_all(list(evaluations.values()), resamples=500)


def judged(found, *pairs, test="beats", vectors=None, **options):
    claim = Claim("key", "Sentence.", "Section 1", test, pairs, **options)
    outcome = claim.judge(*found, vectors)
    return outcome["verdict"], outcome["reason"]


GOOD, REVERSE = ("good", "bad"), ("bad", "good")


CLEAR = {"good": 0.5, "bad": 4.0}
EQUAL = {"test": "equals", "within": 1.5}


@pytest.mark.parametrize(
    ("noise", "pairs", "options", "verdict"),
    [
        (CLEAR, [GOOD], {}, "holds"),
        (CLEAR, [REVERSE], {}, "does not hold"),
        (CLEAR, [GOOD], {"by": 90.0}, "does not hold"),
        (CLEAR, [GOOD], {"test": "beats_every_task"}, "holds"),
        (CLEAR, [GOOD], {"test": "wins_most_subtasks"}, "holds"),
        ({"good": 2.0, "bad": 2.0}, [GOOD], {}, "not significant"),
        # one contrary comparison breaks a claim of several
        (CLEAR | {"worst": 9.0}, [GOOD, ("worst", "bad")], {}, "does not hold"),
        # equivalence needs a narrow interval
        ({"good": 0.1, "bad": 0.1}, [GOOD], EQUAL, "holds"),
        ({"good": 0.1, "bad": 5.0}, [GOOD], EQUAL, "does not hold"),
        ({"good": 0.1}, [("good", "good")], EQUAL, "holds"),
    ],
)
def test_the_interval_decides_on_a_claim(noise, pairs, options, verdict):
    assert judged(made_up(**noise), *pairs, **options)[0] == verdict


def test_an_undefined_correlation_is_not_tested():
    found = judged(made_up(good=1.0, bad=None), GOOD)
    assert found == ("not tested", "a correlation is undefined")


def test_claims_about_other_vectors_are_not_tested():
    found = made_up(good=1.0, bad=1.0)
    other = judged(found, GOOD, only_on=["pnmt"])
    assert other == ("not tested", "the claim is about PNMT")
    assert judged(found, GOOD, unsupervised_only=True)[0] != "not tested"
    supervised = judged(found, GOOD, unsupervised_only=True, vectors={"supervised": True})
    assert supervised == ("not tested", "the vectors were trained on paraphrases")


def test_every_table_has_its_rows():
    sizes = {name: len(published_rows(name)) for name in study()["tables"]}
    assert sizes == {
        "main": 12, "sif": 6, "normalised": 6, "ssm": 9, "ablation": 8, "figure1": 0, "figure2": 0,
    }  # fmt: skip
    assert len(published_rows("main", "literature")) == 6


def test_published_systems_are_those_of_our_tables():
    for name, spec in study()["tables"].items():
        ours = {system for _, system in spec["rows"]}
        assert {row[1] for row in published_rows(name)} <= ours


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
            mean = np.mean([cell[side] for cell in cells])
            assert mean == pytest.approx(values[year], abs=0.06)


def test_intervals_count_as_the_paper_says():
    cells = [
        published_interval(vectors, f"{year}/{name}")
        for vectors in ("glove", "fasttext", "word2vec")
        for year, names in SUBTASKS.items()
        for name in names
    ]
    summary = paper()["significance"]["summary"]
    assert sum(cell["low"] > 0 for cell in cells) == summary["better"] == 56
    assert sum(cell["high"] < 0 for cell in cells) == summary["worse"] == 1
    assert len(cells) == summary["experiments"] == 72
