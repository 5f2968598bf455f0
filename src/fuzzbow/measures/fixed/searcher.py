"""Search under measures over a fixed universe, by comparing with every text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fuzzbow.arrays import Booleans, Floats, Integers, blocks
from fuzzbow.encoding import Encoder, Texts, TokenIds
from fuzzbow.engine import Found
from fuzzbow.measures.best_documents import best_documents
from fuzzbow.measures.document_frequencies import DocumentFrequencies
from fuzzbow.measures.measure import Measure

if TYPE_CHECKING:
    from fuzzbow.measures.fixed.measure import FixedMeasure

ROW_BUDGET = 32_000_000  # membership values held at once: 256 MB of float64
KEPT_UNIVERSE = 1024  # rows over a larger universe are made anew for each search
BLOCK_ROWS = 16_384
SCORES_AT_ONCE = 16_000_000  # queries × texts


@dataclass(frozen=True)
class Block:
    """Some texts: their membership rows, or what these are made of."""

    size: int
    rows: tuple[Floats, Booleans] | None
    texts: Texts | None


class FixedSearcher:
    """Membership rows of all texts, in blocks."""

    def __init__(self, measure: FixedMeasure, encoder: Encoder) -> None:
        self._measure, self._encoder = measure, encoder
        universe = len(measure.universe)
        self._kept = universe <= KEPT_UNIVERSE
        self._block_rows = min(BLOCK_ROWS, max(ROW_BUDGET // (16 * universe), 1))
        self._blocks: list[Block] = []
        self._alive = np.zeros(0, dtype=np.bool_)

    def append(self, tokens: TokenIds) -> None:
        """Add texts."""
        for part in blocks(len(tokens), self._block_rows):
            chosen = tokens.take(np.arange(part.start, part.stop))
            texts = self._encoder.batch(chosen)
            made = self._measure.memberships(texts) if self._kept else None
            self._blocks.append(Block(len(chosen), made, None if self._kept else texts))
        self._alive = np.concatenate([self._alive, np.ones(len(tokens), dtype=np.bool_)])

    def delete(self, documents: Integers) -> None:
        """Delete documents."""
        self._alive[documents] = False

    def search(
        self, texts: list[str], *, k: int, min_score: float, allowed: Booleans | None
    ) -> Found:
        """The k best documents of each query, of those allowed."""
        usable = self._alive if allowed is None else self._alive & allowed
        queries = self._measure.memberships(self._encoder.batch(self._encoder.word_ids(texts)))
        step = min(max(SCORES_AT_ONCE // max(len(usable), 1), 1), self._block_rows)
        found = [
            best_documents(
                self._scores(queries[0][part], queries[1][part]), usable, k=k, min_score=min_score
            )
            for part in blocks(len(texts), step)
        ]
        return Found(
            np.concatenate([part.documents for part in found]),
            np.concatenate([part.scores for part in found]),
        )

    def measure(self) -> Measure:
        """The measure, which takes nothing from the documents."""
        return self._measure

    def frequencies(self) -> DocumentFrequencies | None:
        """None: the measure weighs no word by the documents."""
        return None

    def weigh_by(self, collection: DocumentFrequencies) -> None:
        """No collection changes a score."""

    def memory_bytes(self) -> int:
        """Memory that the documents take."""
        total = self._alive.nbytes
        for block in self._blocks:
            if block.rows is not None:
                total += block.rows[0].nbytes + block.rows[1].nbytes
            if block.texts is not None:
                total += block.texts.rows.values.nbytes + block.texts.rows.offsets.nbytes
        return total

    def _scores(self, rows: Floats, filled: Booleans) -> Floats:
        """Every query with every text: (q, u) -> (q, documents)."""
        parts: list[Floats] = [np.zeros((len(rows), 0))]
        for block in self._blocks:
            made = self._measure.memberships(block.texts) if block.texts is not None else block.rows
            if made is not None:
                parts.append(self._measure.row_scores(rows, filled, *made))
        return np.concatenate(parts, axis=1)
