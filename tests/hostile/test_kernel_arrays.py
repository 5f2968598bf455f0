"""Kernel calls with bad arrays: an error that says why or a right result, never a crash.

A call is made of right arguments of which one or two are spoiled. What a kernel refuses it
refuses by an exception; what it takes it must take as it takes clean copies. Either way the
objects at hand answer a right call afterwards as they did before.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fuzzbow
from fuzzbow.arrays import read_only
from fuzzbow.text.characters import character_table
from tests.hostile.scale import steps

_kernel = pytest.importorskip("fuzzbow._kernel", reason="installed without compiled kernels")

CLEAN_ERRORS = (ValueError, TypeError, MemoryError, OverflowError, IndexError, UnicodeError)
WORDS, DIMENSION = 40, 7
TABLE = character_table()
BM25 = {"k1": 1.5, "b": 0.75, "floor": 0.4, "power": 1.5}
Arguments = dict[str, Any]


def call(function: Callable[..., Any], **arguments: Any) -> tuple[Callable[..., Any], Arguments]:
    return function, arguments


def texts(random: np.random.Generator, *, counted: bool = False, most: int = 6) -> tuple[Any, ...]:
    lengths = random.integers(0, 9, random.integers(0, most + 1))
    ids = random.integers(0, WORDS, lengths.sum()).astype(np.uint32)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return (ids, offsets, random.random(len(ids)).astype(np.float32)) if counted else (ids, offsets)


def table_rows(random: np.random.Generator, count: int = WORDS, *, rules: bool) -> Arguments:
    vectors = random.standard_normal((count, DIMENSION)).astype(np.float32)
    weights = random.random(count).astype(np.float32)
    if not rules:
        return {"vectors": vectors, "weights": weights}
    trigrams = [np.sort(random.choice(20, random.integers(0, 5), False)) for _ in range(count)]
    letters = [random.integers(97, 99, random.integers(0, 9)) for _ in range(count)]
    return {
        "vectors": vectors / np.linalg.norm(vectors, axis=1, keepdims=True),
        "weights": weights,
        "kinds": random.integers(0, 4, count).astype(np.uint8),
        "trigram_offsets": np.cumsum([0, *map(len, trigrams)]).astype(np.int64),
        "trigram_ids": np.concatenate(trigrams).astype(np.uint32),
        "letter_offsets": np.cumsum([0, *map(len, letters)]).astype(np.int64),
        "letters": np.concatenate(letters).astype(np.uint32),
    }


RULES = {
    "form": "weighted", "normalise": False, "preweighted": True, "numbers": True, "unknown": True,
    "punctuation": True, "codes": True, "factors": None, "mean": None, "matrix": None,
    "mean_length": 1.0, "smallest_weight": 1e-9, "number_weight": 1.3, "symbol_weight": 0.03,
    "unknown_weight": 1.0, "code_weight": 1.0, "decimal_weight": 1.0,
}  # fmt: skip
LEARNING: Arguments = {
    "chunks": {"whole": False, "changed": ["x"], "prefixes": ["pre"], "clitics": ["'s"]},
    "contrasted": ["no"],
    "trigrams": np.zeros(0, np.uint64),
    "corpus_rows": None,
    "others": [],
    "other_rows": None,
    "most_bytes": 1 << 20,
}


def learn(source: Any, **options: Any) -> Any:
    """Let a new lexicon learn words from a source, and return it."""
    rows = table_rows(np.random.default_rng(2), 3, rules=True)
    lexicon = _kernel.Lexicon(_kernel.Table(**rows, unit=True), "chunks")
    lexicon.learn_from(source, **options)
    return lexicon


class Objects:
    """What calls are made on; made anew now and then."""

    def __init__(self, random: np.random.Generator) -> None:
        self.random = random
        rules = bool(random.integers(2))
        self.table = _kernel.Table(**table_rows(random, rules=rules), unit=rules)
        self.rules = rules
        jaccard, dice = _kernel.SetSimilarity("jaccard"), _kernel.SetSimilarity("dice")
        self.corpus = _kernel.Corpus(self.table, texts(random, most=30), jaccard)
        self.unit = _kernel.Table(**table_rows(random, rules=rules), unit=True)
        self.bm25 = _kernel.Bm25Corpus(self.unit, texts(random, most=30), **BM25)
        self.join = _kernel.Join(self.table, texts(random, most=30), dice, 0.5)
        self.similarity = similarity_of(random)
        words = ["cat", "dog", "猫"]
        data = "".join(words).encode()
        offsets = np.cumsum([0, *(len(word.encode()) for word in words)])
        self.vocabulary = _kernel.Vocabulary(data, offsets.astype(np.int64))
        self.lexicon = _kernel.Lexicon(self.table, "chunks")
        self.lexicon.add(["cat", "dog", "猫"], np.array([0, 1], np.int64), np.array([0, 1, 2, 2]))
        self.read = self.lexicon.read(["cat dog", ["dog"]])
        vectors = random.standard_normal((3, DIMENSION)).astype(np.float32)
        self.stored = {"values": vectors, "scales": None, "row_of": np.array([0, 2, 1])}
        self.source = _kernel.WordSource(
            self.vocabulary, **self.stored, dimension=DIMENSION, lowercase=True, rules=RULES
        )
        self.query = texts(np.random.default_rng(1), most=3)

    def state(self) -> list[Any]:
        """What the objects say to right calls."""
        scores, found, counts = self.corpus.search(self.query, 3)
        best = self.bm25.search(self.query, 3)
        everything = np.arange(len(self.query[1]) - 1)
        jaccard = _kernel.SetSimilarity("jaccard")
        own = _kernel.pairs(self.table, self.query, everything, everything, jaccard)
        ids, _, unknown = _kernel.encode(self.vocabulary, ["dog x"], "chunks", True)
        return [
            len(self.table), len(self.corpus), len(self.join), len(self.vocabulary),
            scores.tolist(), found.tolist(), counts.tolist(), own.tolist(),
            ids.tolist(), unknown, repr(self.similarity),
            len(self.bm25), self.bm25.mean_length, *(part.tolist() for part in best),
        ]  # fmt: skip


FORMULAS = [("jaccard", ()), ("otsuka", ()), ("dice", ()), ("cosine", ()), ("overlap", ())]
FORMULAS += [("tversky", (1.0, 0.0)), ("tversky", (0.3, 0.8))]


def similarity_of(random: np.random.Generator, *, dynamic: bool = False) -> Any:
    name, parameters = FORMULAS[random.integers(len(FORMULAS))]
    universe = "dynamic" if dynamic or random.integers(2) else "query"
    return _kernel.SetSimilarity(name, parameters, universe=universe)


def call_table(o: Objects) -> tuple[Callable[..., Any], Arguments]:
    rules = bool(o.random.integers(2))
    return call(_kernel.Table, **table_rows(o.random, 5, rules=rules), unit=rules)


def dense(o: Objects, name: str, kind: type, *sides: str) -> Any:
    given = {side: o.random.random((4, 9)).astype(kind) for side in sides}
    if kind is np.float32:
        given["similarity"] = similarity_of(o.random, dynamic=True)
        given["weights"] = o.random.random(9).astype(np.float32)
    return getattr(_kernel, name), given


def two_sides(o: Objects, some: tuple[Any, ...], *names: str) -> Arguments:
    """Numbers of texts, by the names of the two parameters."""
    size, number = len(some[1]) - 1, int(o.random.integers(0, 5))
    return {
        name: o.random.integers(0, max(size, 1), number if size else 0).astype(np.int64)
        for name in names
    }


def with_texts(o: Objects, name: str, *sides: str) -> Any:
    some = texts(o.random, counted=bool(o.random.integers(2)))
    given = {"table": o.table, "texts": some, **two_sides(o, some, *sides)}
    return call(getattr(_kernel, name), **given, similarity=similarity_of(o.random), threads=1)


def call_bm25_pairs(o: Objects) -> Any:
    some = texts(o.random)
    given = {"table": o.unit, "texts": some, **two_sides(o, some, "left", "right")}
    weights = o.random.random(len(o.unit))
    return call(_kernel.bm25_pairs, **given, weights=weights, mean_length=4.5, **BM25, threads=2)


def call_search(o: Objects, corpus: Any, table: Any, **more: Any) -> Any:
    return call(
        corpus.search,
        queries=texts(o.random),
        k=3,
        min_score=0.1,
        table=table,
        corpus_ids=np.arange(len(table), dtype=np.int64),
        allowed=o.random.integers(0, 2, len(corpus)).astype(np.uint8),
        threads=2,
        **more,
    )


def call_learning(source: Any, **options: Any) -> Any:
    lexicon, similarity = learn(source, **options), _kernel.SetSimilarity("jaccard")
    read = lexicon.read(["cat dog 42 unknown", ["dog", "猫"]])
    found = read.missing_words(), lexicon.learn(read)
    return *found, lexicon.score("cat", "dog's", similarity, True), len(lexicon)


class Chunks:
    """Texts in memory that is not Python's."""

    def __init__(self, chunks: Any) -> None:
        self.utf8_chunks = lambda: chunks


def call_on_chunks(o: Objects) -> Any:
    def read(**chunks: Any) -> Any:
        held = Chunks(list(chunks.values()))
        o.lexicon.read(held)
        return _kernel.distinct(held), _kernel.encode(o.vocabulary, held, "chunks", True)

    data = np.frombuffer("a cat, 猫 and ünïcödë dogs".encode(), np.uint8)
    starts, ends = np.sort(o.random.integers(0, len(data) + 1, (2, 5)), axis=0)
    second = (data[:3], np.array([0, 3]), np.array([3, 3]))
    return call(read, first=(data, starts, ends), second=second)


CALLS: dict[str, Callable[[Objects], tuple[Callable[..., Any], Arguments]]] = {
    "info": lambda o: call(_kernel.info),
    "set_simd": lambda o: call(_kernel.set_simd, name=_kernel.info()["simd"]),
    "Table.__init__": call_table,
    "Table.append": lambda o: call(o.table.append, **table_rows(o.random, 3, rules=o.rules)),
    "SetSimilarity.__init__": lambda o: call(
        _kernel.SetSimilarity, name="tversky", parameters=(0.3, 0.8), universe="query"
    ),
    "pairs": lambda o: with_texts(o, "pairs", "left", "right"),
    "matrix": lambda o: with_texts(o, "matrix", "rows", "columns"),
    "dense_pairs": lambda o: dense(o, "dense_pairs", np.float32, "left", "right"),
    "dense_matrix": lambda o: dense(o, "dense_matrix", np.float32, "rows", "columns"),
    "products": lambda o: dense(o, "products", np.float64, "rows", "columns"),
    "row_products": lambda o: dense(o, "row_products", np.float64, "left", "right"),
    "memberships": lambda o: call(
        _kernel.memberships,
        texts=texts(o.random, counted=True),
        word_rows=o.random.random((WORDS, 9)).astype(np.float32),
        pooling=str(o.random.choice(["max", "min", "sum", "avg"])),
    ),
    "Corpus.__init__": lambda o: call(
        _kernel.Corpus,
        table=o.table,
        documents=texts(o.random),
        similarity=similarity_of(o.random),
    ),
    "Corpus.append": lambda o: call(o.corpus.append, documents=texts(o.random), threads=2),
    "Corpus.delete": lambda o: call(o.corpus.delete, documents=np.zeros(0, np.int64)),
    "Corpus.search": lambda o: call_search(
        o, o.corpus, o.table, statistics=bool(o.random.integers(2))
    ),
    "Bm25Corpus.__init__": lambda o: call(
        _kernel.Bm25Corpus, table=o.unit, documents=texts(o.random), **BM25
    ),
    "Bm25Corpus.append": lambda o: call(o.bm25.append, documents=texts(o.random), threads=2),
    "Bm25Corpus.delete": lambda o: call(o.bm25.delete, documents=np.zeros(0, np.int64)),
    "Bm25Corpus.search": lambda o: call_search(o, o.bm25, o.unit),
    "Bm25Corpus.word_weights": lambda o: call(
        o.bm25.word_weights,
        words=o.random.integers(0, WORDS, 5).astype(np.uint32),
        table=o.unit,
        corpus_ids=np.arange(len(o.unit), dtype=np.int64),
        threads=2,
    ),
    "Bm25Corpus.with_frequencies": lambda o: call(
        o.bm25.with_frequencies,
        documents=40,
        total_words=99,
        words=np.arange(3, dtype=np.uint32),
        holders=o.random.integers(0, 40, 3),
    ),
    "bm25_pairs": call_bm25_pairs,
    "Join.__init__": lambda o: call(
        _kernel.Join,
        table=o.table,
        texts=texts(o.random),
        similarity=similarity_of(o.random),
        threshold=0.4,
        boundary=int(o.random.integers(0, 3)),
    ),
    "Join.rows": lambda o: call(o.join.rows, start=0, stop=len(o.join), threads=2),
    "Vocabulary.__init__": lambda o: call(
        _kernel.Vocabulary, words=b"catdog", offsets=np.array([0, 3, 6], np.int64)
    ),
    "Lexicon.__init__": lambda o: call(_kernel.Lexicon, table=o.table, splitting="chunks"),
    "Lexicon.add": lambda o: call(
        o.lexicon.add,
        chunks=[f"w{len(o.lexicon)}", "\udfff" * len(o.lexicon)],
        places=o.random.integers(0, WORDS, 3),
        offsets=np.array([0, 1, 3]),
    ),
    "Lexicon.score": lambda o: call(
        o.lexicon.score, left="cat dog", right=["dog", "cat"], similarity=o.similarity
    ),
    "Lexicon.read": lambda o: call(o.lexicon.read, texts=["cat dog", ["dog"]], threads=2),
    "Lexicon.segment_by": lambda o: call(o.lexicon.segment_by, vocabulary=o.vocabulary),
    "WordSource.__init__": lambda o: call(
        _kernel.WordSource,
        vocabulary=o.vocabulary,
        **o.stored,
        dimension=DIMENSION,
        lowercase=True,
        rules=RULES,
    ),
    "Lexicon.learn_from": lambda o: call(call_learning, source=o.source, **LEARNING),
    "Lexicon.learn": lambda o: call(
        lambda texts: learn(o.source, **LEARNING).learn(texts), texts=o.read
    ),
    "Lexicon.learn_words": lambda o: call(
        learn(o.source, **LEARNING).learn_words,
        chunks=["cats", "x1"],
        words=[["cat", ("s", "S", 0, 0)], ["x"]],
    ),
    "characters_version": lambda o: call(_kernel.characters_version),
    "use_characters": lambda o: call(_kernel.use_characters, table=TABLE),
    "Utf8Texts.utf8_chunks": call_on_chunks,
    "distinct": lambda o: call(_kernel.distinct, texts=["a", "b", "a", "\udfff"]),
    "encode": lambda o: call(
        _kernel.encode,
        vocabulary=o.vocabulary,
        texts=["the cat", "猫 \ud83d x"],
        splitting="chunks",
        lowercase=True,
        threads=2,
    ),
}


def on(name: str, method: Callable[[Any], Any]) -> Callable[[Objects], Any]:
    """Call a method or property without arguments, on an object that may be spoiled."""
    return lambda o: call(lambda given: method(given), given=getattr(o, name))


PLAIN = {  # methods and properties without arguments, by the attribute of `Objects`
    "table": ("Table", "__len__", "dimension", "memory_bytes"),
    "similarity": ("SetSimilarity", "name", "parameters", "universe", "symmetric"),
    "corpus": ("Corpus", "__len__", "memory_bytes"),
    "bm25": ("Bm25Corpus", "statistics", "mean_length", "__len__", "memory_bytes"),
    "join": ("Join", "__len__"),
    "vocabulary": ("Vocabulary", "__len__", "memory_bytes"),
    "lexicon": ("Lexicon", "__len__", "memory_bytes"),
    "read": ("LexiconTexts", "__len__", "missing", "missing_words", "settle"),
}
for attribute, (kind, *methods) in PLAIN.items():
    for name in methods:
        method = getattr(getattr(_kernel, kind), name)
        CALLS[f"{kind}.{name}"] = on(attribute, getattr(method, "fget", method))

NUMBERS = [-1, 0, 1, 2**31, 2**63 - 1, 2**63, 2**70, -(2**63), 1.5, np.nan, np.inf, True]
OTHERS = [None, "", "jaccard", "JACCARD\0", "\ud800", b"bytes", [], (), {}, [1, "2"], object(), 3j]


CUTS = [(None, None, -1), (None, None, 2), (0,), (1, None), (-1,)]
KINDS: list[list[Any]] = [
    [np.float16, np.float32, np.float64],
    [np.int8, np.int32, np.int64, np.uint32, np.uint64],
    [np.complex64, np.bool_, object, "S3", "U3", "M8[s]"],
]
PARTS = [None, (..., None), *(slice(*cut) for cut in CUTS)]


def spoiled_array(random: np.random.Generator, array: np.ndarray) -> Any:
    """The array, wrong in some way, or right in an unusual way."""
    kind, flat = array.dtype.kind, array.ndim == 1
    extreme = {"f": [np.nan, np.inf, -np.inf, -1.0, 3e38, 1e-45], "i": [-1, 2**62, -(2**63)]}
    values = extreme.get(kind, [2**32 - 1, 255, 77])
    ways: list[Callable[[], Any]] = [
        *(lambda kinds=kinds: array.astype(random.choice(kinds)) for kinds in KINDS),
        *(partial(array.__getitem__, part) for part in PARTS),
        lambda: array.astype(array.dtype.newbyteorder(">")),
        lambda: array.reshape(-1),
        lambda: np.asfortranarray(array) if not flat else np.repeat(array, 2)[::2],
        lambda: array.T,
        lambda: np.concatenate([array, array]),
        lambda: np.zeros((2**40, 0), array.dtype),
        lambda: np.zeros((0, 2**40), array.dtype),
        lambda: np.zeros((3, 0) if not flat else 0, array.dtype),
        lambda: np.broadcast_to(array[:1], array.shape),
        lambda: np.array(array.flat[0]) if array.size else np.array(0, array.dtype),
        lambda: read_only(array.copy()),
        lambda: _misaligned(array),
        lambda: np.ma.masked_array(array),
        lambda: array.tolist(),
        lambda: memoryview(np.ascontiguousarray(array)),
        *[lambda: _with(random, array, values)] * 2,
        lambda: random.permutation(array),
    ]
    return ways[random.integers(len(ways))]()


def _misaligned(array: np.ndarray) -> np.ndarray:
    room = np.zeros(array.nbytes + 1, np.uint8)
    copy = room[1:].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def _with(random: np.random.Generator, array: np.ndarray, values: list[Any]) -> np.ndarray:
    copy = array.copy()
    if copy.size:
        value = values[random.integers(len(values))]
        limits = None if copy.dtype.kind == "f" else np.iinfo(copy.dtype)
        bounded = value if limits is None else min(max(value, limits.min), limits.max)
        copy.flat[random.integers(copy.size)] = bounded
    return copy


def spoiled(random: np.random.Generator, value: Any) -> Any:
    """The value, wrong in some way."""
    if random.random() < 0.15:
        return [*OTHERS, *NUMBERS][random.integers(len(OTHERS) + len(NUMBERS))]
    if isinstance(value, np.ndarray):
        return spoiled_array(random, value)
    if isinstance(value, tuple):
        parts = list(value)
        place = random.integers(len(parts))
        parts[place] = spoiled(random, parts[place])
        way = random.random()
        if way < 0.1:
            parts.reverse()
        elif way < 0.2:
            parts.append(parts[0])
        elif way < 0.3:
            parts.pop()
        return parts if random.random() < 0.2 else tuple(parts)
    if isinstance(value, dict):
        name = sorted(value)[random.integers(len(value))]
        return {**value, name: spoiled(random, value[name])}
    if isinstance(value, list):
        return [*value, OTHERS[random.integers(len(OTHERS))]]
    if isinstance(value, bool | int | float):
        return NUMBERS[random.integers(len(NUMBERS))]
    if isinstance(value, str | bytes):
        return value[: random.integers(len(value) + 1)]
    if isinstance(value, OBJECTS | _kernel.SetSimilarity | _kernel.WordSource):
        return type(value).__new__(type(value))  # that was never made
    return None


OBJECTS = _kernel.Table | _kernel.Corpus | _kernel.Bm25Corpus | _kernel.Join | _kernel.Vocabulary
OBJECTS |= _kernel.Lexicon | _kernel.LexiconTexts


def copied(value: Any) -> Any:
    """The same with arrays in plain memory of their own."""
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        return np.array(value, order="C", subok=False)
    if isinstance(value, tuple | list):
        return type(value)(copied(part) for part in value)
    return value


def plain(result: Any) -> Any:
    """A result as plain values, for comparison; objects by their length."""
    if isinstance(result, np.ndarray):
        return [str(result.dtype), result.shape, result.tobytes()]
    if isinstance(result, tuple | list):
        return [plain(part) for part in result]
    if isinstance(result, _kernel.SetSimilarity | _kernel.WordSource):
        return repr(result).partition(" at ")[0]
    if isinstance(result, OBJECTS):
        return len(result)
    return result


def check_scores(name: str, result: Any) -> None:
    """Scores are finite, and from 0 to 1."""
    if name in {"pairs", "matrix", "bm25_pairs"}:
        assert np.isfinite(result).all()
        assert ((result >= 0) & (result <= 1)).all()
    if name in {"Corpus.search", "Bm25Corpus.search"}:
        scores, _, counts = result[:3]
        assert np.isfinite(scores).all()
        assert (counts <= scores.shape[1]).all()


CHANGES = ("Table.append", "Corpus.append", "Corpus.delete", "set_simd")
CHANGES += ("Bm25Corpus.append", "Bm25Corpus.delete", "Bm25Corpus.with_frequencies", "Lexicon.add")


def one_call(objects: Objects, name: str, outcomes: Counter[str]) -> None:
    random = objects.random
    function, arguments = CALLS[name](objects)
    bad = random.permutation(list(arguments))[: random.integers(0, 3)] if arguments else []
    for key in bad:
        arguments[str(key)] = spoiled(random, arguments[str(key)])
    before = objects.state()
    try:
        result = function(**arguments)
    except CLEAN_ERRORS:
        outcomes["refused"] += 1
        assert objects.state() == before
        return
    outcomes["taken"] += 1
    check_scores(name, result)
    if name not in CHANGES:
        again = {key: copied(value) for key, value in arguments.items()}
        assert plain(function(**again)) == plain(result)
        assert objects.state() == before


@pytest.mark.filterwarnings("ignore:nanobind:RuntimeWarning")  # objects that were never made
@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
def test_a_kernel_refuses_bad_arrays_or_is_right(record_property):
    wanted, outcomes = steps(1_500, 10_000), Counter[str]()
    random = np.random.default_rng(20_261)
    for number in range(wanted):
        if number % 50 == 0:
            objects = Objects(random)
        name = list(CALLS)[number % len(CALLS)]
        try:
            one_call(objects, name, outcomes)
        except AssertionError as error:
            raise AssertionError(f"call {number}, {name}: {error}") from error
    print(f"kernel calls: {wanted}, {dict(outcomes)}")
    record_property("calls", wanted)
    assert outcomes["refused"] > wanted / 5
    assert outcomes["taken"] > wanted / 5


def test_every_function_and_method_of_the_kernels_is_called():
    stub = Path(fuzzbow.__file__).with_name("_kernel.pyi").read_text()
    names = set()
    for node in ast.parse(stub).body:
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.ClassDef):
            methods = [item for item in node.body if isinstance(item, ast.FunctionDef)]
            names |= {f"{node.name}.{method.name}" for method in methods}
    assert names <= set(CALLS)
