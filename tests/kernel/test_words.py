"""Words to ids, through whole texts of one word each."""

import numpy as np

from fuzzbow import _kernel


def found(words, texts):
    """The id of each text in a vocabulary; None where it is not there."""
    encoded = [w.encode("utf-8", "surrogatepass") for w in words]
    offsets = np.cumsum([0, *map(len, encoded)]).astype(np.int64)
    vocabulary = _kernel.Vocabulary(b"".join(encoded), offsets)
    ids, starts, _unknown = _kernel.encode(vocabulary, texts, "whitespace", False)
    assert starts.tolist() == list(range(len(texts) + 1))
    return [int(i) if i < len(words) else None for i in ids]


def test_the_first_of_repeated_words_is_found():
    words = ["cat", "dog", "cat", "", "Zürich", "a" * 1000]
    texts = ["dog", "cat", "mouse", "Zürich", "a" * 1000, "a" * 999]
    assert found(words, texts) == [1, 0, None, 4, 5, None]


def test_many_words_are_all_found():
    words = [f"word{i}" for i in range(50_000)]
    assert found(words, words) == list(range(50_000))
    assert found(words, [w + "x" for w in words]) == [None] * 50_000
