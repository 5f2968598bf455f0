"""Vectors of words outside the vocabulary, from character n-grams or a tokenizer's pieces."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Booleans, Floats, Integers
from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.vectors.tables import Table
from fuzzbow.vectors.vocabulary import encode

MOST_PARTS = 128  # words of more parts are summed one word at a time
MOST_ROWS = 16384  # read at a time
FNV_START = np.uint32(2166136261)
FNV_PRIME = np.uint32(16777619)
LONGEST_NGRAM = 256  # characters that a file may ask for; fastText's own default is 6
SENTENCE_END = "</s>"  # fastText gives this word no n-grams
WORD_START = ("\u2581", "\u0120")  # how SentencePiece and byte-level BPE mark a new word
CONTINUATION = "##"
# errors that reading damaged or unexpected JSON can raise
BAD_JSON = (
    ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, MemoryError,
)  # fmt: skip

Uints = NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class NgramInference:
    """Mean of the hashed character n-grams of `<word>`, as in fastText."""

    table: Table  # a row for each n-gram
    shortest: int
    longest: int

    def infer(self, words: Sequence[str]) -> tuple[Floats, Booleans]:
        """Make vectors, and mark the words that have one: (n, d) float32, (n,)."""
        sums, lengths = self.sums(words)
        return divided(sums, np.maximum(lengths, 1)), lengths > 0

    def sums(self, words: Sequence[str]) -> tuple[Floats, Integers]:
        """Sum the rows of each word's n-grams, and count them: (n, d) float32, (n,)."""
        ids, lengths = bucket_ids(words, self.shortest, self.longest, self.table.shape[0])
        return sum_of_rows(self.table, ids, lengths), lengths


@dataclass(frozen=True, eq=False)
class PieceInference:
    """Sum of the vectors of a word's pieces; `tokenizer` is the text of a tokenizer.json."""

    table: Table  # a row for each piece
    tokenizer: str = field(repr=False)
    origin: str

    def infer(self, words: Sequence[str]) -> tuple[Floats, Booleans]:
        """Make vectors, and mark the words that have one: (n, d) float32, (n,)."""
        texts = [word.encode("utf-8", "replace").decode("utf-8") for word in words]
        try:
            encodings = self._library.encode_batch(texts, add_special_tokens=False)
        except Exception as error:  # the library raises bare Exception
            raise InputError(f"{self.origin}: unusable tokenizer: {error}") from error
        rows, unknown = self.table.shape[0], self._unknown
        known = [[p for p in item.ids if p != unknown and p < rows] for item in encodings]
        lengths = np.fromiter(map(len, known), dtype=np.int64, count=len(known))
        ids = np.fromiter((piece for row in known for piece in row), dtype=np.int64)
        return sum_of_rows(self.table, ids, lengths), lengths > 0

    @cached_property
    def _library(self) -> Any:
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise MissingExtraError("tokenizers", "model2vec") from error
        try:
            tokenizer = Tokenizer.from_str(self.tokenizer)
        except Exception as error:  # the library raises bare Exception
            raise InputError(f"{self.origin}: unusable tokenizer: {error}") from error
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _unknown(self) -> int | None:
        """Id of the piece for unknown input, which is left out of the sums."""
        model = json.loads(self.tokenizer).get("model", {})
        if isinstance(model.get("unk_id"), int):
            return int(model["unk_id"])
        token = model.get("unk_token")
        found = None if token is None else self._library.token_to_id(token)
        return None if found is None else int(found)


Inference = NgramInference | PieceInference


def sum_of_rows(table: Table, ids: Integers, lengths: Integers) -> Floats:
    """Sum consecutive runs of rows of these lengths: (total,), (n,) -> (n, d) float32."""
    sums = np.zeros((len(lengths), table.shape[1]), dtype=np.float32)
    starts = np.cumsum(lengths) - lengths
    order = np.argsort(-lengths, kind="stable")
    long = int(np.searchsorted(-lengths[order], -MOST_PARTS, side="left"))
    for run in order[:long].tolist():  # a word of a million letters has millions of parts
        for first in range(0, int(lengths[run]), MOST_ROWS):
            last = min(first + MOST_ROWS, int(lengths[run]))
            sums[run] += table.rows(ids[starts[run] + first : starts[run] + last]).sum(axis=0)
    order = order[long:]
    for part in range(int(lengths[order].max(initial=0))):
        order = order[lengths[order] > part]
        for first in range(0, len(order), MOST_ROWS):
            runs = order[first : first + MOST_ROWS]
            sums[runs] += table.rows(ids[starts[runs] + part])
    return sums


def divided(sums: Floats, counts: Integers) -> Floats:
    """Divide each row by its count: (n, d), (n,) -> (n, d) float32."""
    return np.asarray(sums / counts[:, None], dtype=np.float32)


def bucket_ids(
    words: Sequence[str], shortest: int, longest: int, buckets: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Hash each word's n-grams, word after word, and count those of each: (total,), (n,).

    An n-gram has `shortest` to `longest` characters of `<word>`; a bracket alone does not count.
    All n-grams grow together, one character at a time from every start.
    """
    if not len(words) or longest <= 0 or buckets <= 0:
        return np.zeros(0, dtype=np.int64), np.zeros(len(words), dtype=np.int64)
    encoded = [b"" if word == SENTENCE_END else b"<" + encode(word) + b">" for word in words]
    data = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    # FNV over signed chars: a byte of 128 or more is sign-extended before the xor
    signed = data.astype(np.int8).astype(np.int32).view(np.uint32)
    continues = np.append((data & 0xC0) == 0x80, False)
    word_ends = np.cumsum(np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded)))
    position = np.flatnonzero(~continues[:-1])
    word_of = np.searchsorted(word_ends, position, side="right")
    ends = word_ends[word_of]
    at_begin = position == np.concatenate([[0], word_ends[:-1]])[word_of]
    hashes = np.full(len(position), FNV_START, dtype=np.uint32)
    found = [(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint32))]
    for size in range(1, longest + 1):
        alive = position < ends
        if not alive.any():
            break
        hashes, position, ends = hashes[alive], position[alive], ends[alive]
        word_of, at_begin = word_of[alive], at_begin[alive]
        _add_character(signed, continues, hashes, position, ends)
        if size == 1 >= shortest:
            whole = ~(at_begin | (position == ends))
            found.append((word_of[whole], hashes[whole]))
        elif size >= shortest:
            found.append((word_of, hashes.copy()))
    owners, grams = (np.concatenate(parts) for parts in zip(*found, strict=True))
    order = np.argsort(owners, kind="stable")
    ids = (grams[order] % np.uint32(buckets)).astype(np.int64)
    return ids, np.bincount(owners, minlength=len(encoded))


def _add_character(
    signed: Uints, continues: Booleans, hashes: Uints, position: Integers, ends: Integers
) -> None:
    """Add the character at each position to its hash, in place, and step over it."""
    active = np.arange(len(position))
    while len(active):
        hashes[active] = (hashes[active] ^ signed[position[active]]) * FNV_PRIME
        position[active] += 1
        at = position[active]
        active = active[(at < ends[active]) & continues[at]]


def tokens_of(tokenizer: str, origin: str) -> list[str]:
    """Read the vocabulary of a tokenizer.json in id order."""
    try:
        content = json.loads(tokenizer)
        vocabulary = content["model"]["vocab"]
        if isinstance(vocabulary, list):  # Unigram: [piece, score] in id order
            ids = {str(item[0]): number for number, item in enumerate(vocabulary)}
        else:
            ids = {str(token): index(number) for token, number in vocabulary.items()}
        added = content.get("added_tokens") or []
        ids.update({str(item["content"]): index(item["id"]) for item in added})
    except BAD_JSON as error:
        raise InputError(f"{origin}: no vocabulary in this tokenizer: {error!r}") from error
    if sorted(ids.values()) != list(range(len(ids))):
        raise InputError(f"{origin}: the tokenizer's ids must be 0 to {len(ids) - 1}, each once")
    return sorted(ids, key=ids.__getitem__)


def words_of(tokens: Sequence[str]) -> list[str]:
    """Convert tokens to words: remove the mark of a word's start, put "##" before other pieces."""
    for mark in WORD_START:
        if sum(token.startswith(mark) for token in tokens) * 10 > len(tokens):
            return [
                token[len(mark) :] if token.startswith(mark) else CONTINUATION + token
                for token in tokens
            ]
    return list(tokens)
