"""`fuzzbow dedupe` through its real entry point, on real files."""

from __future__ import annotations

import csv
import json
import resource
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import fuzzbow
from fuzzbow.io import text as text_file
from fuzzbow.io.tables import read_table
from fuzzbow.pipeline import dedupe_file
from fuzzbow.pipeline.dedupe import removed_path
from tests.command import fuzzbow_command, invoked

TEXTS = [
    "The airplane landed at noon",
    "He has a cat",
    "He has a cat",
    "The plane landed at noon",
    "She had one dog, or [two]",
]


def dedupe(*arguments, **options):
    return invoked("dedupe", *arguments, **options)


def write_csv(path: Path, texts: list[str]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(
            [["id", "text"], *([f"#{n}", text] for n, text in enumerate(texts, start=1))]
        )
    return path


@pytest.fixture
def file(tmp_path):
    return write_csv(tmp_path / "texts.csv", TEXTS)


def write_table(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def rows_of(path: Path) -> list[dict]:
    return read_table(path).read_all().to_pylist()


def test_a_summary_for_people_and_for_programs(file, tmp_path):
    printed = dedupe(file).stdout
    assert "5 rows, 2 pairs at ≥ 0.9 (1 exact), 2 groups: kept 3, removed 2" in printed
    assert "1, 4" in printed
    assert "He has a cat" in printed
    summary = json.loads(dedupe(file, "--threshold", "0.8", "--json").stdout)
    assert summary.pop("largest_groups") == [
        {"size": 2, "rows": [1, 4], "text": TEXTS[0]},
        {"size": 2, "rows": [2, 3], "text": TEXTS[1]},
    ]
    assert summary == {
        "rows": 5, "threshold": 0.8, "pairs": 2, "exact_copies": 1, "kept_apart": 0, "empty": 0,
        "malformed": 0, "groups": 2, "kept": 3, "removed": 2, "removed_below_threshold": 0,
    }  # fmt: skip
    done = dedupe(write_csv(file, []), "--json", "-o", tmp_path / "out.parquet")
    summary = json.loads(done.stdout)
    assert (summary["rows"], summary["pairs"], summary["largest_groups"]) == (0, 0, [])
    assert rows_of(tmp_path / "out.removed.parquet") == []


def test_shown_rows_that_go_are_explained(file):
    printed = dedupe(file, "--explain").stdout
    table, *explained = printed.split("\nrow ")
    assert "2 groups" in table
    assert [text.split("─")[0].strip() for text in explained] == ["4 is removed, row 1 is kept"]
    assert "0.83 plane" in explained[0]
    assert f"{fuzzbow.similarity(TEXTS[0], TEXTS[3]):.4f}" in explained[0]


def test_explanations_for_programs(file):
    near, same = json.loads(dedupe(file, "--explain", "--json").stdout)["largest_groups"]
    expected = fuzzbow.load().explain(TEXTS[3], TEXTS[0]).to_dict()
    assert near["removed"][0].pop("score") == pytest.approx(expected["score"], abs=1e-5)
    assert near["removed"] == [{"row": 4, "duplicate_of": 1, "explanation": expected}]
    assert same["removed"] == [{"row": 3, "duplicate_of": 2, "score": 1.0, "explanation": None}]


def test_explanations_against_another_file_name_its_rows(file, tmp_path):
    other = write_csv(tmp_path / "other.csv", ["Nothing", "A plane landed at noon"])
    arguments = (file, "--against", other, "-o", tmp_path / "kept.csv", "--explain")
    printed = dedupe(*arguments).stdout
    assert "row 4 is removed, row 2 of the other file is similar" in printed
    assert "A plane landed at noon" in printed


def test_a_page_of_removed_rows_is_bounded_and_says_so(tmp_path):
    alike = [f"a cat sat here {'.' * dots}" for dots in range(121)]
    file = write_csv(tmp_path / "many.csv", [*alike, alike[0]])
    page = tmp_path / "why.html"
    done = dedupe(file, "--html", page, "-s", "0.8")
    assert f"the first 100 of 120 explanations written to {page}" in done.stderr
    written = page.read_text("utf-8")
    assert written.count('<figure class="fuzzbow-explanation') == 100
    assert "<h2>row 2 is removed, row 1 is kept</h2>" in written
    assert "Rows that would be removed, of 122, by threshold" in written


def test_a_measure_that_cannot_be_explained_is_refused_before_anything_is_read(file, tmp_path):
    out = tmp_path / "kept.csv"
    for option in (["--explain"], ["--html", tmp_path / "why.html"]):
        done = dedupe(file, "-m", "avg-cosine", "-o", out, *option, check=2)
        assert "avg-cosine cannot be explained" in done.stderr
    assert not out.exists()


def test_kept_rows_and_removed_rows_with_the_reason(file, tmp_path):
    out = tmp_path / "kept.csv"
    done = dedupe(file, "-o", out)
    assert done.stdout == ""
    assert "kept 3, removed 2" in done.stderr
    assert [row["id"] for row in rows_of(out)] == ["#1", "#2", "#5"]
    assert rows_of(out)[2]["text"] == TEXTS[4]
    score = fuzzbow.similarity(TEXTS[0], TEXTS[3])
    assert rows_of(tmp_path / "kept.removed.csv") == [
        {
            "id": "#3", "text": TEXTS[2], "duplicate_of": "2", "duplicate_text": TEXTS[1],
            "duplicate_score": "1.0", "duplicate_reason": "exact duplicate",
        },
        {
            "id": "#4", "text": TEXTS[3], "duplicate_of": "1", "duplicate_text": TEXTS[0],
            "duplicate_score": str(score),
            "duplicate_reason": "plane ~ airplane 0.83, landed, noon",
        },
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["k.tsv", "k.jsonl", "k.parquet", "k.csv.gz"])
def test_formats_out(tmp_path, file, name):
    with file.open("a") as stream:
        stream.write("#6,Stocks fell \ufffd\n#7,Stocks fell \ufffd\n")
    out = tmp_path / name
    dedupe(file, "-o", out)
    assert [row["id"] for row in rows_of(out)] == ["#1", "#2", "#5", "#6"]
    removed = rows_of(removed_path(out))
    assert [row["id"] for row in removed] == ["#3", "#4", "#7"]
    assert removed[2]["duplicate_text"] == "Stocks fell \ufffd"
    assert removed_path(out).name == name.replace("k.", "k.removed.")


def test_keep_and_linkage(file, tmp_path):
    out = tmp_path / "kept.jsonl"
    dedupe(file, "-o", out, "--keep", "longest", "--linkage", "complete", "-s", "0.6")
    assert [row["id"] for row in rows_of(out)] == ["#1", "#2", "#5"]
    write_csv(file, TEXTS[::-1])
    dedupe(file, "-o", out, "--keep", "longest", "--overwrite")
    assert [row["text"] for row in rows_of(out)] == [TEXTS[4], TEXTS[1], TEXTS[0]]


def test_against_another_file(file, tmp_path):
    other, out = tmp_path / "other.jsonl", tmp_path / "kept.csv"
    other.write_text('{"said": "nothing"}\n{"said": "The plane landed at noon"}\n')
    dedupe(file, "--against", other, "--against-text", "said", "-o", out, "-s", "0.9")
    assert [row["id"] for row in rows_of(out)] == ["#2", "#3", "#5"]
    removed = rows_of(tmp_path / "kept.removed.csv")
    assert [(row["id"], row["duplicate_of"]) for row in removed] == [("#1", "2"), ("#4", "2")]
    assert removed[1]["duplicate_reason"] == "exact duplicate"
    assert "1, 4" in dedupe(file, "--against", other, "--against-text", "said").stdout


def test_the_text_of_another_file_fits_on_a_line_of_tsv(tmp_path):
    file = write_table(tmp_path / "t.tsv", "text\nHe has a cat\n")
    other = write_table(tmp_path / "other.csv", 'text\n"He has\na cat"\n')
    dedupe(file, "--against", other, "-o", tmp_path / "out.tsv")
    assert rows_of(tmp_path / "out.removed.tsv")[0]["duplicate_text"] == "He has a cat"


def test_pairs_to_a_file(file, tmp_path):
    pairs = tmp_path / "pairs.parquet"
    dedupe(file, "--pairs", pairs)
    table = pq.read_table(pairs).sort_by("left")
    assert table.column_names == ["left", "right", "score", "exact"]
    assert (table["left"].to_pylist(), table["right"].to_pylist()) == ([0, 1], [3, 2])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--text txt", "did you mean 'text'"),
        ("--text text --text text", "a column of texts can be named once; got text, text"),
        ("--against {file} --against-id key", "no column 'key'"),
        ("-s 1.5", "above 0 and at most 1; got 1.5"),
        ("-m wmd", "the measure wmd cannot find duplicates"),
        ("-o out.xlsx", "must end in one of"),
        ("-o nowhere/out.csv", "there is no 'nowhere'"),
        ("--pairs pairs.csv", "--pairs must end in .parquet"),
        ("--preview --html page.html", "--preview writes nothing"),
        ("--details codes,digits", "one of numbers, codes, negation; got 'digits'"),
        ("--details codes --any-details", "--any-details and --details contradict each other"),
        ("--against missing.csv", "no such file: 'missing.csv'"),
        ("--against {file} --keep longest", "no groups to choose from"),
        ("--against {file} -o {file}", "--output and FILE must be different files"),
    ],
)
def test_bad_input_is_one_line(file, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    done = dedupe(file, *arguments.format(file=file).split(), check=2)
    assert message in done.stderr
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("text,duplicate_of", "has columns duplicate_of already"),
        ("a,b", "name the column of texts; the columns are a, b"),
    ],
)
def test_columns_that_are_taken_or_missing(tmp_path, header, message):
    file = write_table(tmp_path / "in.csv", f"{header}\na cat,1\n")
    assert message in dedupe(file, "-o", tmp_path / "t.csv", check=2).stderr


def test_a_full_disk_leaves_what_was_there(tmp_path):
    file = write_csv(tmp_path / "t.csv", [f"word{n} " * 30 for n in range(3000)] * 2)
    before = {tmp_path / "out.csv": "before", tmp_path / "out.removed.csv": "before too"}
    for path, content in before.items():
        path.write_text(content)
    limit = 400_000  # less than either output, more than anything else that is written

    def cap():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    arguments = ("-o", tmp_path / "out.csv", "-s", "0.99", "-m", "max-jaccard", "--overwrite")
    done = fuzzbow_command("dedupe", file, *arguments, check=1, preexec_fn=cap)
    assert "File too large" in done.stderr
    assert {path: path.read_text() for path in before} == before
    assert {*tmp_path.iterdir()} == {file, *before}


def test_a_file_is_read_once(file, tmp_path, monkeypatch):
    opened = []
    opening = text_file.open_stream
    monkeypatch.setattr(text_file, "open_stream", lambda path: opened.append(path) or opening(path))
    found = dedupe_file(file, tmp_path / "kept.csv", text="text")
    assert (found.summary["removed"], opened) == (2, [file])
    assert found.found.texts == TEXTS
    assert found.line == "5 rows, 2 pairs at ≥ 0.9 (1 exact), 2 groups: kept 3, removed 2"


def test_rows_are_called_by_their_ids(file, tmp_path):
    out = tmp_path / "kept.csv"
    done = dedupe(file, "--id", "id", "-o", out, "--explain")
    removed = rows_of(tmp_path / "kept.removed.csv")
    assert [(row["id"], row["duplicate_of"]) for row in removed] == [("#3", "#2"), ("#4", "#1")]
    assert "row #4 is removed, row #1 is kept" in done.stdout
    groups = json.loads(dedupe(file, "--id", "id", "--json").stdout)["largest_groups"]
    assert [group["rows"] for group in groups] == [["#1", "#4"], ["#2", "#3"]]
    other = write_table(tmp_path / "o.jsonl", '{"key": 9, "text": "He has a cat"}\n' * 2)
    against = ("--against", other, "--id", "id", "--against-id", "key", "--overwrite")
    assert "o.jsonl: 1 repeated id" in dedupe(file, *against, "-o", tmp_path / "k.jsonl").stderr
    assert {row["duplicate_of"] for row in rows_of(tmp_path / "k.removed.jsonl")} == {9}


def test_several_columns_are_compared_together(tmp_path):
    file = write_table(tmp_path / "t.csv", "a,b\nred,plane\nred,cat\nred,plane\n,cat\n")
    both = json.loads(dedupe(file, "--text", "a", "--text", "b", "--json").stdout)
    assert (both["removed"], both["empty"]) == (1, 0)
    assert json.loads(dedupe(file, "--text", "a", "--json").stdout)["removed"] == 2


def test_rows_without_text_are_counted_and_stay_unless_dropped(tmp_path):
    file = write_table(tmp_path / "t.jsonl", '{"text": null}\n{"text": "a cat"}\n{}\n')
    assert json.loads(dedupe(file, "--text", "text", "--json").stdout)["empty"] == 2
    assert "kept 3, removed 0; 2 rows without text kept" in dedupe(file, "--text", "text").stdout
    done = dedupe(file, "--text", "text", "--drop-empty", "--preview")
    assert "kept 1, removed 2; 2 rows without text removed" in done.stdout
    assert "at 0.9: 2 would be removed" in done.stdout
    kept = dedupe(file, "--text", "text", "--drop-empty", "-o", "-").stdout
    assert json.loads(kept) == {"text": "a cat"}


def test_details_keep_rows_apart_unless_told(tmp_path):
    file = write_table(tmp_path / "t.csv", "text\nlamp 3 from ORD-4711\nlamp 3 from ORD-4712\n")
    arguments = [file, "-s", "0.5"]
    apart = "removed 0; 1 pair kept apart by a number, code or negation (--any-details ignores"
    assert apart in dedupe(*arguments).stdout
    for more in (["--any-details"], ["--details", "codes,negation"]):
        assert "removed 1" in dedupe(*arguments, *more).stdout
    for shared in ([], ["--shards", "2", "-o", tmp_path / "kept.csv"]):
        done = dedupe(*arguments, "--ignore-details", r"ORD-\d+", *shared)
        assert "removed 1" in done.stdout + done.stderr


def test_a_preview_shows_the_least_similar_rows_that_would_go(file, tmp_path):
    before = sorted(tmp_path.iterdir())
    done = dedupe(file, "--preview", "--id", "id")
    score = fuzzbow.similarity(TEXTS[0], TEXTS[3])
    assert f"{score:.4f}  row #4 would be removed for row #1" in done.stdout
    assert "at 0.9: 2 would be removed" in done.stdout
    assert "at 1: 1 would be removed" in done.stdout
    assert sorted(tmp_path.iterdir()) == before
    data = json.loads(dedupe(file, "--preview", "--json").stdout)
    assert [row["row"] for row in data["least_similar"]] == [4]
    assert data["thresholds"][0] == {"threshold": 0.9, "removed": 2}
    assert "--preview writes nothing" in dedupe(file, "--preview", "-o", "x.csv", check=2).stderr


def test_chains_say_how_many_rows_go_below_the_threshold(tmp_path):
    words = ["cat", "dog", "bird", "plane", "train", "house", "river", "stone", "cloud", "paper"]
    file = write_csv(tmp_path / "t.csv", [" ".join(words[n : n + 6]) for n in range(5)])
    done = dedupe(file, "-s", "0.75", "--linkage", "single")
    assert "below the threshold with the kept one" in done.stdout
    assert "below the threshold" not in dedupe(file, "-s", "0.75").stdout


def test_stdin_to_stdout(file):
    done = dedupe("-", "--format", "csv", "-o", "-", input=file.read_text())
    assert [line.split(",")[0] for line in done.stdout.splitlines()] == ["id", "#1", "#2", "#5"]
    assert "removed 2" in done.stderr
    assert "stdin: must hold a table; got an empty file" in dedupe("-", check=1, input="").stderr
