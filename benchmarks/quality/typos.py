"""How typos change the scores of the default model and its search, on STS-B dev and stackfaq.

    python -m benchmarks.quality.typos STS_FOLDER [RETRIEVAL_FOLDER]

STS_FOLDER holds stsb/, RETRIEVAL_FOLDER stackfaq-questions/. One letter is changed in a share of
the words of four letters or more: two neighbours change places, or a letter is dropped, inserted
or replaced. Both texts of a pair get typos, and the queries of the retrieval set. Writes
benchmarks/results/typos.json: Pearson times 100, and nDCG@10 times 100.
"""

from __future__ import annotations

import json
import re
import string
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

import fuzzbow
from benchmarks.runner import write_results
from fuzzbow.research.evaluation import read_set
from fuzzbow.research.evaluation.sets.retrieval import RetrievalSet
from fuzzbow.research.evaluation.systems import model_system

NAME = "typos"
SET = "stackfaq-questions"
SHARES = (0.0, 0.1, 0.3)  # of words with a typo
LONG = re.compile(r"[^\W\d_]{4,}")


def with_typos(text: str, share: float, random: np.random.Generator) -> str:
    """The text with one typo in a share of its words of four letters or more."""
    return LONG.sub(
        lambda found: misspelt(found[0], random) if random.random() < share else found[0], text
    )


def misspelt(word: str, random: np.random.Generator) -> str:
    """A word after one edit."""
    place = int(random.integers(len(word) - 1))
    letter = string.ascii_lowercase[random.integers(26)]
    before, after = word[:place], word[place + 1 :]
    edits = (
        before + word[place + 1] + word[place] + word[place + 2 :],
        before + after,
        before + letter + word[place:],
        before + letter + after,
    )
    return edits[random.integers(len(edits))]


def stsb(model: fuzzbow.Model, folder: Path, share: float) -> float:
    """Pearson correlation times 100 with typos in both texts."""
    lines = (folder / "stsb" / "sts-dev.csv").read_text(encoding="utf-8").splitlines()
    rows, random = [line.split("\t") for line in lines], np.random.default_rng(0)
    left, right = ([with_typos(row[side], share, random) for row in rows] for side in (5, 6))
    gold = np.array([float(row[4]) for row in rows])
    return round(100 * float(np.corrcoef(model.pairs(left, right), gold)[0, 1]), 2)


def search(model: fuzzbow.Model, given: RetrievalSet, share: float) -> float:
    """nDCG@10 times 100 with typos in the queries."""
    random = np.random.default_rng(0)
    queries = {name: with_typos(text, share, random) for name, text in given.queries.items()}
    found = replace(given, queries=queries).measure(model_system("passages", model))
    return round(found.values["nDCG@10"], 2)


def main(sts: Path, retrieval: Path | None) -> None:
    """Measure all shares and write the results."""
    results: dict[str, dict[str, float]] = {}
    sentences, passages = fuzzbow.load(), fuzzbow.load(purpose="passages")
    for share in SHARES:
        found = results[f"{share:.0%}"] = {"stsb dev": stsb(sentences, sts, share)}
        if retrieval is not None:
            found[SET] = search(passages, read_set(retrieval / SET), share)
    print(json.dumps(results, indent=1))
    write_results(NAME, results)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
