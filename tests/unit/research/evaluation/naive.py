"""The metrics once more, as their definitions read, one text at a time."""

from __future__ import annotations

import math


def ndcg(grades: list[float], relevant: list[float], k: int = 10) -> float:
    gain = ideal = 0.0
    for rank, grade in enumerate(grades, 1):
        if rank <= k and grade > 0:
            gain += grade / math.log2(rank + 1)
    for rank, grade in enumerate(sorted(relevant, reverse=True), 1):
        if rank <= k:
            ideal += grade / math.log2(rank + 1)
    return gain / ideal


def average_precision(grades: list[float], relevant: list[float]) -> float:
    total = 0.0
    for rank in range(1, len(grades) + 1):
        if grades[rank - 1] > 0:
            total += sum(grade > 0 for grade in grades[:rank]) / rank
    return total / len(relevant)


def reciprocal_rank(grades: list[float]) -> float:
    for rank, grade in enumerate(grades, 1):
        if grade > 0:
            return 1 / rank
    return 0.0


def recall(grades: list[float], relevant: list[float], k: int) -> float:
    return sum(grade > 0 for grade in grades[:k]) / len(relevant)


def f1(scores: list[float], labels: list[float], threshold: float) -> float:
    taken = [label for score, label in zip(scores, labels, strict=True) if score >= threshold]
    hits = sum(taken)
    if not hits:
        return 0.0
    precision, share = hits / len(taken), hits / sum(labels)
    return 2 * precision * share / (precision + share)
