"""Encode words and sentences with the sentence model all-MiniLM-L6-v2 (a BERT of six layers).

Only `torch`, `tokenizers` and `safetensors` are needed. Texts are batched by their number of
word pieces, so nothing is padded and no mask is needed. On a GPU it computes in float16.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch.nn import functional

Weights = dict[str, torch.Tensor]


class SentenceEncoder:
    """Mean of the last hidden states over all pieces, [CLS] and [SEP] included."""

    def __init__(self, folder: Path, device: str = "cpu") -> None:
        self.config = json.loads((folder / "config.json").read_text("utf-8"))
        pooling = json.loads((folder / "1_Pooling" / "config.json").read_text("utf-8"))
        if self.config["hidden_act"] != "gelu" or not pooling["pooling_mode_mean_tokens"]:
            raise ValueError(f"{folder} is not a BERT with gelu and mean pooling")
        kind = torch.float32 if device == "cpu" else torch.float16
        self.device = device
        self.weights: Weights = {
            name: table.to(device, kind) if table.is_floating_point() else table
            for name, table in load_file(folder / "model.safetensors").items()
        }
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        limit = json.loads((folder / "sentence_bert_config.json").read_text("utf-8"))
        self.tokenizer.enable_truncation(limit["max_seq_length"])

    def encode(self, texts: list[str], *, batch_tokens: int = 4096) -> np.ndarray:
        """Pooled, not normalised: n texts -> (n, hidden) float32."""
        pieces = [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]
        pooled = np.empty((len(texts), self.config["hidden_size"]), dtype=np.float32)
        with torch.inference_mode():
            for rows in _batches([len(ids) for ids in pieces], batch_tokens):
                batch = torch.tensor([pieces[row] for row in rows], device=self.device)
                pooled[rows] = self._hidden_states(batch).float().mean(dim=1).cpu().numpy()
        return pooled

    def _hidden_states(self, pieces: torch.Tensor) -> torch.Tensor:
        """(batch, length) ids -> (batch, length, hidden)."""
        table = self.weights
        hidden = (
            table["embeddings.word_embeddings.weight"][pieces]
            + table["embeddings.position_embeddings.weight"][: pieces.shape[1]]
            + table["embeddings.token_type_embeddings.weight"][0]
        )
        hidden = self._norm(hidden, "embeddings.LayerNorm")
        for number in range(self.config["num_hidden_layers"]):
            hidden = self._layer(hidden, f"encoder.layer.{number}")
        return hidden

    def _layer(self, hidden: torch.Tensor, name: str) -> torch.Tensor:
        attended = self._linear(self._attention(hidden, name), f"{name}.attention.output.dense")
        hidden = self._norm(hidden + attended, f"{name}.attention.output.LayerNorm")
        inner = functional.gelu(self._linear(hidden, f"{name}.intermediate.dense"))
        outer = self._linear(inner, f"{name}.output.dense")
        return self._norm(hidden + outer, f"{name}.output.LayerNorm")

    def _attention(self, hidden: torch.Tensor, name: str) -> torch.Tensor:
        batch, length, width = hidden.shape
        heads = self.config["num_attention_heads"]

        def split(part: str) -> torch.Tensor:
            projected = self._linear(hidden, f"{name}.attention.self.{part}")
            return projected.view(batch, length, heads, width // heads).transpose(1, 2)

        mixed = functional.scaled_dot_product_attention(
            split("query"), split("key"), split("value")
        )
        return mixed.transpose(1, 2).reshape(batch, length, width)

    def _linear(self, values: torch.Tensor, name: str) -> torch.Tensor:
        return functional.linear(
            values, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        )

    def _norm(self, values: torch.Tensor, name: str) -> torch.Tensor:
        weight, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        return functional.layer_norm(
            values, weight.shape, weight, bias, self.config["layer_norm_eps"]
        )


def _batches(lengths: list[int], batch_tokens: int) -> Iterator[np.ndarray]:
    """Row numbers in batches of equal length, at most `batch_tokens` pieces in each."""
    sizes = np.asarray(lengths)
    for length in np.unique(sizes):
        rows = np.flatnonzero(sizes == length)
        step = max(1, batch_tokens // int(length))
        for start in range(0, len(rows), step):
            yield rows[start : start + step]
