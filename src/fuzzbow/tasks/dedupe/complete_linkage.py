"""Complete linkage: groups in which every two texts are a pair.

The textbook's agglomeration, cut at the threshold: again and again the two groups with the
largest similarity become one, where the similarity of two groups is the smallest of any
of their texts, and nothing where some two of them are no pair. Equal similarities go by
the smaller first text, then by the smaller second one.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterator

import numpy as np

from fuzzbow.arrays import Booleans, Floats, Integers, read_only
from fuzzbow.tasks.dedupe.groups import shortened
from fuzzbow.tasks.dedupe.pairs import PairArrays

Parts = Callable[[], Iterator[PairArrays]]  # the pairs, from the start at each call


def complete_labels(components: Integers, nodes: Integers, parts: Parts) -> Integers:
    """The smallest node of each node's group: (n,), (nodes in use,), pairs -> (n,).

    `components`, (n,), are the connected components; the pairs of those that are not
    complete as they stand are held in memory.
    """
    loose = _incomplete(components, nodes, parts)
    labels = components.copy()
    if not loose.any():
        return read_only(labels)
    labels[nodes] = np.where(loose[components[nodes]], nodes, components[nodes])
    for left, right, scores in _by_component(components, loose, parts):
        for kept, gone in _merges(left, right, scores):
            labels[gone] = kept  # and so, below, whatever is under it
    return read_only(shortened(labels))


def _incomplete(components: Integers, nodes: Integers, parts: Parts) -> Booleans:
    """Whether some two nodes of a component are no pair, by the component's label: (n,)."""
    total = len(components)
    sizes = np.bincount(components[nodes], minlength=total)
    found = np.zeros(total, dtype=np.int64)
    for part in parts():
        found += np.bincount(components[part.left[~part.exact]], minlength=total)
    return np.asarray(found < sizes * (sizes - 1) // 2)


def _by_component(
    components: Integers, loose: Booleans, parts: Parts
) -> Iterator[tuple[Integers, Integers, Floats]]:
    """The pairs of each component that is not complete."""
    chosen = [part.where(loose[components[part.left]] & ~part.exact) for part in parts()]
    left, right, scores = (
        np.concatenate([getattr(part, name) for part in chosen])
        for name in ("left", "right", "score")
    )
    owner = components[left]
    order = np.argsort(owner, kind="stable")
    cuts = np.flatnonzero(np.diff(owner[order])) + 1
    for place in np.split(order, cuts):
        yield left[place], right[place], scores[place]


def _merges(left: Integers, right: Integers, scores: Floats) -> Iterator[tuple[int, int]]:
    """Which group goes into which, by their first texts, in the order of merging."""
    heap = list(zip((-scores).tolist(), left.tolist(), right.tolist(), strict=True))
    links: dict[int, dict[int, float]] = defaultdict(dict)  # by group: distance to others
    for distance, a, b in heap:
        links[a][b] = links[b][a] = distance
    heapq.heapify(heap)
    while heap:
        distance, a, b = heapq.heappop(heap)
        if a not in links or links[a].get(b) != distance:
            continue  # one of the two is gone, or has grown apart
        yield a, b
        of_a, of_b = links.pop(a), links.pop(b)
        for other in of_a:
            if other != b:
                del links[other][a]
        for other in of_b:
            if other != a:
                del links[other][b]
        links[a] = {other: max(of_a[other], of_b[other]) for other in of_a.keys() & of_b.keys()}
        for other, distance in links[a].items():
            links[other][a] = distance
            heapq.heappush(heap, (distance, min(a, other), max(a, other)))
