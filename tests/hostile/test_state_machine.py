"""An index in whatever state, against comparing the query with every text."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import fuzzbow
from fuzzbow.measures import MEASURES, Ability, compose
from fuzzbow.measures.blockwise_join import at_least
from fuzzbow.text import is_blank, whole_text
from tests.hostile.scale import steps
from tests.hostile.texts import LONG, TEXTS, WORDLESS, small_vectors

pytest.importorskip("lance", reason="an index on disk needs the extra index")

SEARCHABLE = [name for name, made in MEASURES.items() if Ability.SEARCH in made.abilities]
COMPOSED: dict[str, Any] = {
    f"{universe}-{pooling}-{counting}": compose(
        universe=universe,
        pooling=pooling,
        counting=counting,
        word_similarity=similarity,
        name=f"{universe}-{pooling}-{counting}",
    )
    for universe, pooling, counting, similarity in [
        ("dynamic", "max", "bag", "dot"),
        ("dynamic", "max", "set", "clipped-cosine"),
        ("vocabulary", "sum", "bag", "clipped-cosine"),
        ("identity", "max", "bag", "dot"),
    ]
}
BY_COLLECTION = [
    f"{measure}+collection"
    for measure in ("weighted-jaccard", "weighted-coverage", "records-otsuka", "weighted-cosine")
]
ORDINARY, LARGE = "small", "default"


@cache
def model_of(measure: str, vectors: str, engine: str) -> fuzzbow.Model:
    source = small_vectors() if vectors == ORDINARY else "default"
    name, _, counts = measure.partition("+")
    return fuzzbow.load(
        source, measure=COMPOSED.get(name, name), engine=engine, counts=counts or None
    )


def _models() -> st.SearchStrategy[tuple[str, str, str]]:
    """Every searchable measure; the engine of search, and of what it must agree with."""
    frequent = ["weighted-jaccard", "dynamax-jaccard", "dynamax-cosine", "max-jaccard"]
    frequent += ["avg-cosine", "fuzzy-bm25", "fuzzy-bm25"]
    choices = [
        ([*SEARCHABLE, *COMPOSED, *BY_COLLECTION], ORDINARY, "compiled"),
        (frequent, ORDINARY, "compiled"),
        (frequent, LARGE, "compiled"),
        (BY_COLLECTION, LARGE, "compiled"),
        ([*SEARCHABLE, *BY_COLLECTION], ORDINARY, "reference"),
    ]
    return st.one_of(
        *(st.tuples(st.sampled_from(names), *map(st.just, how)) for names, *how in choices)
    )


BATCHES = st.one_of(
    st.just([]),
    st.lists(WORDLESS, min_size=1, max_size=3),
    *[st.lists(TEXTS, min_size=1, max_size=5)] * 3,
    st.lists(TEXTS, min_size=60, max_size=80),  # through the compiled encoder
    st.sampled_from(LONG).map(lambda text: [text]),
)
TAKEN = {"steps": 0, "runs": 0}


class IndexMachine(RuleBasedStateMachine):
    """Rows as a plain list beside an index; after each step both must say the same."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="fuzzbow-state-"))
        TAKEN["runs"] += 1

    @invariant()
    def counted(self) -> None:
        TAKEN["steps"] += 1

    def teardown(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    @initialize(chosen=_models(), disk=st.sampled_from([False, False, True]), first=BATCHES)
    def build(self, chosen: tuple[str, str, str], disk: bool, first: list[str]) -> None:
        self.model = model_of(*chosen)
        self.path = self.folder / "index" if disk else None
        self.given = len(first)  # numbers that were ever given
        self.rows = [(number, text) for number, text in enumerate(first)]
        self.index = self.model.index(first, metadata=self._metadata(0, first), path=self.path)
        self.past: dict[int, list[tuple[int, str]]] = {}
        self._remember()

    def _metadata(self, start: int, texts: list[str]) -> pa.Table:
        numbers = range(start, start + len(texts))
        return pa.table({"n": pa.array([number % 7 for number in numbers], pa.int64())})

    def _remember(self) -> None:
        assert len(self.index) == len(self.rows)
        if self.path is not None:
            self.past[self.index.versions()[-1].number] = list(self.rows)

    @rule(texts=BATCHES)
    def add(self, texts: list[str]) -> None:
        found = self.index.add(texts, metadata=self._metadata(self.given, texts))
        assert found == list(range(self.given, self.given + len(texts)))
        self.rows += zip(found, texts, strict=True)
        self.given += len(texts)
        self._remember()

    @precondition(lambda self: self.rows)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        places = data.draw(
            st.lists(st.integers(0, len(self.rows) - 1), min_size=1, max_size=4, unique=True)
        )
        gone = [self.rows[place][0] for place in places]
        assert self.index.delete(gone) == len(gone)
        self.rows = [row for row in self.rows if row[0] not in gone]
        self._remember()

    @rule(keep=st.sampled_from([None, None, 1, 3]))
    def compact(self, keep: int | None) -> None:
        self.index.compact(keep_versions=keep)
        self._remember()

    @rule(query=TEXTS)
    def reopen(self, query: str) -> None:
        """On disk, goes on with the index opened anew; in memory, a saved copy must agree."""
        if self.path is not None:
            self.index = fuzzbow.open_index(self.path, self.model)
        else:
            kept, copy = self.index, self.folder / f"copy-{TAKEN['steps']}"
            self.index.save(copy)
            self.index = fuzzbow.open_index(copy, self.model)
            self._check([query], k=5, min_score=0.0, where=None, threads=None)
            self.index = kept
            shutil.rmtree(copy)
        assert self.index.ids == [number for number, _ in self.rows]

    @precondition(lambda self: self.path is not None)
    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        there = [item.number for item in self.index.versions() if item.number in self.past]
        version = data.draw(st.sampled_from(there))
        old = fuzzbow.open_index(self.path, self.model, version=version)
        assert old.ids == [number for number, _ in self.past[version]]
        self.index.restore(version)
        self.rows = list(self.past[version])
        self._remember()

    @rule(
        queries=st.lists(TEXTS, min_size=1, max_size=2),
        k=st.sampled_from([1, 2, 5, 1000, 2**70]),
        wish=st.sampled_from(["all", "positive", "one", "tie"]),
        where=st.sampled_from([None, None, "n < 3", "n >= 2 AND n <> 4", "n > 100"]),
        threads=st.sampled_from([None, 1, 2]),
        own=st.booleans(),
        data=st.data(),
    )
    def search(self, queries, k, wish, where, threads, own, data) -> None:
        if own and self.rows:  # a text that is there
            queries[0] = self.rows[data.draw(st.integers(0, len(self.rows) - 1))][1]
        least = {"all": -1e9, "positive": 1e-6, "one": 1.0}.get(wish)
        if least is None:  # exactly what some text scores
            scores = self._matrix(queries[:1])[0]
            least = float(data.draw(st.sampled_from(scores.tolist()))) if len(scores) else 0.0
        self._check(queries, k=k, min_score=least, where=where, threads=threads)

    @rule(queries=st.lists(TEXTS, min_size=5, max_size=12), threads=st.sampled_from([1, 2]))
    def search_many(self, queries: list[str], threads: int) -> None:
        self._check(queries, k=3, min_score=0.0, where=None, threads=threads)

    @rule(threshold=st.sampled_from([0.2, 0.5, 0.8, 1.0]), threads=st.sampled_from([1, 2]))
    def duplicates(self, threshold: float, threads: int) -> None:
        if Ability.JOIN not in self.model.measure.abilities:
            return
        texts = [text for _, text in self.rows]
        found = self.model.duplicates(texts, threshold=threshold, details=(), threads=threads)
        table = found.pairs.to_arrow().to_pydict()
        pairs = zip(*(table[name] for name in ("left", "right", "score", "exact")), strict=True)
        assert sorted(pairs) == sorted(self._expected_pairs(threshold))
        assert found.empty.tolist() == [n for n, text in enumerate(texts) if is_blank(text)]

    def _expected_pairs(self, threshold: float) -> list[tuple[int, int, float, bool]]:
        """Compare every two texts; a blank text is a duplicate of nothing, not even of a copy."""
        texts = [whole_text(text) for _, text in self.rows]
        first = {n: texts.index(text) for n, text in enumerate(texts) if not is_blank(text)}
        scores = self._matrix(texts)
        exact = [(a, b, 1.0, True) for b, a in first.items() if a != b]
        firsts = sorted(set(first.values()))
        return exact + [
            (a, b, float(scores[a, b]), False)
            for a in firsts
            for b in firsts
            if a < b and at_least(scores[a, b], threshold)
        ]

    def _matrix(self, queries: list[str]) -> np.ndarray:
        return self.model.matrix(queries, [text for _, text in self.rows])

    def _check(self, queries, *, k, min_score, where, threads) -> None:
        """Ids, order and scores of the very numbers that `matrix` gives."""
        allowed: Callable[[int], bool] = {
            None: lambda n: True,
            "n < 3": lambda n: n < 3,
            "n >= 2 AND n <> 4": lambda n: n >= 2 and n != 4,
            "n > 100": lambda n: False,
        }[where]
        found = self.index.search(queries, k, min_score, where, threads)
        for scores, hits in zip(self._matrix(queries), found, strict=True):
            wanted = [
                (-score, place)
                for place, score in enumerate(scores.tolist())
                if score >= min_score and allowed(self.rows[place][0] % 7)
            ]
            best = sorted(wanted)[:k]
            assert [hit.id for hit in hits] == [self.rows[place][0] for _, place in best]
            assert hits.scores.tolist() == [-score for score, _ in best]


def test_an_index_in_any_state_agrees_with_brute_force(record_property):
    wanted = steps(300, 20_000)
    settings = hypothesis.settings(
        max_examples=steps(12, 100),
        stateful_step_count=steps(30, 50),
        deadline=None,
        phases=[hypothesis.Phase.generate],  # a failure is told as it came: shrinking takes an hour
        derandomize=wanted <= 1_000,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    TAKEN.update(steps=0, runs=0)
    while TAKEN["steps"] < wanted:
        run_state_machine_as_test(IndexMachine, settings=settings)
        print(f"state machine: {TAKEN['steps']} steps in {TAKEN['runs']} runs", flush=True)
    record_property("steps", TAKEN["steps"])


def test_copies_of_blank_texts_are_no_pairs_in_the_state_machine() -> None:
    """Repeat a step whose brute force counted copies of blank texts as exact duplicates."""
    first = ["he has a dog", "", "7", "", "\x8d", "a cat", "he has a dog", "\x8d", "", "a cats"]
    machine = IndexMachine()
    try:
        machine.build(chosen=("vocabmax-dice", ORDINARY, "reference"), disk=False, first=first)
        for threads in (1, 2):
            machine.duplicates(threshold=0.2, threads=threads)
        expected = machine._expected_pairs(threshold=0.2)
        assert [(a, b) for a, b, _, exact in expected if exact] == [(0, 6)]
    finally:
        machine.teardown()
