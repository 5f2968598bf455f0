"""Vectors of words outside the vocabulary, from n-grams or from a tokenizer's pieces."""

from fuzzbow.vectors.subwords.inference import Inference, NgramInference
from fuzzbow.vectors.subwords.pieces import PieceInference

__all__ = ["Inference", "NgramInference", "PieceInference"]
