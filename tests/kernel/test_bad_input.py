"""Whatever comes in at the binding: a ValueError that says what was needed, never a crash."""

import numpy as np
import pytest

import fuzzbow
from fuzzbow import _kernel
from tests.kernel import oracle

VECTORS = np.ones((3, 4), np.float32)
IDS, OFFSETS = np.array([0, 1, 2], np.uint32), np.array([0, 1, 3], np.int64)


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
    table = _kernel.Table(VECTORS)
    with pytest.raises(fuzzbow.InputError, match="must be"):
        _kernel.self_memberships(table, texts)
    with pytest.raises(fuzzbow.InputError, match="must be"):
        _kernel.matrix(table, (IDS, OFFSETS), texts, "jaccard")


def test_unequal_numbers_of_texts_are_refused():
    table = _kernel.Table(VECTORS)
    with pytest.raises(fuzzbow.InputError, match="must be"):
        _kernel.pairs(table, oracle.ragged([[0]]), oracle.ragged([[0], [1]]), "jaccard")


@pytest.mark.parametrize(
    "keywords", [{"measure": "cosinus"}, {"measure": "dot"}, {"measure": "dice", "threads": -1}]
)
def test_options_are_refused(keywords):
    table = _kernel.Table(VECTORS)
    texts = oracle.ragged([[0]])
    with pytest.raises(fuzzbow.InputError, match="must be"):
        _kernel.pairs(table, texts, texts, **keywords)


def test_unknown_simd_is_refused():
    with pytest.raises(fuzzbow.InputError, match="must be"):
        _kernel.set_simd("sse9")


@pytest.mark.parametrize("offsets", [[0, 2], [1, 3], [0, 2, 1, 3], []])
def test_vocabulary_offsets_are_refused(offsets):
    with pytest.raises(fuzzbow.InputError, match="must be"):
        _kernel.Vocabulary(b"abc", np.array(offsets, np.int64))


def test_read_only_arrays_are_welcome():
    vectors, ids = VECTORS.copy(), IDS.copy()
    vectors.flags.writeable = ids.flags.writeable = False
    assert len(_kernel.self_memberships(_kernel.Table(vectors), (ids, OFFSETS))) == 3
