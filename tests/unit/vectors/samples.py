"""Words and files of vectors that several tests use."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

WORDS = ["the", "cat", "sat", "naïve", "日本"]
Write = Callable[..., Path]


def text_of(words: list[str], matrix: np.ndarray, *, header: bool, separator: str = " ") -> str:
    """The lines of a text file of vectors."""
    lines = [f"{len(words)}{separator}{matrix.shape[1]}"] if header else []
    lines += [
        separator.join([word, *(repr(float(number)) for number in row.astype(np.float64))])
        for word, row in zip(words, matrix, strict=True)
    ]
    return "\n".join(lines) + "\n"


def binary_of(words: list[str], matrix: np.ndarray, *, newline: bool = True) -> bytes:
    """A word2vec binary file."""
    end = b"\n" if newline else b""
    parts = [f"{len(words)} {matrix.shape[1]}\n".encode()]
    for word, row in zip(words, matrix, strict=True):
        parts += [word.encode(), b" ", row.astype("<f4").tobytes(), end]
    return b"".join(parts)
