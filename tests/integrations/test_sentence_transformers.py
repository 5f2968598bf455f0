"""Real objects of sentence-transformers and model2vec, built here with a few words."""

from __future__ import annotations

import os

import numpy as np
import pytest

os.environ["HF_HUB_OFFLINE"] = "1"  # before the first import
pytest.importorskip("sentence_transformers")

import tokenizers
import transformers
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer import modules

import fuzzbow

TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "cat", "dog", "sat", "plane", "##s"]
A, B = "a cat sat", "dogs sat"


@pytest.fixture(scope="module")
def tokenizer():
    vocabulary = {token: place for place, token in enumerate(TOKENS)}
    made = tokenizers.Tokenizer(tokenizers.models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return made


@pytest.fixture(scope="module")
def weights():
    return np.random.default_rng(3).standard_normal((len(TOKENS), 8)).astype(np.float32)


@pytest.fixture
def static(tokenizer, weights):
    embedding = modules.StaticEmbedding(tokenizer, embedding_weights=weights.copy())
    return SentenceTransformer(modules=[embedding, modules.Normalize()], device="cpu")


@pytest.fixture
def encoder(tokenizer, tmp_path):
    """A SentenceTransformer over a BERT of one layer, with random weights."""
    config = transformers.BertConfig(
        vocab_size=len(TOKENS), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=16, max_position_embeddings=32,
    )  # fmt: skip
    transformers.set_seed(0)
    transformers.BertModel(config).save_pretrained(tmp_path)
    special = {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"}
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=32,
        **{f"{name}_token": token for name, token in special.items()},
    ).save_pretrained(tmp_path)  # fmt: skip
    first = modules.Transformer(str(tmp_path))
    return SentenceTransformer(modules=[first, modules.Pooling(16)], device="cpu")


def test_tokens_of_static_embeddings_are_words_and_others_are_sums_of_pieces(static, weights):
    vectors = fuzzbow.load(static, measure="dynamax-jaccard").vectors
    assert vectors["cat"].tolist() == weights[6].tolist()
    made, known = vectors.infer(["dogs", "xyz"])
    assert known.tolist() == [True, False]
    np.testing.assert_allclose(made[0], weights[7] + weights[10], rtol=1e-6)


def test_the_cosine_of_means_is_that_of_the_static_model(static):
    theirs = static.similarity(*static.encode(["a cat sat", "the dog sat"])[:, None])
    texts = ["a cat sat", "[UNK] dog sat"]  # whose unknown words have a row there
    model = fuzzbow.load(static, measure="avg-cosine", tokenizer="whitespace")
    assert model.similarity(*texts) == pytest.approx(float(theirs), abs=1e-5)


def test_a_saved_static_model_opens_from_its_folder(static, tmp_path):
    static.save_pretrained(str(tmp_path / "static"))
    opened = fuzzbow.load(str(tmp_path / "static"), measure="dynamax-jaccard")
    given = fuzzbow.load(static, measure="dynamax-jaccard")
    assert opened.similarity(A, B) == given.similarity(A, B) > 0
    assert given.similarity("", B) == 0


def test_model2vec_and_static_embeddings_of_the_same_rows_agree(static, tokenizer, weights):
    model2vec = pytest.importorskip("model2vec")
    other = model2vec.StaticModel(vectors=weights, tokenizer=tokenizer)
    models = [fuzzbow.load(source, measure="dynamax-jaccard") for source in (static, other)]
    assert models[0].similarity(A, B) == models[1].similarity(A, B)


def test_modules_that_change_the_space_are_refused(static, encoder):
    with pytest.raises(fuzzbow.InputError, match=r"begins with a Transformer \(fuzzbow"):
        fuzzbow.load(encoder)
    static.append(modules.Dense(8, 4))
    with pytest.raises(fuzzbow.InputError, match="this one has Dense"):
        fuzzbow.load(static)


def test_a_contextual_model_is_that_of_the_encoder_or_its_folder(encoder, static, tmp_path):
    model, folder = fuzzbow.model.contextual(encoder), fuzzbow.model.contextual(tmp_path)
    pieces = encoder.encode(A, output_value="token_embeddings").cpu().numpy()
    (own,) = model.encoder.encode([A])
    assert own.words == ("a", "cat", "sat")
    np.testing.assert_allclose(own.vectors.cpu(), pieces[1:-1], atol=1e-5)  # less [CLS] and [SEP]
    texts = [A, "", B]
    np.testing.assert_allclose(model.matrix(texts, texts), folder.matrix(texts, texts), atol=1e-6)
    with pytest.raises(fuzzbow.InputError, match="a must be a string; got int"):
        model.similarity(3, A)
    with pytest.raises(fuzzbow.InputError, match="encoder must be a local folder"):
        fuzzbow.model.contextual(static)  # which has no context
