"""A plain reader of the SemEval files, for tests alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np

SUBTASKS = {
    "STS12": ["MSRpar", "MSRvid", "SMTeuroparl", "surprise.OnWN", "surprise.SMTnews"],
    "STS13": ["FNWN", "headlines", "OnWN"],
    "STS14": ["deft-forum", "deft-news", "headlines", "images", "OnWN", "tweet-news"],
    "STS15": ["answers-forums", "answers-students", "belief", "headlines", "images"],
    "STS16": ["answer-answer", "headlines", "plagiarism", "postediting", "question-question"],
}
ALL = [f"{year}/{name}" for year, names in SUBTASKS.items() for name in names]


def read(folder: Path, subtask: str) -> tuple[list[str], list[str], np.ndarray]:
    """Labelled pairs of a subtask: left texts, right texts, gold scores."""
    year, name = subtask.split("/")
    task = folder / f"{year}-en-test"
    inputs = (task / f"STS.input.{name}.txt").read_text(encoding="utf-8").split("\n")
    golds = (task / f"STS.gs.{name}.txt").read_text(encoding="utf-8").split("\n")
    rows = [
        (*line.split("\t")[:2], float(gold))
        for line, gold in zip(inputs, golds, strict=False)
        if gold.strip()
    ]
    lefts, rights, scores = zip(*rows, strict=True)
    return list(lefts), list(rights), np.array(scores)


def mean_pearson(score, folder: Path) -> float:
    """Mean over the years of the mean Pearson over their subtasks, times 100."""
    years = []
    for year, names in SUBTASKS.items():
        found = []
        for name in names:
            lefts, rights, gold = read(folder, f"{year}/{name}")
            found.append(np.corrcoef(score(lefts, rights), gold)[0, 1])
        years.append(np.mean(found))
    return 100 * float(np.mean(years))
