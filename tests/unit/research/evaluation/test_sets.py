"""Reading sets: what they are is seen, and what is wrong with them is said."""

from __future__ import annotations

import csv
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import fuzzbow
from benchmarks.runner import read_results
from fuzzbow import InputError
from fuzzbow.research.evaluation import (
    CandidateSet,
    PairSet,
    RetrievalSet,
    evaluate,
    read_set,
    sets,
)
from fuzzbow.research.evaluation.sets import kind_of
from tests.command import fuzzbow_command
from tests.unit.research.evaluation.conftest import PAIRS


def test_files_decide_the_kind_of_a_set(folder, candidates, pairs):
    found = read_set(folder)
    assert isinstance(found, RetrievalSet)
    assert found.name == "house"
    assert found.documents["cat"] == "Pets A cat sleeps on the sofa."
    assert found.documents["7"] == "Bread is baked in the morning."
    assert found.qrels["q1"] == {"cat": 2.0, "dog": 1.0}
    assert found.sizes == {"queries": 3, "queries_left_out": 1, "documents": 4}
    found = read_set(candidates)
    assert isinstance(found, CandidateSet)
    assert found.sizes == {"queries": 2, "queries_left_out": 1, "candidates": 7}
    found = read_set(pairs)
    assert isinstance(found, PairSet)
    assert found.sizes == {"pairs": 6, "matches": 3}
    assert not found.labels.flags.writeable


@pytest.mark.parametrize("suffix", ["tsv", "jsonl", "parquet"])
def test_pairs_may_be_in_any_table_and_have_other_columns(suffix, tmp_path):
    path = tmp_path / f"pairs.{suffix}"
    rows = [{"a": left, "b": right, "same": bool(label)} for left, right, label in PAIRS]
    if suffix == "parquet":
        parquet.write_table(pa.Table.from_pylist(rows), path)
    elif suffix == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        lines = [list(rows[0]), *(list(row.values()) for row in rows)]
        path.write_text("".join("\t".join(map(str, line)) + "\n" for line in lines))
    found = read_set(path, left="a", right="b", label="same")
    assert isinstance(found, PairSet)
    assert found.labels.tolist() == [1, 0, 1, 0, 1, 0]


def test_the_kind_may_be_said(pairs):
    assert read_set(pairs, kind="pairs").kind == "pairs"
    with pytest.raises(InputError, match=r"line 1: must be JSON"):
        read_set(pairs, kind="candidates")
    with pytest.raises(InputError, match=r"kind must be one of retrieval, candidates, pairs"):
        read_set(pairs, kind="pear")


def test_qrels_may_lie_in_a_folder_of_splits(folder):
    (folder / "qrels").mkdir()
    text = (folder / "qrels.tsv").read_text()
    (folder / "qrels" / "dev.tsv").write_text(text.split("\nq2")[0] + "\n")
    (folder / "qrels.tsv").rename(folder / "qrels" / "test.tsv")
    assert read_set(folder).sizes["queries"] == 3
    assert read_set(folder, split="dev").sizes["queries"] == 1
    test = folder / "qrels" / "test.tsv"
    test.write_text(text.partition("\n")[2])  # without a header
    assert read_set(folder).sizes["queries"] == 3
    with pytest.raises(InputError, match=r"qrels/train.tsv; there is none; qrels/ holds dev, test"):
        read_set(folder, split="train")


def candidate(query="a", candidates=("b",), relevant=(1,)):
    return {"query": query, "candidates": candidates, "relevant": relevant}


@pytest.mark.parametrize(
    ("file", "line", "message"),
    [
        ("house/qrels.tsv", "q9\tcat\t1", r"qrels.tsv, line 7: 'q9' is not in queries.jsonl"),
        ("house/qrels.tsv", "q1\tcow\t1", r"qrels.tsv, line 7: 'cow' is not in corpus.jsonl"),
        ("house/qrels.tsv", "q1\tcat\tmuch", r"line 7: a grade must be a number; got 'much'"),
        ("house/qrels.tsv", "q1\tcat\tnan", r"line 7: a grade must be a number"),
        ("house/qrels.tsv", "q1 cat 1", r"line 7: must be query id, document id and grade"),
        ("house/qrels.tsv", "q1\tcat\t1", r"line 7: 'q1' and 'cat' have another grade before"),
        (
            "house/corpus.jsonl",
            {"_id": "cat", "text": "x"},
            r"5: ids must differ; 'cat' is on line 1",
        ),
        (
            "house/corpus.jsonl",
            {"_id": "new"},
            r"corpus.jsonl, line 5: 'text' must be text; got None",
        ),
        (
            "house/corpus.jsonl",
            {"text": "x"},
            r"line 5: '_id' must be text or a whole number; got N",
        ),
        (
            "house/queries.jsonl",
            {"_id": "q1", "text": "x"},
            r"queries.jsonl, line 5: ids must differ",
        ),
        ("answers.jsonl", candidate(candidates="b"), "line 4: 'candidates' must be a list of text"),
        (
            "answers.jsonl",
            candidate(relevant=["x"]),
            "line 4: 'relevant' must be a list of numbers",
        ),
        ("answers.jsonl", candidate(relevant=[1, 0]), "line 4: .*equal length; got 1 and 2"),
        ("answers.jsonl", candidate(query=5), "line 4: 'query' must be text; got 5"),
        ("records.csv", "a,b,2", "row 7: column 'label' must hold 0 or 1; got '2'"),
        ("records.csv", "a,b,", "must hold 0 or 1"),
    ],
)
def test_a_bad_line_is_named(folder, candidates, pairs, file, line, message):
    path = folder.parent / file
    with path.open("a") as opened:
        opened.write((line if isinstance(line, str) else json.dumps(line)) + "\n")
    with pytest.raises(InputError, match=message):
        read_set(folder if path.parent == folder else path)


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl"])
def test_an_empty_file_is_an_error(folder, name):
    (folder / name).write_text("")
    with pytest.raises(InputError, match=f"{name}: must hold at least one JSON object"):
        read_set(folder)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "must hold grades of documents; it has none"),
        ("query-id\tcorpus-id\tscore\n", "must hold grades of documents; it has none"),
        ("q1\tcat\t0\n", "some query must have a relevant document"),
    ],
)
def test_qrels_without_a_relevant_document_are_an_error(folder, content, message):
    (folder / "qrels.tsv").write_text(content)
    with pytest.raises(InputError, match=message):
        read_set(folder)
    (folder / "queries.jsonl").unlink()
    with pytest.raises(InputError, match=r"there is no queries.jsonl"):
        read_set(folder)


def test_a_path_that_is_no_set_says_what_was_needed(tmp_path):
    with pytest.raises(InputError, match=r"got a folder without corpus.jsonl"):
        read_set(tmp_path)
    with pytest.raises(InputError, match="it does not exist"):
        read_set(tmp_path / "missing.csv")
    (tmp_path / "x.csv").write_text("left,right\na,b\n")
    with pytest.raises(InputError, match="its columns are left, right"):
        read_set(tmp_path / "x.csv")


def test_pairs_need_both_labels_and_their_columns(pairs, tmp_path):
    with pytest.raises(InputError, match=r"no column 'rigth'.*did you mean 'right'"):
        read_set(pairs, right="rigth")
    path = tmp_path / "x.csv"
    path.write_text("left,right,label\na,b,1\n")
    with pytest.raises(InputError, match="some pairs must have label 0; of 1 none has"):
        read_set(path)


def test_a_kind_of_set_is_one_line_of_the_registry(tmp_path, monkeypatch):
    path = tmp_path / "pets.toy"
    path.write_text("a cat\na dog\n")

    class ToySet(PairSet):
        layout = "a file of texts"

        @classmethod
        def recognises(cls, path, options):
            return path.suffix == ".toy"

        @classmethod
        def read(cls, path, options):
            return cls(path.name, ["a"], ["b"], np.array([1.0, 0.0]))

    monkeypatch.setattr(sets, "KINDS", {"toy": ToySet, **sets.KINDS})
    assert kind_of(path) == "toy"
    assert read_set(path).name == "pets.toy"
    with pytest.raises(InputError, match=r"must be a file of texts, a folder with corpus"):
        read_set(tmp_path / "nothing")
    with pytest.raises(InputError, match="kind must be one of toy, retrieval"):
        read_set(path, kind="pear")


FEW = 100  # resamples, where intervals are not looked at
SHOWN = {
    item["name"]: {system["system"]: system["values"] for system in item["systems"]}
    for item in read_results("choose")["sets"]
}


def assert_as_shown(path, name, purpose, baselines, metric, *, near=0.1):
    """A purpose and baselines on a set have the committed values."""
    models = {purpose: fuzzbow.load(purpose=purpose)}
    found = evaluate(path, models, baselines=baselines, resamples=FEW).sets[0]
    for system in (purpose, *baselines):
        shown = SHOWN[name][system][metric]
        assert found[system].values[metric] == pytest.approx(shown, abs=near), system


@pytest.mark.retrieval
@pytest.mark.parametrize("name", ["cranfield", "stackfaq-questions"])
def test_retrieval(retrieval_folder, name):
    assert_as_shown(retrieval_folder / name, name, "passages", ["bm25"], "nDCG@10")


@pytest.mark.retrieval
def test_answer_selection(retrieval_folder):
    path = retrieval_folder / "wikiqa-candidates.jsonl"
    assert_as_shown(path, "wikiqa-candidates", "answers", ["bm25"], "MAP")


@pytest.mark.matching
@pytest.mark.parametrize("name", ["abt-buy", "amazon-google"])
def test_matching(matching_folder, name):
    path = matching_folder / f"{name}.csv"
    assert_as_shown(path, name, "records", ["tfidf", "char-tfidf"], "AP")


@pytest.mark.retrieval
@pytest.mark.parametrize("purpose", ["passages", "answers"])
@pytest.mark.parametrize("name", ["cranfield", "covidfaq"])
def test_search_finds_what_comparing_with_every_document_finds(retrieval_folder, name, purpose):
    data = read_set(retrieval_folder / name)
    queries, texts = list(data.queries.values())[:40], list(data.documents.values())
    model = fuzzbow.load(purpose=purpose)
    scores = model.matrix(queries, texts)
    for hits, row in zip(model.index(texts).search(queries, k=10), scores, strict=True):
        best = np.argsort(-row, kind="stable")[:10]
        assert hits.ids == best.tolist()
        assert hits.scores.tolist() == row[best].tolist()


@pytest.mark.matching
def test_a_join_by_default_settings_finds_most_matches(matching_folder, tmp_path):
    with (matching_folder / "abt-buy.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for side in ("left", "right"):
        texts = [[row[side]] for row in rows]
        with (tmp_path / f"{side}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([["name"], *dict.fromkeys(map(tuple, texts))])
    out = tmp_path / "joined.csv"
    fuzzbow_command(
        "join", tmp_path / "left.csv", tmp_path / "right.csv", "--on", "name", "-o", out
    )
    with out.open(encoding="utf-8", newline="") as file:
        found = {(row["name"], row["name_right"]) for row in csv.DictReader(file)}
    wanted = {(row["left"], row["right"]) for row in rows if row["label"] == "1"}
    assert len(found & wanted) >= 0.85 * len(wanted)
