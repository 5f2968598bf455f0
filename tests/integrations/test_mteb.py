"""The encoder in MTEB itself, on data at hand, against the commands of fuzzbow."""

from __future__ import annotations

import json
import os
import socket
from types import SimpleNamespace

import numpy as np
import pytest

os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}  # before the first import
pytest.importorskip("mteb")

import mteb
import torch
from datasets import Dataset
from sklearn.metrics.pairwise import cosine_similarity

import fuzzbow
from fuzzbow.integrations.mteb import KEY_COLUMNS, FuzzbowEncoder
from fuzzbow.research.evaluation import read_set
from fuzzbow.research.sts import load_tasks
from tests.command import fuzzbow_command
from tests.integrations.mteb_tasks import classification_task, retrieval_task, scores_of, sts_task

SPLIT = {"hf_split": "test", "hf_subset": "default"}
SEARCH = {**SPLIT, "task_metadata": SimpleNamespace(name="a task"), "encode_kwargs": {}}


@pytest.fixture(autouse=True)
def _without_network(monkeypatch):
    connect = socket.socket.connect

    def refuse(self, address):
        assert self.family == socket.AF_UNIX, "the network was touched"  # which commands fork by
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture
def encoder(model):
    return FuzzbowEncoder(model)


def encode(encoder, texts, *, task="a task", split="test"):
    batches = [{"text": texts[:2]}, {"text": texts[2:]}]
    about = SimpleNamespace(name=task)
    return encoder.encode(batches, task_metadata=about, hf_split=split, hf_subset="default")


def test_mteb_takes_it_for_an_encoder_and_a_search(encoder):
    assert isinstance(encoder, mteb.EncoderProtocol)
    assert isinstance(encoder, mteb.SearchProtocol)
    assert not isinstance(encoder, mteb.CrossEncoderProtocol)


@pytest.mark.sts
@pytest.mark.parametrize("measure", ["weighted-jaccard", "dynamax-jaccard"])
def test_correlations_are_those_of_sts_run(measure, sts_folder):
    data = sts_folder / "raw"
    subsets = {
        part.name: (part.lefts, part.rights, part.gold.tolist())
        for part in load_tasks(data, ["STS12"])
    }
    found = scores_of(FuzzbowEncoder(fuzzbow.load(measure=measure)), sts_task(subsets))
    options = ["-m", measure, "-t", "words", "--task", "STS12", "--no-cache", "--json"]
    done = fuzzbow_command("sts", "run", "-d", data, *options)
    wanted = json.loads(done.stdout)["results"][0]["subtasks"]
    assert found.keys() == wanted.keys()
    for key, scores in found.items():
        for kind in ("pearson", "spearman"):
            assert 100 * scores[kind] == pytest.approx(wanted[key][kind], abs=1e-9)


@pytest.mark.retrieval
@pytest.mark.parametrize(
    ("name", "purpose"), [("cranfield", "passages"), ("stackfaq-questions", "sentences")]
)
def test_ndcg_is_that_of_eval(name, purpose, retrieval_folder):
    one = read_set(retrieval_folder / name)
    task = retrieval_task(
        {"id": list(one.documents), "text": list(one.documents.values())},
        {"id": list(one.queries), "text": list(one.queries.values())},
        {query: {k: int(v) for k, v in grades.items()} for query, grades in one.qrels.items()},
    )
    found = scores_of(FuzzbowEncoder(fuzzbow.load(purpose=purpose)), task)["default"]
    options = ["--for", purpose, "--baseline", "bm25", "--resamples", "100", "--json"]
    done = fuzzbow_command("eval", retrieval_folder / name, *options)
    wanted = json.loads(done.stdout)["sets"][0]["systems"][0]["values"]["nDCG@10"]
    assert found["ndcg_at_10"] == pytest.approx(wanted / 100, abs=1e-5)  # MTEB rounds


def test_candidates_are_scored_as_pairs_are(encoder, model, texts):
    one, qrels = {"id": ["q"], "text": ["a kitten on a mat"]}, {"q": {"c": 1}}
    columns = {"id": list("abcde"), "text": texts}
    task = retrieval_task(columns, one, qrels, {"q": ["e", "b", "c"]})  # of reranking
    assert scores_of(encoder, task)["default"]["ndcg_at_10"] == 1.0
    corpus = Dataset.from_dict({"id": list("abcde"), "text": texts})
    encoder.index(corpus, **SEARCH)
    queries = Dataset.from_dict({"id": ["q", "r"], "text": ["a kitten", "stocks"]})
    found = encoder.search(queries, top_k=2, top_ranked={"q": ["e", "a"]}, **SEARCH)
    scores = model.pairs(["a kitten"] * 2, [texts[4], texts[0]]).tolist()
    assert found == {"q": {"e": scores[0], "a": scores[1]}, "r": {}}


def test_titles_and_instructions_belong_to_their_texts(encoder, model):
    corpus = {"id": ["x", "y"], "title": ["A cat", None], "text": ["sleeps", "a cat"]}
    encoder.index(Dataset.from_dict(corpus), **SEARCH)
    queries = {"id": ["q"], "text": ["a cat"], "instruction": ["that sleeps"]}
    found = encoder.search(Dataset.from_dict(queries), top_k=5, **SEARCH)
    wanted = model.pairs(["a cat that sleeps"] * 2, ["A cat sleeps", "a cat"]).tolist()
    assert found["q"] == pytest.approx(dict(zip("xy", wanted, strict=True)))


def test_a_measure_without_a_search_compares_all(texts):
    model = fuzzbow.load(measure="soft-cardinality")
    encoder = FuzzbowEncoder(model)
    encoder.index(Dataset.from_dict({"id": list("abcde"), "text": texts}), **SEARCH)
    queries = Dataset.from_dict({"id": ["q"], "text": ["a cat"]})
    found = encoder.search(queries, top_k=1, **SEARCH)
    assert found == {"q": {"c": pytest.approx(model.similarity("a cat", texts[2]))}}


def test_similarities_are_those_of_the_model(encoder, model, texts):
    rows = encode(encoder, texts)
    assert encoder.similarity(rows, rows[:2]).tolist() == model.matrix(texts, texts[:2]).tolist()
    pairs = encoder.similarity_pairwise(rows, rows[::-1])
    assert pairs.tolist() == model.pairs(texts, texts[::-1]).tolist()
    one = encoder.similarity(torch.from_numpy(rows[0]), rows[2])  # as tasks of summaries ask
    assert one.tolist() == [[model.similarity(texts[0], texts[2])]]
    none = encode(encoder, [])
    assert none.shape == (0, model.vectors.dimension + KEY_COLUMNS)
    assert encoder.similarity(none, none).shape == (0, 0)
    assert encoder.similarity_pairwise(none, none).shape == (0,)


def test_keys_tell_texts_apart_and_count_for_nothing_beside_memberships(encoder, model, texts):
    rows = encode(encoder, texts)
    memberships = rows[:, :-KEY_COLUMNS]
    assert rows.dtype == np.float32
    assert (rows[:, -KEY_COLUMNS:] != 0).all()
    assert (rows @ rows.T == memberships @ memberships.T).all()
    assert (cosine_similarity(rows) == cosine_similarity(memberships)).all()
    texts = ["a dog bites", "bites a dog", "zzz", ""]
    rows = encode(encoder, texts)
    assert (rows[0, :-KEY_COLUMNS] == rows[1, :-KEY_COLUMNS]).all()
    assert encoder.similarity(rows, rows).tolist() == model.matrix(texts).tolist()


def test_classification_sees_memberships(encoder):
    texts = [
        "a cat sat",
        "the kitten slept",
        "a dog barked",
        "stocks fell",
        "shares rose",
        "a bond",
    ]
    found = scores_of(encoder, classification_task(texts * 4, [0, 0, 0, 1, 1, 1] * 4))
    assert found["default"]["accuracy"] == 1.0


def test_rows_of_another_split_or_another_encoder_are_refused(encoder, model, texts):
    rows = encode(encoder, texts)
    other = encode(FuzzbowEncoder(model), ["never seen"])
    with pytest.raises(fuzzbow.InputError, match="row 0 of 1 does not"):
        encoder.similarity(other, rows)
    encode(encoder, texts[:1], split="dev")
    with pytest.raises(fuzzbow.InputError, match="row 1 of 5 does not"):
        encoder.similarity(rows, rows)


def test_an_empty_corpus_finds_nothing_and_none_is_refused(encoder):
    queries = Dataset.from_dict({"id": ["q"], "text": ["a cat"]})
    with pytest.raises(fuzzbow.InputError, match="call index first"):
        encoder.search(queries, top_k=5, **SEARCH)
    encoder.index(Dataset.from_dict({"id": [], "text": []}), **SEARCH)
    assert encoder.search(queries, top_k=5, **SEARCH) == {"q": {}}
    assert encoder.search(queries.select([]), top_k=5, **SEARCH) == {}


@pytest.mark.parametrize(
    ("batch", "message"),
    [({"text": [3]}, "inputs must hold strings; item 0 is int"), ({"image": []}, "got image")],
)
def test_what_is_no_text_is_refused(encoder, batch, message):
    about = SimpleNamespace(name="a task")
    with pytest.raises(fuzzbow.InputError, match=message):
        encoder.encode([batch], task_metadata=about, **SPLIT)


def test_results_are_filed_under_what_decides_a_score(model):
    first, again = FuzzbowEncoder(model).mteb_model_meta, FuzzbowEncoder().mteb_model_meta
    other = FuzzbowEncoder(fuzzbow.load(tokenizer="whitespace")).mteb_model_meta
    assert first.name == "fuzzbow/weighted-jaccard"
    assert first.revision == again.revision != other.revision
