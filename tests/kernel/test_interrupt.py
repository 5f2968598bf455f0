"""Ctrl-C ends a long run at once; three seconds allow for a busy machine."""

import signal
import subprocess
import sys
import time

import pytest

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
    "one long pair": ("t, all = texts(1, 200000), np.arange(1)", PAIRS),
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
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "go\n"
    time.sleep(0.7)
    assert process.poll() is None, "the run was over before it could be interrupted"
    start = time.perf_counter()
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=20)
    assert "stopped" in rest
    assert time.perf_counter() - start < 3.0
