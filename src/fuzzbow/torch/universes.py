"""Universes that are the same for all pairs."""

from __future__ import annotations

import torch

from fuzzbow.fuzzy import Universe, random_universe
from fuzzbow.torch.measure import Measure
from fuzzbow.torch.sets import scaled


def fixed_universe(measure: Measure, like: torch.Tensor) -> torch.Tensor:
    """The rows of a fixed universe, scaled as words are: (u, d)."""
    size = like.shape[-1]
    if isinstance(measure.universe, torch.Tensor):
        rows = measure.universe.to(like.dtype)
    elif measure.universe is Universe.IDENTITY:
        return torch.eye(size, dtype=like.dtype, device=like.device)
    else:
        rows = _random_rows(size, measure.seed).to(device=like.device, dtype=like.dtype)
    return scaled(rows, measure.words)


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]
def _random_rows(size: int, seed: int) -> torch.Tensor:
    """The random universe; a compiled graph takes it as a constant: (size, size)."""
    return torch.from_numpy(random_universe(size, seed=seed))
