"""`fuzzbow index` and `fuzzbow search` through their real entry point."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fuzzbow
from tests.command import COMMAND, interrupted_command, invoked

ROWS = [
    ("7", "a cat sat on the mat", "2019", "en"),
    ("8", "a dog ran away", "2021", "en"),
    ("9", "the plane landed", "", "de"),
]


def failing(*arguments, check: int = 2) -> str:
    """Return the message of a command that ends with an error, and prints nothing else."""
    done = invoked(*arguments, check=check)
    assert done.stdout == ""
    return done.stderr


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "docs.csv"
    path.write_text("doc,text,year,lang\n" + "".join(",".join(row) + "\n" for row in ROWS))
    return path


@pytest.fixture
def folder(file, tmp_path):
    invoked("index", file, "-o", tmp_path / "index", "--id", "doc")
    return tmp_path / "index"


def test_index_and_search(folder):
    printed = invoked("search", folder, "the kitten sat", "-k", 2).stdout
    assert printed.splitlines()[0].split() == ["rank", "score", "id", "text", "metadata"]
    assert printed.splitlines()[1].split()[2] == "7"
    assert len(printed.splitlines()) == 3


def test_search_as_json_agrees_with_the_library(folder):
    data = json.loads(invoked("search", folder, "a puppy", "--json").stdout)
    found = fuzzbow.open_index(folder).search("a puppy", min_score=0.00005)
    assert data == json.loads(found.to_json())
    assert data["hits"][0]["id"] == 8
    assert data["hits"][0]["metadata"] == {"year": 2021, "lang": "en"}


def test_search_where_and_min_score(folder):
    arguments = ("--where", "year > 2020 AND lang = 'en'", "--min-score", 0.01, "--json")
    hits = json.loads(invoked("search", folder, "cat dog", *arguments).stdout)["hits"]
    assert [hit["id"] for hit in hits] == [8]


def test_a_query_that_nothing_is_like_has_no_hits_and_a_reason(folder):
    done = invoked("search", folder, "xqzzt")
    assert done.stdout == ""
    assert "no word of 'xqzzt' is known" in done.stderr
    assert len(json.loads(invoked("search", folder, "xqzzt", "--json").stdout)["hits"]) == 0
    zeros = invoked("search", folder, "xqzzt", "--min-score", 0, "--json").stdout
    assert {hit["score"] for hit in json.loads(zeros)["hits"]} == {0.0}


def test_no_hits_are_a_message_not_data(folder):
    done = invoked("search", folder, "cat", "--min-score", 0.99)
    assert (done.stdout, "no hits" in done.stderr) == ("", True)


def test_each_hit_is_explained_below_the_table(folder):
    printed = invoked("search", folder, "the kitten", "-k", 2, "--explain").stdout
    table, *explained = re.split("^hit ", printed, flags=re.MULTILINE)
    hits = fuzzbow.open_index(folder).search("the kitten", k=2, min_score=0.00005)
    assert table.splitlines() == str(hits).splitlines()
    assert [text.splitlines()[1][:6] for text in explained] == [f"{hit.score:.4f}" for hit in hits]
    assert "stood for by" in explained[0]


def test_each_hit_has_its_explanation_in_json(folder):
    hits = json.loads(
        invoked("search", folder, "cats", "--min-score", 0, "--explain", "--json").stdout
    )
    texts = [row[1] for row in ROWS]
    assert sorted(hit["text"] for hit in hits["hits"]) == sorted(texts)
    model = fuzzbow.open_index(folder).fitted_model()
    for hit in hits["hits"]:
        assert hit["explanation"] == model.explain("cats", hit["text"]).to_dict()
        assert hit["explanation"]["score"] == pytest.approx(hit["score"], abs=1e-5)


def test_a_page_of_hits_is_bounded_and_says_so(folder, tmp_path):
    page = tmp_path / "why.html"
    done = invoked("search", folder, "-", "--html", page, "--min-score", 0, input="a <b>cat\n" * 34)
    assert f"the first 100 of 102 explanations written to {page}" in done.stderr
    written = page.read_text("utf-8")
    assert written.count("<figure") == written.count("<h2>hit ") == 100
    assert "hit 1 of &#x27;a &lt;b&gt;cat&#x27;: 7" in written
    assert "explanation" not in done.stdout


def test_hits_that_cannot_be_explained_are_refused(file, tmp_path):
    invoked("index", file, "-o", tmp_path / "i", "-m", "avg-cosine")
    for option in (["--explain"], ["--html", tmp_path / "why.html"]):
        assert "avg-cosine cannot be explained" in failing("search", tmp_path / "i", "cat", *option)


def test_a_page_without_a_place_is_refused_before_the_search(folder):
    assert "existing folder" in failing("search", folder, "cat", "--html", folder / "no" / "p.html")


def test_a_query_that_is_no_text_is_answered(folder):
    for more in ([], [b"--json"], [b"--explain"]):
        command = [str(COMMAND).encode(), b"search", str(folder).encode(), b"a \xff cat", *more]
        done = subprocess.run(command, capture_output=True, timeout=120)
        assert done.returncode == 0, done.stderr
        assert b"a cat sat on the mat" in done.stdout


def test_queries_from_stdin(folder):
    done = invoked("search", folder, "-", "-k", "1", "--json", input="cat\ndog\n")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(line["query"], line["hits"][0]["id"]) for line in lines] == [("cat", 7), ("dog", 8)]


def test_add_delete_info_compact_restore(folder, tmp_path):
    more = tmp_path / "more.jsonl"
    more.write_text('{"doc": 10, "text": "a horse", "year": 2030, "other": 1}\n')
    assert "has 4" in invoked("index", "add", folder, more, "--id", "doc").stderr
    assert "has 2" in invoked("index", "delete", folder, 7, 8).stderr
    facts = json.loads(invoked("index", "info", folder, "--json").stdout)
    assert (facts["texts"], [item["texts"] for item in facts["versions"]]) == (2, [3, 4, 2])
    assert "year int64, lang string" in invoked("index", "info", folder).stdout
    assert "version 1" in invoked("index", "restore", folder, 1).stderr
    done = invoked("index", "compact", folder, "--keep-versions", 1, "--json")
    assert json.loads(done.stdout)["texts"] == 3
    assert "1 version" in done.stderr
    assert fuzzbow.open_index(folder).ids == [7, 8, 9]


def test_parquet_with_types_and_chosen_metadata(tmp_path):
    path = tmp_path / "docs.parquet"
    table = {"key": ["x", "y"], "body": ["a cat", None], "n": [1.5, 2.5], "more": [1, 2]}
    pq.write_table(pa.table(table), path)
    invoked(
        "index", path, "-o", tmp_path / "index", "--text", "body", "--id", "key",
        "--metadata", "n", "-m", "dynamax-jaccard",
    )  # fmt: skip
    index = fuzzbow.open_index(tmp_path / "index")
    assert (index.ids, index.metadata) == (["x", "y"], {"n": "double"})
    assert index.model.measure.name == "dynamax-jaccard"


def test_types_of_columns_can_be_told(file, tmp_path):
    arguments = ("--id", "doc:string", "--metadata", "year:string", "--metadata", "lang")
    invoked("index", file, "-o", tmp_path / "index", *arguments)
    index = fuzzbow.open_index(tmp_path / "index")
    assert index.ids == ["7", "8", "9"]
    assert index.metadata == {"year": "string", "lang": "string"}


def test_vectors_of_a_file_are_found_again_and_may_move(tmp_path):
    vectors, file = tmp_path / "small.txt", tmp_path / "docs.jsonl"
    vectors.write_text("the 1 0\ncat 0 1\ndog 0.5 1\n")
    file.write_text('{"text": "the cat"}\n{"text": "the dog"}\n')
    options = ("--vectors", vectors, "-m", "dynamax-jaccard")
    invoked("index", file, "-o", tmp_path / "index", *options)
    assert "the cat" in invoked("search", tmp_path / "index", "cat", "-k", 1).stdout
    moved = vectors.rename(tmp_path / "moved.txt")
    assert "small.txt" in failing("search", tmp_path / "index", "cat")
    done = invoked("search", tmp_path / "index", "cat", "-k", 1, "--vectors", moved)
    assert "the cat" in done.stdout
    moved.write_text("the 1 0\ncat 0 1\ndog 0.5 2\n")
    assert "other vectors" in failing("search", tmp_path / "index", "cat", "--vectors", moved)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--text", "txt"), "did you mean 'text'"),
        (("--id", "lang"), "ids must differ; got 'en' 2 times"),
        (("--metadata", "nothing"), "there are doc, text, year, lang"),
        (("--metadata", "lang:int"), "column 'lang' must hold int"),
        (("--metadata", "year:number"), "type of a column must be one of string, int"),
        (("--metadata", "text"), "one use"),
        (("-m", "wmd"), "wmd cannot be searched"),
    ],
)
def test_bad_input_leaves_no_index(file, tmp_path, arguments, message):
    assert message in failing("index", file, "-o", tmp_path / "index", *arguments)
    assert [item.name for item in tmp_path.iterdir()] == ["docs.csv"]


def test_a_column_that_cannot_be_metadata_names_the_options_that_help(tmp_path):
    file = tmp_path / "docs.csv"
    file.write_text("id,text,score\nx,a cat,1\n")
    command = ["index", file, "-o", tmp_path / "index"]
    assert "'id' cannot be metadata: --id id takes the ids from it" in failing(*command)
    assert "'score' cannot be metadata: --metadata names" in failing(*command, "--id", "id")
    assert not (tmp_path / "index").exists()
    invoked(*command, "--id", "id", "--no-metadata")


def test_bad_questions(folder, tmp_path):
    for arguments, message in (
        ((folder, "cat", "--where", "yeer > 1"), "id, text, year, lang"),
        ((tmp_path / "nothing", "cat"), "there is none"),
    ):
        assert message in failing("search", *arguments)
    assert "whole numbers" in failing("index", "delete", folder, "x")
    assert "not: 99" in failing("index", "delete", folder, 99)
    invoked("search", folder, "cat", "-k", "0", check=2)


def test_an_index_is_never_overwritten(folder, file):
    assert "already exists" in failing("index", file, "-o", folder)
    assert len(fuzzbow.open_index(folder)) == 3


def test_ctrl_c_leaves_no_half_index(tmp_path):
    path = tmp_path / "docs.csv"
    path.write_text("text\n" + "".join(f"cat {n} dog {n}\n" for n in range(600_000)))
    interrupted_command(
        "index", path, "-o", tmp_path / "index",
        begun=lambda: list(tmp_path.glob(".index.*/rows.lance")),
    )  # fmt: skip
    assert [item.name for item in tmp_path.iterdir()] == ["docs.csv"]


@pytest.fixture
def big(tmp_path):
    """More rows than are written at once."""
    path = tmp_path / "big.csv"
    path.write_text("doc,text\n" + "".join(f"{n},cat {n}\n" for n in range(100, 40_100)))
    return path


def test_a_file_is_added_in_one_commit(folder, big):
    assert "40000 texts added" in invoked("index", "add", folder, big, "--id", "doc").stderr
    assert [item.texts for item in fuzzbow.open_index(folder).versions()] == [3, 40_003]


@pytest.mark.parametrize(
    ("last", "message"),
    [
        ("40100,a,b", "must have 2 fields; got 3"),
        ("x,a cat", "column 'doc' must hold int"),
        ("8,a cat", "the index has 8 already"),
        ("100,a cat", "ids must differ; got 100 2 times"),
    ],
)
def test_a_bad_last_row_adds_nothing_and_says_so(folder, big, last, message):
    with big.open("a") as file:
        file.write(last + "\n")
    code = 1 if "fields" in message else 2
    told = failing("index", "add", folder, big, "--id", "doc", check=code)
    assert message in told
    assert told.endswith("(nothing was changed)\n")
    assert fuzzbow.open_index(folder).ids == [7, 8, 9]
    assert len(list((folder / "rows.lance" / "data").iterdir())) == 1


def test_ctrl_c_before_the_commit_adds_nothing_and_says_so(folder, tmp_path):
    path = tmp_path / "huge.csv"
    path.write_text("text\n" + "".join(f"cat {n}\n" for n in range(400_000)))
    data = folder / "rows.lance" / "data"
    said = interrupted_command(
        "index", "add", folder, path, begun=lambda: len(list(data.iterdir())) > 1
    )
    assert said == "interrupted; nothing was changed\n"
    assert fuzzbow.open_index(folder).ids == [7, 8, 9]


def interrupted_at(monkeypatch, owner, name, *arguments) -> str:
    """What a command says that gets Ctrl-C right after something was done."""
    work = getattr(owner, name)

    def interrupted(*given, **options):
        work(*given, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(owner, name, interrupted)
    return invoked(*arguments, check=130).stderr


def test_ctrl_c_after_the_commit_says_that_it_was_made(folder, big, monkeypatch):
    from fuzzbow.index.lance_store import LanceStore

    said = interrupted_at(monkeypatch, LanceStore, "replace", "index", "add", folder, big)
    assert said == f"interrupted; {folder} was changed\n"
    assert len(fuzzbow.open_index(folder)) == 40_003


def test_ctrl_c_after_the_build_says_that_it_is_complete(file, tmp_path, monkeypatch):
    from fuzzbow.index import folder as index_folder

    folder = tmp_path / "index"
    said = interrupted_at(monkeypatch, index_folder, "write_index", "index", file, "-o", folder)
    assert said == f"interrupted; {folder} is complete\n"
    assert len(fuzzbow.open_index(folder)) == 3


def test_a_full_disk_adds_nothing_and_says_so(folder, big):
    code = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
from fuzzbow.cli.main import run
run()
"""
    command = [sys.executable, "-c", code, "index", "add", str(folder), str(big)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1, done.stderr
    assert "(nothing was changed)" in done.stderr
    assert fuzzbow.open_index(folder).ids == [7, 8, 9]


def test_half_a_character_in_metadata_is_made_whole(tmp_path):
    path = tmp_path / "docs.jsonl"
    path.write_text('{"text": "a \\ud800 cat", "tags": ["\\udfff"]}\n')
    invoked("index", path, "-o", tmp_path / "index")
    hit = fuzzbow.open_index(tmp_path / "index").search("a cat")[0]
    assert (hit.text, hit.metadata) == ("a \ufffd cat", {"tags": ["\ufffd"]})
    path.write_text('{"text": "a cat", "\\udfff": 1}\n')
    invoked("index", path, "-o", tmp_path / "other")
    assert fuzzbow.open_index(tmp_path / "other").metadata == {"\ufffd": "int64"}


def built_by_other_rules(folder):
    """Change the fingerprint of an index as if its rules for letters were older."""
    from lance import LanceOperation

    from fuzzbow.index.location import read_checked, write_checked
    from fuzzbow.index.versions import apply, facts_of, newest_version, open_version, with_facts

    if (folder / "shards.json").exists():
        found = read_checked(folder / "shards.json")
        found["fingerprint"]["constants"]["letters"] = 1
        write_checked(folder / "shards.json", found)
        return
    dataset = open_version(folder, newest_version(folder))
    facts = facts_of(dataset)
    facts["fingerprint"]["constants"]["letters"] = 1
    facts["version"] += 1
    fragments = [fragment.metadata for fragment in dataset.get_fragments()]
    operation = LanceOperation.Merge(fragments, with_facts(dataset.schema, facts))
    apply(folder, operation, dataset.version)


@pytest.mark.parametrize("shards", [[], ["--shards", "2"]])
def test_an_index_of_other_rules_is_rebuilt_from_its_own_texts(file, tmp_path, shards):
    folder = tmp_path / "index"
    invoked("index", file, "-o", folder, "--id", "doc", *shards)
    invoked("index", "delete", folder, "9")
    before = invoked("search", folder, "a kitten", "--json").stdout
    built_by_other_rules(folder)
    error = failing("search", folder, "a kitten")
    assert f"fuzzbow index rebuild {folder}" in error.replace("\n", " ")
    assert "2 texts indexed again" in invoked("index", "rebuild", folder).stderr
    assert invoked("search", folder, "a kitten", "--json").stdout == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_an_index_is_rebuilt_in_another_folder(folder, tmp_path):
    built_by_other_rules(folder)
    invoked("index", "rebuild", folder, "-o", tmp_path / "new")
    found = fuzzbow.open_index(tmp_path / "new")
    assert found.ids == [7, 8, 9]
    assert found.metadata == {"year": "int64", "lang": "string"}
    with pytest.raises(fuzzbow.InputError, match="other rules"):
        fuzzbow.open_index(folder)


def test_ids_of_deleted_texts_are_not_given_again_after_a_rebuild(tmp_path):
    index = fuzzbow.load("default").index(["a cat", "a dog"], path=tmp_path / "index")
    index.delete([1])
    invoked("index", "rebuild", tmp_path / "index")
    assert fuzzbow.open_index(tmp_path / "index").add(["a bird"]) == [2]


def test_an_empty_index_is_rebuilt_with_its_columns(folder):
    invoked("index", "delete", folder, "7", "8", "9")
    invoked("index", "rebuild", folder)
    assert fuzzbow.open_index(folder).metadata == {"year": "int64", "lang": "string"}
