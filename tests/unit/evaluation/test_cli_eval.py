"""`fuzzbow eval` through its real entry point."""

from __future__ import annotations

import json

from tests.command import fuzzbow_command


def test_tables_for_sets_of_all_kinds(folder, candidates, pairs):
    done = fuzzbow_command(
        "eval", folder, candidates, pairs, "-m", "weighted-jaccard", "-m", "weighted-coverage",
        "--resamples", "200", "--recall-at", "2",
    )  # fmt: skip
    assert "house (retrieval): 3 queries, 1 query left out, 4 documents" in done.stdout
    assert "recall@2" in done.stdout
    assert "AP less char-tfidf" in done.stdout
    assert done.stdout.count("weighted-coverage") == 3
    assert "note: bm25: lucene, without stop words, stemmed (house, answers)" in done.stderr


def test_json_and_a_file_of_results_hold_the_same(folder, tmp_path):
    out = tmp_path / "results.json"
    done = fuzzbow_command("eval", folder, "-b", "bm25", "--json", "-o", out, "--resamples", "200")
    printed = json.loads(done.stdout)
    assert printed == json.loads(out.read_text("utf-8"))
    [item] = printed["sets"]
    assert [system["system"] for system in item["systems"]] == [
        "fuzzy-bm25", "weighted-coverage", "weighted-jaccard", "bm25",
    ]  # fmt: skip
    difference = item["systems"][0]["differences"]["bm25"]["nDCG@10"]
    assert set(difference) == {"delta", "low", "high", "p_value", "decision"}


def test_columns_and_baselines_by_options(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a,b,same\na cat,a kitten,1\na cat,a jet,0\n")
    columns = ("-l", "a", "-r", "b", "--label", "same", "--kind", "pairs")
    done = fuzzbow_command("eval", path, *columns, "-b", "none", "--json", "--for", "sentences")
    [system] = json.loads(done.stdout)["sets"][0]["systems"]
    assert system["values"] == {"AP": 100.0, "best F1": 100.0}
    assert system["differences"] == {}


def test_an_error_is_one_line(folder):
    with (folder / "qrels.tsv").open("a") as file:
        file.write("q1\tcow\t1\n")
    done = fuzzbow_command("eval", folder, check=1)
    assert done.stderr == f"error: {folder}/qrels.tsv, line 7: 'cow' is not in corpus.jsonl\n"


def test_results_do_not_replace_the_data(folder):
    corpus = folder / "corpus.jsonl"
    done = fuzzbow_command("eval", folder, "-o", corpus, check=2)
    assert "must be different files" in done.stderr
    assert corpus.read_text().startswith('{"_id": "cat"')


def test_none_stands_alone(folder):
    done = fuzzbow_command("eval", folder, "-b", "none", "-b", "bm25", check=2)
    assert done.stderr == "error: baseline must be none alone, or others; got none, bm25\n"


def test_pairs_are_tried_for_every_purpose_that_fits_with_the_threshold_of_the_best_f1(pairs):
    given = ("eval", pairs, "-b", "none")
    table = fuzzbow_command(*given).stdout
    systems = json.loads(fuzzbow_command(*given, "--json").stdout)["sets"][0]["systems"]
    assert [system["system"] for system in systems] == ["weighted-jaccard", "records-otsuka"]
    for system in systems:
        shown = next(line for line in table.splitlines() if system["system"] in line)
        threshold = float(shown.split("│")[4])
        assert threshold <= system["threshold"] < threshold + 1e-4
