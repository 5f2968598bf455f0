"""Whatever comes in at the binding: a ValueError that says what was needed, never a crash."""

import numpy as np
import pytest

import fuzzbow
from fuzzbow import _kernel

VECTORS = np.ones((3, 4), np.float32)
IDS, OFFSETS = np.array([0, 1, 2], np.uint32), np.array([0, 1, 3], np.int64)
JACCARD = _kernel.SetSimilarity("jaccard")


@pytest.mark.parametrize(
    "arguments",
    [
        {"vectors": VECTORS.astype(np.float64)},
        {"vectors": VECTORS[:, ::2]},
        {"vectors": VECTORS.T},
        {"vectors": VECTORS[0]},
        {"vectors": [[1.0]]},
        {"vectors": np.ones((3, 0), np.float32)},
        {"vectors": VECTORS * np.float32(np.nan)},
        {"vectors": VECTORS * np.float32(np.inf)},
        {"vectors": VECTORS, "weights": np.ones(2, np.float32)},
        {"vectors": VECTORS, "weights": np.array([1, -1, 1], np.float32)},
        {"vectors": VECTORS, "weights": np.array([1, np.nan, 1], np.float32)},
        {"vectors": VECTORS, "kinds": np.array([0, 1, 4], np.uint8)},
        {"vectors": VECTORS, "kinds": np.array([0, 1], np.uint8)},
        {"vectors": VECTORS, "kinds": np.array([0, 1, 2], np.uint8)},
        {
            "vectors": VECTORS,
            "kinds": np.array([0, 1, 2], np.uint8),
            "trigram_offsets": np.array([0, 1, 2, 3]),
            "trigram_ids": np.array([0, 1], np.uint32),
        },
        {
            "vectors": VECTORS,
            "kinds": np.array([0, 1, 2], np.uint8),
            "trigram_offsets": np.array([0, 2, 2, 2]),
            "trigram_ids": np.array([1, 0], np.uint32),
        },
        {
            "vectors": VECTORS,
            "letter_offsets": np.array([0, 2, 1, 3]),
            "letters": np.full(3, 97, np.uint32),
        },
        {
            "vectors": VECTORS,
            "letter_offsets": np.array([0, 4, 4, 4]),
            "letters": np.full(3, 97, np.uint32),
        },
        {"vectors": VECTORS, "letter_offsets": np.array([0, 0]), "letters": IDS[:0]},
        {"vectors": VECTORS, "letter_offsets": np.array([0, 2, 2, 2])},
        {
            "vectors": VECTORS,
            "letter_offsets": np.array([0, 65, 65, 65]),
            "letters": np.full(65, 97, np.uint32),
        },
        {"vectors": VECTORS * np.float32(1e30), "unit": True},
    ],
)
def test_table_refuses(arguments):
    with pytest.raises(fuzzbow.InputError, match="must be"):
        _kernel.Table(**arguments)


@pytest.mark.parametrize(
    "texts",
    [
        (IDS.astype(np.int64), OFFSETS),
        (IDS, OFFSETS.astype(np.int32)),
        (IDS[::2], np.array([0, 2], np.int64)),
        (IDS + np.uint32(1), OFFSETS),
        (IDS, np.array([1, 3], np.int64)),
        (IDS, np.array([0, 2], np.int64)),
        (IDS, np.array([0, 4], np.int64)),
        (IDS, np.array([0, 2, 1, 3], np.int64)),
        (IDS, np.array([], np.int64)),
        (IDS,),
        IDS,
        "texts",
        (IDS, OFFSETS, np.ones(2, np.float32)),
        (IDS, OFFSETS, np.array([1, -1, 1], np.float32)),
        (IDS, OFFSETS, np.array([1, np.nan, 1], np.float32)),
    ],
)
def test_texts_are_refused(texts):
    table, one = _kernel.Table(VECTORS), np.zeros(1, np.int64)
    for scores in (_kernel.pairs, _kernel.matrix):
        with pytest.raises(fuzzbow.InputError, match="must be"):
            scores(table, texts, one, one, JACCARD)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (np.array([0]), np.array([0, 1])),
        (np.array([2]), np.array([0])),
        (np.array([0]), np.array([-1])),
        (np.array([0], np.int32), np.array([0], np.int32)),
        (np.array([[0]]), np.array([[0]])),
        ([0], [0]),
    ],
)
def test_indices_are_refused(left, right):
    with pytest.raises(fuzzbow.InputError, match="must be"):
        _kernel.pairs(_kernel.Table(VECTORS), (IDS, OFFSETS), left, right, JACCARD)


def test_fewer_than_no_threads_are_refused():
    one = np.zeros(1, np.int64)
    with pytest.raises(fuzzbow.InputError, match="threads must be"):
        _kernel.pairs(_kernel.Table(VECTORS), (IDS, OFFSETS), one, one, JACCARD, threads=-1)


def test_unknown_simd_is_refused():
    with pytest.raises(fuzzbow.InputError, match="must be"):
        _kernel.set_simd("sse9")


@pytest.mark.parametrize("offsets", [[0, 2], [1, 3], [0, 2, 1, 3], []])
def test_vocabulary_offsets_are_refused(offsets):
    with pytest.raises(fuzzbow.InputError, match="must be"):
        _kernel.Vocabulary(b"abc", np.array(offsets, np.int64))


def test_read_only_arrays_are_welcome():
    vectors, ids = VECTORS.copy(), IDS.copy()
    both = np.array([0, 1])
    vectors.flags.writeable = ids.flags.writeable = both.flags.writeable = False
    scores = _kernel.pairs(_kernel.Table(vectors), (ids, OFFSETS), both, both, JACCARD)
    assert scores.tolist() == [1.0, 1.0]
