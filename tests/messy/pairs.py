"""Pairs of messy texts, with the range that the similarity of each must lie in."""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import fuzzbow
from fuzzbow import Model

TABLE = Path(__file__).with_name("pairs.tsv")

# a pair that says the same must reach SAME; one that says something else must not exceed DIFFERENT
SAME = 0.75
DIFFERENT = 0.70

_ESCAPE = re.compile(r"\\(u[0-9a-f]{4}|U[0-9a-f]{8}|[tnr\\])")
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}


@dataclass(frozen=True)
class Pair:
    """Two texts, the purpose that scores them, and the range of their similarity."""

    name: str
    kind: str
    purpose: str
    left: str
    right: str
    lowest: float
    highest: float
    note: str

    def holds(self, score: float) -> bool:
        """Tell whether the score lies in the range, but for rounding."""
        return self.lowest - 1e-4 <= score <= self.highest + 1e-4

    def embarrasses(self, score: float) -> bool:
        """Tell whether the score takes equal texts for different ones, or the other way round."""
        if self.lowest >= SAME:
            return score < SAME
        return self.highest <= DIFFERENT < score


def read_pairs() -> list[Pair]:
    """Read the table. The name of a pair is its kind and its number in the kind, from 1."""
    counts: Counter[str] = Counter()
    pairs = []
    with TABLE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            kind = row["kind"]
            counts[kind] += 1
            pairs.append(
                Pair(
                    name=f"{kind.replace(' ', '-')}-{counts[kind]}",
                    kind=kind,
                    purpose=row["purpose"],
                    left=decode_escapes(row["left"]),
                    right=decode_escapes(row["right"]),
                    lowest=float(row["lowest"]),
                    highest=float(row["highest"]),
                    note=row["note"],
                )
            )
    return pairs


def decode_escapes(text: str) -> str:
    r"""Replace \uXXXX, \UXXXXXXXX, \t, \n, \r and \\ by their characters."""

    def character(found: re.Match[str]) -> str:
        escape = found[1]
        return _CONTROLS.get(escape) or chr(int(escape[1:], 16))

    return _ESCAPE.sub(character, text)


@cache
def load_model(purpose: str) -> Model:
    """Load the default model for a purpose of the table; "web" stands for clean="web"."""
    if purpose == "sentences":
        return fuzzbow.load()
    if purpose == "web":
        return fuzzbow.load(clean="web")
    model = fuzzbow.load(purpose=purpose)
    if purpose == "records":
        # words of records count by their rarity in the collection: here, all records of the table
        pairs = [pair for pair in read_pairs() if pair.purpose == purpose]
        model = model.fit([text for pair in pairs for text in (pair.left, pair.right)])
    return model


def score(pair: Pair) -> float:
    """Similarity of the two texts of a pair."""
    return load_model(pair.purpose).similarity(pair.left, pair.right)


def score_if_possible(pair: Pair) -> float | None:
    """Score a pair, or return None where its purpose or its option does not exist."""
    try:
        return score(pair)
    except (TypeError, fuzzbow.InputError):
        return None
