"""What the server says is what the library says."""

from __future__ import annotations

import asyncio

import pytest

import fuzzbow
from fuzzbow.measures import MEANINGS
from fuzzbow.server import Limits, create_app
from fuzzbow.text import Tokenizer, parse_tokenizer
from tests.unit.server.conftest import client_of, loop_client, message_of

CAT, DOG = "He has a cat", "She had one dog"
LONG = "the cat sat on the mat . " * 200


@pytest.mark.parametrize("measure", [None, *sorted(MEANINGS.keys() - {"fuzzy-bm25"})])
@pytest.mark.parametrize("a", [CAT, LONG], ids=["short", "long"])
def test_every_offered_measure_scores_as_in_the_library(client, measure, a):
    answer = client.post("/v1/similarity", json={"a": a, "b": DOG, "measure": measure})
    expected = fuzzbow.load("default", measure=measure or "weighted-jaccard").similarity(a, DOG)
    assert answer.json() == {"similarity": expected, "measure": measure or "weighted-jaccard"}


@pytest.mark.parametrize(
    ("lefts", "rights"), [(["a cat", "a plane", ""], ["a dog", "a dog", "x"]), ([], [])]
)
def test_pairs_and_explanations_are_those_of_the_library(client, model, lefts, rights):
    answer = client.post("/v1/pairs", json={"lefts": lefts, "rights": rights})
    assert answer.json()["scores"] == model.pairs(lefts, rights).tolist()
    for a, b in zip(lefts, rights, strict=True):
        answer = client.post("/v1/explain", json={"a": a, "b": b})
        assert answer.json() == model.explain(a, b).to_dict()


class CountingTokenizer(Tokenizer):
    """Tokenizer that records its calls."""

    name = "counting"

    def __init__(self, name):
        self.tokenizer, self.calls = parse_tokenizer(name), []

    def words(self, text):
        self.calls.append(("words", text))
        return self.tokenizer.words(text)

    def spans(self, text):
        self.calls.append(("spans", text))
        return self.tokenizer.spans(text)


@pytest.mark.parametrize("name", ["words", "whitespace", str.split], ids=str)
def test_an_explanation_splits_each_long_text_three_times(name):
    tokenizer = CountingTokenizer(name)
    model = fuzzbow.load("default", tokenizer=tokenizer)
    a, b = "the cat sat on the mat " * 200, "a dog "  # more characters than words are allowed
    with client_of(model, limits=Limits(words=1_500, comparisons=3_000)) as client:
        assert client.post("/v1/explain", json={"a": a, "b": b}).status_code == 200
    # words for the limits and for the score, spans for the positions
    assert [tokenizer.calls.count((kind, a)) for kind in ("words", "spans")] == [2, 1]


def test_a_measure_without_an_exact_decomposition_says_so(client):
    answer = client.post("/v1/explain", json={"a": CAT, "b": DOG, "measure": "avg-cosine"})
    assert "cannot be explained; these can:" in message_of(answer, 422)


def test_requests_at_the_same_time_get_each_its_own_answer(model):
    texts = [f"a cat and {number} dogs" for number in range(200)]
    measures = ["weighted-jaccard", "dynamax-jaccard", "set-jaccard"]

    questions = [
        {"a": CAT, "b": text, "measure": measures[number % 3]} for number, text in enumerate(texts)
    ]

    async def ask_all() -> list[float]:
        async with loop_client(model) as (_, client):
            calls = [client.post("/v1/similarity", json=question) for question in questions]
            return [answer.json()["similarity"] for answer in await asyncio.gather(*calls)]

    models = [fuzzbow.load("default", measure=name) for name in measures]
    expected = [models[number % 3].similarity(CAT, text) for number, text in enumerate(texts)]
    assert asyncio.run(ask_all()) == expected


def test_markup_in_texts_comes_back_as_it_was(client):
    text = "<script>alert('x')</script> \u0000 \u202e \x7f"
    answer = client.post("/v1/explain", json={"a": text, "b": text})
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["left"]["text"] == text


def test_info_names_measures_and_what_they_mean(client):
    info = client.get("/v1/info").json()
    assert info["measure"] == "weighted-jaccard"
    alone = set(MEANINGS) - {"fuzzy-bm25"}  # which needs more than two texts
    assert {item["name"] for item in info["measures"]} == alone
    assert all(item["meaning"].endswith(".") for item in info["measures"])
    explained = {item["name"]: item["explains"] for item in info["measures"]}
    assert (explained["dynamax-dice"], explained["avg-cosine"]) == (True, False)


def test_the_model_of_the_index_is_one_of_the_measures(model):
    index = fuzzbow.load(purpose="passages").index(["a cat", "a plane"])
    body = {"a": "a cat", "b": "a plane"}
    with client_of(model, index) as client:
        info = client.get("/v1/info").json()
        assert info["index_measure"] == "fuzzy-bm25"
        assert "fuzzy-bm25" in {item["name"]: item["meaning"] for item in info["measures"]}["index"]
        answer = client.post("/v1/similarity", json={**body, "measure": "index"}).json()
    score = index.fitted_model().similarity(**body)
    assert answer == {"similarity": score, "measure": "fuzzy-bm25"}


def test_weights_leave_out_measures_that_weigh_by_themselves():
    weighted = fuzzbow.load("default", measure="dynamax-jaccard", weights="sif")
    names = list(create_app(weighted).service.meanings)
    assert names[0] == "dynamax-jaccard"
    assert "weighted-jaccard" not in names


def test_server_with_a_cleaning_model_counts_and_compares_what_is_left():
    model = fuzzbow.load(clean="web")
    text = "<p>A **cat** sleeps</p> <!-- not a word of the text -->"
    with client_of(model, limits=Limits(words=4)) as client:
        for _ in range(2):  # with words that are met, and without a wait
            answer = client.post("/v1/similarity", json={"a": text, "b": "A cat sleeps"})
            assert answer.json()["similarity"] == pytest.approx(1, abs=1e-6)
        explained = client.post("/v1/explain", json={"a": text, "b": "A cat sleeps"}).json()
    words = explained["left"]["words"]
    assert [text[word["start"] : word["end"]] for word in words] == ["A", "cat", "sleeps"]
