"""Every command that loads a model has the same options, and describes it by a ModelSpec."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

import pytest
import typer

from fuzzbow.cli import model_options
from fuzzbow.cli.model_options import MODEL_OPTIONS, Specs, with_model_options
from fuzzbow.model import PURPOSES, ModelSpec
from fuzzbow.vectors.weights import Weights
from tests.command import invoked


def told(*arguments: str, **defaults: str) -> ModelSpec:
    """What a command with model options is given."""
    got: list[ModelSpec] = []

    @with_model_options(**defaults)
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


def test_an_unknown_purpose_is_refused():
    done = invoked("similarity", "a", "b", "--for", "pasages", check=2)
    assert "did you mean 'passages'?" in done.stderr


def test_a_command_may_take_several_measures():
    got: list[list[ModelSpec]] = []

    @with_model_options()
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

    monkeypatch.setitem(MODEL_OPTIONS, "colour", str)
    monkeypatch.setattr(model_options, "ModelSpec", SpecWithColour)
    assert told("a text", "--colour", "blue").colour == "blue"


@pytest.mark.parametrize("purpose", list(PURPOSES))
def test_two_texts_can_be_compared_and_explained_for_every_purpose(purpose):
    texts = ["similarity", "a cat sleeps", "the cat is asleep", "--for", purpose]
    plain, explained = (invoked(*texts, *more).stdout for more in ((), ("--explain",)))
    assert 0.0 < float(plain) < 1.0
    assert plain.strip() in explained
