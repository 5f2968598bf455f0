"""`fuzzbow dedupe`: ids, several columns, what keeps rows apart, previews, stdin and stdout."""

from __future__ import annotations

import json
from pathlib import Path

import fuzzbow
from tests.command import invoked
from tests.unit.cli.test_dedupe import TEXTS, file, rows_of, write_csv

__all__ = ["file"]


def dedupe(*arguments, **options):
    return invoked("dedupe", *arguments, **options)


def write_table(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_rows_are_called_by_their_ids(file, tmp_path):
    out = tmp_path / "kept.csv"
    done = dedupe(file, "--id", "id", "-o", out, "--explain")
    removed = rows_of(tmp_path / "kept.removed.csv")
    assert [(row["id"], row["duplicate_of"]) for row in removed] == [("#3", "#2"), ("#4", "#1")]
    assert "row #4 is removed, row #1 is kept" in done.stdout
    groups = json.loads(dedupe(file, "--id", "id", "--json").stdout)["largest_groups"]
    assert [group["rows"] for group in groups] == [["#1", "#4"], ["#2", "#3"]]


def test_ids_that_are_numbers_stay_numbers(tmp_path):
    file = write_table(
        tmp_path / "t.jsonl", '{"n": 7, "text": "a cat"}\n{"n": 9, "text": "a cat"}\n'
    )
    dedupe(file, "--id", "n", "-o", tmp_path / "out.parquet")
    assert rows_of(tmp_path / "out.removed.parquet")[0]["duplicate_of"] == 7


def test_ids_of_another_file(file, tmp_path):
    other = write_table(tmp_path / "o.csv", "key,text\nk9,He has a cat\n")
    out = tmp_path / "kept.csv"
    arguments = ("--against", other, "--id", "id", "--against-id", "key", "-o", out)
    dedupe(file, *arguments)
    assert {row["duplicate_of"] for row in rows_of(tmp_path / "kept.removed.csv")} == {"k9"}
    assert "column 'id' is not there" in dedupe(file, *arguments[:4], check=2).stderr


def test_ids_that_repeat_are_told(tmp_path):
    file = write_table(tmp_path / "t.csv", "id,text\n1,a cat\n1,a dog\n")
    assert "1 repeated id" in dedupe(file, "--id", "id").stderr


def test_several_columns_are_compared_together(tmp_path):
    file = write_table(tmp_path / "t.csv", "a,b\nred,plane\nred,cat\nred,plane\n,cat\n")
    both = json.loads(dedupe(file, "--text", "a", "--text", "b", "--json").stdout)
    assert (both["removed"], both["empty"]) == (1, 0)
    assert json.loads(dedupe(file, "--text", "a", "--json").stdout)["removed"] == 2
    done = dedupe(file, "--text", "a", "--text", "a", check=2)
    assert "a column of texts can be named once; got a, a" in done.stderr


def test_rows_without_text_are_counted_and_stay_unless_dropped(tmp_path):
    file = write_table(tmp_path / "t.jsonl", '{"text": null}\n{"text": "a cat"}\n{}\n')
    assert json.loads(dedupe(file, "--text", "text", "--json").stdout)["empty"] == 2
    assert "kept 3, removed 0; 2 rows without text kept" in dedupe(file, "--text", "text").stdout
    done = dedupe(file, "--text", "text", "--drop-empty", "--preview")
    assert "kept 1, removed 2; 2 rows without text removed" in done.stdout
    assert "at 0.9: 2 would be removed" in done.stdout
    kept = dedupe(file, "--text", "text", "--drop-empty", "-o", "-").stdout
    assert json.loads(kept) == {"text": "a cat"}


def test_codes_keep_rows_apart_unless_told(tmp_path):
    file = write_table(tmp_path / "t.csv", "text\niPhone 13 64GB black\niPhone 12 64GB black\n")
    done = dedupe(file, "-s", "0.5")
    assert (
        "removed 0; 1 pair apart by a number, code or negation (--any-details ignores"
        in done.stdout
    )
    assert "removed 1" in dedupe(file, "-s", "0.5", "--any-details").stdout


def test_the_details_that_count_are_chosen(tmp_path):
    file = write_table(tmp_path / "t.csv", "text\nlamp 3 from ORD-4711\nlamp 3 from ORD-4712\n")
    arguments = [file, "-s", "0.5"]
    assert "removed 0; 1 pair apart" in dedupe(*arguments).stdout
    assert "removed 1" in dedupe(*arguments, "--details", "codes,negation").stdout
    for shared in ([], ["--shards", "2", "-o", tmp_path / "kept.csv"]):
        done = dedupe(*arguments, "--ignore-details", r"ORD-\d+", *shared)
        assert "removed 1" in done.stdout + done.stderr
    done = dedupe(file, "--details", "codes,digits", check=2)
    assert "details must be one of numbers, codes, negation; got 'digits'" in done.stderr
    done = dedupe(file, "--details", "codes", "--any-details", check=2)
    assert "--any-details and --details contradict each other" in done.stderr


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
    words = [
        "cat",
        "dog",
        "bird",
        "plane",
        "train",
        "house",
        "river",
        "stone",
        "cloud",
        "paper",
        "sun",
    ]
    texts = [" ".join(words[n : n + 6]) for n in range(6)]
    file = write_csv(tmp_path / "t.csv", texts)
    done = dedupe(file, "-s", "0.75", "--linkage", "single")
    assert "below the threshold with the kept one" in done.stdout
    assert "below the threshold" not in dedupe(file, "-s", "0.75").stdout


def test_an_output_is_replaced_only_when_told(file, tmp_path):
    out = tmp_path / "kept.removed.csv"
    out.write_text("before")
    done = dedupe(file, "-o", tmp_path / "kept.csv", check=2)
    assert "already exists; --overwrite replaces it" in done.stderr
    assert out.read_text() == "before"
    dedupe(file, "-o", tmp_path / "kept.csv", "--overwrite")
    assert out.read_text() != "before"


def test_stdin_to_stdout(file):
    done = dedupe("-", "--format", "csv", "-o", "-", input=file.read_text())
    assert [line.split(",")[0] for line in done.stdout.splitlines()] == ["id", "#1", "#2", "#5"]
    assert "removed 2" in done.stderr
    assert "stdin: must hold a table; got an empty file" in dedupe("-", check=1, input="").stderr
