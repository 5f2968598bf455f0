"""Runs in shards give what one call gives, to the bit, also if Ray workers are killed."""

from __future__ import annotations

import warnings

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fuzzbow
from fuzzbow import pipeline
from fuzzbow.errors import InputError
from fuzzbow.pipeline import RunOptions, shards
from fuzzbow.pipeline.shards import Shard
from tests.pipeline.conftest import SHARDS
from tests.pipeline.tasks import dedupe, join

LINKAGES = [("leader", "first"), ("leader", "longest"), ("single", "first"), ("complete", "first")]


def parquet(path, **columns):
    pq.write_table(pa.table({name: pa.array(v, pa.string()) for name, v in columns.items()}), path)
    return path


def one_process(model, texts, **options):
    return model.duplicates([text or "" for text in texts], **options)


def assert_same(one, many):
    assert many.pairs.to_arrow().equals(one.pairs.to_arrow())
    assert (many.apart, many.copies) == (one.apart, one.copies)


@pytest.fixture(scope="module")
def one(model, texts):
    return one_process(model, texts, threshold=0.8)


def test_pairs_and_groups_are_those_of_one_process(one, texts, executor, tmp_path):
    file = parquet(tmp_path / "in.parquet", text=texts)
    many = dedupe(file, tmp_path / "run", threshold=0.8, shards=SHARDS, executor=executor)
    assert len(one.pairs) > 300 * SHARDS / 5
    assert_same(one, many)
    for linkage, keep in LINKAGES:
        expected, found = (item.groups(linkage, keep=keep).labels for item in (one, many))
        assert np.array_equal(found, expected), (linkage, keep)
        expected, found = (item.removed(linkage=linkage, keep=keep) for item in (one, many))
        assert found.equals(expected), (linkage, keep)


def test_texts_of_many_rows_are_fetched_by_reading_each_shard_once(tmp_path, monkeypatch):
    own, others = [f"text {n}" for n in range(40)], [f"other {n}" for n in range(9)]
    left, right = (
        parquet(tmp_path / f"{name}.parquet", text=texts)
        for name, texts in (("left", own), ("right", others))
    )
    found = dedupe(left, tmp_path / "run", others=right, shards=4).collection
    reads = []
    read = Shard.table
    monkeypatch.setattr(Shard, "table", lambda self, *given: reads.append(1) or read(self, *given))
    places = np.array([48, 3, 39, 3, 0, 41, 40])
    assert found.texts_at(places) == [(own + others)[place] for place in places]
    assert len(reads) <= 8


def values_of(found):
    """The column of a run, of all shards."""
    return np.concatenate(list(found.arrays()))


def test_scores_are_those_of_one_process(model, texts, executor, tmp_path):
    file = parquet(tmp_path / "in.parquet", a=texts, b=texts[1:] + texts[:1], c=texts)
    scored = pipeline.score_file(
        file, left="a", right="b", run=RunOptions(executor, SHARDS, tmp_path / "run")
    )
    filled = [text or "" for text in texts]
    assert np.array_equal(values_of(scored), model.pairs(filled, filled[1:] + filled[:1]))
    whole = pa.concat_tables(pq.read_table(path) for path in scored.paths)
    assert whole.select(["a", "b", "c"]).equals(pq.read_table(file))


def memberships(model, texts):
    return model.encode([text or "" for text in texts]).astype(np.float32)


@pytest.fixture(scope="module")
def rows():
    """A model that gives a text a row of its own."""
    return fuzzbow.load(measure="max-jaccard")


def test_memberships_are_those_of_one_process(rows, texts, executor, tmp_path):
    names = list(map(str, range(len(texts))))
    file = parquet(tmp_path / "in.parquet", id=names, text=texts)
    run = RunOptions(executor, SHARDS, tmp_path / "run")
    found = pipeline.encode_file(file, text="text", column="row", model=rows, run=run)
    assert np.array_equal(values_of(found), memberships(rows, texts))
    assert found.rows == len(texts)
    assert found.without_text == sum(not (text or "").strip() for text in texts) > 0
    whole = pq.read_table(tmp_path / "run" / "encoded")  # the folder of parts is a data set
    assert whole.schema.field("row").type == pa.list_(pa.float32(), rows.vectors.dimension)
    assert whole.drop_columns("row").equals(pq.read_table(file))


@pytest.mark.parametrize("measure", ["avg-cosine", "avg-jaccard", "randommax-dice"])
def test_other_rows_are_those_of_one_process(measure, texts, monkeypatch, tmp_path):
    monkeypatch.setattr(shards, "SHARD_ROWS", 40)
    chosen = fuzzbow.load(measure=measure, limit=2000)
    file = parquet(tmp_path / "in.parquet", text=texts[:100])
    found = pipeline.encode_file(file, model=chosen, run=RunOptions(folder=tmp_path / "run"))
    assert len(found.paths) == 3
    assert np.array_equal(values_of(found), memberships(chosen, texts[:100]))


def assert_matches(matched, expected):
    """Matches in shards are the rows of one join, which has all left rows."""
    found = [row for part in matched for row in zip(*vars(part).values(), strict=True)]
    wanted = [(row["left"], row["right"], row["score"]) for row in expected]
    assert [(a, None if b < 0 else b, None if b < 0 else s) for a, b, s in found] == wanted


def test_matches_are_those_of_one_process(model, texts, executor, tmp_path):
    filled = [text or "" for text in texts[:3000]]
    left, right = filled[::3], filled
    files = [parquet(tmp_path / f"{n}.parquet", text=side) for n, side in enumerate((left, right))]
    options = {"shards": SHARDS, "model": model, "executor": executor}
    matched = join(*files, tmp_path / "run", k=3, threshold=0.7, **options)
    assert_matches(matched, model.join(left, right, k=3, threshold=0.7, how="left"))


@pytest.mark.parametrize(
    "options",
    [
        {"purpose": "records"},
        {"counts": "collection"},
        {"measure": "max-jaccard"},
        {"weights": "sif", "measure": "dynamax-jaccard"},
        {"measure": "fuzzy-bm25"},
    ],
    ids=lambda options: next(iter(options.values())),
)
def test_other_models_give_the_same_in_shards(options, texts, tmp_path):
    chosen, some = fuzzbow.load(**options), texts[:300]
    file = parquet(tmp_path / "in.parquet", text=some, other=some[1:] + some[:1])
    if chosen.measure.name != "fuzzy-bm25":  # which finds no duplicates
        run = {"text": "text", "model": chosen, "shards": 3}
        many = dedupe(file, tmp_path / "run", **run, threshold=0.6)
        assert_same(one_process(chosen, some, threshold=0.6), many)
    run = RunOptions(shards=3, folder=tmp_path / "scores")
    scored = pipeline.score_file(file, left="text", right="other", model=chosen, run=run)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fuzzbow.errors.FuzzbowWarning)
        expected = chosen.score(pq.read_table(file), "text", "other")["score"].to_numpy()
    assert np.array_equal(values_of(scored), expected)


BM25_SIDES = {
    "sentences": (slice(0, 200, 3), slice(0, 300)),
    "no documents": (slice(0, 3), slice(0, 0)),
    "fewer documents than shards": (slice(0, 20), slice(0, 2)),
    "no queries": (slice(0, 0), slice(0, 3)),
}


@pytest.mark.parametrize("name", BM25_SIDES)
def test_fuzzy_bm25_matches_the_same_documents_in_shards(name, texts, tmp_path):
    chosen = fuzzbow.load(measure="fuzzy-bm25")
    # punctuation, which counts nowhere, repeated and unknown words, and a document without any
    filled = [f"{text or ''}, (xq{n % 7}) ..." for n, text in enumerate(texts)] + [""]
    left, right = (filled[some] for some in BM25_SIDES[name])
    files = [parquet(tmp_path / f"{n}.parquet", text=side) for n, side in enumerate((left, right))]
    matched = join(*files, tmp_path / "run", model=chosen, k=3, threshold=0.1, shards=3)
    assert_matches(matched, chosen.join(left, right, k=3, threshold=0.1, how="left"))


def test_two_data_sets_give_the_same_in_shards(model, texts, tmp_path):
    left, right = texts[:500], texts[200:900]
    files = [parquet(tmp_path / f"{n}.parquet", text=side) for n, side in enumerate((left, right))]
    many = dedupe(files[0], tmp_path / "run", others=files[1], threshold=0.7, shards=3)
    one = one_process(model, left, others=[text or "" for text in right], threshold=0.7)
    assert_same(one, many)
    assert many.removed().equals(one.removed())
    rows = one.removed()["position"].to_numpy(), one.removed()["kept"].to_numpy()
    assert list(many.sentences(*rows)) == list(one.sentences(*rows))


DEGENERATE = {
    "no rows": [],
    "one row": ["a cat"],
    "empty texts": ["", None, "", " "],
    "equal texts": ["a cat sat"] * 7,
    "fewer rows than shards": ["a cat sat here", "the dog", "a cat sat here"],
    "unknown words": ["xqzzt", "qqqwx", "xqzzt", "xqzzu"],
    "ties": ["cat dog", "dog cat", "cat dog", "dog cat cat dog"],
}


@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_data_give_the_same_in_shards(name, model, rows, tmp_path):
    texts = DEGENERATE[name]
    file = parquet(tmp_path / "in.parquet", text=texts, other=texts[::-1])
    many = dedupe(file, tmp_path / "run", text="text", threshold=0.5, shards=SHARDS)
    one = one_process(model, texts, threshold=0.5)
    assert_same(one, many)
    assert many.removed().equals(one.removed())
    assert many.removed(keep="longest").equals(one.removed(keep="longest"))
    run = RunOptions(shards=SHARDS, folder=tmp_path / "s")
    scored = pipeline.score_file(file, left="text", right="other", run=run)
    filled = [text or "" for text in texts]
    assert np.array_equal(values_of(scored), model.pairs(filled, filled[::-1]))
    on = {"left_on": "text", "right_on": "other", "k": 2, "model": model}
    matched = join(file, file, tmp_path / "j", **on)
    assert_matches(matched, model.join(filled, filled[::-1], k=2, how="left"))
    run = RunOptions(shards=SHARDS, folder=tmp_path / "e")
    encoded = pipeline.encode_file(file, text="text", model=rows, run=run)
    assert np.array_equal(values_of(encoded), memberships(rows, texts))


def test_files_of_a_folder_are_one_data_set_whatever_their_format(model, tmp_path):
    (tmp_path / "in").mkdir()
    parquet(tmp_path / "in" / "1.parquet", text=["a cat sat", "the dog ran"])
    (tmp_path / "in" / "2.csv").write_text("text\na cat sits\nthe dog runs\n")
    many = dedupe(tmp_path / "in", tmp_path / "run", threshold=0.5, shards=3)
    texts = ["a cat sat", "the dog ran", "a cat sits", "the dog runs"]
    assert list(many.texts) == texts
    assert_same(one_process(model, texts, threshold=0.5), many)


def test_a_second_run_does_what_is_missing(tmp_path):
    file = parquet(tmp_path / "in.parquet", text=["a cat sat", "the dog ran", "a cat sits"])
    options, folder = pipeline.DedupeOptions(threshold=0.5), tmp_path / "run"
    first = pipeline.dedupe_file(file, options=options, run=RunOptions(shards=3, folder=folder))
    pairs = first.found.pairs.to_arrow()
    tasks = 3 + 6  # strings of each shard, and tiles
    assert first.notes == [f"{tasks} tasks: 0 finished before, {tasks} done now"]
    for missing in (0, 1):
        for path in list((tmp_path / "run" / "pairs").glob("00000-00002*.parquet"))[:missing]:
            path.unlink()
        again = pipeline.dedupe_file(file, options=options, run=RunOptions(folder=folder))
        assert again.notes == [
            f"{tasks} tasks: {tasks - missing} finished before, {missing} done now"
        ]
        assert again.found.pairs.to_arrow().equals(pairs)


def test_a_folder_of_another_run_or_other_things_is_refused(tmp_path):
    file = parquet(tmp_path / "in.parquet", text=["a cat sat", "the dog ran"])
    dedupe(file, tmp_path / "run")
    with pytest.raises(InputError, match="differs in options: remove the folder to start again"):
        dedupe(file, tmp_path / "run", threshold=0.5)
    parquet(file, text=["a cat sat", "the dog ran off"])
    with pytest.raises(InputError, match="differs in files"):
        dedupe(file, tmp_path / "run")
    with pytest.raises(InputError, match="must be a new folder, or that of a run"):
        dedupe(file, tmp_path)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (lambda: fuzzbow.load(measure="sif-pca"), "sif-pca takes more from a collection"),
        (lambda: fuzzbow.load({"cat": [1.0, 0.0]}), "has no name"),
    ],
)
def test_models_that_tasks_cannot_load_or_fit_are_refused(model, message, tmp_path):
    file = parquet(tmp_path / "in.parquet", text=["a cat"])
    with pytest.raises(InputError, match=message):
        dedupe(file, tmp_path / "run", model=model())


def test_texts_of_another_language_are_warned_of_once(tmp_path):
    letters = "abcdefghijklmnopqrst"  # a word with a digit belongs to no language
    texts = [f"xqzzt{a} qqvvw{a} zzkjq{a}" for a in letters]
    file = parquet(tmp_path / "in.parquet", text=texts, other=texts)
    with pytest.warns(fuzzbow.errors.LanguageWarning) as said:
        dedupe(file, tmp_path / "run", text="text", shards=3)
    assert len(said) == 1
    with pytest.warns(fuzzbow.errors.LanguageWarning):
        pipeline.score_file(file, left="text", right="other", run=RunOptions(folder=tmp_path / "s"))


def test_shards_clean_texts_as_one_call_does(tmp_path):
    plain = [f"a man plays the guitar {number}" for number in range(30)]
    texts: list[str | None] = [*plain, *(f"<p id={len(text)}>{text}</p>" for text in plain)]
    file = parquet(tmp_path / "in.parquet", text=texts)
    model = fuzzbow.load(clean="web")
    many = dedupe(file, tmp_path / "run", model=model, threshold=0.95, shards=2)
    assert_same(one_process(model, texts, threshold=0.95), many)
    assert len(many.pairs) >= len(plain)
