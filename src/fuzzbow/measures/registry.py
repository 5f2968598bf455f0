"""Registry of measures by name; a new measure is registered only here."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial

from fuzzbow.encoding import Texts
from fuzzbow.engine import Bm25Options, Engine
from fuzzbow.errors import InputError, nearest
from fuzzbow.fuzzy import COVERAGE, SET_SIMILARITIES, Pooling, Universe
from fuzzbow.measures import baselines
from fuzzbow.measures.baselines import LoopMeasure, Score, sif_pca
from fuzzbow.measures.bm25 import fuzzy_bm25
from fuzzbow.measures.compose import compose
from fuzzbow.measures.measure import Ability, CustomMeasure, Factory, Measure, MeasureFactory
from fuzzbow.measures.space import WordSpace
from fuzzbow.measures.words import WORDS, Words, paper_words

DEFAULT_MEASURE = "weighted-jaccard"

# words (None: by the model's weights), universe and pooling
Parts = tuple[str | None, Universe, Pooling]


def prefixes_of(words: Mapping[str, type[Words]]) -> dict[str, Parts]:
    """Return the prefixes of measure names and the parts that they stand for."""
    named = (name for name, made in words.items() if made.names_measures)
    return {name: (name, Universe.DYNAMIC, Pooling.MAX) for name in named}


PREFIXES: dict[str, Parts] = {  # of measures' names
    **prefixes_of(WORDS),
    **{f"dyna{pooling.value}": (None, Universe.DYNAMIC, pooling) for pooling in Pooling},
    **{pooling.value: (None, Universe.IDENTITY, pooling) for pooling in Pooling},
    "randommax": (None, Universe.RANDOM, Pooling.MAX),
    "pcamax": (None, Universe.PRINCIPAL_AXES, Pooling.MAX),
    "kmeansmax": (None, Universe.KMEANS, Pooling.MAX),
    "vocabmax": (None, Universe.VOCABULARY, Pooling.MAX),
}


def composed(prefixes: Mapping[str, Parts]) -> dict[str, Factory]:
    """Compose every prefix with every set similarity."""
    made: dict[str, Factory] = {}
    for prefix, (words, universe, pooling) in prefixes.items():
        by_query = words is not None and WORDS[words].covers_by_query
        for similarity in SET_SIMILARITIES.values():
            name = f"{prefix}-{similarity.name}"
            made[name] = compose(
                words=words,
                # how much of the query a document holds: elements are the query's words alone
                universe=Universe.QUERY if by_query and similarity == COVERAGE else universe,
                pooling=pooling,
                similarity=similarity,
                name=name,
            )
    return made


def _crisp(name: str, *, bag: bool) -> Factory:
    """Return a factory of a measure that counts equal words, and needs no vectors."""
    scorer = partial(baselines.crisp_jaccard, bag=bag)
    return Factory(lambda space, engine: LoopMeasure(name, scorer, uses_vectors=False), name)


def _soft(name: str, scorer: Callable[[Words, Texts], Score]) -> Factory:
    """Return a factory of a measure that compares the vectors of words, pair by pair."""
    return Factory(
        lambda space, engine: LoopMeasure(name, partial(scorer, paper_words(space, engine))), name
    )


MEASURES: dict[str, Factory] = {
    **composed(PREFIXES),
    **{
        factory.name: factory
        for factory in (
            fuzzy_bm25(),
            _crisp("set-jaccard", bag=False),
            _crisp("bag-jaccard", bag=True),
            _soft("wmd", baselines.word_movers),
            _soft("soft-cardinality", baselines.soft_cardinality),
            _soft("soft-cosine", baselines.soft_cosine),
            sif_pca(),
        )
    },
}

# measures that take parameters in their names: fuzzy-bm25(k1=1.2, b=0.5)
PARAMETRIC: dict[str, Callable[..., Factory]] = {"fuzzy-bm25": fuzzy_bm25}
PARAMETERS: dict[str, float] = asdict(Bm25Options())

# one line each for people who choose a measure; only for measures that need no long preparation,
# such as clustering the vocabulary, and whose scores take no long search, as wmd's do
MEANINGS = {
    "weighted-jaccard": "Shared meaning over all meaning; informative words count more,"
    " numbers must agree, unknown words are compared by their letters.",
    "weighted-coverage": "Share of the first text that is found in the second; words as in"
    " weighted-jaccard.",
    "weighted-overlap": "Shared meaning over the size of the smaller text; words as in"
    " weighted-jaccard.",
    "fuzzy-bm25": "How often words like those of a query occur in a document: search, by the"
    " texts of an index or the columns of a matrix.",
    "records-otsuka": "For names and numbers of things: shared meaning over the geometric mean"
    " of both texts' sizes; a code such as KX-TGA450B matches only itself.",
    "names-jaccard": "For names of people: words compared by their letters, however they are spelt"
    " and in whatever order; an initial is like a name that it begins.",
    "dynamax-jaccard": "Shared meaning over all meaning: each word counts as much as its best"
    " match in the other text.",
    "dynamax-otsuka": "Shared meaning over the geometric mean of both texts' sizes;"
    " less sensitive to unequal length.",
    "dynamax-dice": "Twice the shared meaning over the sum of both texts' sizes.",
    "dynamax-cosine": "The angle between both texts' degrees of membership of all the words.",
    "max-jaccard": "Each dimension of the vector space keeps its largest value; shared over all.",
    "avg-cosine": "The usual baseline: the angle between averaged word vectors.",
    "set-jaccard": "Words in common over all words: compares spelling, not meaning.",
    "bag-jaccard": "Words in common over all words, with repeated words counted.",
}


def names_with(ability: Ability) -> list[str]:
    """List the measures with an ability; `dynamax-*` means all of a prefix."""
    able = {name: name for name, factory in MEASURES.items() if ability in factory.abilities}
    for prefix in PREFIXES:
        whole = [name for name in MEASURES if name.startswith(f"{prefix}-")]
        if able.keys() >= set(whole):
            able |= dict.fromkeys(whole, f"{prefix}-*")
    return list(dict.fromkeys(able.values()))


def build_measure(
    choice: str | Measure | MeasureFactory, space: WordSpace, engine: Engine
) -> Measure:
    """Build a measure by its name or factory; a measure is returned unchanged."""
    if isinstance(choice, str):
        choice = find_factory(choice)
    if isinstance(choice, Measure):
        return choice
    like_one = all(hasattr(choice, part) for part in ("name", "pairs", "matrix"))
    if like_one and not isinstance(choice, type):
        return CustomMeasure(choice)
    if not callable(choice):
        raise InputError(f"measure must be a name, a measure or a factory; got {type(choice)}")
    try:
        inspect.signature(choice).bind(space, engine)
    except TypeError as error:
        raise _no_factory(choice, str(error)) from error
    except ValueError:  # some classes have no signature
        pass
    measure = choice(space, engine)
    if not isinstance(measure, Measure):
        raise _no_factory(choice, f"this one gave {type(measure).__name__}")
    if space.by_collection and not measure.uses_collection:
        raise InputError(
            "counts 'collection' weigh the words of weighted-* and fuzzy-bm25;"
            f" {measure.name} has no such weights"
        )
    return measure


def _no_factory(factory: object, reason: str) -> InputError:
    name = getattr(factory, "__name__", type(factory).__name__)
    return InputError(
        f"measure must be a name, a measure, or a function of word space and engine that gives a"
        f" measure, as fuzzbow.measures.compose makes one; {name}: {reason}. A formula of your own"
        f" is an object with name, pairs and matrix"
    )


def find_factory(name: str) -> Factory:
    """Return the factory of a name, which may hold parameters: fuzzy-bm25(k1=1.2, b=0.5)."""
    if name in MEASURES:
        return MEASURES[name]
    base, _, inside = name.partition("(")
    if base not in PARAMETRIC:
        single = [known for known in MEASURES if known.partition("-")[0] not in PREFIXES]
        raise InputError(
            f"measure must be one of {', '.join(single)}, or"
            f" {{{'|'.join(PREFIXES)}}}-{{{'|'.join(SET_SIMILARITIES)}}};"
            f" got {name!r}{nearest(name, MEASURES)}"
        )
    try:
        pairs = [part.partition("=") for part in inside.removesuffix(")").split(",")]
        given = {key.strip(): float(value) for key, _, value in pairs}
    except ValueError:
        given = {"": 0.0}
    if not name.endswith(")") or not given.keys() <= PARAMETERS.keys():
        example = ", ".join(f"{key}={value:g}" for key, value in PARAMETERS.items())
        raise InputError(f"parameters must be given as in {base}({example}); got {name!r}")
    return PARAMETRIC[base](**given, name=name)


def has_name(measure: object) -> bool:
    """Return whether a measure can be found by its name."""
    if not isinstance(measure, str):
        return False
    return measure in MEASURES or measure.partition("(")[0] in PARAMETRIC
