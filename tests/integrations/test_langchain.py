"""The retriever and the vector store in LangChain itself."""

from __future__ import annotations

import asyncio

import pytest
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda

import fuzzbow
from fuzzbow.integrations.langchain import FuzzbowRetriever, FuzzbowVectorStore

QUERY = "a kitten on a mat"


@pytest.fixture
def store(texts):
    return FuzzbowVectorStore.from_texts(texts, None, ids=list("abcde"))


def test_a_retriever_finds_what_the_index_finds(index):
    found = FuzzbowRetriever(index=index, k=2).invoke(QUERY)
    hits = index.search(QUERY, k=2)
    assert [document.page_content for document in found] == [hit.text for hit in hits]
    assert [document.metadata["score"] for document in found] == hits.scores.tolist()
    assert [document.id for document in found] == ["2", "0"]


def test_reasons_are_the_words_of_the_query_and_what_they_match(index):
    found = FuzzbowRetriever(index=index, k=1).invoke(QUERY)
    assert found[0].metadata["reason"].startswith("kitten ~ cat 0.")
    assert "mat" in found[0].metadata["reason"]
    silent = FuzzbowRetriever(index=index, k=1, reasons=False).invoke(QUERY)
    assert silent[0].metadata.keys() == {"year", "score"}


@pytest.mark.parametrize("measure", ["fuzzy-bm25", "avg-cosine"])
def test_measures_without_explanations_have_no_reasons_and_others_do(measure, texts):
    index = fuzzbow.load(measure=measure).index(texts)
    found = FuzzbowRetriever(index=index, k=1).invoke("a cat")[0].metadata
    assert ("reason" in found) == (measure == "fuzzy-bm25")


def test_a_retriever_takes_a_condition_and_a_smallest_score(index, texts):
    young = FuzzbowRetriever(index=index, where="year > 2019", min_score=0.5).invoke(QUERY)
    assert [document.metadata["year"] for document in young] == [2021]
    (found,) = FuzzbowRetriever(index=index, k=1).invoke(texts[4])  # whose year is missing
    assert found.metadata.keys() == {"score", "reason"}


def test_a_retriever_goes_into_a_chain_and_works_asynchronously(index):
    retriever = FuzzbowRetriever(index=index, k=1)
    chain = retriever | RunnableLambda(lambda documents: documents[0].id)
    assert chain.invoke(QUERY) == "2"
    assert asyncio.run(chain.ainvoke(QUERY)) == "2"
    assert chain.batch([QUERY, "stocks"]) == ["2", "1"]


def test_an_empty_query_or_an_empty_index_is_no_error(model, index):
    assert len(FuzzbowRetriever(index=index, k=2).invoke("")) == 2  # all score 0
    assert FuzzbowRetriever(index=model.index([])).invoke(QUERY) == []
    assert FuzzbowVectorStore().similarity_search(QUERY) == []
    assert FuzzbowVectorStore().add_texts([]) == []
    assert FuzzbowVectorStore().get_by_ids(["a"]) == []
    for query in (None, 3):
        with pytest.raises(fuzzbow.InputError, match="query must"):
            FuzzbowRetriever(index=index).invoke(query)


def test_a_store_finds_documents_with_scores(store, model, texts):
    found = store.similarity_search_with_score(QUERY, k=2)
    assert [(document.id, score) for document, score in found] == [
        ("c", model.similarity(QUERY, texts[2])),
        ("a", model.similarity(QUERY, texts[0])),
    ]
    assert [document.id for document in store.similarity_search(QUERY, k=1)] == ["c"]
    relevant = store.similarity_search_with_relevance_scores(QUERY, k=2, score_threshold=0.5)
    assert [document.id for document, _ in relevant] == ["c", "a"]
    assert [found.id for found in store.as_retriever(search_kwargs={"k": 1}).invoke(QUERY)] == ["c"]
    strict = store.as_retriever(
        search_type="similarity_score_threshold", search_kwargs={"score_threshold": 0.99}
    )
    assert strict.invoke(QUERY) == []


def test_documents_are_added_replaced_fetched_and_deleted(texts):
    store = FuzzbowVectorStore()
    first = Document("a cat", id="x", metadata={"source": "one"})
    assert store.add_documents([first, Document("a jet", metadata={"source": "two"})])[0] == "x"
    store.add_documents([Document("a dog", id="x", metadata={"source": "three"})])
    assert store.get_by_ids(["x", "nobody"]) == [
        Document("a dog", id="x", metadata={"source": "three"})
    ]
    (found,) = store.similarity_search("a puppy", k=1, filter="source = 'three'")
    assert (found.id, found.metadata["source"]) == ("x", "three")
    assert store.delete(["x", "nobody"])
    assert [document.page_content for document in store.similarity_search("a dog")] == ["a jet"]
    assert store.delete(["nobody"])
    store.delete()
    assert store.similarity_search("a dog") == []


def test_what_cannot_be_replaced_stays(texts):
    store = FuzzbowVectorStore.from_texts(
        ["a cat", "a jet"], None, [{"n": 1}, {"n": 2}], ids=["x", "y"]
    )
    with pytest.raises(fuzzbow.InputError, match="no metadata column 'colour'"):
        store.add_texts(["a dog"], [{"colour": "red"}], ids=["x"])
    with pytest.raises(fuzzbow.InputError, match="x"):
        store.add_texts(["a dog", "a bus"], ids=["x", "x"])
    assert store.get_by_ids(["x"]) == [Document("a cat", id="x", metadata={"n": 1})]


def test_a_store_works_asynchronously(texts):
    async def work() -> list[str]:
        store = await FuzzbowVectorStore.afrom_texts(texts, None)
        await store.aadd_texts(["a kitten"], ids=["k"])
        found = await store.asimilarity_search("a kitten", k=1)
        await store.adelete(["k"])
        return [document.id for document in found + await store.aget_by_ids(["k"])]

    assert asyncio.run(work()) == ["k"]


def test_a_store_over_an_index_on_disk_keeps_its_documents(model, texts, tmp_path):
    store = FuzzbowVectorStore(index=model.index(texts, path=tmp_path / "index"))
    assert store.add_texts(["a kitten"]) == ["5"]
    again = FuzzbowVectorStore(index=fuzzbow.open_index(tmp_path / "index"))
    assert [document.id for document in again.similarity_search("a kitten", k=1)] == ["5"]
    assert again.get_by_ids(["5", "99"])[0].page_content == "a kitten"


def test_embeddings_two_models_and_things_that_are_no_texts_are_refused(model):
    with pytest.raises(fuzzbow.InputError, match="None for embedding; got object"):
        FuzzbowVectorStore.from_texts(["a"], object())
    with pytest.raises(fuzzbow.InputError, match="exclude each other"):
        FuzzbowVectorStore(model, index=model.index(["a"]))
    with pytest.raises(fuzzbow.InputError, match="texts must hold strings; item 0 is int"):
        FuzzbowVectorStore().add_texts([3])


def test_a_filter_is_a_mapping_of_metadata_or_a_condition(texts):
    store = FuzzbowVectorStore.from_texts(texts, None, [{"n": n} for n in range(5)])
    for chosen in ({"n": [1, 2]}, "n > 0 AND n < 3"):
        found = store.similarity_search(QUERY, k=5, filter=chosen)
        assert {document.metadata["n"] for document in found} == {1, 2}
    retriever = store.as_retriever(search_kwargs={"filter": {"n": 1}})
    assert [document.metadata["n"] for document in retriever.invoke(QUERY)] == [1]
    with pytest.raises(fuzzbow.InputError, match="where must be"):
        store.similarity_search(QUERY, filter=lambda document: True)


def test_marginal_relevance_leaves_out_what_repeats(model):
    texts = ["a kitten on a mat", "a kitten sat on a mat", "stocks fell sharply", "a dog on a rug"]
    store = FuzzbowVectorStore.from_texts(texts, None, ids=list("abcd"), model=model)
    by_score = [document.id for document in store.similarity_search(QUERY, k=4)]
    for weight in (1.0, 0.5, 0.0):
        options = {"k": 3, "fetch_k": 4, "lambda_mult": weight}
        retriever = store.as_retriever(search_type="mmr", search_kwargs=options)
        found = [document.id for document in retriever.invoke(QUERY)]
        assert found == chosen_by_definition(
            model, by_score, dict(zip("abcd", texts, strict=True)), 3, weight
        )
    assert by_score[:2] == ["a", "b"]
    assert FuzzbowVectorStore().max_marginal_relevance_search(QUERY) == []
    with pytest.raises(fuzzbow.InputError, match="lambda_mult must be from 0 to 1; got 2"):
        store.max_marginal_relevance_search(QUERY, lambda_mult=2)


def chosen_by_definition(model, names, texts, k, weight):
    chosen = []
    while len(chosen) < k:
        gains = {
            name: weight * model.similarity(QUERY, texts[name])
            - (1 - weight)
            * max([0.0, *(model.similarity(texts[name], texts[other]) for other in chosen)])
            for name in names
            if name not in chosen
        }
        chosen.append(max(gains, key=gains.get))
    return chosen
