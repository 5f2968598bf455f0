"""Whatever a failed or killed command leaves, the next one does its work."""

from __future__ import annotations

import random
import signal
import time
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.command import COMMAND, child, commands, fuzzbow_command, invoked
from tests.hostile.scale import steps

KILLS = steps(1, 12)  # of each command, one after the other
WORDS = ["cat", "dog", "house", "river", "plane", "tree", "road", "city", "song", "book"]
SHARDED = ["--shards", 4]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chooser = random.Random(1)
    texts = [" ".join(chooser.choices(WORDS, k=6)) for _ in range(400)]
    path = tmp_path_factory.mktemp("in") / "in.parquet"
    pq.write_table(pa.table({"text": texts, "other": texts[1:] + texts[:1]}), path)
    return path


@pytest.mark.parametrize("name", ["score", "dedupe", "join"])
def test_a_command_works_after_others_were_killed_at_any_moment(
    name: str, table: Path, tmp_path: Path
):
    for folder in ("alone", "killed"):
        (tmp_path / folder).mkdir()
    fuzzbow_command(*commands(table, tmp_path / "alone" / "out.csv")[name])
    out = tmp_path / "killed" / "out.csv"
    chooser = random.Random(name)
    for number in range(KILLS):
        options = ["--shards", 2 + number % 3, "--overwrite"]
        with child([COMMAND, *commands(table, out)[name], *options]) as process:
            time.sleep(chooser.uniform(0.3, 2))
            process.send_signal(signal.SIGKILL)
    fuzzbow_command(*commands(table, out)[name], *SHARDED, "--overwrite")
    wanted = {path.name: path.read_bytes() for path in (tmp_path / "alone").iterdir()}
    found = {
        path.name: path.read_bytes() for path in out.parent.iterdir() if path.name[0] != "."
    }  # hidden files of a killed process are removed after an hour
    assert found == wanted


PARTIAL = "0123abcd-0123abcd-99-0123456789abcdef.partial"


@pytest.mark.parametrize(
    ("left", "is_folder"),
    [
        (".out.csv.lock", False),
        ("partial-out.csv", False),
        (f".out.csv.{PARTIAL}", False),
        ("out.csv.parts", True),
        ("out.csv.parts/.lock", False),
        (f"out.csv.parts/.run.json.{PARTIAL}", False),
        ("out.csv.parts/run.json", False),
        ("out.csv.parts/run.json", True),
    ],
)
def test_a_command_works_beside_what_another_one_left(
    left: str, is_folder: bool, table: Path, tmp_path: Path
):
    path, out = tmp_path / left, tmp_path / "out.csv"
    path.parent.mkdir(exist_ok=True)
    path.mkdir() if is_folder else path.write_text("left")
    invoked(*commands(table, out)["score"], *SHARDED)
    assert len(out.read_text().splitlines()) == 401
    assert not (tmp_path / "out.csv.parts").exists()


def test_a_command_works_after_one_with_other_options_was_stopped(table: Path, tmp_path: Path):
    out = tmp_path / "out.csv"
    bad = tmp_path / "bad.csv"
    bad.write_text("text,other\na cat,a dog\na house\n")
    failed = invoked(*commands(bad, out)["score"], *SHARDED, check=1)
    assert "--skip-bad skips such rows" in failed.stderr
    assert (tmp_path / "out.csv.parts").exists()
    invoked(*commands(table, out)["score"], *SHARDED)
    assert len(out.read_text().splitlines()) == 401


def test_a_file_with_a_bad_row_can_be_scored_again(tmp_path: Path):
    bad, out = tmp_path / "bad.csv", tmp_path / "out.csv"
    bad.write_text("text,other\na cat,a dog\na house\na tree,a tree\n")
    for _ in range(2):
        failed = invoked(*commands(bad, out)["score"], check=1)
        assert "line 3: must have 2 fields; got 1" in failed.stderr
        assert "--skip-bad skips such rows" in failed.stderr
    done = invoked(*commands(bad, out)["score"], "--skip-bad")
    assert "1 malformed row skipped" in done.stderr
    assert len(out.read_text().splitlines()) == 3


def is_locked(path: Path) -> bool:
    """Return whether a process holds the lock of this file; a new file is not locked yet."""
    with suppress(FileNotFoundError):
        return f":{path.stat().st_ino} " in Path("/proc/locks").read_text()
    return False


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="needs the locks of Linux")
@pytest.mark.parametrize("options", [[], SHARDED])
def test_the_second_of_two_commands_with_one_output_says_so(
    options: list[object], table: Path, tmp_path: Path
):
    out = tmp_path / "out.csv"
    lock = tmp_path / ".out.csv.lock"
    arguments = [*commands(table, out)["dedupe"], *options]
    with child([COMMAND, *arguments]) as first:
        until = time.monotonic() + 60
        while not is_locked(lock) and time.monotonic() < until:
            time.sleep(0.005)
        first.send_signal(signal.SIGSTOP)
        second = fuzzbow_command(*arguments, check=1)
        assert f"'{out}' is being written by another process" in second.stderr
        first.send_signal(signal.SIGCONT)
        assert first.wait(120) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "out.removed.csv"]
    third = fuzzbow_command(*arguments, check=2)
    assert "already exists; --overwrite replaces it" in third.stderr
