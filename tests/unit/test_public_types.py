"""Public names, and public types that describe themselves in one line."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import numpy as np
import pytest

import fuzzbow

LONG = "a very long\ntext " * 10_000
TEXTS = ["a cat sat", "a dog ran", "a cat sat down"]


@pytest.fixture(scope="module")
def model():
    return fuzzbow.load()


@pytest.fixture(scope="module")
def objects(model):
    hits = model.index(TEXTS, metadata={"year": [1, 2, 3]}).search("a cat sat", k=2)
    return {
        "Index": model.index(TEXTS),
        "Hits": hits,
        "Hit": hits[0],
        "Duplicates": model.duplicates(TEXTS, threshold=0.5),
        "Explanation": model.explain("a cat sat", "a dog ran"),
        "ModelSpec": model.spec,
    }


def test_types_describe_themselves_in_a_line(objects, model):
    score = model.similarity("a cat sat", "a dog ran")
    pair = f"'a cat sat', 'a dog ran', score={score:.4f}"
    assert {name: repr(value) for name, value in objects.items()} == {
        "Index": "Index(3 texts, measure='weighted-jaccard')",
        "Hits": "Hits(2 for 'a cat sat', best score 1.0000)",
        "Hit": "Hit(rank=1, id=0, score=1.0000, text='a cat sat', metadata={'year': 1})",
        "Duplicates": "Duplicates(3 texts, 1 pair at 0.5 or above)",
        "Explanation": f"Explanation({pair}, measure='weighted-jaccard')",
        "ModelSpec": "ModelSpec()",
    }
    assert repr(model.index([]).search("a cat")) == "Hits(0 for 'a cat')"


def test_a_spec_shows_what_is_not_usual_and_objects_by_their_types():
    spec = fuzzbow.ModelSpec(Path("v.txt"), weights="sif", limit=5, normalise=True)
    assert repr(spec) == "ModelSpec(source='v.txt', weights='sif', normalise=True, limit=5)"
    spec = fuzzbow.ModelSpec(np.zeros(9), counts={"a": 1})
    assert repr(spec) == "ModelSpec(source=<ndarray>, counts=<dict>)"


def test_long_texts_are_cut(model):
    hit = model.index([LONG], metadata={"note": [LONG]}).search("text")[0]
    shown = [hit, model.index([LONG]).search(LONG), model.explain("text", "a " * 500)]
    for value in shown:
        assert len(repr(value)) < 200
        assert "\n" not in repr(value)


PUBLIC = {
    "Index": "add add_batches close commits compact delete fitted_model get ids info memory_bytes"
    " metadata model parse_ids path read_only renew restore save search search_all upsert versions",
    "Hits": "as_record count ids index nbytes query rerank scores to_arrow to_dicts to_json"
    " to_pandas",
    "Hit": "explain id metadata rank score text",
    "Duplicates": "apart around collection copies empty every_pair groups kept measure others pairs"
    " reasons removed removed_at representatives rethreshold sentences texts threshold why",
    "Explanation": "denominator dimension_count dimensions formula intersection left left_size"
    " measure right right_size score to_dict to_html to_json union vectors",
    "ModelSpec": "clean counts engine from_dict language limit load measure name normalise skip_bad"
    " source to_dict tokenizer unknown weights",
}


@pytest.mark.parametrize("name", PUBLIC)
def test_completion_offers_what_is_meant_and_nothing_else(objects, name):
    found = objects[name]
    assert type(found) is getattr(fuzzbow.index if name == "Hit" else fuzzbow, name)
    assert [part for part in dir(found) if part[0] != "_"] == PUBLIC[name].split()
    assert "\n" not in repr(found)


SOURCE = Path(fuzzbow.__file__).parent
EXAMPLES = [path for path in sorted(SOURCE.rglob("*.py")) if ">>>" in path.read_text("utf-8")]
MODULES = [path.relative_to(SOURCE.parent).with_suffix("").parts for path in EXAMPLES]


@pytest.mark.parametrize("name", [".".join(parts).removesuffix(".__init__") for parts in MODULES])
def test_examples_in_docstrings_are_true(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    try:
        module = importlib.import_module(name)
    except fuzzbow.errors.MissingExtraError as error:
        pytest.skip(str(error))
    result = doctest.testmod(module)
    assert result.failed == 0


def test_errors_are_value_errors_and_name_the_command_that_installs_an_extra():
    assert issubclass(fuzzbow.InputError, ValueError)
    error = fuzzbow.errors.MissingExtraError("POT", "wmd")
    assert 'pip install "fuzzbow[wmd]"' in str(error)
