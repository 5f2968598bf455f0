"""The plan covers every row once, and equal strings are found over all shards."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fuzzbow
from fuzzbow.engine import WHOLE, JoinOptions
from fuzzbow.io.file_digest import DigestedFile
from fuzzbow.pipeline import strings
from fuzzbow.pipeline.shards import RowTexts, plan_shards
from fuzzbow.pipeline.strings import digest_strings, find_strings

SIZES = st.lists(st.integers(0, 30), min_size=1, max_size=5)


@given(SIZES, st.integers(1, 12))
def test_shards_hold_every_row_once_in_order_and_equally_many(sizes, count):
    files = [(DigestedFile(str(n), "", ()), size) for n, size in enumerate(sizes)]
    shards = plan_shards(files, count)
    rows = [
        (file, row)
        for shard in shards
        for file, start, stop in shard.files
        for row in range(start, stop)
    ]
    assert rows == [(file, row) for file, size in files for row in range(size)]
    assert len(shards) == count
    assert max(map(len, shards)) - min(map(len, shards)) <= 1
    assert [shard.start for shard in shards] == np.cumsum([0, *map(len, shards)])[:-1].tolist()


@given(st.lists(st.lists(st.text(max_size=3), max_size=20), min_size=1, max_size=3), st.data())
def test_rows_are_read_from_whatever_row_groups_they_are_in(texts, data):
    with TemporaryDirectory() as folder:
        files = _written(Path(folder), texts, data.draw(st.integers(1, 7)))
        rows = RowTexts(plan_shards(files, data.draw(st.integers(1, 5)), ("text",)))
        everything = [text for part in texts for text in part]
        assert list(rows) == everything
        assert len(rows) == len(everything)
        if everything:
            places = data.draw(st.lists(st.integers(0, len(everything) - 1), max_size=9))
            taken = rows.take(np.array(places, dtype=np.int64))
            assert taken == [everything[place] for place in places]


@given(
    st.lists(st.text("ab ", max_size=2), max_size=30),
    st.lists(st.text("ab ", max_size=2), max_size=30),
    st.integers(1, 4),
    st.integers(1, 40),
)
def test_first_rows_of_strings_are_those_of_a_dictionary(left, right, shards, at_once):
    before, strings.RANGE_DIGESTS = strings.RANGE_DIGESTS, at_once
    try:
        with TemporaryDirectory() as folder:
            paths = [
                _digests(Path(folder), name, side, shards)
                for name, side in (("left", left), ("right", right))
            ]
            own, anywhere, blank = find_strings(paths, (len(left), len(right)))
    finally:
        strings.RANGE_DIGESTS = before
    both = left + right
    filled = ~blank
    assert blank.tolist() == [not text.strip() for text in both]
    expected = _firsts(left) + [row + len(left) for row in _firsts(right)]
    assert own[filled].tolist() == np.array(expected, dtype=np.int64)[filled].tolist()
    assert anywhere[filled].tolist() == np.array(_firsts(both), dtype=np.int64)[filled].tolist()


def _firsts(texts):
    return [texts.index(text) if text.strip() else row for row, text in enumerate(texts)]


def _written(folder, texts, group):
    files = []
    for number, part in enumerate(texts):
        path = folder / f"{number}.parquet"
        pq.write_table(pa.table({"text": pa.array(part, pa.string())}), path, row_group_size=group)
        files.append((DigestedFile.of(path), len(part)))
    return files


def _digests(folder, name, texts, count):
    (folder / name).mkdir()
    shards = plan_shards(_written(folder / name, [texts], 5), count, ("text",))
    paths = [str(folder / name / f"{shard.name}.npy") for shard in shards]
    for path, shard in zip(paths, shards, strict=True):
        digest_strings(path, shard)
    return [DigestedFile.of(path) for path in paths]


WORDS = ["cat", "dog", "plane", "jet", "the", "sat", "xqzzt"]
MODELS = {
    "compiled": {"engine": "auto"},
    "reference": {"engine": "reference"},
    "fixed universe": {"measure": "max-jaccard"},
}


@pytest.fixture(scope="module", params=MODELS)
def chosen(request):
    return fuzzbow.load(**MODELS[request.param])


@given(
    st.lists(st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join), max_size=12, unique=True),
    st.integers(1, 15),
    st.data(),
)
def test_shares_make_up_the_whole(chosen, texts, count, data):
    boundary = data.draw(st.none() | st.integers(0, len(texts)))
    batch, _ = chosen.encoder.encode(texts)

    def found(share):
        parts = chosen.measure.join(batch, JoinOptions(0.5, boundary, share))
        columns = ((part.left, part.right, part.scores) for part in parts)
        return [row for part in columns for row in zip(*(c.tolist() for c in part), strict=True)]

    shares = [pair for number in range(count) for pair in found((number, count))]
    assert sorted(shares) == sorted(found(WHOLE))
