"""Where pairs are kept."""

from __future__ import annotations

import gc

import pyarrow.parquet as pq
import pytest

from fuzzbow import InputError
from tests.unit.dedupe import corpora


@pytest.fixture
def small(monkeypatch, tmp_path):
    """Pairs go to a file in `tmp_path` after a few."""
    monkeypatch.setattr("fuzzbow.dedupe.pairs.HELD_PAIRS", 10)
    monkeypatch.setattr("fuzzbow.dedupe.pairs.GROUP_PAIRS", 7)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


def find(**options):
    return corpora.model().duplicates(corpora.corpus(100, 3), threshold=0.5, **options)


def test_many_pairs_go_to_a_file_that_holds_the_same_as_memory(request, tmp_path):
    held = find()
    request.getfixturevalue("small")
    spilled = find()
    assert held.pairs.path is None
    assert spilled.pairs.path.parent == tmp_path
    assert pq.ParquetFile(spilled.pairs.path).metadata.num_row_groups > 2
    for one, other in ((held, spilled), (held.rethreshold(0.8), spilled.rethreshold(0.8))):
        assert one.pairs.to_arrow() == other.pairs.to_arrow()
    for linkage in ("leader", "complete"):
        assert spilled.groups(linkage).labels.tolist() == held.groups(linkage).labels.tolist()


def test_a_temporary_file_lives_as_long_as_what_needs_it(small, tmp_path):
    found = find()
    raised = found.rethreshold(0.6)
    del found
    gc.collect()
    assert len(raised.pairs) > 0
    del raised
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_a_path_keeps_the_pairs(tmp_path):
    path = tmp_path / "pairs.parquet"
    found = find(path=path)
    stored = pq.read_table(path).sort_by([("left", "ascending"), ("right", "ascending")])
    assert stored == find().pairs.to_arrow() == found.pairs.to_arrow()
    path.unlink()
    with pytest.raises(InputError, match="no longer exists"):
        found.groups()
    with pytest.raises(InputError, match="there is no"):
        find(path=tmp_path / "nowhere" / "pairs.parquet")


def test_a_join_that_fails_leaves_what_was_there(tmp_path):
    path = tmp_path / "pairs.parquet"
    path.write_text("before")
    with pytest.raises(KeyboardInterrupt):
        find(path=path, progress=raise_if(lambda: True))
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_temporary_file_goes_when_the_join_fails(small, monkeypatch, tmp_path):
    monkeypatch.setattr("fuzzbow.engine.compiled.FIRST_ROWS", 16)
    monkeypatch.setattr("fuzzbow.engine.compiled.MOST_ROWS", 16)
    with pytest.raises(KeyboardInterrupt):
        find(progress=raise_if(lambda: list(tmp_path.iterdir())))
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def raise_if(condition):
    """Make a function of progress that interrupts once the condition holds."""

    def stop(done, total):
        if condition():
            raise KeyboardInterrupt

    return stop
