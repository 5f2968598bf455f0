"""Explanations of fuzzy BM25: every word of the query is an element."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fuzzbow.arrays import Floats, Integers
from fuzzbow.encoding import Texts
from fuzzbow.engine import DynamicOptions, gains, norms
from fuzzbow.measures.decomposition import Decomposition, Parts, Shares, StandIn, places_of

if TYPE_CHECKING:
    from fuzzbow.measures.bm25.measure import Bm25Measure

FORMULA = "Σ c·tf/(tf + K) / Σ c"


def decompose(measure: Bm25Measure, texts: Texts, left: int, right: int) -> Decomposition:
    """The score of two texts of the batch as shares of the query's words, in float64."""
    table, bags = measure.prepare(texts)
    found = measure.statistics(texts, table)
    query, document = bags.rows[left], bags.rows[right]
    places = places_of(texts.rows[left], query), places_of(texts.rows[right], document)
    gained = gains(table, query, document, found.options)  # (k, l)
    similarities = measure.engine.similarities(table, query, document, DynamicOptions())
    occurs = gained.sum(axis=1)  # tf, (k,)
    norm = norms(np.array([len(document)]), found.mean_length, found.options)[0]
    saturated = np.divide(occurs, occurs + norm, out=np.zeros(len(query)), where=occurs > 0)
    weight = found.weights[query]
    total = float(weight.sum()) if len(document) else 0.0
    shares = Shares(weight * saturated, weight, weight * saturated, total)
    stand_ins = _stand_ins(gained, similarities, shares.score, places[1])
    return Decomposition(
        FORMULA,
        shares,
        measure.words.treatments(texts),
        Parts(
            places[0],
            np.array([found[0].place if found else -1 for found in stand_ins], dtype=np.int64),
            np.array([found[0].similarity if found else 0.0 for found in stand_ins]),
            shares.intersection,
            shares.union,
            shares.score,
            weight,
            np.ones(len(query)),
            saturated,
            stand_ins=stand_ins,
        ),
        _document(gained, similarities, places),
    )


def _stand_ins(
    gained: Floats, similarities: Floats, shares: Floats, places: Integers
) -> tuple[tuple[StandIn, ...], ...]:
    """For each query word the words of the document that count for it, the strongest first."""
    found = []
    for row, similar, share in zip(gained, similarities, shares.tolist(), strict=True):
        order = [word for word in np.argsort(-row, kind="stable").tolist() if row[word] > 0]
        whole = row.sum()
        found.append(
            tuple(
                StandIn(int(places[word]), float(similar[word]), share * float(row[word] / whole))
                for word in order
            )
        )
    return tuple(found)


def _document(gained: Floats, similarities: Floats, places: tuple[Integers, Integers]) -> Parts:
    """The document's words, which are no elements; each with the query word it counts for most."""
    nothing = np.zeros(gained.shape[1])
    if not gained.size:
        return Parts(places[1], np.full(len(nothing), -1), nothing, nothing, nothing, nothing)
    best = gained.argmax(axis=0)
    columns = np.arange(len(nothing))
    counts = gained[best, columns] > 0
    return Parts(
        places[1],
        np.where(counts, places[0][best], -1),
        np.where(counts, similarities[best, columns], 0.0),
        nothing,
        nothing,
        nothing,
    )
