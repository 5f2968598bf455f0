"""Blocks of the reference engine against the definition, and the description of the engine."""

from __future__ import annotations

import shlex
import sys
from importlib.metadata import PackageNotFoundError

import numpy as np
import pytest

import fuzzbow
from fuzzbow.arrays import block_products
from fuzzbow.engine import Batch, DynamicOptions, Engine, JoinOptions, WordTable, installation
from fuzzbow.engine import batch as batches
from fuzzbow.engine.batch import DynamicBatch
from fuzzbow.fuzzy import Pooling, Universe, WordSimilarity
from tests.hostile.scale import covering, in_turn
from tests.parity.test_engines import ABLATIONS, CASES, MAX_OPTIONS, a_batch, a_table, some_texts

NOUNS = [
    "cat",
    "house",
    "river",
    "bread",
    "engine",
    "music",
    "doctor",
    "winter",
    "money",
    "paper",
    "lion",
]


@pytest.mark.parametrize(
    ("case", "options"), in_turn(CASES, [(one,) for one in [*MAX_OPTIONS, *ABLATIONS]]), ids=str
)
def test_a_block_agrees_with_the_definition(options, case):
    batch = DynamicBatch(a_batch(*case), options)
    rows, columns = np.array([0, 25, 28, 26, 7]), np.array([3, 28, 25, 26])
    expected = [[batch.score(a, b) for b in columns.tolist()] for a in rows.tolist()]
    np.testing.assert_allclose(batch.block(rows, columns), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("words", "texts", "universe"),
    covering([12, 39, 1], [3, 100, 1], [Universe.DYNAMIC, Universe.QUERY]),
)
def test_scores_have_the_same_bits_in_any_blocks(words, texts, universe, monkeypatch):
    options = DynamicOptions(Pooling.MAX, universe=universe)
    given = Batch(a_table("rules"), some_texts())
    everything = np.arange(len(given.texts))
    whole = DynamicBatch(given, options).block(everything, everything)
    monkeypatch.setattr(batches, "BLOCK_WORDS", words)
    monkeypatch.setattr(batches, "BLOCK_TEXTS", texts)
    monkeypatch.setattr(batches, "SUM_CELLS", 64)
    found = Engine().matrix(given, everything, everything, options)
    np.testing.assert_array_equal(found, whole)
    parts = list(Engine().join(given, DynamicOptions(), JoinOptions(0.5)))
    grid = DynamicBatch(given, DynamicOptions()).block(everything, everything)
    found_pairs = {(i, j) for part in parts for i, j in zip(part.left, part.right, strict=True)}
    assert found_pairs == set(zip(*np.nonzero(np.triu(grid >= 0.5, 1)), strict=True))


def test_blocks_cover_every_text_and_bound_their_words(monkeypatch):
    monkeypatch.setattr(batches, "BLOCK_WORDS", 20)
    bags = some_texts()
    batch = DynamicBatch(Batch(a_table("plain"), bags), DynamicOptions())
    parts = list(batch.blocks(np.arange(len(bags))))
    assert [i for part in parts for i in range(part.start, part.stop)] == list(range(len(bags)))
    for part in parts:
        words = np.unique(bags.rows.take(np.arange(part.start, part.stop)).values)
        assert len(words) <= 20 or part.stop == part.start + 1


def test_duplicates_compare_the_words_of_a_block_once(monkeypatch):
    """One comparison of words for each text of 2,000 took minutes."""
    calls = []
    plain = batches.similarities

    def counted(*arguments):
        calls.append(arguments)
        return plain(*arguments)

    monkeypatch.setattr(batches, "similarities", counted)
    texts = [f"the xqz{n} cat sat on mat number {n}" for n in range(300)]
    found = fuzzbow.load(engine="reference").duplicates(texts, threshold=0.99)
    assert len(found.texts) == 300
    assert len(calls) == 1


@pytest.mark.parametrize("threshold", [0.01, 0.3, 0.7, 1.0])
@pytest.mark.parametrize("words", [12, 4096])
def test_candidates_in_single_precision_lose_no_pair(threshold, words, monkeypatch):
    monkeypatch.setattr(batches, "BLOCK_WORDS", words)
    monkeypatch.setattr(batches, "CANDIDATE_TEXTS", 3)
    batch = DynamicBatch(Batch(a_table("rules"), some_texts()), DynamicOptions())
    everything = np.arange(len(batch.texts))
    scores = batch.block(everything, everything)
    matches = batch.above(everything, everything, threshold)
    expected = set(zip(*np.nonzero(np.triu(scores >= threshold, 1)), strict=True))
    assert set(zip(matches.left, matches.right, strict=True)) == expected
    np.testing.assert_array_equal(matches.scores, scores[matches.left, matches.right])


def test_rounding_errors_of_single_precision_stay_within_the_margin():
    batch = DynamicBatch(Batch(a_table("rules"), some_texts()), DynamicOptions())
    everything = np.arange(len(batch.texts))
    rough = batch._in_single_precision.block(everything, everything)
    off = np.abs(rough - batch.block(everything, everything)).max()
    assert 0 < off < batch._margin(everything, everything) < 1e-3


def test_only_candidates_are_scored_in_double_precision(monkeypatch):
    scored = []
    plain = DynamicBatch.block

    def counted(self, rows, columns):
        scored.append((self.precision, len(rows) * len(columns)))
        return plain(self, rows, columns)

    monkeypatch.setattr(DynamicBatch, "block", counted)
    texts = [f"{a} {b}" for a in NOUNS for b in NOUNS if a < b]
    found = fuzzbow.load(engine="reference").duplicates([*texts, f"the {texts[0]}"])
    pairs = found.pairs.to_arrow()
    assert (pairs["left"].to_pylist(), pairs["right"].to_pylist()) == ([0], [len(texts)])
    assert sum(cells for precision, cells in scored if precision is np.float64) < len(texts)


@pytest.mark.parametrize("similarity", WordSimilarity)
@pytest.mark.parametrize("kind", ["plain", "weighted", "rules"])
def test_words_in_pairs_are_as_similar_as_all_with_all(kind, similarity):
    table, options = a_table(kind), DynamicOptions(word_similarity=similarity)
    words = np.arange(len(table))
    rows, columns = map(np.ravel, np.meshgrid(words, words, indexing="ij"))
    found = Engine().aligned_similarities(table, rows, columns, options)
    expected = Engine().similarities(table, words, words, options)
    np.testing.assert_array_equal(found, expected.ravel())
    assert len(Engine().aligned_similarities(table, words[:0], words[:0], options)) == 0


@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 5, 2), (40, 30, 300), (4, 3, 5000)])
@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e150])
def test_block_products_agree_with_plain_ones_in_any_batch(shape, scale):
    n, m, d = shape
    random = np.random.default_rng(d)
    a, b = random.standard_normal((n, d)) * scale, random.standard_normal((m, d))
    found = block_products(a, b)
    np.testing.assert_allclose(found, a @ b.T, rtol=0, atol=1e-8 * scale)
    np.testing.assert_array_equal(block_products(b, a), found.T)
    for i, j in [(0, 0), (n - 1, m - 1), (n // 2, m // 3)]:
        assert block_products(a[i : i + 1], b[j : j + 1])[0, 0] == found[i, j]


@pytest.mark.parametrize(("a", "b"), [((0, 3), (2, 3)), ((2, 3), (0, 3)), ((2, 0), (3, 0))])
def test_block_products_of_nothing(a, b):
    assert block_products(np.zeros(a), np.zeros(b)).tolist() == np.zeros((a[0], b[0])).tolist()


def test_a_word_of_zeros_scores_nothing():
    table = WordTable(np.zeros((2, 3)))
    batch = DynamicBatch(Batch(table, some_texts(words=2)), DynamicOptions())
    assert batch.matrix(np.arange(4), np.arange(4)).max() == 0.0


PIP = [sys.executable, "-m", "pip", "install", "--force-reinstall", "--no-deps", "--no-cache-dir"]
INDEX = ["--no-binary", "fuzzbow", "fuzzbow"]


class Installed:
    """A distribution with what pip recorded of its origin."""

    def __init__(self, recorded):
        self._recorded = recorded

    def read_text(self, name):
        assert name == "direct_url.json"
        return self._recorded


@pytest.mark.parametrize(("recorded", "origin"), [
    ('{"dir_info": {}, "url": "file:///home/me/my%20clone"}', ["/home/me/my clone"]),
    (
        '{"dir_info": {"editable": true}, "url": "file:///home/me/clone"}',
        ["--editable", "/home/me/clone"],
    ),
    (
        '{"url": "https://host/x.git", "vcs_info": {"vcs": "git", "commit_id": "ab12"},'
        ' "subdirectory": "py"}',
        ["git+https://host/x.git@ab12#subdirectory=py"],
    ),
    ('{"url": "https://host/x.tar.gz", "archive_info": {}}', ["https://host/x.tar.gz"]),
    ('{"url": "https://host/x-py3-none-any.whl", "archive_info": {}}', INDEX),
    (None, INDEX),
])  # fmt: skip
def test_the_origin_is_the_recorded_one(recorded, origin, monkeypatch):
    monkeypatch.setattr(installation, "distribution", lambda name: Installed(recorded))
    assert shlex.split(installation.reinstall_command()) == [*PIP, *origin]


def test_a_package_that_pip_did_not_install_is_taken_from_the_index(monkeypatch):
    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(installation, "distribution", missing)
    assert shlex.split(installation.reinstall_command()) == [*PIP, *INDEX]
