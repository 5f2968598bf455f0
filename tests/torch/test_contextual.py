"""Contextual sets by a tiny random BERT, against `fuzzbow.set_similarity` on the same vectors."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("transformers")

import torch
import transformers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

import fuzzbow

WORDS = ["the", "cat", "sat", "on", "mat", "dog", "walk", "##ed", "##ing", "a", "."]
A, B = "The cat walked on a mat.", "a dog sat walking"


@pytest.fixture(scope="module")
def encoder():
    """A BERT of one layer and its tokenizer."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = {word: place for place, word in enumerate([*special, *WORDS])}
    pieces = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    pieces.normalizer = normalizers.BertNormalizer(lowercase=True)
    pieces.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    pieces.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=pieces, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]",
        sep_token="[SEP]", model_max_length=32,
    )  # fmt: skip
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16, max_position_embeddings=32,
    )  # fmt: skip
    return transformers.BertModel(config), tokenizer


@pytest.fixture(scope="module")
def model(encoder):
    return fuzzbow.model.contextual(encoder)


def unit(vectors):
    rows = vectors.double().numpy()
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_pieces_are_pooled_to_words_and_special_tokens_dropped(encoder, model):
    one = model.encoder.encode([A])[0]
    assert one.words == ("the", "cat", "walked", "on", "a", "mat", ".")
    bert, tokenizer = encoder
    with torch.inference_mode():
        states = bert(**tokenizer([A], return_tensors="pt")).last_hidden_state[0]
    np.testing.assert_allclose(one.vectors[2], states[3:5].mean(0), atol=1e-5)
    np.testing.assert_allclose(one.vectors[3], states[5], atol=1e-5)


def test_a_score_is_that_of_the_sets_of_vectors(model):
    X, Y = (unit(one.vectors) for one in model.encoder.encode([A, B]))
    assert model.similarity(A, B) == pytest.approx(fuzzbow.set_similarity(X, Y), abs=1e-5)


def test_a_score_does_not_depend_on_the_batch(model):
    alone = model.similarity(A, B)
    texts = [A, "dog", "", "the the mat on the mat"]
    assert model.pairs(texts, [B] * 4)[0] == pytest.approx(alone, abs=1e-5)
    np.testing.assert_allclose(
        model.matrix(texts, [B, A])[:, 0], model.pairs(texts, [B] * 4), atol=1e-5
    )


def test_a_text_without_words_scores_0(model):
    assert model.similarity("", B) == model.explain("", B).score == 0
    assert model.similarity("", "") == 0
    assert model.pairs([], []).shape == (0,)
    assert model.matrix([], [A]).shape == (0, 1)


@pytest.mark.parametrize("collection", [None, ["the cat", "the dog", "the mat ."]])
def test_shares_add_up_to_the_score(encoder, collection):
    model = fuzzbow.model.contextual(encoder, collection=collection)
    found = model.explain(A, B)
    assert found.score == pytest.approx(model.similarity(A, B), abs=1e-5)
    assert [match.word for match in found.right] == ["a", "dog", "sat", "walking"]
    assert all(match.match in B.lower() for match in found.left)


def test_rare_words_of_a_collection_count_more(encoder):
    model = fuzzbow.model.contextual(encoder, collection=["the cat", "the dog", "the mat"])
    assert model._weight("cat") > model._weight("the") > 0


def test_hits_are_reranked_by_the_contextual_score(model):
    texts = ["a cat sat on the mat", "the dog walked", "a dog on a mat", "the mat"]
    hits = fuzzbow.load().index(texts).search("a dog sat on the mat", k=4)
    found = hits.rerank(model, k=2)
    scores = model.pairs([hits.query] * 4, texts)
    assert [hit.id for hit in found] == np.argsort(-scores)[:2].tolist()
    assert [hit.rank for hit in found] == [1, 2]
    assert found[0].score == pytest.approx(scores.max(), abs=1e-5)
    assert found.query == hits.query


def test_what_is_no_encoder_is_refused(tmp_path):
    for wrong in (3, str(tmp_path / "nowhere")):
        with pytest.raises(fuzzbow.InputError, match="encoder must be a local folder"):
            fuzzbow.model.contextual(wrong)
