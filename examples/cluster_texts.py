"""Cluster texts by DBSCAN over the exact graph of their neighbours.

    python examples/cluster_texts.py                     # 100,000 made-up texts
    python examples/cluster_texts.py titles.txt          # a text a line

Made-up texts are versions of stories, ten words each, in any order and with one word changed; so
it can be said how well the stories are found. Needs "fuzzbow[sklearn]".
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sklearn.cluster import DBSCAN
from sklearn.metrics import adjusted_rand_score

import fuzzbow
from fuzzbow.integrations.sklearn import FuzzyNeighborsTransformer

VERSIONS = 5  # of each story


def made_up(count: int, words: Sequence[str], seed: int = 0) -> tuple[list[str], list[int]]:
    """Versions of stories, and which story each tells: texts, (n,)."""
    random = np.random.default_rng(seed)
    usable = [word for word in words[300:20_000] if word.isalpha() and len(word) > 3]
    stories = [place // VERSIONS for place in range(count)]
    told = random.integers(len(usable), size=(count // VERSIONS + 1, 10))
    texts = []
    for story in stories:
        version = random.permutation(told[story])
        version[0] = random.integers(len(usable))
        texts.append(" ".join(usable[word] for word in version))
    return texts, stories


def cluster(texts: Sequence[str], model: fuzzbow.Model, threshold: float) -> np.ndarray:
    """The cluster of each text, -1 for those that are like no other: (n,)."""
    neighbours = FuzzyNeighborsTransformer(model, threshold=threshold)
    graph = neighbours.fit_transform(texts)
    return DBSCAN(eps=1 - threshold, min_samples=2, metric="precomputed").fit_predict(graph)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", type=Path, help="a text a line; made up unless given")
    parser.add_argument("--texts", type=int, default=100_000, help="how many to make up")
    parser.add_argument(
        "--threshold", type=float, default=0.6, help="the least score of neighbours"
    )
    options = parser.parse_args(arguments)
    model = fuzzbow.load()
    stories = None
    if options.file is None:
        texts, stories = made_up(options.texts, model.vectors.words)
    else:
        texts = options.file.read_text("utf-8").splitlines()
    start = time.perf_counter()
    labels = cluster(texts, model, options.threshold)
    seconds = time.perf_counter() - start
    alone = int((labels == -1).sum())
    count = labels.max(initial=-1) + 1
    print(f"{len(texts)} texts: {count} clusters, {alone} alone, {seconds:.1f} s")
    if stories is not None:
        print(f"adjusted Rand index with the stories: {adjusted_rand_score(stories, labels):.3f}")


if __name__ == "__main__":
    main()
