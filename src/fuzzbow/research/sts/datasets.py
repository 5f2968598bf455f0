"""Pairs of texts with human scores: SemEval STS, STS Benchmark, SICK-R, any table.

A dataset is one subtask. Its key is `TASK/NAME`, for instance `STS12/MSRpar`; a table of
the user's own is a task with one subtask. Pairs without a score are skipped and counted.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from fuzzbow.arrays import Floats
from fuzzbow.errors import InputError, nearest
from fuzzbow.io.streams import read_text
from fuzzbow.plurals import counted
from fuzzbow.research.loading import labelled_pairs, set_name

SUBTASKS: dict[str, tuple[str, ...]] = {
    "STS12": ("MSRpar", "MSRvid", "SMTeuroparl", "surprise.OnWN", "surprise.SMTnews"),
    "STS13": ("FNWN", "headlines", "OnWN"),
    "STS14": ("deft-forum", "deft-news", "headlines", "images", "OnWN", "tweet-news"),
    "STS15": ("answers-forums", "answers-students", "belief", "headlines", "images"),
    "STS16": ("answer-answer", "headlines", "plagiarism", "postediting", "question-question"),
}
YEARS = tuple(SUBTASKS)
ALIASES = {"STSB": "STSB-test", "SICK-R": "SICK-R-test"}  # as they are usually reported

GLUED = re.compile(r"\w[.,;:!?]$")  # a sentence whose last mark is attached to its word
Row = tuple[str, str, str, str]  # left, right, gold as written, location


@dataclass(frozen=True)
class Dataset:
    """Labelled pairs of one subtask; `gold` is read-only, (n,)."""

    task: str
    name: str
    lefts: Sequence[str] = field(repr=False)
    rights: Sequence[str] = field(repr=False)
    gold: Floats = field(repr=False)
    skipped: int = 0

    @property
    def key(self) -> str:
        """Key `TASK/NAME`, or the task alone if it has one part."""
        return f"{self.task}/{self.name}" if self.name else self.task

    def __len__(self) -> int:
        return len(self.lefts)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of all texts and scores."""
        digest = hashlib.sha256()
        for left, right in zip(self.lefts, self.rights, strict=True):
            digest.update(f"{left}\t{right}\n".encode("utf-8", "surrogatepass"))
        digest.update(np.ascontiguousarray(self.gold, dtype="<f8").tobytes())
        return digest.hexdigest()

    @property
    def looks_tokenised(self) -> bool:
        """Return whether the texts are tokenised: final punctuation is separated by spaces."""
        ends = [text for text in self.lefts if text and not text[-1].isalnum()]
        glued = sum(bool(GLUED.search(text)) for text in ends)
        return not ends or glued < len(ends) / 2

    @classmethod
    def of(cls, task: str, name: str, rows: Iterable[Row], path: Path) -> Dataset:
        """Make a dataset of rows; a row without a score is skipped."""
        kept, skipped = [], 0
        for left, right, gold, location in rows:
            if not gold.strip():
                skipped += 1
                continue
            try:
                value = float(gold)
            except ValueError as error:
                message = f"{location}: a gold score must be a number; got {gold[:40]!r}"
                raise InputError(message) from error
            if not np.isfinite(value):
                raise InputError(f"{location}: a gold score must be finite; got {gold[:40]!r}")
            kept.append((left, right, value))
        if len(kept) < 2:
            raise InputError(f"{path}: must have at least two pairs with a score; got {len(kept)}")
        lefts, rights, scores = zip(*kept, strict=True)
        values = np.array(scores, dtype=np.float64)
        values.setflags(write=False)
        return cls(task, name, list(lefts), list(rights), values, skipped)


def parse_tasks(names: Iterable[str]) -> list[tuple[str, str]]:
    """Return the subtasks of names: of a task (`STS12`) or a subtask (`STS12/MSRpar`)."""
    found: dict[tuple[str, str], None] = {}
    known = [*SUBTASKS, *BENCHMARKS]
    for given in names:
        task, slash, name = given.partition("/")
        task = ALIASES.get(task, task)
        if task not in known:
            raise InputError(
                f"task must be one of {', '.join(known)}, or a subtask such as STS12/MSRpar;"
                f" got {given!r}{nearest(task, known)}"
            )
        parts = SUBTASKS.get(task, ("",))
        if slash and task not in SUBTASKS:
            raise InputError(f"{task} has no subtasks; got {given!r}")
        if slash and name not in parts:
            raise InputError(
                f"{task} has the subtasks {', '.join(parts)}; got {given!r}{nearest(name, parts)}"
            )
        found.update(dict.fromkeys((task, part) for part in ((name,) if slash else parts)))
    return list(found)


def load_tasks(folder: Path, tasks: Iterable[str] = YEARS) -> list[Dataset]:
    """Load the subtasks of `tasks` from a `folder` in the SentEval layout.

    Parameters
    ----------
    folder : Path
        Folder with STS12-en-test and so on.
    tasks : iterable of str
        Tasks such as STS12 or STSB, or subtasks such as STS12/MSRpar; all must be there.
    """
    chosen = parse_tasks(tasks)
    if not folder.is_dir():
        what = "a file" if folder.is_file() else "nothing there"
        raise InputError(f"the STS data must be a folder with STS12-en-test …; '{folder}': {what}")
    return [
        _semeval(folder, task, name) if task in SUBTASKS else _benchmark(folder, task)
        for task, name in chosen
    ]


def load_table(path: Path, *, left: str, right: str, score: str) -> Dataset:
    """Load pairs from three columns of a table; the task has the name of the file."""
    rows = (
        (first, second, "" if gold is None else str(gold), location)
        for first, second, gold, location in labelled_pairs(path, left, right, score)
    )
    return Dataset.of(set_name(path), "", rows, path)


def _semeval(folder: Path, task: str, name: str) -> Dataset:
    """Read two files that belong together line by line; columns after the second are notes."""
    inputs, golds = (
        folder / f"{task}-en-test" / f"STS.{kind}.{name}.txt" for kind in ("input", "gs")
    )
    for file in (inputs, golds):
        if not file.is_file():
            nested = (folder / part for part in ("tokenized", "raw"))
            there = next((part for part in nested if (part / "STS12-en-test").is_dir()), None)
            hint = f" (did you mean '{there}'?)" if there else ""
            raise InputError(
                f"the subtask {task}/{name} needs the file '{file}'; it is missing{hint}"
            )
    texts, scores = lines_of(inputs), lines_of(golds)
    if len(texts) != len(scores):
        raise InputError(
            f"'{inputs}' and '{golds}' must have as many lines; got {len(texts)} and {len(scores)}"
        )
    rows = []
    for number, (line, gold) in enumerate(zip(texts, scores, strict=True), start=1):
        left, right, *_ = _fields(line, 2, f"{inputs}, line {number}")
        rows.append((left, right, gold, f"{golds}, line {number}"))
    return Dataset.of(task, name, rows, golds)


def lines_of(path: Path) -> list[str]:
    """Read the lines of a UTF-8 file; only line feeds end a line."""
    lines = read_text(path).split("\n")
    return [line.removesuffix("\r") for line in (lines if lines[-1] else lines[:-1])]


def _fields(line: str, least: int, location: str) -> list[str]:
    fields = line.split("\t")
    if len(fields) < least:
        wanted = "two texts with a tab between" if least == 2 else counted(least, "field")
        raise InputError(f"{location}: must have {wanted}; got {line[:60]!r}")
    return fields


def _benchmark(folder: Path, task: str) -> Dataset:
    """Read a benchmark of one file, from the first of the usual folders that has it."""
    file, folders, columns, width = BENCHMARKS[task]
    usual = [folder / part / file for part in folders]
    path = next((known for known in usual if known.is_file()), None)
    if path is None:
        tried = ", ".join(f"'{known}'" for known in usual)
        raise InputError(f"'{file}' is missing; looked for {tried}")
    lines, first = lines_of(path), 1
    if not width:
        header, *lines = lines or [""]
        names = header.split("\t")
        if not set(columns) <= set(names):
            wanted = ", ".join(map(str, columns))
            raise InputError(f"{path}: must have the columns {wanted}; got {header[:80]!r}")
        first, width = 2, len(names)
        columns = [names.index(str(column)) for column in columns]
    left, right, score = map(int, columns)
    rows = []
    for number, line in enumerate(lines, start=first):
        location = f"{path}, line {number}"
        fields = _fields(line, width, location)
        rows.append((fields[left], fields[right], fields[score], location))
    return Dataset.of(task, "", rows, path)


STSB_FOLDERS, SICK_FOLDERS = ("", "stsb", "STSBenchmark", "stsbenchmark"), ("", "SICK", "sick")
SICK_COLUMNS = ("sentence_A", "sentence_B", "relatedness_score")
# file, usual folders, columns of left, right and score (names of a header, or positions), and
# the fewest fields of a row where there is no header
BENCHMARKS: dict[str, tuple[str, Sequence[str], Sequence[int | str], int]] = {
    **{
        f"STSB-{part}": (f"sts-{part}.csv", STSB_FOLDERS, (5, 6, 4), 7)
        for part in ("train", "dev", "test")
    },
    "SICK-R-train": ("SICK_train.txt", SICK_FOLDERS, SICK_COLUMNS, 0),
    "SICK-R-trial": ("SICK_trial.txt", SICK_FOLDERS, SICK_COLUMNS, 0),
    "SICK-R-test": ("SICK_test_annotated.txt", SICK_FOLDERS, SICK_COLUMNS, 0),
}
