"""Bad arguments of kernels, refused by a ValueError, and calls that Ctrl-C interrupts."""

import signal
import subprocess
import sys
import time
from itertools import cycle

import numpy as np
import pytest

import fuzzbow
from fuzzbow import _kernel
from tests.command import child

VECTORS = np.ones((3, 4), np.float32)
IDS, OFFSETS = np.array([0, 1, 2], np.uint32), np.array([0, 1, 3], np.int64)
JACCARD = _kernel.SetSimilarity("jaccard")


def offsets(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


UNKNOWN = {"kinds": np.array([0, 1, 2], np.uint8)}
A = np.full(65, 97, np.uint32)


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
        {"vectors": VECTORS * np.float32(1e30), "unit": True},
        {"weights": np.ones(2, np.float32)},
        {"weights": np.array([1, -1, 1], np.float32)},
        {"weights": np.array([1, np.nan, 1], np.float32)},
        {"kinds": np.array([0, 1, 4], np.uint8)},
        {"kinds": np.array([0, 1], np.uint8)},
        UNKNOWN,
        {**UNKNOWN, "trigram_offsets": offsets(0, 1, 2, 3), "trigram_ids": IDS[:2]},
        {**UNKNOWN, "trigram_offsets": offsets(0, 2, 2, 2), "trigram_ids": IDS[1::-1].copy()},
        {"letter_offsets": offsets(0, 2, 1, 3), "letters": A[:3]},
        {"letter_offsets": offsets(0, 4, 4, 4), "letters": A[:3]},
        {"letter_offsets": offsets(0, 0), "letters": IDS[:0]},
        {"letter_offsets": offsets(0, 2, 2, 2)},
        {"letter_offsets": offsets(0, 65, 65, 65), "letters": A},
    ],
)
def test_table_refuses(arguments):
    with pytest.raises(fuzzbow.InputError, match="must be"):
        _kernel.Table(**{"vectors": VECTORS, **arguments})


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


def test_fewer_than_no_threads_and_unknown_instruction_sets_are_refused():
    one = np.zeros(1, np.int64)
    with pytest.raises(fuzzbow.InputError, match="threads must be"):
        _kernel.pairs(_kernel.Table(VECTORS), (IDS, OFFSETS), one, one, JACCARD, threads=-1)
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


SETUP = """
import numpy as np
from fuzzbow import _kernel
random = np.random.default_rng(0)
table = _kernel.Table(random.standard_normal((5000, 300)).astype(np.float32))
def texts(n, length):
    ids = random.integers(0, 5000, n * length).astype(np.uint32)
    return ids, np.arange(0, n * length + 1, length)
similarity = _kernel.SetSimilarity
"""
PAIRS = "_kernel.pairs(table, t, all, all, similarity('jaccard'), threads=n)"
RUNS = {
    "pairs": ("t, all = texts(300000, 30), np.arange(300000)", PAIRS),
    "one long pair": (
        "table = _kernel.Table(random.standard_normal((200000, 64)).astype(np.float32));"
        " t = np.arange(200000, dtype=np.uint32), np.array([0, 200000]); all = np.arange(1)",
        PAIRS,
    ),
    "one long pair of unknown words": (
        "table = _kernel.Table(np.zeros((60000, 64), np.float32), unit=True,"
        " kinds=np.full(60000, 2, np.uint8),"
        " trigram_offsets=np.arange(0, 600001, 10),"
        " trigram_ids=np.tile(np.arange(10, dtype=np.uint32), 60000));"
        " t = np.arange(60000, dtype=np.uint32), np.array([0, 60000]); all = np.arange(1)",
        PAIRS,
    ),
    "matrix": ("t, all = texts(30000, 30), np.arange(30000)", PAIRS.replace("pairs", "matrix")),
    "join": (
        "j = _kernel.Join(table, texts(100000, 12), similarity('cosine'), 0.3)",
        "j.rows(0, len(j), threads=n)",
    ),
    "search": (
        "t = texts(100000, 12)\nc = _kernel.Corpus(table, t, similarity('jaccard'))",
        "c.search(t, threads=n)",
    ),
}
BM25 = "k1=1.5, b=0.75, floor=0.0, power=1.5"
UNIT = "unit = _kernel.Table(random.standard_normal((5000, 64)).astype(np.float32) / 8, unit=True)"
RUNS["bm25 search"] = (
    f"{UNIT}\nt = texts(100000, 12)\nc = _kernel.Bm25Corpus(unit, t, {BM25})",
    "c.search(t, threads=n)",
)
RUNS["bm25 pairs"] = (
    f"{UNIT}\nt, all = texts(20000, 800), np.arange(20000)",
    f"_kernel.bm25_pairs(unit, t, all, all, np.ones(5000), 800.0, {BM25}, threads=n)",
)
CODE = """
n = {threads}
{prepare}
print("go", flush=True)
try:
    {work}
except KeyboardInterrupt:
    print("stopped")
"""


@pytest.mark.parametrize(("run", "threads"), [*zip(RUNS, cycle([1, 2])), ("pairs", 2)])
def test_ctrl_c_ends_a_long_run(run, threads):
    prepare, work = RUNS[run]
    code = SETUP + CODE.format(threads=threads, prepare=prepare, work=work)
    with child([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == "go\n"
        time.sleep(0.3)
        assert process.poll() is None, "the run was over before it could be interrupted"
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=20)
    assert "stopped" in rest
