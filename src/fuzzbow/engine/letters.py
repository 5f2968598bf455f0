"""Similarity of words by their letters, for words without a vector.

The similarity is the Dice coefficient of the words' distinct character trigrams, or, if larger, 1 -
1.2·(edits / letters of the longer word), where edits are at most 3 of 10 letters. Edits are counted
by optimal string alignment: letters are inserted, deleted and replaced, and neighbours are swapped.
They are counted in words of letters only, of 4 to 64 of them.

Words without a common trigram have a similarity of 0, however few edits apart they are. So the
indexes of trigrams that search and join read find all similar words.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Floats, Integers, Ragged, blocks
from fuzzbow.engine.tables import WordRules

FEWEST_LETTERS, MOST_LETTERS = 4, 64  # of a word that is compared by edits
EDIT_COST = 1.2  # of an edit for each letter
MOST_EDITS = 3  # of 10 letters
PAIR_BLOCK = 8192  # pairs of words whose edits are counted together


def letters_of(words: Sequence[str]) -> Ragged:
    """Return the code points of words that are compared by edits; empty rows for others."""
    compared = [
        word if FEWEST_LETTERS <= len(word) <= MOST_LETTERS and word.isalpha() else ""
        for word in words
    ]
    codes = np.frombuffer("".join(compared).encode("utf-32-le"), dtype=np.uint32)
    lengths = np.fromiter(map(len, compared), dtype=np.int64, count=len(compared))
    return Ragged.from_lengths(codes, lengths)


def letter_similarities(rules: WordRules, words: Integers, others: Integers) -> Floats:
    """Compare words with others by letters, symmetric: (k,), (l,) -> (k, l)."""
    similar = _dice(rules.trigrams.take(words), rules.trigrams.take(others))
    first, second = rules.letters.take(words), rules.letters.take(others)
    longer = np.maximum(first.lengths[:, None], second.lengths[None, :])
    worth = (first.lengths[:, None] > 0) & (second.lengths[None, :] > 0) & (similar > 0)
    worth &= _by_edits(_least_edits(first, second), longer) > similar
    rows, columns = np.nonzero(worth)
    edits = edit_distances(first.take(rows), second.take(columns))
    by_edits = _by_edits(edits, longer[rows, columns])
    similar[rows, columns] = np.maximum(similar[rows, columns], by_edits)
    return similar


def aligned_letter_similarities(rules: WordRules, words: Integers, others: Integers) -> Floats:
    """Compare word i with other word i by letters: (n,), (n,) -> (n,)."""
    similar = _aligned_dice(rules.trigrams.take(words), rules.trigrams.take(others))
    first, second = rules.letters.take(words), rules.letters.take(others)
    longer = np.maximum(first.lengths, second.lengths)
    least = np.abs(first.lengths - second.lengths)
    worth = (first.lengths > 0) & (second.lengths > 0) & (similar > 0)
    rows = np.flatnonzero(worth & (_by_edits(least, longer) > similar))
    edits = edit_distances(first.take(rows), second.take(rows))
    similar[rows] = np.maximum(similar[rows], _by_edits(edits, longer[rows]))
    return similar


def _aligned_dice(words: Ragged, others: Ragged) -> Floats:
    """Compute the Dice coefficient of row i and other row i of distinct trigrams: (rows,)."""
    size = max(words.values.max(initial=0), others.values.max(initial=0)) + 1
    first, second = (
        np.repeat(np.arange(len(rows)), rows.lengths) * size + rows.values
        for rows in (words, others)
    )
    shared = np.bincount(
        np.intersect1d(first, second, assume_unique=True) // size, minlength=len(words)
    )
    return np.asarray(2 * shared / np.maximum(words.lengths + others.lengths, 1))


def _dice(words: Ragged, others: Ragged) -> Floats:
    """Compute Dice coefficients of rows of distinct trigrams: (k rows), (l rows) -> (k, l)."""
    order = np.argsort(others.values, kind="stable")
    trigrams = others.values[order]
    holders = np.repeat(np.arange(len(others)), others.lengths)[order]
    starts = np.searchsorted(trigrams, words.values, side="left")
    amounts = np.searchsorted(trigrams, words.values, side="right") - starts
    before = np.cumsum(amounts) - amounts
    places = np.repeat(starts - before, amounts) + np.arange(int(amounts.sum()))
    rows = np.repeat(np.repeat(np.arange(len(words)), words.lengths), amounts)
    cells = rows * len(others) + holders[places]
    shared = np.bincount(cells, minlength=len(words) * len(others))
    total = words.lengths[:, None] + others.lengths[None, :]
    return np.asarray(2 * shared.reshape(total.shape) / np.maximum(total, 1))


def _by_edits(edits: Integers, longer: Integers) -> Floats:
    """Convert edits and letters to similarities, 0 for too many edits."""
    found = 1 - EDIT_COST * (edits / np.maximum(longer, 1))
    return np.asarray(np.where(10 * edits <= MOST_EDITS * longer, found, 0.0))


def _least_edits(words: Ragged, others: Ragged) -> Integers:
    """Compute a lower bound of the edits from letters and lengths.

    (k rows), (l rows) -> (k, l).
    """
    first, second = _mark_letters(words), _mark_letters(others)
    both = (first @ second.T).astype(np.int64)
    most = np.maximum(first.sum(axis=1)[:, None], second.sum(axis=1)[None, :]).astype(np.int64)
    by_length = np.abs(words.lengths[:, None] - others.lengths[None, :])
    return np.asarray(np.maximum(most - both, by_length))


def _mark_letters(words: Ragged) -> NDArray[np.float32]:
    """Mark the code points modulo 64 of each word's letters: (rows, 64)."""
    used = np.zeros((len(words), 64), dtype=np.float32)
    used[np.repeat(np.arange(len(words)), words.lengths), words.values % 64] = 1
    return used


def edit_distances(words: Ragged, others: Ragged) -> Integers:
    """Compute the optimal string alignment distance of word i and other word i: (rows,).

    >>> pairs = [("from", "form"), ("form", "form"), ("for", "form")]
    >>> words, others = (Ragged.from_rows([[*map(ord, word)] for word in side])
    ...                  for side in zip(*pairs))
    >>> edit_distances(words, others).tolist()
    [1, 0, 1]
    """
    found = np.zeros(len(words), dtype=np.int64)
    order = np.argsort(words.lengths + others.lengths)  # of about the same length together
    for part in blocks(len(order), PAIR_BLOCK):
        pairs = order[part]
        found[pairs] = _edit_distances(words.take(pairs), others.take(pairs))
    return found


def _edit_distances(words: Ragged, others: Ragged) -> Integers:
    """Compute the dynamic programming table row by row, for all pairs together."""
    first, second = _pad(words), _pad(others)
    columns = np.arange(second.shape[1] + 1)
    before = row = np.broadcast_to(columns, (len(second), len(columns)))
    found = others.lengths.copy()
    for place in range(first.shape[1]):
        two_before, before = before, row
        letter = first[:, place, None]
        row = np.empty(before.shape, dtype=np.int64)
        row[:, 0] = place + 1
        row[:, 1:] = np.minimum(before[:, 1:] + 1, before[:, :-1] + (second != letter))
        if place > 0:
            last = first[:, place - 1, None]
            swapped = (second[:, 1:] == last) & (second[:, :-1] == letter)
            changed = np.where(swapped, two_before[:, :-2] + 1, row[:, 2:])
            row[:, 2:] = np.minimum(row[:, 2:], changed)
        row = np.minimum.accumulate(row - columns, axis=1) + columns  # insertions along the row
        ended = np.flatnonzero(words.lengths == place + 1)
        found[ended] = row[ended, others.lengths[ended]]
    return found


def _pad(words: Ragged) -> Integers:
    """Pad rows with zeros to one length: (rows, longest)."""
    inside = np.arange(words.lengths.max(initial=0)) < words.lengths[:, None]
    letters = np.zeros(inside.shape, dtype=np.int64)
    letters[inside] = words.values
    return letters
