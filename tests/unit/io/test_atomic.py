from __future__ import annotations

import os
import resource
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from fuzzbow import InputError
from fuzzbow.io.atomic import (
    STALE_SECONDS,
    create_partial,
    new_partial,
    partial_path,
    remove_stale,
    replacing,
    replacing_all,
)

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes, links and pipes of POSIX")


def write(path: Path, text: str = "new") -> None:
    with replacing(path) as beside:
        beside.write_text(text)


def names(folder: Path) -> list[str]:
    return sorted(item.name for item in folder.iterdir())


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def umask():
    before = os.umask(0o027)
    yield
    os.umask(before)


@pytest.fixture
def dead_process() -> int:
    """The number of a process that has ended."""
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait(timeout=60)
    return done.pid


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o666])
def test_a_file_keeps_its_mode_and_is_private_while_it_is_written(tmp_path, umask, mode):
    path = tmp_path / "out"
    path.write_text("old")
    path.chmod(mode)
    with replacing(path) as beside:
        assert mode_of(beside) == 0o600
        beside.write_text("new")
    assert (path.read_text(), mode_of(path)) == ("new", mode)
    write(tmp_path / "another")
    assert mode_of(tmp_path / "another") == 0o640


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may")
def test_a_file_keeps_its_owner(tmp_path):
    path = tmp_path / "out"
    path.write_text("old")
    os.chown(path, 12345, 54321)
    write(path)
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 54321)


def test_links_are_kept_and_their_target_replaced(tmp_path):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "file", tmp_path / "link"
    (tmp_path / "middle").symlink_to("there/file")
    link.symlink_to("middle")
    for text in ("first", "second"):  # at first there is no target
        with replacing(link) as beside:
            assert beside.parent == target.parent
            beside.write_text(text)
        assert link.is_symlink()
        assert (tmp_path / "middle").is_symlink()
        assert target.read_text() == text


@pytest.mark.parametrize(
    ("links", "message"),
    [({"a": "nowhere/later"}, "existing folder"), ({"a": "b", "b": "a"}, "leads nowhere")],
)
def test_links_that_lead_nowhere_are_refused(tmp_path, links, message):
    for link, target in links.items():
        (tmp_path / link).symlink_to(target)
    with pytest.raises(InputError, match=message):
        write(tmp_path / "a")


def test_a_pipe_is_written_to_and_stays(tmp_path):
    path, got = tmp_path / "pipe", []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: got.append(path.read_text()), daemon=True)
    reader.start()
    write(path, "through the pipe")
    reader.join(timeout=60)
    assert got == ["through the pipe"]
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert names(tmp_path) == ["pipe"]


def test_a_device_is_written_to_and_stays(tmp_path):
    (tmp_path / "link").symlink_to("/dev/null")
    write(Path("/dev/null"))
    write(tmp_path / "link")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    assert os.readlink(tmp_path / "link") == "/dev/null"


def test_an_open_file_is_written_to_by_its_number(tmp_path):
    path = tmp_path / "out"
    with path.open("w") as file:
        inode = os.fstat(file.fileno()).st_ino
        write(Path(f"/dev/fd/{file.fileno()}"))
    assert (path.read_text(), path.stat().st_ino) == ("new", inode)


def test_a_file_that_may_not_be_written_is_refused(tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may write everything")
    path = tmp_path / "out"
    path.write_text("old")
    path.chmod(0o400)
    with pytest.raises(InputError, match="may be written"):
        write(path)


def test_planted_links_are_never_followed_and_cannot_be_foreseen(tmp_path, monkeypatch):
    victim, path = tmp_path / "victim", tmp_path / "out"
    assert len({partial_path(path) for _ in range(100)}) == 100
    victim.write_text("precious")
    foreseen = partial_path(path)
    foreseen.symlink_to(victim)
    monkeypatch.setattr("fuzzbow.io.atomic.partial_path", lambda path: foreseen)
    with pytest.raises(FileExistsError):
        write(path)
    assert victim.read_text() == "precious"


def test_the_longest_of_names_can_be_written(tmp_path):
    path = tmp_path / ("é" * 127)
    write(path)
    assert names(tmp_path) == [path.name]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, OSError, InputError, MemoryError])
def test_any_other_end_leaves_what_was_there(tmp_path, stop):
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_text("old")
    with pytest.raises(stop), replacing_all([first, second]) as parts:
        parts[0].write_text("half")
        raise stop
    assert first.read_text() == "old"
    assert names(tmp_path) == ["a"]


def test_an_interrupt_while_the_file_is_created_leaves_nothing(tmp_path, monkeypatch):
    def create(beside, mode):
        create_partial(beside, mode)
        raise KeyboardInterrupt

    monkeypatch.setattr("fuzzbow.io.atomic.create_partial", create)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "out")
    assert names(tmp_path) == []


def test_a_full_disk_leaves_what_was_there(tmp_path):
    path = tmp_path / "out"
    path.write_text("old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            write(path, "x" * 20_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_text() == "old"
    assert names(tmp_path) == ["out"]


def left_behind(path: Path, process: int, *, age: float = STALE_SECONDS + 60) -> Path:
    """A temporary file as a process that was killed leaves it."""
    beside = new_partial(path, 0o600)
    old = beside.with_name(beside.name.replace(f"-{os.getpid()}-", f"-{process}-"))
    beside.rename(old)
    then = time.time() - age
    os.utime(old, (then, then))
    return old


@pytest.mark.parametrize("own", [False, True], ids=["dead", "of this number"])
@pytest.mark.parametrize("folder", [False, True])
def test_the_next_write_removes_what_a_killed_process_left(tmp_path, dead_process, own, folder):
    old = left_behind(tmp_path / "out", os.getpid() if own else dead_process)
    if folder:
        then = old.stat().st_mtime
        old.unlink()
        (old / "inside").mkdir(parents=True)
        os.utime(old, (then, then))
    write(tmp_path / "out")
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize(
    ("name", "alive", "age", "computer"),
    [
        ("out", True, 60, None),
        ("out", False, -60, None),
        ("other", False, 60, None),
        ("out", False, 60, "elsewhere"),
    ],
    ids=["living process", "written to of late", "other output", "other computer"],
)
def test_what_may_still_be_used_is_kept(
    tmp_path, dead_process, monkeypatch, name, alive, age, computer
):
    process = os.getppid() if alive else dead_process
    kept = left_behind(tmp_path / name, process, age=STALE_SECONDS + age)
    if computer:
        monkeypatch.setattr("platform.node", lambda: computer)
    remove_stale(tmp_path / "out")
    assert kept.exists()


def test_files_that_only_look_alike_stay(tmp_path):
    alike = [".out.123.partial", ".out.deadbeef-deadbeef-1-x.partial", "out.partial"]
    for name in alike:
        (tmp_path / name).write_text("")
        os.utime(tmp_path / name, (0, 0))
    remove_stale(tmp_path / "out")
    assert names(tmp_path) == sorted(alike)
