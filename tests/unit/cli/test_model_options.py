"""Options of the model, equal in every command that loads one, and `fuzzbow encode`."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields, replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import typer

import fuzzbow
from fuzzbow.cli import options
from fuzzbow.cli.options import MODEL_OPTIONS, Specs, with_options
from fuzzbow.model import PURPOSES, ModelSpec
from fuzzbow.vectors.weights import Weights
from tests.command import invoked
from tests.command import invoked as run


def told(*arguments: str, **defaults: str) -> ModelSpec:
    """What a command with model options is given."""
    got: list[ModelSpec] = []

    @with_options(**defaults)
    def show(text: str, *, spec: ModelSpec) -> None:
        got.append(spec)

    toy = typer.Typer()
    toy.command()(show)
    invoked(*arguments, app=toy)
    return got[0]


def test_options_that_are_not_given_are_those_of_load():
    assert told("a text") == ModelSpec()


def test_options_become_the_fields_of_a_spec():
    found = told("a text", "--vectors", "x.vec", "-m", "dynamax-dice", "-w", "sif", "--normalise")
    assert found == ModelSpec("x.vec", "dynamax-dice", Weights.SIF, normalise=True)


def test_a_purpose_chooses_what_is_not_given():
    records = ModelSpec(measure="records-otsuka", tokenizer="records", counts="collection")
    assert told("a text", "--for", "records") == records
    assert told("a text", "--for", "records", "-t", "words") == replace(records, tokenizer="words")
    assert told("a text", "--for", "passages", "-m", "wmd") == ModelSpec(measure="wmd")


def test_a_command_may_take_several_measures():
    got: list[list[ModelSpec]] = []

    @with_options()
    def show(text: str, *, specs: Specs) -> None:
        got.append(specs(["passages", "answers"]))

    toy = typer.Typer()
    toy.command()(show)
    measures = ["-m", "wmd", "-m", "sif-pca", "-m", "wmd"]
    purposes = ["--for", "passages", "--for", "answers"]
    for given in ([], measures, purposes[:2]):
        invoked("a text", *given, "--limit", "9", app=toy)
    names = [["fuzzy-bm25", "weighted-coverage"], ["wmd", "sif-pca"], ["fuzzy-bm25"]]
    assert got == [[ModelSpec(measure=name, limit=9) for name in line] for line in names]


@pytest.mark.parametrize(
    "command", ["similarity", "score", "encode", "dedupe", "serve", "index build", "eval"]
)
def test_every_command_that_loads_a_model_has_them(command):
    done = invoked(*command.split(), "--help", env={"COLUMNS": "200"})
    for option in ("--vectors", "--measure", "--weights", "--counts", "--tokenizer", "--skip-bad"):
        assert option in done.output


def test_every_option_is_a_field_of_the_spec():
    assert set(MODEL_OPTIONS) <= {item.name for item in fields(ModelSpec)}


def test_a_new_option_is_one_line(monkeypatch):
    @dataclass(frozen=True)
    class SpecWithColour(ModelSpec):
        colour: str = field(default="red")

    monkeypatch.setitem(MODEL_OPTIONS, "colour", options.member(str, "A colour."))
    monkeypatch.setattr(options, "ModelSpec", SpecWithColour)
    assert told("a text", "--colour", "blue").colour == "blue"


@pytest.mark.parametrize("purpose", list(PURPOSES))
def test_two_texts_can_be_compared_and_explained_for_every_purpose(purpose):
    texts = ["similarity", "a cat sleeps", "the cat is asleep", "--for", purpose]
    plain, explained = (invoked(*texts, *more).stdout for more in ((), ("--explain",)))
    assert 0.0 < float(plain) < 1.0
    assert plain.strip() in explained


ROWS = 'id,text\n1,a cat sat\n2,\n3,"the dog, asleep"\n4,zzqx\n'


@pytest.fixture
def table(folder):
    (folder / "t.csv").write_text(ROWS)


def encoded(path, column="memberships"):
    return np.array(pq.read_table(path)[column].to_pylist(), dtype=np.float32)


def expected():
    texts = ["a cat sat", "", "the dog, asleep", "zzqx"]
    return fuzzbow.load().encode(texts).astype(np.float32)


@pytest.mark.usefixtures("table")
def test_rows_have_all_columns_and_the_memberships_of_their_texts(monkeypatch):
    done = run("encode", "t.csv", "-o", "out.parquet")
    assert done.stderr == "4 rows encoded with avg-cosine; 1 had an empty text\n"
    table = pq.read_table("out.parquet")
    assert table["id"].to_pylist() == ["1", "2", "3", "4"]
    assert table.schema.field("memberships").type == pa.list_(pa.float32(), expected().shape[1])
    assert np.array_equal(encoded("out.parquet"), expected())
    monkeypatch.setattr("fuzzbow.pipeline.columns.MAX_NUMBERS", 1)
    run("encode", "t.csv", "-o", "one-at-a-time.parquet")
    assert pq.read_table("one-at-a-time.parquet").equals(table)


def test_shards_give_the_same_table_and_count_bad_rows(folder):
    (folder / "t.csv").write_text(ROWS + "too,many,fields\n")
    arguments = ["encode", "t.csv", "-m", "avg-cosine", "--skip-bad", "--json"]
    whole = run(*arguments, "-o", "1.parquet")
    sharded = run(*arguments, "-o", "2.parquet", "--shards", "3")
    for number, done in enumerate((whole, sharded), start=1):
        report = {"rows": 4, "without_text": 1, "output": f"{number}.parquet"}
        assert json.loads(done.stdout) == report
        assert "t.csv: 1 malformed row skipped" in done.stderr
    assert "4 tasks: 0 finished before, 4 done now" in sharded.stderr  # a conversion, and shards
    one, two = pq.read_table("1.parquet"), pq.read_table("2.parquet")
    assert two.schema.equals(one.schema)
    assert two.equals(one)
    assert sorted(path.name for path in folder.iterdir()) == ["1.parquet", "2.parquet", "t.csv"]


def test_texts_come_from_stdin_and_several_columns(folder):
    table = "a,b\ncat,sat\n"
    arguments = ["--format", "csv", "--text", "a", "--text", "b", "--column", "row"]
    run("encode", "-", *arguments, "-o", "out.parquet", input=table)
    wanted = fuzzbow.load().encode(["cat\nsat"])
    assert np.array_equal(encoded("out.parquet", "row"), wanted)


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("-o out.csv", "output must be a .parquet file"),
        ("-o -", "must end in one of"),
        ("-o out.parquet --column id", "already has a column 'id'"),
        ("-o out.parquet --text x", "no column 'x'"),
        ("-o out.parquet -m wmx", "measure must be one of"),
        ("-o out.parquet --for pasages", "did you mean 'passages'?"),
    ],
)
def test_what_cannot_be_done_is_refused(folder, arguments, message):
    assert message in run("encode", "t.csv", *arguments.split(), check=2).stderr
    assert sorted(path.name for path in folder.iterdir()) == ["t.csv"]
