"""Every measure by name. A new one is registered here, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable

from fuzzbow.engine import Engine
from fuzzbow.errors import InputError, nearest
from fuzzbow.fuzzy import Pooling, SetSimilarity, Universe
from fuzzbow.measures.compose import compose
from fuzzbow.measures.crisp import CrispJaccard
from fuzzbow.measures.protocol import Measure, MeasureFactory
from fuzzbow.measures.sif import sif_pca
from fuzzbow.measures.soft import SoftCardinality, SoftCosine
from fuzzbow.measures.space import WordSpace
from fuzzbow.measures.transport import WordMovers
from fuzzbow.measures.weighted import weighted_jaccard
from fuzzbow.vectors.weights import Weights

DEFAULT_MEASURE = "weighted-jaccard"

# measures that weigh words by definition; a scaling on top would weigh them twice
SELF_WEIGHING = ("weighted-jaccard", "sif-pca")

PREFIXES: dict[str, tuple[Universe, Pooling]] = {
    **{f"dyna{pooling.value}": (Universe.DYNAMIC, pooling) for pooling in Pooling},
    **{pooling.value: (Universe.IDENTITY, pooling) for pooling in Pooling},
    "randommax": (Universe.RANDOM, Pooling.MAX),
    "pcamax": (Universe.PRINCIPAL_AXES, Pooling.MAX),
    "kmeansmax": (Universe.KMEANS, Pooling.MAX),
    "vocabmax": (Universe.VOCABULARY, Pooling.MAX),
}

MEASURES: dict[str, MeasureFactory] = {
    DEFAULT_MEASURE: weighted_jaccard(),
    **{
        f"{prefix}-{similarity.value}": compose(
            universe=universe,
            pooling=pooling,
            similarity=similarity,
            name=f"{prefix}-{similarity.value}",
        )
        for prefix, (universe, pooling) in PREFIXES.items()
        for similarity in SetSimilarity
    },
    "set-jaccard": lambda space, engine: CrispJaccard("set-jaccard", bag=False),
    "bag-jaccard": lambda space, engine: CrispJaccard("bag-jaccard", bag=True),
    "wmd": lambda space, engine: WordMovers(space),
    "soft-cardinality": lambda space, engine: SoftCardinality(space),
    "soft-cosine": lambda space, engine: SoftCosine(space),
    "sif-pca": sif_pca(),
}


def build_measure(
    choice: str | Measure | MeasureFactory, space: WordSpace, engine: Engine
) -> Measure:
    """The measure of that name, of that factory, or the given one itself."""
    if isinstance(choice, str):
        factory = _factory(choice)
        if choice in SELF_WEIGHING and space.weights is not Weights.NONE:
            raise InputError(
                f"{choice} weighs words by itself; weights must be none; got"
                f" {space.weights.value!r} (dynamax-jaccard takes weights)"
            )
        return factory(space, engine)
    if isinstance(choice, Measure):
        return choice
    if callable(choice):
        return choice(space, engine)
    raise InputError(f"measure must be a name, a measure or a factory; got {type(choice)}")


def _factory(name: str) -> Callable[[WordSpace, Engine], Measure]:
    """The factory of a name, or an error that lists the kinds of names."""
    if name in MEASURES:
        return MEASURES[name]
    single = [known for known in MEASURES if known.partition("-")[0] not in PREFIXES]
    raise InputError(
        f"measure must be one of {', '.join(single)}, or"
        f" {{{'|'.join(PREFIXES)}}}-{{{'|'.join(kind.value for kind in SetSimilarity)}}};"
        f" got {name!r}{nearest(name, MEASURES)}"
    )
