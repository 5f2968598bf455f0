"""Small ragged batches for tests."""

from __future__ import annotations

import torch


def batch(
    lengths: list[int], *, d: int = 3, dtype: torch.dtype = torch.float64, seed: int = 0
) -> tuple[torch.Tensor, torch.Tensor]:
    """Words of sets of these lengths and their mask; padding is huge, to be seen if it counts."""
    random = torch.Generator().manual_seed(seed)
    room = max(lengths, default=0)
    mask = torch.arange(room) < torch.tensor(lengths, dtype=torch.long)[:, None]
    words = torch.randn((len(lengths), room, d), generator=random, dtype=torch.float64)
    return torch.where(mask[..., None], words, 100.0).to(dtype), mask


def numbers(mask: torch.Tensor, *, seed: int = 0) -> torch.Tensor:
    """Weights or counts for a batch of that mask: (n, k)."""
    random = torch.Generator().manual_seed(seed)
    return torch.rand(mask.shape, generator=random, dtype=torch.float64) + 0.1
