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
from fuzzbow.plurals import counted
from fuzzbow.streams import read_text

SUBTASKS: dict[str, tuple[str, ...]] = {
    "STS12": ("MSRpar", "MSRvid", "SMTeuroparl", "surprise.OnWN", "surprise.SMTnews"),
    "STS13": ("FNWN", "headlines", "OnWN"),
    "STS14": ("deft-forum", "deft-news", "headlines", "images", "OnWN", "tweet-news"),
    "STS15": ("answers-forums", "answers-students", "belief", "headlines", "images"),
    "STS16": ("answer-answer", "headlines", "plagiarism", "postediting", "question-question"),
}
YEARS = tuple(SUBTASKS)
STSB = {f"STSB-{part}": f"sts-{part}.csv" for part in ("train", "dev", "test")}
SICK = {
    "SICK-R-train": "SICK_train.txt",
    "SICK-R-trial": "SICK_trial.txt",
    "SICK-R-test": "SICK_test_annotated.txt",
}
ALIASES = {"STSB": "STSB-test", "SICK-R": "SICK-R-test"}  # what is usually reported
ALL_TASKS: dict[str, tuple[str, ...]] = {**SUBTASKS, **dict.fromkeys([*STSB, *SICK], ("",))}

# where a benchmark's files may lie below the folder of the data
STSB_FOLDERS = ("", "stsb", "STSBenchmark", "stsbenchmark")
SICK_FOLDERS = ("", "SICK", "sick")

GLUED = re.compile(r"\w[.,;:!?]$")  # a sentence whose last mark still hangs on its word
Row = tuple[str, str, str]  # left, right, gold as written


@dataclass(frozen=True)
class Dataset:
    """The labelled pairs of one subtask; `gold` is read-only, (n,)."""

    task: str
    name: str
    lefts: Sequence[str] = field(repr=False)
    rights: Sequence[str] = field(repr=False)
    gold: Floats = field(repr=False)
    skipped: int = 0

    @property
    def key(self) -> str:
        """`TASK/NAME`, or the task alone where it has one part."""
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
        """Return whether white space alone splits the words: final marks are separate."""
        ends = [text for text in self.lefts if text and not text[-1].isalnum()]
        glued = sum(bool(GLUED.search(text)) for text in ends)
        return not ends or glued < len(ends) / 2


def parse_tasks(names: Iterable[str]) -> list[tuple[str, str]]:
    """Subtasks that names stand for: a task (`STS12`) or a subtask (`STS12/MSRpar`)."""
    found: dict[tuple[str, str], None] = {}
    for given in names:
        task, slash, name = given.partition("/")
        task = ALIASES.get(task, task)
        if task not in ALL_TASKS:
            raise InputError(
                f"task must be one of {', '.join(ALL_TASKS)}, or a subtask such as STS12/MSRpar;"
                f" got {given!r}{nearest(task, ALL_TASKS)}"
            )
        if slash and task not in SUBTASKS:
            raise InputError(f"{task} has no subtasks; got {given!r}")
        if slash and name not in ALL_TASKS[task]:
            raise InputError(
                f"{task} has the subtasks {', '.join(ALL_TASKS[task])};"
                f" got {given!r}{nearest(name, ALL_TASKS[task])}"
            )
        chosen = (name,) if slash else ALL_TASKS[task]
        found.update(dict.fromkeys((task, subtask) for subtask in chosen))
    return list(found)


def load_tasks(folder: Path, tasks: Iterable[str] = YEARS) -> list[Dataset]:
    """The subtasks of `tasks` from a `folder` in the SentEval layout; all must be there."""
    chosen = parse_tasks(tasks)
    if not folder.is_dir():
        what = "a file" if folder.is_file() else "nothing there"
        raise InputError(f"the STS data must be a folder with STS12-en-test …; '{folder}': {what}")
    return [_load(folder, task, name) for task, name in chosen]


def _load(folder: Path, task: str, name: str) -> Dataset:
    if task in STSB:
        return _read_stsb(_find(folder, STSB_FOLDERS, STSB[task]), task)
    if task in SICK:
        return _read_sick(_find(folder, SICK_FOLDERS, SICK[task]), task)
    return _read_semeval(folder, task, name)


def _find(folder: Path, below: Sequence[str], name: str) -> Path:
    """The file in one of the usual places."""
    places = [folder / part / name for part in below]
    for place in places:
        if place.is_file():
            return place
    tried = ", ".join(f"'{place}'" for place in places)
    raise InputError(f"'{name}' is missing; looked for {tried}")


def _read_semeval(folder: Path, task: str, name: str) -> Dataset:
    """Two files that belong together line by line; columns after the second are notes."""
    place = folder / f"{task}-en-test"
    inputs, golds = place / f"STS.input.{name}.txt", place / f"STS.gs.{name}.txt"
    for file in (inputs, golds):
        if not file.is_file():
            hint = _layout_hint(folder)
            raise InputError(
                f"the subtask {task}/{name} needs the file '{file}'; it is missing{hint}"
            )
    texts, scores = _lines(inputs), _lines(golds)
    if len(texts) != len(scores):
        raise InputError(
            f"'{inputs}' and '{golds}' must have as many lines; got {len(texts)} and {len(scores)}"
        )
    rows = [
        (*_two_texts(line, f"{inputs}, line {number}"), gold)
        for number, (line, gold) in enumerate(zip(texts, scores, strict=True), start=1)
    ]
    return make_dataset(task, name, rows, str(golds))


def _layout_hint(folder: Path) -> str:
    """Return a hint if the data are in a folder one level below."""
    for below in ("tokenized", "raw"):
        if (folder / below / "STS12-en-test").is_dir():
            return f" (did you mean '{folder / below}'?)"
    return ""


def _lines(path: Path) -> list[str]:
    """Lines of a UTF-8 file without their ends; only line feeds end a line."""
    lines = read_text(path).split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def _two_texts(line: str, place: str) -> tuple[str, str]:
    fields = line.split("\t")
    if len(fields) < 2:
        raise InputError(f"{place}: must have two texts with a tab between; got {line[:60]!r}")
    return fields[0], fields[1]


def _read_stsb(path: Path, task: str) -> Dataset:
    """STS Benchmark: genre, file, year, id, score, two texts, notes; tabs, no header."""
    rows = []
    for number, line in enumerate(_lines(path), start=1):
        fields = line.split("\t")
        if len(fields) < 7:
            raise InputError(
                f"{path}, line {number}: must have 7 fields or more; got {len(fields)}"
            )
        rows.append((fields[5], fields[6], fields[4]))
    return make_dataset(task, "", rows, str(path))


def _read_sick(path: Path, task: str) -> Dataset:
    """SICK relatedness: a header, then pair id, two texts, relatedness, entailment."""
    header, *lines = _lines(path) or [""]
    columns = header.split("\t")
    wanted = ("sentence_A", "sentence_B", "relatedness_score")
    missing = [column for column in wanted if column not in columns]
    if missing:
        raise InputError(f"{path}: must have the columns {', '.join(wanted)}; got {header[:80]!r}")
    left, right, score = (columns.index(column) for column in wanted)
    rows = []
    for number, line in enumerate(lines, start=2):
        fields = line.split("\t")
        if len(fields) < len(columns):
            raise InputError(
                f"{path}, line {number}: must have {counted(len(columns), 'field')};"
                f" got {len(fields)}"
            )
        rows.append((fields[left], fields[right], fields[score]))
    return make_dataset(task, "", rows, str(path), first=2)


def make_dataset(
    task: str,
    name: str,
    rows: Sequence[Row],
    place: str,
    *,
    first: int = 1,
    unit: str = "line",
) -> Dataset:
    """A dataset from rows as written; `place`, `unit` and the `first` number go into errors."""
    kept = [
        (left, right, _number(gold, f"{place}, {unit} {number}"))
        for number, (left, right, gold) in enumerate(rows, start=first)
        if gold.strip()
    ]
    if len(kept) < 2:
        raise InputError(f"{place}: must have at least two pairs with a score; got {len(kept)}")
    lefts, rights, scores = zip(*kept, strict=True)
    gold = np.array(scores, dtype=np.float64)
    gold.setflags(write=False)
    return Dataset(task, name, list(lefts), list(rights), gold, len(rows) - len(kept))


def _number(text: str, place: str) -> float:
    """A finite gold score."""
    try:
        value = float(text)
    except ValueError as error:
        raise InputError(f"{place}: a gold score must be a number; got {text[:40]!r}") from error
    if not np.isfinite(value):
        raise InputError(f"{place}: a gold score must be finite; got {text[:40]!r}")
    return value
