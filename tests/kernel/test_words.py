"""Vocabulary look-up."""

import numpy as np

from fuzzbow import _kernel


def vocabulary(words):
    encoded = [w.encode("utf-8", "surrogatepass") for w in words]
    return _kernel.Vocabulary(
        b"".join(encoded), np.cumsum([0, *map(len, encoded)]).astype(np.int64)
    )


def test_lookup_finds_first_of_repeated_words():
    table = vocabulary(["cat", "dog", "cat", "", "Zürich", "a" * 1000])
    np.testing.assert_array_equal(
        table.lookup(["dog", "cat", "mouse", "", "Zürich", "a" * 1000, "a" * 999]),
        [1, 0, -1, 3, 4, 5, -1],
    )


def test_many_words_are_all_found():
    words = [f"word{i}" for i in range(50_000)]
    table = vocabulary(words)
    np.testing.assert_array_equal(table.lookup(words), np.arange(50_000))
    assert (table.lookup([w + "x" for w in words]) == -1).all()
