"""Damaged files of an index: every answer is right or an InputError, whatever is flipped or cut."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import fuzzbow
from fuzzbow.errors import InputError
from tests.hostile.scale import steps

REGION = 16  # bytes, of which one is flipped
QUERY = "he has a dog"
TEXTS = ["he has a cat", "she had a dog", "a plane flew", "zyx", "", "he has a cat"]


@pytest.fixture(scope="module")
def model(pets):
    return fuzzbow.load(pets, measure="dynamax-jaccard")


class Victim:
    """An index with a history, and what is right of each of its versions."""

    def __init__(self, folder: Path, model: fuzzbow.Model) -> None:
        self.folder, self.model = folder, model
        self.copy = folder.with_name("copy")
        index = model.index(TEXTS, metadata={"year": [1, 2, None, 4, 5, 6]}, path=folder)
        index.add(["a dog ran", "qwertz"], metadata={"year": [7, 8]})
        index.delete([1, 3])
        index.compact()
        index.add(["a cat flew"])
        self.versions = index.versions()
        self.right = {
            item.number: self.state(fuzzbow.open_index(folder, model, version=item.number))
            for item in self.versions
        }
        self.newest = self.versions[-1].number
        self.files = sorted(path for path in folder.rglob("*") if path.is_file())

    @staticmethod
    def state(index: fuzzbow.Index) -> object:
        found = index.search(QUERY, k=9, where="year IS NULL OR year > 0").to_dicts()
        return index.ids, found, index.search(QUERY, k=9).to_dicts()

    def answers(self, number: int) -> int:
        """Ask everything; how many questions were refused, and all others must be right."""
        refused = self.asked(lambda: self.state(self.opened()), self.right[self.newest])
        refused += self.asked(lambda: self.opened().versions(), self.versions)
        for item in self.versions:
            refused += self.asked(
                lambda version=item.number: self.state(self.opened(version)),
                self.right[item.number],
            )
        return refused + self.changes(number)

    def opened(self, version: int | None = None) -> fuzzbow.Index:
        return fuzzbow.open_index(self.folder, self.model, version=version)

    def asked(self, question, right: object) -> int:
        try:
            answer = question()
        except InputError as error:
            if str(self.folder) not in str(error):
                raise  # it must name the file
            return 1
        assert answer == right
        return 0

    def changes(self, number: int) -> int:
        """Change a copy, in one way of many; then it is as it must be, or as it was."""
        shutil.rmtree(self.copy, ignore_errors=True)
        shutil.copytree(self.folder, self.copy)
        version = self.versions[number // 5 % len(self.versions)].number
        ids, *_ = self.right[self.newest]
        right_ids = [self.right[version][0], [*ids, 9], ids[1:], ids, ids][number % 5]
        where = self.copy / "saved" if number % 5 == 4 else self.copy
        try:
            index = fuzzbow.open_index(self.copy, self.model)
            [
                lambda: index.restore(version),
                lambda: index.add(["new"]),
                lambda: index.delete([ids[0]]),
                lambda: index.compact(keep_versions=1 + number % 3),
                lambda: index.save(where),
            ][number % 5]()
            after = fuzzbow.open_index(where, self.model)
        except InputError as error:
            if str(self.copy) not in str(error):
                raise
            return 1
        assert after.ids == right_ids
        assert number % 5 == 4 or index.ids == right_ids
        return 0

    def answers_with(self, number: int, path: Path, content: bytes | None) -> int:
        """Ask everything while a file has another content, or none."""
        data = path.read_bytes()
        try:
            path.unlink() if content is None else path.write_bytes(content)
            return self.answers(number)
        except BaseException:
            print(f"\n{path} had {len(data)} bytes and then {content and len(content)}")
            raise
        finally:
            path.write_bytes(data)


@pytest.fixture(scope="module")
def victim(model, tmp_path_factory):
    return Victim(tmp_path_factory.mktemp("victim") / "index", model)


def test_a_flipped_bit_gives_an_error_or_the_right_answer(victim, record_property):
    random = np.random.default_rng(10)
    regions = [
        (path, start) for path in victim.files for start in range(0, path.stat().st_size, REGION)
    ]
    count = min(len(regions), steps(24, len(regions)))
    chosen = [regions[place] for place in random.permutation(len(regions))[:count]]
    refused = 0
    for number, (path, start) in enumerate(chosen):
        damaged = bytearray(path.read_bytes())
        place = min(start + int(random.integers(REGION)), len(damaged) - 1)
        damaged[place] ^= 1 << int(random.integers(8))
        refused += victim.answers_with(number, path, bytes(damaged)) > 0
    record_property("flips", count)
    print(f"\n{count} of {len(regions)} regions flipped, {refused} noticed")
    assert refused > count // 2
    assert victim.answers(0) == 0  # and whole again, it is all there


CUTS = {
    "emptied": lambda data: b"",
    "halved": lambda data: data[: len(data) // 2],
    "shortened": lambda data: data[:-1],
    "lengthened": lambda data: data + b"\0",
    "zeroed": lambda data: bytes(len(data)),
    "removed": lambda data: None,
}


@pytest.mark.parametrize("how", CUTS)
def test_a_cut_file_gives_an_error_or_the_right_answer(victim, how, record_property):
    count = min(len(victim.files), steps(4, len(victim.files)))
    chosen = np.random.default_rng(len(how)).permutation(len(victim.files))[:count]
    for number, place in enumerate(chosen):
        path = victim.files[place]
        victim.answers_with(number, path, CUTS[how](path.read_bytes()))
    record_property("cuts", count)
    print(f"\n{count} files {how}")
    assert victim.answers(0) == 0
