"""Encoder of strings into a batch: distinct texts over distinct words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Booleans, Integers, Ragged
from fuzzbow.encoding.arrow_texts import TextList, folded_texts, texts_where
from fuzzbow.encoding.texts import BatchWords, Texts, TokenIds, decoded
from fuzzbow.engine import current_threads, load_kernel
from fuzzbow.text import JOINER, Span, Tokenizer, whole_text, word_traits
from fuzzbow.vectors import WordVectors

KERNEL_TEXTS = 64  # fewer texts are not worth a copy of the vocabulary in the kernels
FIRST_OF_THREE_BYTES = 0xE0  # of a letter in UTF-8
CACHED_CHUNKS = 1 << 15
# letters of ASCII, or a word in the vocabulary's case, in the other one, and the traits of both
WrittenWord = str | tuple[str, str, int, int]
UNDECIDED, KEPT, CHANGED = range(3)  # of a word of the vocabulary, by the rules of forms


@dataclass(frozen=True)
class Encoder:
    """Encoder of texts: splits them and looks their words up in the vocabulary."""

    tokenizer: Tokenizer
    vectors: WordVectors
    uses_vectors: bool = True  # whether words without a vector count as unknown
    clean: Callable[[str], str] | None = None  # removes markup, and keeps the length of a text

    def encode(self, texts: TextList) -> tuple[Texts, Integers]:
        """Return the distinct texts, and the index of each text among them: texts, (n,)."""
        distinct, which = distinct_texts(texts)
        return self.batch(self.word_ids(distinct)), which

    def readable(self, texts: TextList) -> TextList:
        """Remove markup if a cleaner is set, and the joiners that it leaves inside words."""
        clean = self.clean
        return texts if clean is None else [clean(text).replace(JOINER, "") for text in texts]

    def folded(self, texts: TextList) -> TextList:
        """Fold readable texts for the kernels, if the tokenizer folds texts."""
        return texts if self.tokenizer.whole_chunks else folded_texts(texts)

    def words(self, text: str) -> list[str]:
        """Split a text into its words; empty ones do not count."""
        (readable,) = self.readable([text])
        return [word for word in self.tokenizer.words(whole_text(readable)) if word]

    def spans(self, text: str) -> list[Span]:
        """Return the start and end offset of each word of a text, including empty words."""
        (readable,) = self.readable([text])
        spans = self.tokenizer.spans(readable)
        if self.clean is None or len(readable) == len(text):
            return spans
        kept = [place for place, character in enumerate(self.clean(text)) if character != JOINER]
        offsets = [*kept, len(text)]
        return [(offsets[start], offsets[end]) for start, end in spans]

    def word_ids(self, texts: TextList) -> TokenIds:
        """Split texts and look up their words."""
        texts = self.readable(texts)
        if len(texts) >= KERNEL_TEXTS and self._kernel_encode is not None:
            encoded = self._kernel_encode(self.folded(texts), threads=current_threads())
            ids, offsets, chunks = encoded
            return self._in_words(Ragged(ids, offsets), chunks)
        return self._encode_by_python(texts)

    def find(self, words: Sequence[str]) -> TokenIds:
        """Look up words; row i has the id of word i.

        Words are lower-cased where the vocabulary is, and tried in the other case if that finds
        nothing.
        """
        lowered = [word.lower() for word in words]
        first, second = (lowered, words) if self.vectors.lowercase else (words, lowered)
        ids = self.vectors.ids(first)
        missing = np.flatnonzero(ids < 0).tolist()
        numbers: dict[str, int] = {}
        if missing:
            ids[missing] = self.vectors.ids([second[word] for word in missing])
            size = len(self.vectors)
            for word in np.flatnonzero(ids < 0).tolist():
                ids[word] = size + numbers.setdefault(first[word], len(numbers))
        return TokenIds(Ragged(ids, np.arange(len(words) + 1)), list(numbers))

    def chunk_ids(self, chunks: Sequence[str]) -> TokenIds:
        """Look up the words of chunks; row i has those of chunk i."""
        tokens = self.find(chunks)
        if self.tokenizer.whole_chunks:
            return tokens
        known = tokens.rows.values < len(self.vectors)
        kept = list(map(self.tokenizer.keeps, chunks, known.tolist()))
        if all(kept):
            return tokens
        forms = [
            (chunk,) if is_kept else self._words_of_chunk(chunk)
            for chunk, is_kept in zip(chunks, kept, strict=True)
        ]
        tokens = self.find([word for words in forms for word in words])
        lengths = np.fromiter(map(len, forms), dtype=np.int64, count=len(forms))
        return TokenIds(Ragged.from_lengths(tokens.rows.values, lengths), tokens.unknown)

    def batch(self, tokens: TokenIds) -> Texts:
        """Return texts over the words that they use."""
        used, rows = _compact(tokens.rows, len(self.vectors) + len(tokens.unknown))
        return Texts(BatchWords(self.vectors, used, tokens.unknown), rows)

    @property
    def splitting(self) -> str | None:
        """Name of the kernels' equivalent of the tokenizer, if there is one."""
        return self.tokenizer.kernel_splitting(self.vectors)

    @cached_property
    def _kernel_encode(self) -> Callable[..., Any] | None:
        """Kernel function from texts to ids, with a copy of the vocabulary, if there is one."""
        kernel, _ = load_kernel()
        if kernel is None or self.splitting is None:
            return None
        splitting, lowercase = self.splitting, self.vectors.lowercase
        vocabulary = self.kernel_vocabulary
        return partial(kernel.encode, vocabulary, splitting=splitting, lowercase=lowercase)

    @cached_property
    def kernel_vocabulary(self) -> Any:
        """Copy of the vocabulary in the kernels, if there are kernels."""
        kernel, _ = load_kernel()
        if kernel is None:
            return None
        data, offsets = self.vectors.vocabulary.packed()
        return kernel.Vocabulary(data.tobytes(), np.ascontiguousarray(offsets))

    def written_words(self, chunk: str) -> list[WrittenWord]:
        """Return the words of a chunk as the kernels learn them."""
        words = [chunk] if self.tokenizer.whole_chunks else self._words_of_chunk(chunk)
        return [
            word if word.isascii() and word.isalpha() else self._written_word(word)
            for word in words
        ]

    @cached_property
    def _written_word(self) -> Callable[[str], WrittenWord]:
        """Function that writes a word in the vocabulary's case and the other, with its traits."""
        lowercase = self.vectors.lowercase

        def written(word: str) -> WrittenWord:
            small = word.lower()
            first, second = (small, word) if lowercase else (word, small)
            return first, second, word_traits(first), word_traits(second)

        return lru_cache(CACHED_CHUNKS)(written)

    @cached_property
    def segment_words(self) -> Any:
        """Words by which the kernels segment texts in scripts without spaces.

        These are the words that begin with a letter of three bytes or more; vectors in other
        scripts have hardly any.
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
        """Encode readable texts in Python, by the tokenizer."""
        numbers: dict[str, int] = {}
        rows = Ragged.from_rows(
            [
                numbers.setdefault(chunk, len(numbers))
                for chunk in self.tokenizer.chunks(text)
                if chunk
            ]
            for text in map(whole_text, texts)
        )
        words = self.chunk_ids(list(numbers))
        return TokenIds(rows.map_to_rows(words.rows), words.unknown)

    def _in_words(self, rows: Ragged, chunks: list[str]) -> TokenIds:
        """Convert ids of words and of chunks outside the vocabulary to ids of words."""
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
        """Mark the words of the vocabulary that the rules of forms do not change: (n,) -> (n,)."""
        if self.tokenizer.whole_chunks:
            return np.ones(len(known), dtype=np.bool_)
        states, keeps = self._form_states, self.tokenizer.keeps
        new = known[states[known] == UNDECIDED]
        words = decoded(self.vectors, new)
        states[new] = [KEPT if keeps(word, True) else CHANGED for word in words]
        return np.asarray(states[known] == KEPT)

    @cached_property
    def _form_states(self) -> NDArray[np.uint8]:
        """Cache of whether the rules of forms change each word of the vocabulary: (V,)."""
        return np.full(len(self.vectors), UNDECIDED, dtype=np.uint8)

    @cached_property
    def _words_of_chunk(self) -> Callable[[str], tuple[str, ...]]:
        """Function that splits a chunk into words, cached across batches."""
        words = self.tokenizer.chunk_words
        return lru_cache(CACHED_CHUNKS)(lambda chunk: tuple(words(chunk)))


def distinct_texts(texts: TextList) -> tuple[TextList, Integers]:
    """Return the distinct texts in order, and the index of each text among them: (n,)."""
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
    """Return the distinct ids in use, in order, and the rows as positions among them."""
    if len(ids.values) * 16 < size:
        used, positions = np.unique(ids.values, return_inverse=True)
        return used.astype(np.int64), Ragged(positions.astype(np.uint32), ids.offsets)
    flags = np.zeros(size, dtype=np.bool_)
    flags[ids.values] = True
    position = (np.cumsum(flags) - 1).astype(np.uint32)
    return np.flatnonzero(flags), Ragged(position[ids.values], ids.offsets)
