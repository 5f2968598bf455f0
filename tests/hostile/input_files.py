"""A small valid file of every format that fuzzbow reads, and how it is read to the end."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import struct
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import fuzzbow
from fuzzbow.io.tables import read_table
from fuzzbow.research.sts import downloads
from fuzzbow.research.sts.datasets import load_tasks
from fuzzbow.vectors import WordVectors, open_vectors, save_vectors
from fuzzbow.vectors.formats.container import Tensor, write_container
from fuzzbow.vectors.subwords import NgramInference, PieceInference
from fuzzbow.vectors.tables import StoredTable
from fuzzbow.vectors.weights import read_counts

WORDS = ["the", "cat", "sat", "naïve", "日本", "dog", "a", "ran"]
MATRIX = np.random.default_rng(3).normal(size=(len(WORDS), 4)).astype(np.float32)
GRAMS = np.random.default_rng(4).normal(size=(20, 4)).astype(np.float32)
ARCHIVE_YEAR = "STS12"


@dataclass(frozen=True)
class Input:
    """A file to damage, the files beside it, and what reads them from their folder."""

    name: str
    content: bytes = field(repr=False)
    read: Callable[[Path], None] = field(repr=False)
    beside: dict[str, bytes] = field(default_factory=dict, repr=False)


def _read_table(path: Path) -> None:
    for _ in read_table(path, batch_rows=3).batches:
        pass


def _read_vectors(path: Path) -> None:
    """Open, look at everything, and compare two texts, one with unknown words."""
    vectors = open_vectors(path)
    list(vectors.words)
    _ = vectors.matrix, vectors.fingerprint
    model = fuzzbow.load(vectors)
    score = model.similarity("the cat sat kittens", "a naïve dog ran 7 日本語")
    if not 0 <= score <= 1:
        raise AssertionError(f"a score must be from 0 to 1; got {score}")


def _read_folder(path: Path) -> None:
    _read_vectors(path.parent)


def _read_task(task: str, depth: int, path: Path) -> None:
    load_tasks(path.parents[depth], [task])


def _unpack(path: Path) -> None:
    sums = {
        "STS.input.a.txt": downloads.sum_of(b"a\tb\n"),
        "STS.gs.a.txt": downloads.sum_of(b"1\n"),
    }
    downloads.unpack(path.read_bytes(), str(path), ARCHIVE_YEAR, path.parent / "raw", sums)


def compressed(suffix: str, content: bytes, inside: str = "x.txt") -> bytes:
    """Content as gzip, bzip2, xz or zip, or as it is."""
    if suffix == ".zip":
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(zipfile.ZipInfo(inside), content)
        return file.getvalue()
    if suffix == ".gz":
        return gzip.compress(content, mtime=0)
    return {".bz2": bz2.compress, ".xz": lzma.compress, "": bytes}[suffix](content)


def _tables() -> list[Input]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [{"id": n, "text": f'he said "{n}", 東京', "x": [n, None]} for n in range(7)]
    lines = ["id,text,note"] + [f'{n},"a ""quoted"", text\nof two lines",x' for n in range(7)]
    content = {
        "t.csv": "\n".join(lines).encode() + b"\n",
        "t.tsv": b"id\ttext\n" + b"".join(b'%d\ta "text\n' % n for n in range(7)),
        "t.jsonl": b"".join(json.dumps(row).encode() + b"\n" for row in rows),
    }
    found = [
        Input(name + suffix, compressed(suffix, text), _read_table)
        for name, text in content.items()
        for suffix in ("", ".gz", ".bz2", ".xz")
    ]
    for compression in ("none", "snappy", "gzip", "zstd"):
        file = io.BytesIO()
        dates = pa.array([n * 10**15 for n in range(7)], pa.timestamp("us"))
        table = pa.Table.from_pylist(rows).append_column("when", dates)
        pq.write_table(table, file, compression=compression, row_group_size=4)
        found.append(Input(f"{compression}.parquet", file.getvalue(), _read_table))
    return found


def _text_vectors(header: bool) -> bytes:
    lines = [f"{len(WORDS)} 4"] if header else []
    rows = zip(WORDS, MATRIX.tolist(), strict=True)
    lines += [" ".join([word, *(f"{number:.4f}" for number in row)]) for word, row in rows]
    return "\n".join(lines).encode() + b"\n"


def _binary_vectors() -> bytes:
    rows = zip(WORDS, MATRIX, strict=True)
    parts = [word.encode() + b" " + row.astype("<f4").tobytes() + b"\n" for word, row in rows]
    return b"%d 4\n" % len(WORDS) + b"".join(parts)


def fasttext_model() -> bytes:
    """A model of fastText with two n-grams sizes, counts and a label."""
    parts = [struct.pack("<2i", 793712314, 12)]
    parts.append(struct.pack("<12id", 4, 5, 5, 1, 5, 1, 1, 2, len(GRAMS), 3, 5, 100, 1e-4))
    parts.append(struct.pack("<3i2q", len(WORDS) + 1, len(WORDS), 1, 99, -1))
    for place, word in enumerate(WORDS):
        parts.append(word.encode() + b"\0" + struct.pack("<qb", 50 - place, 0))
    parts.append(b"__label__x\0" + struct.pack("<qb", 3, 1))
    parts.append(struct.pack("<?2q", False, len(WORDS) + len(GRAMS), 4))
    return b"".join([*parts, MATRIX.tobytes(), GRAMS.tobytes()])


def _saved(save: Callable[[Path], object]) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "v.safetensors"
        save(path)
        return path.read_bytes()


def _tokenizer() -> bytes:
    vocabulary = {word: place for place, word in enumerate(WORDS[:-1])} | {"[UNK]": 7}
    model = {"type": "WordPiece", "unk_token": "[UNK]", "max_input_chars_per_word": 100}
    model |= {"continuing_subword_prefix": "##", "vocab": vocabulary}
    parts = {"version": "1.0", "added_tokens": [], "normalizer": None, "model": model}
    return json.dumps({**parts, "pre_tokenizer": {"type": "Whitespace"}}).encode()


def _native(dtype: str, subwords: str = "") -> bytes:
    table = StoredTable(GRAMS[: len(WORDS)])
    inference = {
        "": None,
        "grams": NgramInference(StoredTable(GRAMS), 3, 5),
        "pieces": PieceInference(table, _tokenizer().decode(), "here"),
    }[subwords]
    vectors = WordVectors.from_words(
        WORDS, MATRIX, counts=range(90, 10, -10), name="small", inference=inference
    )
    return _saved(lambda path: save_vectors(vectors, path, dtype=dtype))


def _tensors(metadata: dict[str, str], **arrays: np.ndarray) -> bytes:
    tensors = [Tensor.of(name, array) for name, array in arrays.items()]
    return _saved(lambda path: write_container(path, tensors, lambda: metadata))


def _vectors() -> list[Input]:
    plain, words = _tensors({}, embeddings=MATRIX), "\n".join(WORDS).encode()
    listed = _tensors({"words": json.dumps(WORDS)}, any=MATRIX.astype(np.float16))
    mapped = _tensors(
        {},
        embeddings=MATRIX,
        mapping=np.arange(len(WORDS))[::-1].copy(),
        weights=np.ones(len(WORDS), dtype=np.float32),
    )
    content = {
        "plain.txt": _text_vectors(False),
        "header.vec": _text_vectors(True),
        "word2vec.bin": _binary_vectors(),
        "fasttext.bin": fasttext_model(),
        "native.safetensors": _native("float32"),
        "listed.safetensors": listed,
    }
    found = [
        Input(name + suffix, compressed(suffix, data, name), _read_vectors)
        for name, data in content.items()
        for suffix in ("", ".gz", ".bz2", ".xz", ".zip")
    ]
    found += [
        Input("half.safetensors", _native("float16", "grams"), _read_vectors),
        Input("bytes.safetensors", _native("int8", "pieces"), _read_vectors),
        Input("halves.safetensors", _native("int4", "grams"), _read_vectors),
        Input("m.safetensors", plain, _read_vectors, {"vocab.txt": words}),
        Input("vocab.txt", words, _read_beside, {"m.safetensors": plain}),
        Input("model.safetensors", mapped, _read_folder, {"tokenizer.json": _tokenizer()}),
        Input("tokenizer.json", _tokenizer(), _read_folder, {"model.safetensors": plain}),
    ]
    return found


def _read_beside(path: Path) -> None:
    _read_vectors(path.with_name("m.safetensors"))


def _counts() -> list[Input]:
    content = "".join(f"{word}\t{90 - place}\n" for place, word in enumerate(WORDS)).encode()
    return [
        Input(f"counts.txt{suffix}", compressed(suffix, content), _read_counts)
        for suffix in ("", ".gz", ".bz2", ".xz")
    ]


def _read_counts(path: Path) -> None:
    read_counts(path)


def _sts() -> list[Input]:
    texts, gold = b"a cat\ta dog\nb\tc\nd\te\n", b"1.5\n\n2\n"
    inputs, golds = (f"STS12-en-test/STS.{kind}.MSRpar.txt" for kind in ("input", "gs"))
    task = partial(_read_task, "STS12/MSRpar", 1)
    benchmark = b"".join(b"g\tf\t2012\t%d\t%d.5\ta cat\ta dog\n" % (n, n) for n in range(4))
    sick = b"pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
    sick += b"".join(b"%d\ta cat\ta dog\t%d.5\tNEUTRAL\n" % (n, n) for n in range(4))
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as pack:
        for name, data in {"STS.input.a.txt": b"a\tb\n", "STS.gs.a.txt": b"1\n"}.items():
            pack.writestr(zipfile.ZipInfo(f"test/{name}"), data)
    return [
        Input(inputs, texts, task, {golds: gold}),
        Input(golds, gold, task, {inputs: texts}),
        Input("sts-test.csv", benchmark, partial(_read_task, "STSB", 0)),
        Input("SICK_test_annotated.txt", sick, partial(_read_task, "SICK-R", 0)),
        Input("sts.zip", archive.getvalue(), _unpack),
    ]


def all_inputs() -> list[Input]:
    """One of every format and compression."""
    return [*_tables(), *_vectors(), *_counts(), *_sts()]
