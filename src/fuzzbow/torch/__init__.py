"""Fuzzy set similarities as differentiable PyTorch functions, a layer and an all-pairs kernel.

`similarity` compares sets pair by pair, `matrix` all with all, `above` and `top_k` keep only
the best pairs; `FuzzySimilarity` is the layer. Sets are padded batches, (n, k, d) with a
mask, or nested tensors.
"""

from fuzzbow.errors import MissingExtraError

try:
    import torch as _torch  # noqa: F401
except ImportError as error:
    raise MissingExtraError("torch", "torch") from error

from fuzzbow.torch.api import FuzzySimilarity, above, matrix, similarity, top_k

__all__ = ["FuzzySimilarity", "above", "matrix", "similarity", "top_k"]
