"""`fuzzbow index` and `fuzzbow search` through their real entry point."""

from __future__ import annotations

import json
import re
import resource

import pytest

import fuzzbow
from fuzzbow.index.file_documents import FileDocuments
from tests.command import fuzzbow_command, invoked

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
    done = invoked("search", folder, "-", "-k", "1", "--json", input="cat\ndog\n")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(line["query"], line["hits"][0]["id"]) for line in lines] == [("cat", 7), ("dog", 8)]


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
    done = invoked("search", folder, "cat", "--min-score", 0.99)
    assert (done.stdout, "no hits" in done.stderr) == ("", True)


def test_each_hit_is_explained_below_the_table_and_in_json(folder):
    arguments = ("search", folder, "the kitten", "--min-score", 0, "--explain")
    table, *explained = re.split("^hit ", invoked(*arguments).stdout, flags=re.MULTILINE)
    index = fuzzbow.open_index(folder)
    hits = index.search("the kitten", min_score=0)
    assert table.splitlines() == str(hits).splitlines()
    assert [text.splitlines()[1][:6] for text in explained] == [f"{hit.score:.4f}" for hit in hits]
    assert "stood for by" in explained[0]
    found = json.loads(invoked(*arguments, "--json").stdout)["hits"]
    assert [hit["text"] for hit in found] == [hit.text for hit in hits]
    for hit in found:
        expected = index.fitted_model().explain("the kitten", hit["text"]).to_dict()
        assert hit["explanation"] == expected
        assert expected["score"] == pytest.approx(hit["score"], abs=1e-5)


def test_a_page_of_hits_is_bounded_and_says_so(folder, tmp_path):
    page = tmp_path / "why.html"
    done = invoked("search", folder, "-", "--html", page, "--min-score", 0, input="a <b>cat\n" * 34)
    assert f"the first 100 of 102 explanations written to {page}" in done.stderr
    written = page.read_text("utf-8")
    assert written.count("<figure") == written.count("<h2>hit ") == 100
    assert "hit 1 of &#x27;a &lt;b&gt;cat&#x27;: 7" in written
    assert "explanation" not in done.stdout


def test_a_query_that_is_no_text_is_answered(folder):
    for more in ([], ["--json"], ["--explain"]):
        done = invoked("search", folder, "a \udcff cat", *more)  # as Python decodes a byte
        assert "a cat sat on the mat" in done.stdout


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
        ("--text txt", "did you mean 'text'"),
        ("--id lang", "ids must differ; got 'en' 2 times, in rows 1 and 2"),
        ("--metadata nothing", "the columns are doc, text, year, lang"),
        ("--metadata lang:int", "column 'lang' must hold int"),
        ("--metadata year:number", "type of a column must be one of string, int"),
        ("--metadata text", "one use"),
        ("-m wmd", "wmd cannot be searched"),
    ],
)
def test_bad_input_leaves_no_index(file, tmp_path, arguments, message):
    command = ["index", file, "-o", tmp_path / "index"]
    assert message in failing(*command, *arguments.split())
    assert [item.name for item in tmp_path.iterdir()] == ["docs.csv"]


def test_a_column_that_cannot_be_metadata_names_the_options_that_help(tmp_path):
    file = tmp_path / "docs.csv"
    file.write_text("id,text,score\nx,a cat,1\n")
    command = ["index", file, "-o", tmp_path / "index"]
    assert "'id' cannot be metadata: --id id takes the ids from it" in failing(*command)
    assert "'score' cannot be metadata: --metadata names" in failing(*command, "--id", "id")
    assert not (tmp_path / "index").exists()
    invoked(*command, "--id", "id", "--no-metadata")


def test_bad_questions(folder, file, tmp_path):
    invoked("index", file, "-o", tmp_path / "i", "-m", "avg-cosine")
    for arguments, message in (
        ((folder, "cat", "--where", "yeer > 1"), "id, text, year, lang"),
        ((tmp_path / "nothing", "cat"), "there is none"),
        ((folder, "cat", "--html", folder / "no" / "p.html"), "existing folder"),
        ((tmp_path / "i", "cat", "--explain"), "avg-cosine cannot be explained"),
        ((tmp_path / "i", "cat", "--html", tmp_path / "why.html"), "cannot be explained"),
    ):
        assert message in failing("search", *arguments)
    assert "whole numbers" in failing("index", "delete", folder, "x")
    assert "not: 99" in failing("index", "delete", folder, 99)
    invoked("search", folder, "cat", "-k", "0", check=2)


@pytest.fixture
def big(tmp_path):
    """More rows than are written at once."""
    path = tmp_path / "big.csv"
    path.write_text("doc,text\n" + "".join(f"{n},cat {n}\n" for n in range(100, 40_100)))
    return path


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


def test_ctrl_c_before_the_commit_changes_nothing_and_says_so(folder, file, tmp_path, monkeypatch):
    before, read = sorted(tmp_path.iterdir()), FileDocuments.batches

    def interrupted(documents):
        yield from read(documents)
        raise KeyboardInterrupt

    monkeypatch.setattr(FileDocuments, "batches", interrupted)
    for command in (["add", folder, file], ["build", file, "-o", tmp_path / "new"]):
        said = invoked("index", *command, check=130).stderr
        assert said == "interrupted; nothing was changed\n"
        assert sorted(tmp_path.iterdir()) == before
    assert fuzzbow.open_index(folder).ids == [7, 8, 9]


def interrupted_at(monkeypatch, owner, name, *arguments) -> str:
    """What a command says that gets Ctrl-C right after something was done."""
    work = getattr(owner, name)

    def interrupted(*given, **options):
        work(*given, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(owner, name, interrupted)
    return invoked(*arguments, check=130).stderr


def test_ctrl_c_after_the_only_commit_says_that_it_was_made(folder, big, monkeypatch):
    from fuzzbow.index.lance_store import LanceStore

    said = interrupted_at(
        monkeypatch, LanceStore, "replace", "index", "add", folder, big, "--id", "doc"
    )
    assert said == f"interrupted; {folder} was changed\n"
    assert [item.texts for item in fuzzbow.open_index(folder).versions()] == [3, 40_003]


def test_ctrl_c_after_the_build_says_that_it_is_complete(file, tmp_path, monkeypatch):
    from fuzzbow.index import folder as index_folder

    folder = tmp_path / "index"
    said = interrupted_at(monkeypatch, index_folder, "write_index", "index", file, "-o", folder)
    assert said == f"interrupted; {folder} is complete\n"
    assert len(fuzzbow.open_index(folder)) == 3


def test_a_full_disk_adds_nothing_and_says_so(folder, big):
    def cap():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    done = fuzzbow_command("index", "add", folder, big, check=1, preexec_fn=cap)
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
    fragments = [fragment.metadata for fragment in dataset.get_fragments()]
    after = with_facts(dataset.schema, facts, dataset.version + 1, fragments, facts["next_id"])
    apply(folder, LanceOperation.Merge(fragments, after), dataset.version)


@pytest.mark.parametrize("shards", [[], ["--shards", "2"]])
def test_an_index_of_other_rules_is_rebuilt_from_its_own_texts(file, tmp_path, shards):
    folder, new = tmp_path / "index", tmp_path / "new"
    invoked("index", file, "-o", folder, "--id", "doc", *shards)
    invoked("index", "delete", folder, "9")
    search = ("a kitten", "--json")
    before = invoked("search", folder, *search).stdout
    built_by_other_rules(folder)
    error = failing("search", folder, *search)
    assert f"fuzzbow index rebuild {folder}" in error.replace("\n", " ")
    assert "2 texts indexed again" in invoked("index", "rebuild", folder, "-o", new).stderr
    failing("search", folder, *search)
    invoked("index", "rebuild", folder)
    for rebuilt in (folder, new):
        assert invoked("search", rebuilt, *search).stdout == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    invoked("index", "delete", new, "7", "8")
    invoked("index", "rebuild", new)
    assert fuzzbow.open_index(new).metadata == {"year": "int64", "lang": "string"}


def test_ids_of_deleted_texts_are_not_given_again_after_a_rebuild(tmp_path):
    index = fuzzbow.load("default").index(["a cat", "a dog"], path=tmp_path / "index")
    index.delete([1])
    invoked("index", "rebuild", tmp_path / "index")
    assert fuzzbow.open_index(tmp_path / "index").add(["a bird"]) == [2]
