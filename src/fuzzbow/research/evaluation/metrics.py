"""Metrics of one ranking, between 0 and 1, as computed by trec_eval.

`grades` (n,) are the relevances of the ranked texts, best first; `relevant` (m,) those of every
text that is relevant, ranked or not. A grade above 0 is relevant.
"""

from __future__ import annotations

import numpy as np

from fuzzbow.arrays import Floats

NDCG_AT = 10


def ndcg(grades: Floats, relevant: Floats, k: int = NDCG_AT) -> float:
    """Compute normalised discounted cumulative gain: Σ grade / log2(rank + 1) over its maximum."""
    ideal = np.sort(relevant)[::-1]
    return _discount(np.maximum(grades, 0.0), k) / _discount(ideal, k)


def _discount(gains: Floats, k: int) -> float:
    best = gains[:k]
    return float((best / np.log2(np.arange(2, len(best) + 2))).sum())


def average_precision(grades: Floats, relevant: Floats) -> float:
    """Compute the mean precision at the ranks of all relevant texts; 0 for one not ranked."""
    hits = grades > 0.0
    precisions = np.cumsum(hits)[hits] / (np.flatnonzero(hits) + 1)
    return float(precisions.sum()) / len(relevant)


def reciprocal_rank(grades: Floats) -> float:
    """Return 1 / rank of the first relevant text; 0 if none is ranked."""
    ranks = np.flatnonzero(grades > 0.0) + 1
    return 1.0 / int(ranks[0]) if len(ranks) else 0.0


def recall(grades: Floats, relevant: Floats, k: int) -> float:
    """Return the share of the relevant texts that are among the first k."""
    return float((grades[:k] > 0.0).sum()) / len(relevant)


def best_f1(scores: Floats, labels: Floats) -> tuple[float, float]:
    """Find the largest F1 of any threshold, and that threshold: (n,), (n,) of 0 and 1.

    Pairs at or above the threshold are matches, so equal scores are never separated.
    """
    order = np.argsort(-scores, kind="stable")
    descending, hits = scores[order], np.cumsum(labels[order])
    ends = np.flatnonzero(np.append(np.diff(descending) != 0.0, True))
    f1 = 2.0 * hits[ends] / (ends + 1 + hits[-1])
    best = int(f1.argmax())
    return float(f1[best]), float(descending[ends[best]])
