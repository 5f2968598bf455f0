"""A full disk is said in words for every output, and leaves nothing half written."""

from __future__ import annotations

import errno
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fuzzbow.io.atomic import full_disk, replacing
from tests.command import COMMAND, fuzzbow_command

COMMANDS = {
    "csv": "score big.csv -l a -r b -o {}/out.csv",
    "json lines": "score big.csv -l a -r b -o {}/out.jsonl",
    "parquet": "score big.csv -l a -r b -o {}/out.parquet",
    "compressed": "score big.csv -l a -r b -o {}/out.csv.gz",
    "dedupe": "dedupe big.csv --text a -o {}/out.csv",
    "encode": "encode big.csv --text a --measure max-jaccard -o {}/out.parquet",
    "run folder": "score big.csv -l a -r b -o {}/out.csv --shards 2",
    "index": "index big.csv --text a -o {}/out",
    "index of shards": "index big.csv --text a -o {}/out --shards 2",
    "vectors": "vectors convert default {}/out.safetensors",
}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chooser = random.Random(1)
    path = tmp_path_factory.mktemp("in") / "big.csv"
    texts = ["".join(chooser.choices("abcdefghijklmnopqrstuvwxyz ", k=60)) for _ in range(6000)]
    rows = zip(texts[::2], texts[1::2], strict=True)
    path.write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in rows))
    return path


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 128 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", folder]
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("mounting a small disk needs rights")
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip("a small disk cannot be mounted here")
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk_is_said_in_words(name: str, table: Path, small_disk: Path):
    words = COMMANDS[name].format(small_disk).replace("big.csv", str(table)).split()
    done = fuzzbow_command(*words, check=1)
    assert "no space is left on the disk" in done.stderr
    assert str(small_disk / "out") in done.stderr
    assert "Traceback" not in done.stderr
    left = sorted(path.name for path in small_disk.iterdir())
    assert left == (["out.csv.parts"] if name == "run folder" else [])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_standard_output_on_a_full_disk_is_said_in_words(table: Path):
    command = [COMMAND, "score", table, "-l", "a", "-r", "b"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
    assert done.returncode == 1
    assert "error: no space is left on the disk" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "no space is left on the disk"),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), "the disk quota is used up"),
        (OSError("LanceError(IO): No space left on device (os error 28), /a"), "no space is left"),
        (OSError("Error writing bytes. Detail: [errno 122] Disk quota exceeded"), "the disk quota"),
    ],
)
def test_causes_are_said_in_words_with_the_output(error: OSError, words: str, tmp_path: Path):
    out = tmp_path / "out.csv"
    with pytest.raises(OSError, match=words) as raised, replacing(out):
        raise error
    assert raised.value.filename == str(out)
    assert list(tmp_path.iterdir()) == []


def test_other_errors_are_as_they_are(tmp_path: Path):
    error = OSError(errno.EIO, "Input/output error")
    assert full_disk(error) is None
    with pytest.raises(OSError, match="Input/output") as raised, replacing(tmp_path / "out"):
        raise error
    assert raised.value is error
