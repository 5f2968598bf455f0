"""fastText's n-grams against a plain, slow rendering of its source."""

from __future__ import annotations

import pytest

from fuzzbow.vectors.subwords.ngrams import bucket_ids


def plainly(word: str, shortest: int, longest: int, buckets: int) -> list[int]:
    """One n-gram after the other, one byte after the other."""
    letters = f"<{word}>"
    found = []
    for start in range(len(letters)):
        for end in range(start + 1, min(start + longest, len(letters)) + 1):
            bracket = end - start == 1 and (start == 0 or end == len(letters))
            if end - start < shortest or bracket:
                continue
            value = 2166136261
            for byte in letters[start:end].encode():
                value ^= byte if byte < 128 else byte + 0xFFFFFF00
                value = value * 16777619 % 2**32
            found.append(value % buckets)
    return sorted(found)


@pytest.mark.parametrize(("shortest", "longest"), [(3, 6), (1, 3), (0, 2), (2, 2), (5, 9)])
@pytest.mark.parametrize("word", ["", "a", "cats", "naïve", "日本語", "😀x"])
def test_buckets_are_those_of_fasttext(word: str, shortest: int, longest: int) -> None:
    ids, _ = bucket_ids([word], shortest=shortest, longest=longest, buckets=1000)
    assert sorted(ids.tolist()) == plainly(word, shortest, longest, 1000)


def test_words_do_not_run_into_each_other() -> None:
    words = ["cat", "", "naïve"]
    ids, lengths = bucket_ids(words, shortest=2, longest=4, buckets=50)
    expected = [plainly(word, 2, 4, 50) for word in words]
    assert lengths.tolist() == [len(row) for row in expected]
    assert sorted(ids[: lengths[0]].tolist()) == expected[0]


@pytest.mark.parametrize(
    ("words", "shortest", "longest", "buckets"),
    [
        ([], 3, 6, 10),
        (["cat"], 0, 0, 10),
        (["cat"], 3, 6, 0),
        (["cat"], 6, 3, 10),
        (["</s>"], 3, 6, 9),
    ],
)
def test_no_n_grams(words: list[str], shortest: int, longest: int, buckets: int) -> None:
    ids, lengths = bucket_ids(words, shortest=shortest, longest=longest, buckets=buckets)
    assert (ids.tolist(), lengths.tolist()) == ([], [0] * len(words))
