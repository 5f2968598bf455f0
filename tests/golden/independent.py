"""Weighted-jaccard by its definition in float64, without the code of fuzzbow.

    python -m tests.golden.independent STS_FOLDER

checks the golden values of weighted-jaccard without rules, and writes those with rules for numbers,
symbols and words without a vector into sts-glove-6b-50d-weighted.json.
"""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path

import numpy as np

GOLDEN = Path(__file__).with_name("sts-glove-6b-50d-weighted.json")
PLAIN, RULES = "weighted-jaccard", "weighted-jaccard+numbers+oov"
A = 1e-3
CONTRASTED = {
    *("january", "february", "april", "june", "july", "august", "september", "october"),
    *("november", "december", "monday", "tuesday", "wednesday", "thursday", "friday"),
    *("saturday", "sunday", "first", "second", "third", "am", "pm", "kb", "mb", "gb", "tb"),
    *("dollar", "dollars", "euro", "euros", "pound", "pounds", "yen", "rupees"),
}


class Words:
    """Whitened unit vectors and weights of a vocabulary in order of frequency."""

    def __init__(self, words: list[str], matrix: np.ndarray) -> None:
        self.ids = {word: number for number, word in enumerate(words)}
        p = 1 / (np.arange(len(words)) + 1 + 2.7)
        p /= p.sum()
        matrix = matrix.astype(np.float64)
        centred = matrix - p @ matrix
        values, vectors = np.linalg.eigh((centred * p[:, None]).T @ centred)
        z = centred @ (vectors / np.sqrt(values)) @ vectors.T
        lengths = np.linalg.norm(z, axis=1)
        self.unit = z / lengths[:, None]
        self.weights = lengths / lengths.mean() * A / (A + p)


class Measure:
    """Similarity of words and texts, with or without the rules."""

    def __init__(self, words: Words, rules: bool) -> None:
        self.words, self.rules = words, rules
        self.alike = cache(self._alike)

    def score(self, left: str, right: str) -> float:
        a, b = ([w for w in text.split() if self._counts(w)] for text in (left, right))
        if not a or not b:
            return 0.0
        above = below = 0.0
        for text, other in ((a, b), (b, a)):
            for word in text:
                above += self.weight(word) * max(self.alike(word, w) for w in other)
                below += self.weight(word)
        return above / below

    def _counts(self, word: str) -> bool:
        return self.rules or word in self.words.ids

    def weight(self, word: str) -> float:
        number = self.words.ids.get(word)
        weight = 1.0 if number is None else float(self.words.weights[number])
        if self.rules and is_number(word):
            return 1.3
        return min(weight, 0.03) if self.rules and is_symbol(word) else weight

    def _alike(self, u: str, v: str) -> float:
        if u == v:
            return 1.0
        if self.rules and self._contrasts(u) and self._contrasts(v):
            return 0.0
        i, j = self.words.ids.get(u), self.words.ids.get(v)
        if i is None or j is None:
            return by_letters(u, v)
        if self.rules and (is_symbol(u) or is_symbol(v)):
            return 0.0
        return max(0.0, float(self.words.unit[i] @ self.words.unit[j]))

    def _contrasts(self, word: str) -> bool:
        codes = word not in self.words.ids and any(map(str.isdigit, word))
        return codes or is_number(word) or word in CONTRASTED


def is_number(word: str) -> bool:
    core = word.removeprefix("-")
    return any(map(str.isdigit, core)) and all(c.isdigit() or c in ".,:/" for c in core)


def is_symbol(word: str) -> bool:
    return not any(map(str.isalnum, word))


def by_letters(u: str, v: str) -> float:
    x, y = ({f"<{w}>"[i : i + 3] for i in range(len(w))} for w in (u, v))
    common = len(x & y)
    if not common:
        return 0.0
    found = 2 * common / (len(x) + len(y))
    longer = max(len(u), len(v))
    if all(4 <= len(w) <= 64 and w.isalpha() for w in (u, v)):
        edits = alignment(u, v)
        if 10 * edits <= 3 * longer:
            found = max(found, 1 - 1.2 * (edits / longer))
    return found


def alignment(u: str, v: str) -> int:
    """Optimal string alignment distance."""
    d = [[i + j if i * j == 0 else 0 for j in range(len(v) + 1)] for i in range(len(u) + 1)]
    for i in range(1, len(u) + 1):
        for j in range(1, len(v) + 1):
            d[i][j] = min(
                d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (u[i - 1] != v[j - 1])
            )
            if i > 1 and j > 1 and u[i - 1] == v[j - 2] and u[i - 2] == v[j - 1]:
                d[i][j] = min(d[i][j], d[i - 2][j - 2] + 1)
    return d[-1][-1]


def main(folder: str) -> None:
    import fuzzbow  # for the vectors and the pairs alone
    from tests import sts

    vectors = fuzzbow.load("glove-6b-50d").vectors
    words = Words(list(vectors.words), np.asarray(vectors.matrix))
    golden = json.loads(GOLDEN.read_text())
    years: dict[str, list[float]] = {}
    for key, rules in ((PLAIN, False), (RULES, True)):
        measure = Measure(words, rules)
        for subtask in sts.ALL:
            lefts, rights, gold = sts.read(Path(folder) / "tokenized", subtask)
            scores = [measure.score(a, b) for a, b in zip(lefts, rights, strict=True)]
            pearson = 100 * np.corrcoef(scores, gold)[0, 1]
            entry = golden["subtasks"][subtask][key]
            if not rules:
                np.testing.assert_allclose(scores[:5], entry["first_scores"], atol=1e-9)
                assert abs(pearson - entry["pearson"]) < 1e-5
            else:
                entry["pearson"] = round(float(pearson), 6)
                entry["first_scores"] = [round(score, 10) for score in scores[:5]]
                years.setdefault(subtask[:5], []).append(float(pearson))
    for year, found in years.items():
        golden["years"][year][RULES] = round(float(np.mean(found)), 4)
    GOLDEN.write_text(json.dumps(golden, indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
