"""Files of SemEval STS, STS Benchmark and SICK-R, read as sets of pairs with scores.

Pairs without a score are skipped and counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from fuzzbow.errors import InputError, nearest
from fuzzbow.io.streams import read_text
from fuzzbow.plurals import counted
from fuzzbow.research.evaluation.sets.scored import ScoredPairSet

SUBTASKS: dict[str, tuple[str, ...]] = {
    "STS12": ("MSRpar", "MSRvid", "SMTeuroparl", "surprise.OnWN", "surprise.SMTnews"),
    "STS13": ("FNWN", "headlines", "OnWN"),
    "STS14": ("deft-forum", "deft-news", "headlines", "images", "OnWN", "tweet-news"),
    "STS15": ("answers-forums", "answers-students", "belief", "headlines", "images"),
    "STS16": ("answer-answer", "headlines", "plagiarism", "postediting", "question-question"),
}
YEARS = tuple(SUBTASKS)
ALIASES = {"STSB": "STSB-test", "SICK-R": "SICK-R-test"}  # as they are usually reported


def parse_tasks(names: Iterable[str]) -> list[tuple[str, str]]:
    """Return the subtasks that the names of tasks (`STS12`) or subtasks (`STS12/MSRpar`) denote."""
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


def load_tasks(folder: Path, tasks: Iterable[str] = YEARS) -> list[ScoredPairSet]:
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


def _semeval(folder: Path, task: str, name: str) -> ScoredPairSet:
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
    return ScoredPairSet.of(f"{task}/{name}", rows, golds)


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


def _benchmark(folder: Path, task: str) -> ScoredPairSet:
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
    return ScoredPairSet.of(task, rows, path)


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
