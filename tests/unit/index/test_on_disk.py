"""Durable: versions, other models, writers at once, damage, a full disk, sudden death."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from textwrap import dedent
from typing import Any

import lance
import pytest

import fuzzbow
from fuzzbow.errors import InputError, LockedError
from fuzzbow.index import lock
from fuzzbow.index.folder import read_facts
from fuzzbow.measures import compose, weighted_jaccard
from fuzzbow.pipeline.indexing import rebuild_index
from tests.command import child
from tests.unit.index.brute import assert_two_writers_agree
from tests.unit.index.conftest import METADATA, TEXTS

Python = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def python() -> Iterator[Python]:
    """Starts other processes that run some code, and ends those that are left behind."""
    with ExitStack() as stack:

        def start(code: str, *arguments: object, **options: Any) -> subprocess.Popen[str]:
            command = [sys.executable, "-c", code, *arguments]
            pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
            return stack.enter_context(child(command, **pipes, **options))

        yield start


def test_a_saved_index_and_a_copy_of_it_are_the_same(model, tmp_path):
    index = model.index(TEXTS, metadata=METADATA)
    index.delete(2)
    assert index.save(tmp_path / "index") == tmp_path / "index"
    opened = fuzzbow.open_index(tmp_path / "index", model)
    opened.save(tmp_path / "copy")
    copy = fuzzbow.open_index(tmp_path / "copy", model)
    for other in (opened, copy):
        assert other.search("a cat", k=9).to_dicts() == index.search("a cat", k=9).to_dicts()
    assert copy.add(["x"]) == opened.add(["a dog"]) == index.add(["a dog"]) == [6]


def test_the_default_model_is_found_again(tmp_path):
    index = fuzzbow.load("default").index(["a cat", "an qwertz"], path=tmp_path / "index")
    opened = fuzzbow.open_index(str(tmp_path / "index"))
    assert opened.search("cats qwert").scores.tolist() == index.search("cats qwert").scores.tolist()


def test_a_model_without_a_name_must_be_given(folder):
    with pytest.raises(InputError, match="open it with model="):
        fuzzbow.open_index(folder)


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"measure": "dynamax-dice"}, "other measure"),
        ({"measure": "max-jaccard"}, "other measure"),
        ({"measure": compose(counting="set", name="dynamax-jaccard")}, "counting set"),
        ({"measure": "dynamax-jaccard", "tokenizer": "whitespace"}, "other tokenizer"),
        ({"measure": "dynamax-jaccard", "weights": "sif"}, "other weights"),
        ({"measure": "dynamax-jaccard", "normalise": True}, "other unit length"),
        ({"measure": "dynamax-jaccard", "limit": 8}, "other vectors"),
    ],
)
def test_another_model_is_refused_by_what_differs(folder, pets, options, part):
    with pytest.raises(InputError, match=part):
        fuzzbow.open_index(folder, fuzzbow.load(pets, **options))


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"measure": weighted_jaccard(numbers=False)}, "other measure"),
        ({"counts": {"the": 10, "cat": 1}}, "other frequencies"),
    ],
)
def test_options_and_frequencies_of_weighted_jaccard_count(tmp_path, options, part):
    fuzzbow.load("default").index(["a cat"], path=tmp_path / "index")
    with pytest.raises(InputError, match=part):
        fuzzbow.open_index(tmp_path / "index", fuzzbow.load("default", **options))


@pytest.mark.filterwarnings("ignore::fuzzbow.errors.FuzzbowWarning")
@pytest.mark.parametrize(
    ("constant", "value", "shown"),
    [
        ("fuzzbow.text.words.WordTokenizer.rules", 4, "splitting: 3; now 4"),
        ("fuzzbow.measures.words.whitened.WHITENING_VERSION", 2, "whitening 1.*whitening 2"),
    ],
)
def test_other_rules_or_constants_are_another_model(
    pets, tmp_path, monkeypatch, constant, value, shown
):
    model = fuzzbow.load(pets)
    model.index(["a cat"], path=tmp_path / "index")
    monkeypatch.setattr(constant, value)
    with pytest.raises(InputError, match=f"{shown}.*fuzzbow index rebuild"):
        fuzzbow.open_index(tmp_path / "index", model)


def test_another_universe_is_refused(pets, tmp_path):
    measures = [compose(universe="random", seed=seed, name="mine") for seed in (1, 2)]
    first, second = (fuzzbow.load(pets, measure=measure) for measure in measures)
    first.index(["a cat"], path=tmp_path / "index")
    assert len(fuzzbow.open_index(tmp_path / "index", first)) == 1
    with pytest.raises(InputError, match="other universe"):
        fuzzbow.open_index(tmp_path / "index", second)


def test_an_older_version_can_be_opened_and_restored(folder, model):
    index = fuzzbow.open_index(folder, model)
    index.add(["a dog"])
    index.delete([0, 1, 2, 3])
    assert [item.texts for item in index.versions()] == [6, 7, 3]
    old = fuzzbow.open_index(folder, model, version=2)
    assert old.ids == [0, 1, 2, 3, 4, 5, 6]
    assert old.search("he has a cat", k=1)[0].text == "he has a cat"
    with pytest.raises(InputError, match="read-only"):
        old.add(["more"])
    index.restore(1)
    assert index.ids == fuzzbow.open_index(folder, model).ids == [0, 1, 2, 3, 4, 5]
    assert index.add(["new"]) == [7]
    with pytest.raises(InputError, match="no version 99"):
        fuzzbow.open_index(folder, model, version=99)


def test_compacting_keeps_versions_unless_told_otherwise(folder, model):
    index = fuzzbow.open_index(folder, model)
    for n in range(5):
        index.add([f"a cat {n}"])
    index.delete([0])
    index.compact()
    assert index.versions()[0].number == 1
    assert fuzzbow.open_index(folder, model, version=1).ids == [0, 1, 2, 3, 4, 5]
    before = index.info()["disk_bytes"]
    index.compact(keep_versions=1)
    assert [item.texts for item in index.versions()] == [10]
    assert index.info()["disk_bytes"] < before
    assert (
        fuzzbow.open_index(folder, model).search("a cat 3", k=1).ids
        == index.search("a cat 3", k=1).ids
    )
    with pytest.raises(InputError, match="keep_versions"):
        index.compact(keep_versions=0)


def test_read_only_refuses_every_change(folder, model):
    index = fuzzbow.open_index(folder, model, read_only=True)
    for change in (
        lambda: index.add(["x"]), lambda: index.delete([0]), index.compact,
        lambda: index.restore(1),
    ):  # fmt: skip
        with pytest.raises(InputError, match="read-only"):
            change()
    assert index.search("a cat").ids


def test_what_is_not_an_index_or_is_one_already_is_refused(folder, model, tmp_path):
    with pytest.raises(InputError, match="there is none"):
        fuzzbow.open_index(tmp_path / "nothing", model)
    with pytest.raises(InputError, match=r"no rows\.lance"):
        fuzzbow.open_index(tmp_path, model)
    with pytest.raises(InputError, match="already exists"):
        model.index(["x"], path=folder)
    with pytest.raises(InputError, match="existing folder"):
        model.index(["x"], path=tmp_path / "no" / "index")
    assert len(fuzzbow.open_index(folder, model)) == 6


def test_a_build_that_fails_leaves_nothing(model, tmp_path):
    def texts():
        yield from ["a cat"] * 20_000
        yield 5

    with pytest.raises(InputError, match="item 3616 is int"):
        model.index(texts(), path=tmp_path / "index")
    with pytest.raises(InputError, match="differ; got 1 2 times"):
        model.index(["a", "b"], ids=[1, 1], path=tmp_path / "index")
    assert list(tmp_path.iterdir()) == []


def test_two_writers_see_what_the_other_wrote(folder, model):
    assert_two_writers_agree(lambda: fuzzbow.open_index(folder, model))


def test_a_second_writer_waits_for_the_first_but_not_forever(folder, model, monkeypatch):
    index, added = fuzzbow.open_index(folder, model), []
    with lock.writer_lock(folder / "lock"):
        thread = threading.Thread(target=lambda: added.extend(index.add(["later"])))
        thread.start()
        time.sleep(0.2)
        assert added == []
    thread.join(30)
    assert added == [6]
    monkeypatch.setattr(lock, "LOCK_SECONDS", 0.1)
    with lock.writer_lock(folder / "lock"), pytest.raises(LockedError, match="another process"):
        index.add(["even later"])
    assert index.add(["now"]) == [7]


OPEN = """
import sys, fuzzbow
model = fuzzbow.load("default", measure="dynamax-jaccard")
index = fuzzbow.open_index(sys.argv[1], model)
"""


@pytest.fixture
def english(tmp_path):
    """An index that other processes can open."""
    model = fuzzbow.load("default", measure="dynamax-jaccard")
    model.index([f"cat number {n}" for n in range(50)], path=tmp_path / "english")
    return tmp_path / "english"


def test_writers_and_readers_in_processes_at_once(python, english):
    writer = OPEN + "for n in range(8): index.add([f'{sys.argv[2]} dog {n}'])"
    reader = OPEN + dedent("""
    for n in range(8):
        index = fuzzbow.open_index(sys.argv[1], model, read_only=True)
        assert len(index.search("a dog", k=500)) == len(index) >= 50
        assert all(hit.text for hit in index.search("a dog"))
    """)
    running = [python(writer, english, name) for name in ("one", "two")]
    running += [python(reader, english) for _ in range(2)]
    for process in running:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    index = fuzzbow.open_index(english, fuzzbow.load("default", measure="dynamax-jaccard"))
    assert index.ids == list(range(66))


def test_a_full_disk_is_an_error_and_the_index_as_it_was(python, english):
    code = OPEN + dedent("""
    import resource, signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    everything = resource.RLIM_INFINITY
    failed = {"add": 0, "delete": 0, "compact": 0}
    for limit in range(100, 6000, 250):  # whatever file is the first that does not fit
        for name in failed:
            before = index.ids
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, everything))
            try:
                if name == "add":
                    expected = before + index.add(["a dog", "a horse"])
                elif name == "delete":
                    index.delete(before[7])
                    expected = before[:7] + before[8:]
                else:
                    index.compact()
                    expected = before
            except OSError:
                failed[name] += 1
                expected = before
            resource.setrlimit(resource.RLIMIT_FSIZE, (everything, everything))
            again = fuzzbow.open_index(sys.argv[1], model)
            assert index.ids == again.ids == expected, (limit, name)
            assert again.search("cat number 3", k=1)[0].text == "cat number 3"
    print(*failed.values())
    """)
    process = python(code, english)
    shown, errors = process.communicate(timeout=100)
    assert process.returncode == 0, errors
    assert all(2 < int(count) < 24 for count in shown.split())


def test_ctrl_c_in_a_change_leaves_the_index_usable(folder, model, monkeypatch):
    index = fuzzbow.open_index(folder, model)

    def interrupted(*arguments):
        raise KeyboardInterrupt

    for owner, name in ((index._store._checksums, "write"), (index._store, "replace")):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, interrupted)
            with pytest.raises(KeyboardInterrupt):
                index.add(["a dog ran"])
        assert index.ids == fuzzbow.open_index(folder, model).ids
        hits = index.search("a dog ran", k=99)
        assert sorted(hits.ids) == index.ids
    assert index.add(["a cat ran"])[0] == index.ids[-1]


def test_the_newest_version_cannot_go_unnoticed(folder, model):
    index = fuzzbow.open_index(folder, model)
    index.add(["a dog ran"])
    newest = min((folder / "rows.lance" / "_versions").glob("*.manifest"))
    newest.unlink()
    with pytest.raises(InputError, match=newest.name):
        fuzzbow.open_index(folder, model)


def test_another_format_is_refused(model, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("fuzzbow.index.folder.FORMAT", 99)
        model.index(TEXTS, path=tmp_path / "index")
    with pytest.raises(InputError, match=r"format must be 2.*got 99"):
        fuzzbow.open_index(tmp_path / "index", model)


def test_an_older_layout_is_refused_with_the_command_that_rebuilds_it(folder, model, tmp_path):
    """Format 1 had its manifest in a file, and no facts in the versions of its rows."""
    old = tmp_path / "old"
    old.mkdir()
    rows = lance.dataset(str(folder / "rows.lance")).to_table()
    lance.write_dataset(rows.replace_schema_metadata(None), str(old / "rows.lance"))
    (old / "index.json").write_text('digest\n{"format": 1, "model": {"source": "x"}}\n')
    with pytest.raises(InputError, match=f"older version.* fuzzbow index rebuild {old}"):
        fuzzbow.open_index(old, model)
    assert read_facts(old, older=True)["model"] == {"source": "x"}
    rebuild_index(old, model, tmp_path / "new")
    new = fuzzbow.open_index(tmp_path / "new", model)
    assert (
        new.search("a cat").to_dicts()
        == fuzzbow.open_index(folder, model).search("a cat").to_dicts()
    )
    assert new.add(["more"]) == [6]


def test_without_lance_an_index_in_memory_works_and_the_extra_is_named(python, tmp_path):
    code = dedent("""
    import sys
    sys.modules["lance"] = None
    import fuzzbow, json
    index = fuzzbow.load("default").index(["a cat", "a dog"], metadata={"n": [1, 2]})
    messages = [index.search("cat", k=1)[0].text]
    for work in (lambda: index.search("cat", where="n > 1"), lambda: index.save("x")):
        try:
            work()
        except ImportError as error:
            messages.append(str(error))
    print(json.dumps(messages))
    """)
    process = python(code, cwd=tmp_path)
    shown, errors = process.communicate(timeout=60)
    text, *messages = json.loads(shown)
    assert text == "a cat", errors
    assert len(messages) == 2
    assert all('pip install "fuzzbow[index]"' in message for message in messages)
    assert list(tmp_path.iterdir()) == []
