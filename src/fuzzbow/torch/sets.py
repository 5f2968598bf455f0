"""Batches of sets of vectors, checked once: padded tensors with masks, or nested tensors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch

from fuzzbow.errors import InputError
from fuzzbow.fuzzy import WordSimilarity


@dataclass(frozen=True)
class Sets:
    """Padded sets: words (n, k, d), 0 in padding; mask, weights and counts (n, k)."""

    words: torch.Tensor
    mask: torch.Tensor
    weights: torch.Tensor | None = None
    counts: torch.Tensor | None = None

    def __len__(self) -> int:
        return int(self.words.shape[0])

    @property
    def room(self) -> int:
        """Padded number of words of each set."""
        return int(self.words.shape[1])

    @property
    def weigh(self) -> torch.Tensor:
        """Weight of each word as an element of the universe, 0 in padding: (n, k)."""
        if self.weights is None:
            return self.mask.to(self.words.dtype)
        return torch.where(self.mask, self.weights, 0)

    def select(self, rows: Any) -> Sets:
        """Return the sets of these rows, or with any other index of the first axes."""
        weights, counts = (
            None if part is None else part[rows] for part in (self.weights, self.counts)
        )
        return Sets(self.words[rows], self.mask[rows], weights, counts)

    def split(self, size: int) -> Iterator[tuple[slice, Sets]]:
        """Yield runs of at most `size` sets, with their rows."""
        for start in range(0, len(self), size):
            rows = slice(start, min(start + size, len(self)))
            yield rows, self.select(rows)


def read_sets(
    X: torch.Tensor,
    mask: torch.Tensor | None,
    weights: torch.Tensor | None,
    counts: torch.Tensor | None,
    name: str,
    *,
    words: WordSimilarity = WordSimilarity.DOT,
) -> Sets:
    """Check a batch and its weights and counts; half precision becomes float32."""
    X, mask = _pad(X, mask, name)
    numbers = [weights, counts]
    for place, what in enumerate((f"weights of {name}", f"counts_{name.lower()}")):
        part = numbers[place]
        if part is not None:
            _check_tensor(part, what, X.shape[:2], X.device)
            part = numbers[place] = torch.where(mask, part, 0).to(_wide(X))
            check_positive(part, what)
    rows = torch.where(mask[..., None], X, 0).to(_wide(X))
    check_finite(rows, name, "words")
    if X.shape[1] == 0:  # room for one word, so that no maximum is over an empty axis
        pad = torch.nn.functional.pad
        rows, mask = pad(rows, (0, 0, 0, 1)), pad(mask, (0, 1))
        numbers = [None if part is None else pad(part, (0, 1)) for part in numbers]
    return Sets(scaled(rows, words), mask, *numbers)


def _wide(X: torch.Tensor) -> torch.dtype:
    return torch.float64 if X.dtype == torch.float64 else torch.float32


def scaled(rows: torch.Tensor, words: WordSimilarity) -> torch.Tensor:
    """Scale vectors so that their products are the similarities: (…, d)."""
    if words is WordSimilarity.DOT:
        return rows
    return torch.nn.functional.normalize(rows, dim=-1, eps=torch.finfo(rows.dtype).tiny)


def check_alike(X: torch.Tensor, Y: torch.Tensor, names: tuple[str, str] = ("X", "Y")) -> None:
    """Raise InputError unless both are tensors of one dtype, device and dimension."""
    for tensor, name in zip((X, Y), names, strict=True):
        if not isinstance(tensor, torch.Tensor) or not tensor.is_floating_point():
            whole = isinstance(tensor, torch.Tensor)
            got = f"a tensor of {tensor.dtype}" if whole else type(tensor).__name__
            raise InputError(f"{name} must be a tensor of floating point numbers; got {got}")
    for what in ("dtype", "device"):
        one, other = getattr(X, what), getattr(Y, what)
        if one != other:
            raise InputError(
                f"{names[0]} and {names[1]} must have the same {what}; got {one} and {other}"
            )
    if X.size(-1) != Y.size(-1):
        raise InputError(
            f"{names[0]} and {names[1]} must have the same dimension;"
            f" got {X.size(-1)} and {Y.size(-1)}"
        )


def check_finite(rows: torch.Tensor, name: str, what: str) -> None:
    """Raise InputError for NaN or infinity, except in a compiled graph."""
    if not torch.compiler.is_compiling() and not bool(torch.isfinite(rows).all()):
        raise InputError(f"{name} must have no NaN and no infinity among its {what}")


def check_positive(part: torch.Tensor, name: str) -> None:
    """Raise InputError for NaN, infinite or negative values, except in a compiled graph."""
    if not torch.compiler.is_compiling() and not bool((torch.isfinite(part) & (part >= 0)).all()):
        raise InputError(f"{name} must be finite and not negative")


def _pad(
    X: torch.Tensor, mask: torch.Tensor | None, name: str
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return padded words and their mask from either form of batch: (n, k, d), (n, k)."""
    side = f"{name.lower()}_mask"
    if X.is_nested:
        if mask is not None:
            raise InputError(f"{side} must be None for a nested tensor, which has its own lengths")
        if X.dim() != 3:
            raise InputError(
                f"{name} must be nested sets of (words, dimension); got {X.dim()} axes"
            )
        jagged = X.layout == torch.jagged
        sizes = X.offsets().diff() if jagged else torch.tensor([len(words) for words in X.unbind()])
        padded = torch.nested.to_padded_tensor(X, 0.0)
        across = torch.arange(padded.shape[1], device=X.device)
        return padded, across[None, :] < sizes.to(X.device)[:, None]
    if X.dim() != 3:
        raise InputError(f"{name} must have shape (sets, words, dimension); got {tuple(X.shape)}")
    if mask is None:
        return X, torch.ones(X.shape[:2], dtype=torch.bool, device=X.device)
    if isinstance(mask, torch.Tensor) and mask.dtype != torch.bool:
        raise InputError(f"{side} must be a tensor of bool, True for words; got {mask.dtype}")
    _check_tensor(mask, side, X.shape[:2], X.device)
    return X, mask


def _check_tensor(tensor: torch.Tensor, name: str, shape: torch.Size, device: torch.device) -> None:
    """Raise InputError unless the tensor has the shape and the device of the words."""
    if not isinstance(tensor, torch.Tensor):
        raise InputError(f"{name} must be a tensor; got {type(tensor).__name__}")
    if tensor.shape != shape:
        raise InputError(f"{name} must have shape {tuple(shape)}; got {tuple(tensor.shape)}")
    if tensor.device != device:
        raise InputError(f"{name} must be on {device}, as the words are; got {tensor.device}")
