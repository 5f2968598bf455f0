"""From strings to a batch: distinct texts over distinct words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Any, cast, overload

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Booleans, Integers, Ragged
from fuzzbow.encoding.arrow_texts import TextList, folded_texts, texts_where
from fuzzbow.encoding.texts import Texts
from fuzzbow.encoding.token_ids import TokenIds
from fuzzbow.engine import current_threads, load_kernel
from fuzzbow.text import Tokenizer, whole_text
from fuzzbow.text.records import RecordTokenizer
from fuzzbow.text.tokenizers import WhitespaceTokenizer
from fuzzbow.text.words import WordTokenizer
from fuzzbow.vectors import WordVectors

# texts from which on it pays to hand the whole vocabulary to the kernels
KERNEL_TEXTS = 64
FIRST_OF_THREE_BYTES = 0xE0  # of a letter in UTF-8
CACHED_CHUNKS = 1 << 15
UNDECIDED, KEPT, CHANGED = range(3)  # of a word of the vocabulary, by the rules of forms
KERNEL_TOKENIZERS = (WordTokenizer, RecordTokenizer, WhitespaceTokenizer)


class BatchWords(Sequence[str]):
    """The distinct words of a batch, decoded when they are asked for."""

    def __init__(self, vectors: WordVectors, ids: Integers, unknown: Sequence[str]) -> None:
        self._vectors, self._ids, self._unknown = vectors, ids, unknown

    def __len__(self) -> int:
        return len(self._ids)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[item] for item in range(*place.indices(len(self)))]
        word = int(self._ids[place])
        known = len(self._vectors)
        return self._vectors.words[word] if word < known else self._unknown[word - known]

    def __iter__(self) -> Iterator[str]:
        size = len(self._vectors)
        known = self._ids < size
        yield from decoded(self._vectors, self._ids[known])  # unknown words have the highest ids
        yield from (self._unknown[word - size] for word in self._ids[~known].tolist())


def decoded(vectors: WordVectors, ids: Integers) -> list[str]:
    """The words of vocabulary ids; many are decoded in one go: (n,) -> n words."""
    if len(ids) * 16 < len(vectors):
        return [vectors.words[word] for word in ids.tolist()]
    everything = list(vectors.words)
    return [everything[word] for word in ids.tolist()]


@dataclass(frozen=True)
class Encoder:
    """Splits texts and finds their words in the vocabulary."""

    tokenizer: Tokenizer
    vectors: WordVectors
    uses_vectors: bool = True  # whether words that have none count as unknown
    clean: Callable[[str], str] | None = None  # removes markup, and keeps the length of a text

    def encode(self, texts: TextList) -> tuple[Texts, Integers]:
        """The distinct texts, and which of them each given text is: texts, (n,)."""
        distinct, which = distinct_texts(texts)
        return self.batch(self.word_ids(distinct)), which

    def readable(self, texts: TextList) -> TextList:
        """Texts as the tokenizer reads them, each as long as the original."""
        return texts if self.clean is None else list(map(self.clean, texts))

    def folded(self, texts: TextList) -> TextList:
        """Fold readable texts for the kernels, if the tokenizer folds texts."""
        return folded_texts(texts) if isinstance(self.tokenizer, WordTokenizer) else texts

    def words(self, text: str) -> list[str]:
        """Split a text into its words; empty ones do not count."""
        (readable,) = self.readable([text])
        return [word for word in self.tokenizer.words(whole_text(readable)) if word]

    def word_ids(self, texts: TextList) -> TokenIds:
        """Split texts and look their words up."""
        texts = self.readable(texts)
        if len(texts) >= KERNEL_TEXTS and self._kernel_encode is not None:
            encoded = self._kernel_encode(self.folded(texts), threads=current_threads())
            ids, offsets, chunks = encoded
            return self._in_words(Ragged(ids, offsets), chunks)
        return self._encode_by_python(texts)

    def chunk_ids(self, chunks: Sequence[str]) -> TokenIds:
        """Look the words of chunks up; row i has those of chunk i.

        Chunks of a tokenizer that finds words at once are words.
        """
        tokenizer = self.tokenizer
        if not isinstance(tokenizer, WordTokenizer):
            ids, unknown = self.find(chunks)
            return TokenIds(Ragged.from_lengths(ids, np.ones(len(chunks), dtype=np.int64)), unknown)
        ids, unknown = self.find(chunks)
        known = (ids < len(self.vectors)).tolist()
        kept = list(map(tokenizer.form_rules.keeps, chunks, known))
        lengths = np.ones(len(chunks), dtype=np.int64)
        if all(kept):
            return TokenIds(Ragged.from_lengths(ids, lengths), unknown)
        words: list[str] = []
        for place, (chunk, is_kept) in enumerate(zip(chunks, kept, strict=True)):
            if is_kept:
                words.append(chunk)
            else:
                forms = self._words_of_chunk(chunk)
                words += forms
                lengths[place] = len(forms)
        ids, unknown = self.find(words)
        return TokenIds(Ragged.from_lengths(ids, lengths), unknown)

    def batch(self, tokens: TokenIds) -> Texts:
        """Texts over the words that they use."""
        used, rows = _compact(tokens.rows, len(self.vectors) + len(tokens.unknown))
        vocabulary_ids = np.where(used < len(self.vectors), used, -1)
        return Texts(BatchWords(self.vectors, used, tokens.unknown), vocabulary_ids, rows)

    @property
    def splitting(self) -> str | None:
        """The name by which the kernels split as the tokenizer does, if they can."""
        tokenizer = self.tokenizer
        if isinstance(tokenizer, WordTokenizer | WhitespaceTokenizer):
            is_theirs = type(tokenizer) in KERNEL_TOKENIZERS  # a subclass may split differently
            return tokenizer.kernel_splitting(self.vectors) if is_theirs else None
        return None

    @cached_property
    def _kernel_encode(self) -> Callable[..., Any] | None:
        """The kernels' way from texts to ids, over a copy of the vocabulary, if they know one."""
        kernel, _ = load_kernel()
        if kernel is None or self.splitting is None:
            return None
        data, offsets = self.vectors.vocabulary.packed()
        vocabulary = kernel.Vocabulary(data.tobytes(), np.ascontiguousarray(offsets))
        splitting, lowercase = self.splitting, self.vectors.lowercase
        return partial(kernel.encode, vocabulary, splitting=splitting, lowercase=lowercase)

    @cached_property
    def segment_words(self) -> Any:
        """The words by which the kernels cut texts in scripts without spaces.

        Such words begin with a letter of three bytes or more: of vectors in other scripts, this
        holds hardly any.
        """
        kernel, _ = load_kernel()
        if kernel is None:
            return None
        data, offsets = self.vectors.vocabulary.packed()
        starts, lengths = offsets[:-1], np.diff(offsets)
        fitting = np.flatnonzero(lengths > 0)
        fitting = fitting[data[starts[fitting]] >= FIRST_OF_THREE_BYTES]
        words = Ragged(data, offsets).take(fitting)
        return kernel.Vocabulary(words.values.tobytes(), np.ascontiguousarray(words.offsets))

    def _encode_by_python(self, texts: TextList) -> TokenIds:
        """Encode readable texts by the tokenizer itself."""
        tokenizer = self.tokenizer
        split = tokenizer.chunks if isinstance(tokenizer, WordTokenizer) else tokenizer.words
        numbers: dict[str, int] = {}
        rows = Ragged.from_rows(
            [numbers.setdefault(chunk, len(numbers)) for chunk in split(text) if chunk]
            for text in map(whole_text, texts)
        )
        words = self.chunk_ids(list(numbers))
        return TokenIds(rows.map_to_rows(words.rows), words.unknown)

    def _in_words(self, rows: Ragged, chunks: list[str]) -> TokenIds:
        """Texts as ids of words, from those of known words and of chunks numbered behind them."""
        used, rows = _compact(rows, len(self.vectors) + len(chunks))
        known = used[used < len(self.vectors)]
        keeps = np.zeros(len(used), dtype=np.bool_)
        keeps[: len(known)] = self._are_forms(known)
        changed = decoded(self.vectors, known[~keeps[: len(known)]])
        met = [chunks[number] for number in (used[len(known) :] - len(self.vectors)).tolist()]
        others = self.chunk_ids(changed + met)
        lengths = np.ones(len(used), dtype=np.int64)
        lengths[~keeps] = others.rows.lengths
        is_kept = np.repeat(keeps, lengths)
        values = np.empty(len(is_kept), dtype=np.int64)
        values[is_kept], values[~is_kept] = used[keeps], others.rows.values
        return TokenIds(rows.map_to_rows(Ragged.from_lengths(values, lengths)), others.unknown)

    def _are_forms(self, known: Integers) -> Booleans:
        """Return which words of the vocabulary are their own only form: (n,) -> (n,)."""
        if not isinstance(self.tokenizer, WordTokenizer):
            return np.ones(len(known), dtype=np.bool_)
        states = self._form_states
        new = known[states[known] == UNDECIDED]
        keeps = self.tokenizer.form_rules.keeps
        states[new] = [
            KEPT if keeps(word, True) else CHANGED for word in decoded(self.vectors, new)
        ]
        return np.asarray(states[known] == KEPT)

    @cached_property
    def _form_states(self) -> NDArray[np.uint8]:
        """State of each word of the vocabulary by the rules of forms: (V,)."""
        return np.full(len(self.vectors), UNDECIDED, dtype=np.uint8)

    @cached_property
    def _words_of_chunk(self) -> Callable[[str], tuple[str, ...]]:
        """The words of a chunk, cached for those of many batches."""
        forms = cast(WordTokenizer, self.tokenizer).forms
        return lru_cache(CACHED_CHUNKS)(lambda chunk: tuple([word for word, _, _ in forms(chunk)]))

    def find(self, tokens: Sequence[str]) -> tuple[Integers, list[str]]:
        """Vocabulary ids of tokens, unknown words numbered behind them, and those words.

        Tokens are lower-cased where the vocabulary is, and tried in the other case if
        that finds nothing.
        """
        lowered = [token.lower() for token in tokens]
        first, second = (lowered, tokens) if self.vectors.lowercase else (tokens, lowered)
        ids = self.vectors.ids(first)
        missing = np.flatnonzero(ids < 0)
        if len(missing):
            ids[missing] = self.vectors.ids([second[token] for token in missing.tolist()])
        numbers: dict[str, int] = {}
        outside, size = np.flatnonzero(ids < 0), len(self.vectors)
        ids[outside] = [
            size + numbers.setdefault(first[token], len(numbers)) for token in outside.tolist()
        ]
        return ids, list(numbers)


def distinct_texts(texts: TextList) -> tuple[TextList, Integers]:
    """The distinct texts in order, and which of them each is."""
    kernel, _ = load_kernel()
    if kernel is not None and len(texts) >= KERNEL_TEXTS:
        firsts, which = kernel.distinct(texts)
        is_first = np.zeros(len(texts), dtype=np.bool_)
        is_first[firsts] = True
        return (texts if is_first.all() else texts_where(texts, is_first)), which
    numbers: dict[str, int] = {}
    which = np.array([numbers.setdefault(text, len(numbers)) for text in texts], dtype=np.int64)
    return list(numbers), which


def _compact(ids: Ragged, size: int) -> tuple[Integers, Ragged]:
    """The distinct ids in use, in order, and the rows as places among them."""
    if len(ids.values) * 16 < size:
        used, places = np.unique(ids.values, return_inverse=True)
        return used.astype(np.int64), Ragged(places.astype(np.uint32), ids.offsets)
    flags = np.zeros(size, dtype=np.bool_)
    flags[ids.values] = True
    place = (np.cumsum(flags) - 1).astype(np.uint32)
    return np.flatnonzero(flags), Ragged(place[ids.values], ids.offsets)
