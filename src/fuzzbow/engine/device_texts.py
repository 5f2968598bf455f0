"""Texts on a device, as word ids over a table in its memory, and scores of all their pairs.

A GPU only multiplies vectors: the other rules of words are left to the caller. With rules, words
have unit length and a text's own memberships are 1; the score then never falls when a similarity of
two words rises. So texts with different numbers, whose similarity the rules set to 0, can only
score too high here, and pairs at or above a floor are a superset. Texts with words that letters
decide, or with more words than the kernel takes, are not `plain`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fuzzbow.errors import MissingExtraError

try:
    import torch
except ImportError as error:
    raise MissingExtraError("torch", "torch") from error

from fuzzbow.arrays import Booleans, Floats, Integers, blocks
from fuzzbow.engine.protocol import DynamicOptions
from fuzzbow.engine.tables import Bags, Batch
from fuzzbow.fuzzy import Pooling, WordSimilarity, unit_rows
from fuzzbow.progress import Progress, no_progress
from fuzzbow.torch.fused import BUCKETS
from fuzzbow.torch.measure import Measure
from fuzzbow.torch.scores import SetBatch, all_scores, hits_above
from fuzzbow.torch.sets import Sets

PIECE = 16_384  # texts that are compared with as many others at a time
SHORTEST = 0.999  # the length of a vector that the rules may call a unit vector

# Unit vectors in half precision have products that are off by at most 2⁻¹⁰, and single precision
# adds a little to that. A score moves by at most so many times as much as similarities do: with
# own memberships of 1, Jaccard is Σw·c / Σw and Dice 2·Σw·c / (Σw + Σw·c).
HALF_ERROR = 1.05e-3
SLOPES = {"jaccard": 1, "dice": 2}
# In single precision vectors may have any length, and √64 words add up at the worst.
SINGLE_ERROR = 5e-4


def computable(texts: Bags, options: DynamicOptions) -> bool:
    """Return whether a device computes this measure within a known error."""
    known = options.similarity.family in SLOPES and not options.similarity.squares
    return options.pooling is Pooling.MAX and known and texts.counts is None


@dataclass(frozen=True)
class DeviceTexts:
    """Batch of texts whose table of words is copied to the device once."""

    batch: Batch
    options: DynamicOptions
    device: str

    @property
    def error(self) -> float:
        """Largest error of a score."""
        slope = SLOPES[self.options.similarity.family]
        return SINGLE_ERROR if self.batch.table.rules is None else HALF_ERROR * slope

    @cached_property
    def plain(self) -> Booleans:
        """Mask of the texts that are compared on the device: (texts,)."""
        lengths = self.batch.texts.rows.lengths
        fits = lengths <= BUCKETS[-1]
        rules = self.batch.table.rules
        if rules is None:
            return np.asarray(fits)
        short = np.linalg.norm(self.batch.table.vectors, axis=1) < SHORTEST
        return np.asarray(fits & ~self._holds(rules.unknown | short))

    @cached_property
    def numbered(self) -> Booleans:
        """Mask of the texts with a number, for the rules of numbers: (texts,)."""
        rules = self.batch.table.rules
        if rules is None:
            return np.zeros(len(self.batch.texts), dtype=np.bool_)
        return self._holds(rules.numbers)

    def matrix(self, rows: Integers, columns: Integers) -> Floats:
        """Score all pairs of plain texts, without the rule of numbers: (n,), (m,) -> (n, m)."""
        found = np.zeros((len(rows), len(columns)))
        # these are not scored again: an error of more than a thousandth needs more digits
        dtype = self._dtype if SLOPES[self.options.similarity.family] == 1 else torch.float32
        for down in self._pieces(rows):
            left = self._sets(rows[down])
            for across in self._pieces(columns):
                right = self._sets(columns[across])
                scores = all_scores(SetBatch(left, right, None, self._measure, dtype))
                found[np.ix_(down, across)] = scores.clamp(max=1).cpu().numpy()
        return found

    def above(
        self, rows: Integers, columns: Integers, least: float, progress: Progress = no_progress
    ) -> Iterator[tuple[Integers, Integers]]:
        """Yield pairs of plain texts that score above 0 and at least `least` less the error.

        If rows and columns are the same texts, a pair is found in both orders.
        """
        done = 0
        for down in self._pieces(rows):
            left = self._sets(rows[down])
            floors = torch.full((len(down),), least - self.error, device=self.device)
            floors = floors.clamp(min=torch.finfo(torch.float32).tiny)
            for across in self._pieces(columns):
                right = self._sets(columns[across])
                batch = SetBatch(left, right, None, self._measure, self._dtype)
                i, j, _ = hits_above(batch, floors)
                yield rows[down[i.cpu().numpy()]], columns[across[j.cpu().numpy()]]
            done += len(down)
            progress(done, len(self.batch.texts))

    def best(
        self, rows: Integers, columns: Integers, k: int, least: float
    ) -> tuple[Integers, Integers, Integers]:
        """Return the plain rows that were searched, and pairs with every column that may be best.

        Rows whose k-th best score may be 0 are not searched, since all columns could tie.
        """
        nothing: Integers = np.zeros(0, dtype=np.int64)
        found = [(nothing, nothing, nothing)]
        for down in self._pieces(rows):
            certain, i, j = self._best_of(rows[down], columns, k, least)
            found.append((rows[down][certain], i, j))
        asked, left, right = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return asked, left, right

    def _best_of(
        self, rows: Integers, columns: Integers, k: int, least: float
    ) -> tuple[Booleans, Integers, Integers]:
        """Search a block of rows; mark those that were searched, and return pairs."""
        left, numbered = self._sets(rows), self._to_device(self.numbered[rows])
        tops = torch.full((len(rows), k), -1.0, device=self.device)
        found = []
        for across in self._pieces(columns):
            texts = columns[across]
            scores = all_scores(SetBatch(left, self._sets(texts), None, self._measure, self._dtype))
            # numbers may score too much here, and must not say what others have to reach
            clash = numbered[:, None] & self._to_device(self.numbered[texts])
            first = scores.masked_fill(clash, -1.0).topk(min(k, len(texts)), dim=1).values
            tops = torch.cat([tops, first], dim=1).topk(k, dim=1).values
            i, j = torch.nonzero(scores >= self._floors(tops, least)[:, None], as_tuple=True)
            found.append((i, torch.from_numpy(texts).to(self.device)[j], scores[i, j]))
        floors = self._floors(tops, least)
        if not found:
            found = [(floors[:0].long(), floors[:0].long(), floors[:0])]
        i, j, scores = (torch.cat(parts) for parts in zip(*found, strict=True))
        certain = floors > 0
        kept = (scores >= floors[i]) & certain[i]
        i, j = i[kept].cpu().numpy(), j[kept].cpu().numpy()
        return certain.cpu().numpy(), rows[i], j

    def _floors(self, tops: torch.Tensor, least: float) -> torch.Tensor:
        """Return a lower bound of the k-th best score of each row: (n,)."""
        return torch.clamp(tops[:, -1] - 2 * self.error, min=least - self.error)

    def _to_device(self, values: Booleans) -> torch.Tensor:
        return torch.from_numpy(values).to(self.device)

    @cached_property
    def _measure(self) -> Measure:
        options = self.options
        return Measure(
            options.universe, options.pooling, options.similarity, WordSimilarity.DOT
        )  # vectors have the length that their products need

    @property
    def _dtype(self) -> torch.dtype:
        return torch.float32 if self.batch.table.rules is None else torch.float16

    @cached_property
    def _words(self) -> torch.Tensor:
        """Vectors of the table: (m, d)."""
        vectors = self.batch.table.vectors
        if self.options.word_similarity is not WordSimilarity.DOT:
            vectors = unit_rows(vectors)
        return torch.as_tensor(np.asarray(vectors, np.float32)).to(self.device)

    @cached_property
    def _weights(self) -> torch.Tensor | None:
        """Weights of the table's words: (m,)."""
        weights = self.batch.table.weights
        if weights is None:
            return None
        return torch.as_tensor(np.asarray(weights, np.float32)).to(self.device)

    def _holds(self, words: Booleans) -> Booleans:
        """Mark the texts that contain any of the masked words: (m,) -> (texts,)."""
        rows = self.batch.texts.rows
        before = np.concatenate([[0], np.cumsum(words[rows.values])])
        return np.asarray(np.diff(before[rows.offsets]) > 0)

    def _pieces(self, which: Integers) -> Iterator[Integers]:
        """Yield positions of texts of similar length in blocks, without empty texts."""
        lengths = self.batch.texts.rows.lengths[which]
        for least, most in zip((0, *BUCKETS), BUCKETS, strict=False):
            places = np.flatnonzero((lengths > least) & (lengths <= most))
            for part in blocks(len(places), PIECE):
                yield places[part]

    def _sets(self, which: Integers) -> Sets:
        """Return some texts as sets of vectors on the device."""
        rows = self.batch.texts.rows.take(which)
        mask = np.arange(int(rows.lengths.max())) < rows.lengths[:, None]
        ids = np.zeros(mask.shape, dtype=np.int64)
        ids[mask] = rows.values
        there, words = (torch.from_numpy(part).to(self.device) for part in (mask, ids))
        weights = None if self._weights is None else self._weights[words] * there
        return Sets(self._words[words] * there[..., None], there, weights)
