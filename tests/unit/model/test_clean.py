"""`clean="web"`: markup changes no score, on any way from strings to scores."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import fuzzbow
from fuzzbow import ModelSpec
from tests.command import invoked

PLAIN = [
    "A man is playing a guitar on stage",
    "A woman plays the violin",
    "The committee approved the budget for 2024",
    "Stocks fell by 3 percent on Monday",
]
MARKED = [
    "<p>A man is <b>playing</b> a guitar on stage</p>",
    "# A **woman** plays the [violin](https://example.com/violin)",
    "- The committee approved&nbsp;the *budget* for 2024",
    "<!-- news -->Stocks fell by 3 percent on Monday https://example.com",
]
OTHERS = ["He has a `guitar`", "<i>violins</i>", "<br>", "the &quot;budget&quot;"]
PLAIN_OTHERS = ["He has a guitar", "violins", "", 'the "budget"']
WITHIN_WORDS = {
    "an important man": "an im<b>port</b>ant man",
    "two cafés here": "two caf&eacute;s here",
    "AT&T pays": "AT&amp;T pays",
}
MANY = 80  # texts from which on the kernels split them


def many(texts: list[str]) -> list[str]:
    """The texts again and again, each a little different."""
    return [f"{texts[number % len(texts)]} {number}" for number in range(MANY)]


@pytest.fixture(scope="module", params=["auto", "reference"])
def models(request) -> tuple[fuzzbow.Model, fuzzbow.Model]:
    """A model without cleaning and one with it, on one engine."""
    plain = fuzzbow.load(engine=request.param)
    return plain, fuzzbow.load(plain.vectors, engine=request.param, clean="web")


@pytest.fixture(scope="module")
def model() -> fuzzbow.Model:
    return fuzzbow.load(clean="web")


def test_pair_scores_as_its_plain_texts_do(models):
    plain, cleaning = models
    for right, other in zip(PLAIN_OTHERS, OTHERS, strict=True):
        for left, marked in zip(PLAIN, MARKED, strict=True):
            expected = plain.similarity(left, right)
            assert cleaning.similarity(marked, other) == pytest.approx(expected, abs=1e-5)
            assert cleaning.similarity(left, right) == pytest.approx(expected)
    assert cleaning.similarity("<br>", "<p></p>") == cleaning.similarity("", "") == 0
    assert len(cleaning.duplicates(["<br>", "<p></p>", "---"], threshold=0.1).pairs) == 0


@pytest.mark.parametrize("as_column", [list, pa.array], ids=["list", "Arrow"])
@pytest.mark.parametrize("count", [4, MANY])
def test_batches_score_as_their_plain_texts_do(models, as_column, count):
    plain, cleaning = models
    given = [as_column(many(texts)[:count]) for texts in (PLAIN, PLAIN_OTHERS, MARKED, OTHERS)]
    assert np.allclose(cleaning.pairs(*given[2:]), plain.pairs(*given[:2]), atol=1e-5)
    wanted = plain.matrix(given[0], PLAIN_OTHERS)
    assert np.allclose(cleaning.matrix(given[2], OTHERS), wanted, atol=1e-5)


@pytest.mark.parametrize("measure", ["max-jaccard", "fuzzy-bm25", "weighted-coverage"])
def test_search_finds_what_it_finds_in_plain_texts(models, measure):
    plain, cleaning = (model.with_measure(measure) for model in models)
    expected = plain.index(many(PLAIN)).search("a guitar and a violin", k=5)
    hits = cleaning.index(many(MARKED)).search("<p>a **guitar** and a violin</p>", k=5)
    assert [hit.id for hit in hits] == [hit.id for hit in expected]
    assert np.allclose([hit.score for hit in hits], [hit.score for hit in expected], atol=1e-5)
    assert hits[0].text == many(MARKED)[hits[0].id]


def test_duplicates_are_those_of_plain_texts_and_keep_the_originals(models):
    found = models[1].duplicates([*PLAIN, *MARKED, MARKED[0]], threshold=0.95)
    pairs = {
        (row["left"], row["right"]): row["exact"] for row in found.pairs.to_arrow().to_pylist()
    }
    assert {(0, 4): False, (1, 5): False, (2, 6): False, (3, 7): False}.items() <= pairs.items()
    assert pairs[4, 8]  # equal strings are exact copies; those that become equal are not
    assert found.texts[4] == MARKED[0]


def test_numbers_in_markup_are_no_details(model):
    texts = ["<p id=1>The man plays a guitar</p>", "<p id=2>The man plays a guitar</p>"]
    assert len(fuzzbow.load().duplicates(texts, threshold=0.5).pairs) == 0
    for ignored in (None, "guitar"):
        assert len(model.duplicates(texts, threshold=0.5, ignore_details=ignored).pairs) == 1


def test_explanation_shows_words_where_they_are_in_the_original(model):
    left = "<p>The <b>cat</b> &amp; dog</p>"
    explanation = model.explain(left, "a **cat** https://x.org/dog")
    for side, words in ((explanation.left, "The cat dog"), (explanation.right, "a cat")):
        shown = {side.text[word.start : word.end] for word in side.words}
        assert set(words.split()) <= shown
    assert explanation.left.text == left
    assert explanation.score == pytest.approx(model.similarity(left, explanation.right.text))
    text = "caf&eacute; society"
    word = model.explain(text, "a coffee").left.words[0]
    assert text[word.start : word.end].startswith("caf&")


TOKENIZERS = ["words", "whitespace", "moses", "records", str.split]


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_explanation_shows_whole_words_with_markup_inside(tokenizer):
    text = "an im<b>port</b>ant caf&eacute;s"
    side = fuzzbow.load(tokenizer=tokenizer, clean="web").explain(text, "an important cafés").left
    shown = [side.text[word.start : word.end] for word in side.words]
    assert shown == ["an", "im<b>port</b>ant", "caf&eacute;s"]


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_every_tokenizer_splits_what_is_left(tokenizer):
    model = fuzzbow.load(tokenizer=tokenizer, clean="web")
    plain, marked = [*PLAIN, *WITHIN_WORDS], [*MARKED, *WITHIN_WORDS.values()]
    for one, other in zip(plain, marked, strict=True):
        assert model.similarity(one, other) == pytest.approx(1, abs=1e-6)
        assert model.explain(one, other).score == pytest.approx(1, abs=1e-6)
    assert model.pairs(plain * 10, marked * 10) == pytest.approx(1, abs=1e-6)  # by the kernels
    hits = model.index(marked).search_all(plain, fuzzbow.index.SearchOptions(k=1))
    assert [found[0].id for found in hits] == list(range(len(plain)))
    assert len(model.duplicates([*plain, *marked], threshold=0.99).pairs) == len(plain)


def test_few_known_words_are_counted_without_markup(model):
    assert model.coverage(["<zzqx yyqx-zzqx>cat</zzqx>", "<b>cat</b>"]) == pytest.approx(
        fuzzbow.load().coverage(["<zzqx yyqx-zzqx>cat</zzqx>", "cat"])
    )


def test_index_opens_with_its_cleaning_and_refuses_another(model, tmp_path):
    model.index(MARKED, path=tmp_path / "index")
    index = fuzzbow.open_index(tmp_path / "index")
    assert index.model.spec.clean == "web"
    assert index.search(f"<p>{PLAIN[1]}</p>", k=1)[0].score == pytest.approx(1, abs=1e-6)
    index.add(["<p>A puppy runs</p>"])
    assert index.search("A puppy runs", k=1)[0].score == pytest.approx(1, abs=1e-6)
    index.close()
    plain = fuzzbow.load()
    with pytest.raises(fuzzbow.InputError, match=r"other cleaning; it needs web, .* None"):
        fuzzbow.open_index(tmp_path / "index", plain)
    plain.index(PLAIN, path=tmp_path / "plain")
    with pytest.raises(fuzzbow.InputError, match=r"other cleaning; it needs None, .* web"):
        fuzzbow.open_index(tmp_path / "plain", model)


def test_models_that_derive_from_one_clean_as_it_does(model):
    passages = model.with_measure("fuzzy-bm25")
    for derived in (passages, passages.fit(PLAIN), model.rows_model):
        assert derived.clean == derived.spec.clean == "web"
    rows = model.encode([PLAIN[0], MARKED[0]])
    assert np.allclose(rows[0], rows[1])


def test_a_spec_names_the_cleaner_and_refuses_unknown_ones():
    spec = ModelSpec(clean="web")
    assert (repr(spec), spec.name) == ("ModelSpec(clean='web')", "weighted-jaccard+web")
    assert ModelSpec.from_dict(spec.to_dict()) == spec
    assert "clean='web'" in repr(spec.load())
    for make in (fuzzbow.load, ModelSpec):
        with pytest.raises(fuzzbow.InputError, match="clean must be one of web; got 'wbe'"):
            make(clean="wbe")


def test_commands_clean(tmp_path):
    texts = ["similarity", "<b>a cat</b>", "a *cat*"]
    assert float(invoked(*texts, "--clean", "web").stdout) == pytest.approx(1, abs=1e-4)
    assert float(invoked(*texts).stdout) < 0.9
    assert "did you mean 'web'?" in invoked(*texts, "--clean", "wbe", check=2).stderr
    table, out = tmp_path / "in.csv", tmp_path / "out.csv"
    table.write_text("\n".join(["text", PLAIN[0], *MARKED]) + "\n")
    invoked("dedupe", table, "-o", out, "--clean", "web")
    assert out.read_text().splitlines() == ["text", PLAIN[0], *MARKED[1:]]
    invoked("index", table, "-o", tmp_path / "index", "--clean", "web")
    found = invoked("search", tmp_path / "index", f"<p>{PLAIN[1]}</p>", "-k", 1, "--json")
    assert MARKED[1].split("](")[0] in found.stdout
