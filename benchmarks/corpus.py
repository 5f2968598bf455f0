"""Sentences of a real corpus. FUZZBOW_CORPUS names the file.

It has one sentence a line, or columns separated by tabs of which the last is the sentence
(`source<TAB>sentence`), and may be compressed (.gz, .bz2, .xz). A public one is
Tatoeba's `eng_sentences.tsv.bz2`.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

VARIABLE = "FUZZBOW_CORPUS"
OPENERS: dict[str, Any] = {".xz": lzma.open, ".bz2": bz2.open, ".gz": gzip.open}
HELD_OUT = 4_000  # sentences that are queries only, at most a fifth of all
PER_PASSAGE = 11


@dataclass(frozen=True)
class Corpus:
    """Distinct sentences in a seeded order: documents, and queries that are not among them."""

    documents: list[str]
    queries: list[str]

    def describe(self) -> dict[str, Any]:
        """Return the numbers that a result file says of its corpus."""
        words = [len(text.split()) for text in self.documents[:10_000]]
        return {
            "file": corpus_path().name,
            "sentences": len(self.documents) + len(self.queries),
            "words_per_sentence": round(float(np.mean(words)), 1),
        }

    def sizes(self, sizes: tuple[int, ...]) -> list[int]:
        """Return the sizes below the number of documents, and that number."""
        return [*(size for size in sizes if size < len(self.documents)), len(self.documents)]

    def part(self, number: int, count: int) -> list[str]:
        """Return at most `count` documents, others for each number until the corpus is used up."""
        count = min(count, len(self.documents))
        places = range(number * count, (number + 1) * count)
        return [self.documents[place % len(self.documents)] for place in places]

    def passages(self, count: int) -> list[str]:
        """Join each eleven documents to one text of about 140 words, at most `count`."""
        texts, starts = self.documents, range(0, len(self.documents), PER_PASSAGE)
        return [" ".join(texts[start : start + PER_PASSAGE]) for start in starts[:count]]


def corpus_path() -> Path:
    """Return the path that FUZZBOW_CORPUS names."""
    path = os.environ.get(VARIABLE)
    if not path:
        raise SystemExit(f"{VARIABLE} must name a file of sentences; it is not set")
    return Path(path)


@cache
def read_corpus() -> Corpus:
    """Read the file that FUZZBOW_CORPUS names."""
    path = corpus_path()
    with OPENERS.get(path.suffix, open)(path, "rt", encoding="utf-8", errors="replace") as lines:
        sentences = dict.fromkeys(line.rpartition("\t")[2].strip() for line in lines)
    texts = [sentence for sentence in sentences if sentence]
    order = np.random.default_rng(0).permutation(len(texts)).tolist()
    held_out = min(HELD_OUT, len(texts) // 5)
    shuffled = [texts[place] for place in order]
    return Corpus(shuffled[held_out:], shuffled[:held_out])
