"""Whatever ends a writer early: older versions, half-written files, one commit for all rows."""

from __future__ import annotations

import shutil
import signal

import pytest

import fuzzbow
from fuzzbow.errors import InputError, KnownIdError
from fuzzbow.index import lance_store, lock
from fuzzbow.index import new_folder as index_folder
from fuzzbow.index.versions import manifest, versions_at
from tests.hostile.test_kills import stray_files
from tests.unit.index.conftest import TEXTS


@pytest.fixture
def grown(folder, model):
    """An index of three versions."""
    index = fuzzbow.open_index(folder, model)
    index.add(["a dog"])
    index.delete([0])
    return index


def flip(path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x10
    path.write_bytes(data)


def test_a_damaged_manifest_of_an_older_version_is_named(grown, folder, model):
    damaged = folder / manifest(1)
    flip(damaged)
    for work in (
        lambda: fuzzbow.open_index(folder, model, version=1),
        grown.versions,
        lambda: grown.restore(1),
    ):
        with pytest.raises(InputError, match=damaged.name):
            work()
    assert fuzzbow.open_index(folder, model, version=2).ids == [0, 1, 2, 3, 4, 5, 6]
    assert grown.ids == [1, 2, 3, 4, 5, 6]


def test_compacting_gets_rid_of_a_damaged_or_missing_version(grown, folder, model):
    (folder / manifest(2)).unlink()
    with pytest.raises(InputError, match=r"manifest.* is missing"):
        grown.versions()
    flip(folder / manifest(1))
    grown.compact(keep_versions=1)
    assert [item.texts for item in grown.versions()] == [6]
    assert fuzzbow.open_index(folder, model).ids == grown.ids == [1, 2, 3, 4, 5, 6]


def test_damage_is_never_copied_by_compacting_or_saving(folder, model, tmp_path):
    index = fuzzbow.open_index(folder, model)
    index.delete([0])
    flip(next((folder / "rows.lance" / "data").glob("*.lance")))
    for work in (index.compact, lambda: index.save(tmp_path / "copy")):
        with pytest.raises(InputError, match="damaged"):
            work()
    assert not (tmp_path / "copy").exists()


def test_many_batches_are_one_commit(folder, model, tmp_path):
    index, told = fuzzbow.open_index(folder, model), []
    assert index.add(f"cat {n}" for n in range(40_000)) == list(range(6, 40_006))
    assert [item.texts for item in index.versions()] == [6, 40_006]
    assert index.commits == 1
    assert index.ids == fuzzbow.open_index(folder, model).ids
    texts = (f"cat {n}" for n in range(40_000))
    model.index(texts, path=tmp_path / "new", progress=lambda *facts: told.append(facts))
    assert told == [(16_384, None), (32_768, None), (40_000, None)]


def test_texts_that_break_off_leave_nothing(index, monkeypatch):
    monkeypatch.setattr(fuzzbow.index.documents, "BATCH_ROWS", 8)

    def texts():
        yield from ("a cat" for _ in range(20))
        yield 5

    def files():
        return set(index.path.rglob("data/*.lance")) if index.path else set()

    before, there = index.ids, files()
    with pytest.raises(InputError, match="is int"):
        index.add(texts())
    assert index.ids == before
    assert index.commits == 0
    assert files() == there
    assert index.add(["a dog"]) == [6]
    assert len(files() - there) == bool(index.path)


def test_ids_of_all_batches_must_differ_and_be_new(index, monkeypatch):
    monkeypatch.setattr(fuzzbow.index.documents, "BATCH_ROWS", 8)
    with pytest.raises(KnownIdError, match="has 5 already"):
        index.add(["a cat"] * 20, ids=[*range(100, 119), 5])
    parts = [fuzzbow.index.documents.new_documents(["x"], [100], None) for _ in range(2)]
    with pytest.raises(InputError, match="differ; got 100 2 times"):
        index.add_batches(parts)
    assert len(index) == 6


def test_ctrl_c_in_a_commit_waits_for_its_end(folder, model, monkeypatch):
    index = fuzzbow.open_index(folder, model)
    settled = index._store._settled

    def interrupted(dataset):
        signal.raise_signal(signal.SIGINT)
        return settled(dataset)

    monkeypatch.setattr(index._store, "_settled", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            index.add(["a dog"])
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert index.commits == 1
    assert index.ids == fuzzbow.open_index(folder, model).ids == [0, 1, 2, 3, 4, 5, 6]


def test_the_next_writer_removes_what_a_dead_one_left(grown, folder, model):
    data = folder / "rows.lance" / "data"
    left = [
        data / "0000never-committed.lance",
        folder / "checks" / ".9.json.123.partial",
        folder / "rows.lance" / "_versions" / "18446744073709551000.manifest#1",
    ]
    shutil.copy(next(data.glob("*.lance")), left[0])
    for path in left[1:]:
        path.write_text("{")
    assert fuzzbow.open_index(folder, model).ids == grown.ids
    (folder / lance_store.WRITING).touch()
    fuzzbow.open_index(folder, model).add(["more"])
    assert [path for path in left if path.exists()] == []
    assert fuzzbow.open_index(folder, model, version=1).ids == [0, 1, 2, 3, 4, 5]


def test_a_missing_list_makes_no_file_a_stray(grown, folder, model):
    before = set((folder / "rows.lance").rglob("*.lance"))
    (folder / "checks" / "1.json").unlink()
    assert [item.texts for item in grown.versions()] == [6, 7, 6]
    (folder / lance_store.WRITING).touch()
    grown.add(["x"])
    assert before <= {*(folder / "rows.lance").rglob("*.lance")}
    assert fuzzbow.open_index(folder, model, version=1).ids == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "moment", ["pathlib.Path.unlink", "lance.LanceDataset.cleanup_old_versions"]
)
def test_a_removal_that_was_cut_off_leaves_whole_versions(
    grown, folder, model, monkeypatch, moment
):
    def dies(*arguments, **options):
        raise KeyboardInterrupt

    grown.compact()
    with monkeypatch.context() as patch:
        patch.setattr(moment, dies)
        with pytest.raises(KeyboardInterrupt):
            grown.compact(keep_versions=1)
    opened = fuzzbow.open_index(folder, model)
    for item in opened.versions():
        assert len(fuzzbow.open_index(folder, model, version=item.number)) == item.texts
    opened.add(["x"])
    assert stray_files(folder) == set()
    opened.compact(keep_versions=1)
    assert [item.texts for item in opened.versions()] == [7]
    assert stray_files(folder) == set()
    assert len(list((folder / "checks").iterdir())) == 1
    assert not (folder / "writing").exists()


@pytest.mark.parametrize("change", ["delete", "compact", "restore"])
def test_a_version_that_was_only_prepared_is_not_there(grown, folder, model, monkeypatch, change):
    """A writer dies between the commit that drops or reorders files and the one that completes."""
    grown.add(["x"])
    before, versions = grown.ids, grown.versions()

    class KilledError(BaseException):
        pass

    def dies(*arguments, **options):
        raise KilledError

    changes = {
        "delete": lambda: grown.delete([2, 7]),
        "compact": grown.compact,
        "restore": lambda: grown.restore(1),
    }
    with monkeypatch.context() as patch:
        patch.setattr("lance.LanceOperation.Merge", dies)
        with pytest.raises(KilledError):
            changes[change]()
    assert versions_at(folder)[-1] > versions[-1].number
    opened = fuzzbow.open_index(folder, model)
    assert opened.ids == grown.ids == before
    assert opened.versions() == versions
    with pytest.raises(InputError, match="no version"):
        fuzzbow.open_index(folder, model, version=versions_at(folder)[-1])
    assert opened.add(["y"]) == [8]
    assert stray_files(folder) == set()
    assert fuzzbow.open_index(folder, model).ids == [*before, 8]


def test_a_folder_whose_writer_died_is_removed_by_the_next(model, tmp_path):
    dead, alive = tmp_path / ".index.dead.partial", tmp_path / ".index.alive.partial"
    other = tmp_path / ".other.dead.partial"
    for path in (dead, alive, other):
        (path / "rows.lance").mkdir(parents=True)
    with lock.writer_lock(alive / "lock"):
        model.index(TEXTS, path=tmp_path / "index")
        left = sorted(path.name for path in tmp_path.iterdir())
    assert left == [".index.alive.partial", ".other.dead.partial", "index"]
    fuzzbow.open_index(tmp_path / "index", model).compact()
    assert not alive.exists()


def test_a_folder_that_is_taken_for_a_dead_one_is_begun_again(tmp_path, monkeypatch):
    try_lock, tried = lock.try_lock, []

    def once(path):
        tried.append(path)
        return try_lock(path) if len(tried) > 1 else None

    monkeypatch.setattr(index_folder, "try_lock", once)
    with index_folder.new_folder(tmp_path / "index") as folder:
        assert folder.is_dir()
    assert len(tried) == 2
    assert (tmp_path / "index").is_dir()
