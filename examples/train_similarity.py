"""Train vectors and weights of words, with `FuzzySimilarity` as the score.

    python examples/train_similarity.py STS/stsb --figure docs/assets/training.svg

The folder has sts-train.csv and sts-dev.csv of the STS benchmark. What is learned is a linear map
of the embedded word vectors, which starts as the identity, and a weight for each word, which
starts as the one that its vector has. The loss is a batch's correlation with what people said;
the pairs of the other file say how well that carries over. Needs "fuzzbow[torch]", and matplotlib
for the figure.
"""

from __future__ import annotations

import argparse
import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

import fuzzbow
from fuzzbow.torch import FuzzySimilarity

BATCH = 256


@dataclass(frozen=True)
class Pairs:
    """Sentences by the numbers of their words, 0 behind the last; what people said: (n,)."""

    left: torch.Tensor  # (n, k)
    right: torch.Tensor  # (n, l)
    gold: torch.Tensor

    def batches(self, random: torch.Generator | None = None) -> Iterator[Pairs]:
        """Pairs of about the same length together, cut to that; shuffled by a generator."""
        parts = torch.arange(len(self.gold)).split(BATCH)
        shuffled = None if random is None else torch.randperm(len(parts), generator=random)
        for part in range(len(parts)) if shuffled is None else shuffled.tolist():
            sides = (side[parts[part]] for side in (self.left, self.right))
            left, right = (side[:, : max(1, int((side > 0).sum(1).max()))] for side in sides)
            yield Pairs(left, right, self.gold[parts[part]])


class Scorer(torch.nn.Module):
    """The similarity of two sentences, over vectors that can be learned."""

    def __init__(self, vectors: torch.Tensor) -> None:
        super().__init__()
        self.register_buffer("vectors", torch.nn.functional.pad(vectors, (0, 0, 1, 0)))
        self.map = torch.nn.Parameter(torch.eye(vectors.shape[1]))
        # an embedded vector is as long as the root of its word's weight
        weights = self.vectors.square().sum(1).clamp(min=1e-6)
        self.log_weights = torch.nn.Parameter(weights.log())
        self.similarity = FuzzySimilarity(word_similarity="cosine")

    def forward(self, pairs: Pairs) -> torch.Tensor:
        """Scores: (n,)."""
        sides = pairs.left, pairs.right
        X, Y = (self.vectors[side] @ self.map for side in sides)
        weights = tuple(self.log_weights[side].exp() for side in sides)
        x_mask, y_mask = (side > 0 for side in sides)
        return self.similarity(X, Y, x_mask=x_mask, y_mask=y_mask, weights=weights)


def read_pairs(path: Path, numbers: dict[str, int], most: int | None = None) -> Pairs:
    """The pairs of a file of the STS benchmark; words without a vector are left out."""
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))[:most]
    rows.sort(key=lambda row: len(row[5]) + len(row[6]))
    sides = [
        torch.nn.utils.rnn.pad_sequence(
            [_numbers_of(row[column], numbers) for row in rows], batch_first=True
        )
        for column in (5, 6)
    ]
    return Pairs(*sides, torch.tensor([float(row[4]) for row in rows]))


def _numbers_of(sentence: str, numbers: dict[str, int]) -> torch.Tensor:
    """The numbers of a sentence's words that have a vector: (k,)."""
    words = re.findall(r"\w+", sentence.lower())
    return torch.tensor([numbers[word] for word in words if word in numbers], dtype=torch.long)


def correlation(scores: torch.Tensor, gold: torch.Tensor) -> torch.Tensor:
    """Pearson's."""
    a, b = scores - scores.mean(), gold - gold.mean()
    return (a * b).sum() / (a.norm() * b.norm()).clamp(min=1e-12)


def evaluate(scorer: Scorer, pairs: Pairs) -> float:
    """The correlation of all pairs."""
    with torch.inference_mode():
        return float(correlation(torch.cat([scorer(part) for part in pairs.batches()]), pairs.gold))


def train(scorer: Scorer, learned: Pairs, held: Pairs, epochs: int) -> list[tuple[float, float]]:
    """Learn; the correlation with the learned and the held-out pairs before and at each epoch."""
    optimiser = torch.optim.Adam(
        [{"params": [scorer.map], "lr": 5e-4}, {"params": [scorer.log_weights], "lr": 2e-2}]
    )
    random = torch.Generator().manual_seed(0)
    curve = [(evaluate(scorer, learned), evaluate(scorer, held))]
    for _ in range(epochs):
        for part in learned.batches(random):
            optimiser.zero_grad()
            (1 - correlation(scorer(part), part.gold)).backward()
            optimiser.step()
        curve.append((evaluate(scorer, learned), evaluate(scorer, held)))
        print(f"epoch {len(curve) - 1}: learned {curve[-1][0]:.3f}, held out {curve[-1][1]:.3f}")
    return curve


def draw(curve: Sequence[tuple[float, float]], path: Path) -> None:
    """The curve as a figure."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context({"svg.hashsalt": "fuzzbow", "font.size": 9}):
        figure = Figure(figsize=(5, 2.8), layout="constrained")
        axes = figure.subplots()
        for values, name in zip(zip(*curve, strict=True), ("learned", "held out"), strict=True):
            axes.plot(range(len(values)), [100 * value for value in values], marker="o", label=name)
        axes.set(xlabel="epoch", ylabel="Pearson × 100", xticks=range(len(curve)))
        axes.legend(frameon=False)
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def main(arguments: Sequence[str] | None = None) -> list[tuple[float, float]]:
    """Read, train, draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="with sts-train.csv and sts-dev.csv")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--pairs", type=int, help="of each file; all unless given")
    parser.add_argument("--figure", type=Path, help="where the curve goes, .svg or .png")
    options = parser.parse_args(arguments)
    vectors = fuzzbow.load().vectors
    numbers = {word: place for place, word in enumerate(vectors.words, 1)}
    learned, held = (
        read_pairs(options.folder / name, numbers, options.pairs)
        for name in ("sts-train.csv", "sts-dev.csv")
    )
    scorer = Scorer(torch.tensor(vectors.matrix, dtype=torch.float32))
    curve = train(scorer, learned, held, options.epochs)
    print(f"held out: {100 * curve[0][1]:.1f} before, {100 * curve[-1][1]:.1f} after")
    if options.figure is not None:
        draw(curve, options.figure)
    return curve


if __name__ == "__main__":
    main()
