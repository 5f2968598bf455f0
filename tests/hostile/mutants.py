"""Damaged input files, each made from a number, and a process that reads many of them.

`python -m tests.hostile.mutants FIRST COUNT STEP` reads the mutants FIRST, FIRST + STEP, … and
prints a line of JSON for each that ends in anything but a result or an InputError that names
its file. Memory and time are limited. The number of the mutant at hand goes to stderr before a
crash can happen, so that one number repeats it.
"""

from __future__ import annotations

import json
import os
import random
import re
import resource
import shutil
import signal
import struct
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

from fuzzbow import InputError
from tests.hostile.input_files import Input, all_inputs, compressed

MEMORY = 3 << 30  # bytes that reading may take beyond what the modules take
SECONDS = 60  # for one mutant, which takes milliseconds on a machine with nothing else to do
NUMBERS = (0, 1, -1, 127, 255, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**62, 2**63 - 1)
TEXTS = (
    b"-1", b"0", b"1e999", b"NaN", b"99999999999999999999", b"2147483648", b"9223372036854775807",
    b"1.5", b"null", b"[]", b"{}", b'"', b"\xff\xfe", b"\0", b"9" * 5000, b"[" * 20_000,
    b'{"a":' * 5_000, b"\n", b"\r", b" ", b"\t", b",", b"\xed\xa0\x80", b"\xe2\x80\xae",
)  # fmt: skip


def _flip(data: bytearray, source: random.Random, others: list[Input]) -> None:
    for _ in range(source.choice((1, 1, 2, 8))):
        data[source.randrange(len(data))] ^= 1 << source.randrange(8)


def _truncate(data: bytearray, source: random.Random, others: list[Input]) -> None:
    del data[source.randrange(len(data)) :]


def _cut(data: bytearray, source: random.Random, others: list[Input]) -> None:
    first = source.randrange(len(data))
    del data[first : first + source.choice((1, 4, 8, 64))]


def _insert(data: bytearray, source: random.Random, others: list[Input]) -> None:
    chunk = source.choice((source.randbytes(source.choice((1, 8, 300))), source.choice(TEXTS)))
    place = source.randrange(len(data) + 1)
    data[place:place] = chunk


def _repeat(data: bytearray, source: random.Random, others: list[Input]) -> None:
    first = source.randrange(len(data))
    chunk = data[first : first + source.choice((1, 8, 64))]
    data[first:first] = chunk * source.choice((1, 2, 1000))


def _splice(data: bytearray, source: random.Random, others: list[Input]) -> None:
    other = source.choice(others).content
    data[source.randrange(len(data)) :] = other[source.randrange(len(other)) :]


def _number(data: bytearray, source: random.Random, others: list[Input]) -> None:
    """A length, or what may be one, in binary; most stand near the beginning or the end."""
    width, code = source.choice(((1, "B"), (2, "H"), (4, "I"), (8, "Q")))
    near = source.choice((len(data), min(len(data), 64)))
    place = source.choice((source.randrange(near), len(data) - 1 - source.randrange(near)))
    value = source.choice(NUMBERS) & ((1 << 8 * width) - 1)
    data[place : place + width] = struct.pack("<" + code, value)


def _decimal(data: bytearray, source: random.Random, others: list[Input]) -> None:
    """The same in text."""
    found = [match.span() for match in re.finditer(rb"\d+", bytes(data))]
    if found:
        first, last = source.choice(found)
        data[first:last] = source.choice(TEXTS)


CHANGES: tuple[Callable[[bytearray, random.Random, list[Input]], None], ...] = (
    _flip, _flip, _truncate, _cut, _insert, _repeat, _splice, _number, _number, _decimal,
)  # fmt: skip


def mutant(number: int, inputs: list[Input]) -> tuple[Input, bytes]:
    """The input and the damaged content that a number stands for.

    A compressed file is damaged as it lies there, or inside and then compressed.
    """
    source = random.Random(number)
    chosen = inputs[number % len(inputs)]
    plain = [item for item in inputs if not item.name.endswith((".gz", ".bz2", ".xz", ".zip"))]
    suffix = Path(chosen.name).suffix
    inner = [item for item in plain if item.name + suffix == chosen.name]
    inside = bool(inner) and source.random() < 0.5
    data = bytearray(inner[0].content if inside else chosen.content)
    for _ in range(source.choice((1, 1, 1, 2, 4))):
        source.choice(CHANGES)(data, source, plain if inside else inputs)
        if not data:
            break
    return chosen, compressed(suffix, bytes(data), inner[0].name) if inside else bytes(data)


class Hang(BaseException):
    """A mutant took too long."""


def _hang(number: int, frame: object) -> None:
    raise Hang(f"more than {SECONDS} s")


def failure_of(chosen: Input, content: bytes, folder: Path) -> str | None:
    """What is wrong with how a mutant is read, or None."""
    for name, data in {**chosen.beside, chosen.name: content}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        chosen.read(folder / chosen.name)
    except InputError as error:
        names = {Path(name).name for name in (chosen.name, *chosen.beside)}
        if not any(name in str(error) for name in names):
            return f"no file is named: {str(error)[:300]}"
    except BaseException:
        return traceback.format_exc(limit=-8)[-3000:]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return None


def _limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if sys.platform == "linux" else 0
    limit = pages * os.sysconf("SC_PAGE_SIZE") + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def main(first: int, count: int, step: int) -> None:
    """Read so many mutants; the last line says how many they were."""
    signal.signal(signal.SIGALRM, _hang)
    inputs = all_inputs()
    folder = Path(tempfile.mkdtemp(prefix="fuzzbow-mutants-"))
    try:
        for item in inputs:  # as they are they can be read, and every module is imported
            assert failure_of(item, item.content, folder) is None
            shutil.rmtree(folder)
        _limit_memory()
        for number in range(first, first + count * step, step):
            os.write(2, f"{number}\n".encode())
            folder.mkdir()
            chosen, content = mutant(number, inputs)
            wrong = failure_of(chosen, content, folder)
            if wrong is not None:
                print(json.dumps({"number": number, "file": chosen.name, "wrong": wrong}))
            shutil.rmtree(folder)
        print(json.dumps({"read": count}), flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
