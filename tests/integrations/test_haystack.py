"""The retriever in a pipeline of Haystack itself."""

from __future__ import annotations

import asyncio
import os

import pytest

import fuzzbow

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"  # it would report its use over the network
haystack = pytest.importorskip("haystack")
from fuzzbow.integrations.haystack import FuzzbowRetriever  # noqa: E402

QUERY = "a kitten on a mat"


def found_by(retriever, **given):
    """What a pipeline with nothing but the retriever gives."""
    pipeline = haystack.Pipeline()
    pipeline.add_component("retriever", retriever)
    return pipeline.run({"retriever": given})["retriever"]["documents"]


def test_a_pipeline_finds_what_the_index_finds(index):
    found = found_by(FuzzbowRetriever(index, top_k=2), query=QUERY)
    hits = index.search(QUERY, k=2)
    assert [document.content for document in found] == [hit.text for hit in hits]
    assert [document.score for document in found] == hits.scores.tolist()
    assert [document.meta["year"] for document in found] == [2021, 2019]
    assert [document.id for document in found] == ["2", "0"]


def test_reasons_are_the_words_of_the_query_and_what_they_match(index):
    (found,) = found_by(FuzzbowRetriever(index, top_k=1), query=QUERY)
    assert found.meta["reason"].startswith("kitten ~ cat 0.")
    (silent,) = found_by(FuzzbowRetriever(index, top_k=1, reasons=False), query=QUERY)
    assert silent.meta.keys() == {"year", "score"}


def test_a_call_may_replace_options(index):
    retriever = FuzzbowRetriever(index, top_k=1, where="year > 2020")
    assert asyncio.run(retriever.run_async(QUERY)) == retriever.run(QUERY)
    assert retriever.run(QUERY)["documents"][0].meta["year"] == 2021
    others = retriever.run(QUERY, top_k=5, where="year < 2021")["documents"]
    assert {document.meta["year"] for document in others} == {2019, 2020}


def test_a_saved_pipeline_opens_its_index_again(index, tmp_path):
    index.save(tmp_path / "index")
    stored = fuzzbow.open_index(tmp_path / "index")
    pipeline = haystack.Pipeline()
    pipeline.add_component("retriever", FuzzbowRetriever(stored, top_k=2, where="year < 2022"))
    trusted = ["fuzzbow.integrations.haystack"]
    again = haystack.Pipeline.loads(pipeline.dumps(), allowed_modules=trusted)
    asked = {"retriever": {"query": QUERY}}
    assert again.run(asked) == pipeline.run(asked)
    assert again.get_component("retriever").where == "year < 2022"


def test_an_index_in_memory_cannot_be_saved(model, index):
    with pytest.raises(fuzzbow.InputError, match="only a retriever over an index on disk"):
        FuzzbowRetriever(index).to_dict()
    assert found_by(FuzzbowRetriever(model.index([])), query=QUERY) == []
    with pytest.raises(fuzzbow.InputError):
        FuzzbowRetriever(index).run(None)
