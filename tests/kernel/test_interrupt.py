"""Ctrl-C ends a run that would take minutes; twenty seconds allow for a busy machine."""

import signal
import subprocess
import sys
import time

import pytest

from tests.command import child

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


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("run", RUNS)
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
