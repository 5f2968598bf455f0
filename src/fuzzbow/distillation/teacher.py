"""Teachers: whatever turns texts into embeddings, behind one function."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fuzzbow.arrays import Floats
from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.plurals import counted

Encode = Callable[[list[str]], Any]
WANTED = (
    "teacher must be a function from texts to an array, an array of embeddings or its .npy file,"
    " a sentence-transformers or model2vec model, or the folder of one"
)


@dataclass(frozen=True)
class Teacher:
    """Embeddings by a function, or rows that exist already."""

    encode: Encode | None = None
    rows: Floats | None = None

    def embed(self, texts: Sequence[str], first: int) -> Floats:
        """Embeddings of texts, of which the first is text number `first`: n -> (n, e) float32."""
        if self.rows is not None:
            return _checked(self.rows[first : first + len(texts)], len(texts), first)
        if self.encode is None:
            raise InputError(WANTED)
        try:
            made = self.encode(list(texts))
        except Exception as error:  # any code of the user's
            last = first + len(texts) - 1
            raise InputError(f"the teacher failed on texts {first} to {last}: {error}") from error
        return _checked(made, len(texts), first)

    def check_length(self, texts: int) -> None:
        """There must be one row for each text."""
        if self.rows is not None and len(self.rows) != texts:
            raise InputError(
                f"teacher must have one row for each text; got {counted(len(self.rows), 'row')}"
                f" for {counted(texts, 'text')}"
            )


def parse_teacher(source: Any) -> Teacher:
    """A teacher from any of the things that can be one."""
    if isinstance(source, Teacher):
        return source
    if isinstance(source, (str, os.PathLike)):
        return _from_path(Path(source))
    encode = getattr(source, "encode", None)
    if callable(encode) and not isinstance(source, type):
        return Teacher(encode)
    if callable(source):
        return Teacher(source)
    return Teacher(rows=_rows(source))


def _rows(source: Any) -> Floats:
    try:
        rows = np.asarray(source)
    except (TypeError, ValueError) as error:
        raise InputError(f"{WANTED}; got {type(source).__name__}") from error
    if rows.dtype.kind not in "fiu":
        raise InputError(f"{WANTED}; got {type(source).__name__}")
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise InputError(f"embeddings must be 2-D (texts, dimension); got {rows.shape}")
    return rows


def _from_path(path: Path) -> Teacher:
    if path.is_dir():
        return Teacher(_model(path))
    if not path.is_file():
        raise InputError(f"{WANTED}; there is no '{path}'")
    try:
        return Teacher(rows=_rows(np.load(path, mmap_mode="r", allow_pickle=False)))
    except (ValueError, OSError, EOFError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path}: must be a .npy file of embeddings: {error}") from error


def _model(folder: Path) -> Encode:
    """A model on disk: sentence-transformers' has modules.json, model2vec's has not."""
    modules = folder / "modules.json"
    static = not modules.is_file() or "StaticEmbedding" in modules.read_text("utf-8")
    name, extra = ("model2vec", "model2vec") if static else ("sentence-transformers", "teacher")
    try:
        if static:
            from model2vec import StaticModel

            encode: Encode = StaticModel.from_pretrained(str(folder)).encode
        else:
            from sentence_transformers import SentenceTransformer

            encode = SentenceTransformer(str(folder)).encode
    except ImportError as error:
        raise MissingExtraError(name, extra) from error
    except Exception as error:  # a damaged folder can raise almost anything
        raise InputError(f"{folder}: {name} cannot load it: {error}") from error
    return encode


def _checked(made: Any, count: int, first: int) -> Floats:
    """Finite rows, one for each text: (n, e) float32."""
    rows = _rows(made)
    if len(rows) != count:
        raise InputError(
            f"teacher must give one row for each text; got {counted(len(rows), 'row')}"
            f" for {counted(count, 'text')} from text {first} on"
        )
    narrow = rows.astype(np.float32)
    finite = np.isfinite(narrow).all(axis=1)
    if not finite.all():
        bad = first + int(finite.argmin())
        raise InputError(f"embeddings must be finite; that of text {bad} holds NaN or infinity")
    return narrow
