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
from fuzzbow.measures.baselines import LoopMeasure, Score
from fuzzbow.measures.bm25 import fuzzy_bm25
from fuzzbow.measures.collection_measure import CollectionMeasure
from fuzzbow.measures.compose import compose
from fuzzbow.measures.measure import Ability, CustomMeasure, Measure, MeasureFactory
from fuzzbow.measures.sif import SifPca
from fuzzbow.measures.space import WordSpace
from fuzzbow.measures.words import WORDS, Words, paper_words
from fuzzbow.vectors.weights import Weights

DEFAULT_MEASURE = "weighted-jaccard"

Prefixes = dict[str, tuple[str | None, Universe, Pooling]]


def prefixes_of(words: Mapping[str, type[Words]]) -> Prefixes:
    """Return the prefixes of measures' names for each maker of words."""
    named = (name for name, made in words.items() if made.names_measures)
    return {name: (name, Universe.DYNAMIC, Pooling.MAX) for name in named}


# prefix of a measure's name -> words (None: by the model's weights), universe and pooling
PREFIXES: Prefixes = {
    **prefixes_of(WORDS),
    **{f"dyna{pooling.value}": (None, Universe.DYNAMIC, pooling) for pooling in Pooling},
    **{pooling.value: (None, Universe.IDENTITY, pooling) for pooling in Pooling},
    "randommax": (None, Universe.RANDOM, Pooling.MAX),
    "pcamax": (None, Universe.PRINCIPAL_AXES, Pooling.MAX),
    "kmeansmax": (None, Universe.KMEANS, Pooling.MAX),
    "vocabmax": (None, Universe.VOCABULARY, Pooling.MAX),
}


def composed(prefixes: Prefixes) -> dict[str, MeasureFactory]:
    """Compose every prefix with every set similarity."""
    made: dict[str, MeasureFactory] = {}
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


def _crisp(name: str, *, bag: bool) -> MeasureFactory:
    """Return a factory of a measure that counts equal words, and needs no vectors."""
    scorer = partial(baselines.crisp_jaccard, bag=bag)
    return lambda space, engine: LoopMeasure(name, scorer, uses_vectors=False)


def _soft(name: str, scorer: Callable[[Words, Texts], Score]) -> MeasureFactory:
    """Return a factory of a measure that compares the vectors of words, pair by pair."""
    return lambda space, engine: LoopMeasure(name, partial(scorer, paper_words(space, engine)))


MEASURES: dict[str, MeasureFactory] = {
    **composed(PREFIXES),
    "fuzzy-bm25": fuzzy_bm25(),
    "set-jaccard": _crisp("set-jaccard", bag=False),
    "bag-jaccard": _crisp("bag-jaccard", bag=True),
    "wmd": _soft("wmd", baselines.word_movers),
    "soft-cardinality": _soft("soft-cardinality", baselines.soft_cardinality),
    "soft-cosine": _soft("soft-cosine", baselines.soft_cosine),
    "sif-pca": SifPca,
}

# measures that take parameters in their names: fuzzy-bm25(k1=1.2, b=0.5)
PARAMETRIC: dict[str, Callable[..., MeasureFactory]] = {"fuzzy-bm25": fuzzy_bm25}
PARAMETERS: dict[str, float] = asdict(Bm25Options())

# one line each for people who choose a measure; only for measures that need no long preparation,
# such as clustering the vocabulary, and whose scores take no long search, as wmd's do
MEANINGS = {
    "weighted-jaccard": "Shared meaning over all meaning; telling words count more,"
    " numbers must agree, unknown words are compared by their letters.",
    "weighted-coverage": "How much of the first text is found in the second; words as in"
    " weighted-jaccard.",
    "weighted-overlap": "Shared meaning over the size of the smaller text; words as in"
    " weighted-jaccard.",
    "fuzzy-bm25": "How often words like those of a query occur in a document: search, by the"
    " texts of an index or the columns of a matrix.",
    "records-otsuka": "For names and numbers of things: shared meaning over the geometric mean"
    " of both texts' sizes; a code such as KX-TGA450B is like nothing but itself.",
    "names-jaccard": "For names of people: words compared by their letters, however they are spelt"
    " and in whatever order; an initial is like a name that it begins.",
    "dynamax-jaccard": "Shared meaning over all meaning: each word counts as much as its best"
    " match in the other text.",
    "dynamax-otsuka": "Shared meaning over the geometric mean of both texts' sizes;"
    " kinder to texts of unequal length.",
    "dynamax-dice": "Twice the shared meaning over the sum of both texts' sizes.",
    "dynamax-cosine": "The angle between both texts' degrees of membership of all the words.",
    "max-jaccard": "Each dimension of the vector space keeps its largest value; shared over all.",
    "avg-cosine": "The usual baseline: the angle between averaged word vectors.",
    "set-jaccard": "Words in common over all words: spelling decides, meaning does not.",
    "bag-jaccard": "The same as set-jaccard with repeated words counted.",
}


def names_with(ability: Ability) -> list[str]:
    """List the measures with an ability; `dynamax-*` means all of a prefix."""
    able = [name for name, factory in MEASURES.items() if ability in abilities_of(factory)]
    short = []
    for name in able:
        prefix = name.partition("-")[0]
        all_of = [known for known in MEASURES if known.startswith(f"{prefix}-")]
        whole = prefix in PREFIXES and set(all_of) <= set(able)
        short.append(f"{prefix}-*" if whole else name)
    return list(dict.fromkeys(short))


def abilities_of(factory: MeasureFactory) -> frozenset[Ability]:
    """Return the abilities of a factory's measures, which the factory declares."""
    found: frozenset[Ability] = getattr(factory, "abilities", frozenset())
    return found


def scalings_of(factory: MeasureFactory) -> frozenset[Weights]:
    """Return the weights that a model may have with the measures of a factory."""
    found: frozenset[Weights] = getattr(factory, "scalings", frozenset(Weights))
    return found


def uses_collection(name: str) -> bool:
    """Return whether a collection may decide the weights of words under the measure of a name."""
    return bool(getattr(find_factory(name), "uses_collection", False))


def build_measure(
    choice: str | Measure | MeasureFactory, space: WordSpace, engine: Engine
) -> Measure:
    """Return the measure of a name or of a factory, or the given one itself."""
    if isinstance(choice, str):
        choice = find_factory(choice)
    if isinstance(choice, Measure):
        return choice
    like_one = all(hasattr(choice, part) for part in ("name", "pairs", "matrix"))
    if like_one and not isinstance(choice, type):
        return CustomMeasure(choice)
    if callable(choice):
        return _for_space(choice, space, engine)
    raise InputError(f"measure must be a name, a measure or a factory; got {type(choice)}")


def _for_space(factory: MeasureFactory, space: WordSpace, engine: Engine) -> Measure:
    """Build the measure of a factory, with a collection where the model's counts say so."""
    try:
        inspect.signature(factory).bind(space, engine)
    except TypeError as error:
        raise _no_factory(factory, str(error)) from error
    except ValueError:  # some classes have no signature
        pass
    measure = factory(space, engine)
    if not isinstance(measure, Measure):
        raise _no_factory(factory, f"this one gave {type(measure).__name__}")
    if not space.by_collection:
        return measure
    if not measure.uses_collection:
        raise InputError(
            "counts 'collection' weigh the words of weighted-* and fuzzy-bm25;"
            f" {measure.name} has no such weights"
        )
    if measure.depends_on_batch:  # it uses the texts of a call
        return measure
    return CollectionMeasure(factory, space, engine)


def _no_factory(factory: object, reason: str) -> InputError:
    name = getattr(factory, "__name__", type(factory).__name__)
    return InputError(
        f"measure must be a name, a measure, or a function of word space and engine that gives a"
        f" measure, as fuzzbow.measures.compose makes one; {name}: {reason}. A formula of your own"
        f" is an object with name, pairs and matrix"
    )


def find_factory(name: str) -> MeasureFactory:
    """Return the factory of a name, or raise an error that lists the kinds of names."""
    if name in MEASURES:
        return MEASURES[name]
    if name.partition("(")[0] in PARAMETRIC:
        return _with_parameters(name)
    single = [known for known in MEASURES if known.partition("-")[0] not in PREFIXES]
    raise InputError(
        f"measure must be one of {', '.join(single)}, or"
        f" {{{'|'.join(PREFIXES)}}}-{{{'|'.join(SET_SIMILARITIES)}}};"
        f" got {name!r}{nearest(name, MEASURES)}"
    )


def _with_parameters(name: str) -> MeasureFactory:
    """Return the factory of a name such as fuzzy-bm25(k1=1.2, b=0.5)."""
    base, _, inside = name.partition("(")
    example = f"{base}({', '.join(f'{key}={value:g}' for key, value in PARAMETERS.items())})"
    given: dict[str, float] = {}
    for part in inside.removesuffix(")").split(","):
        key, _, value = part.partition("=")
        try:
            given[key.strip()] = float(value)
        except ValueError:
            raise InputError(f"parameters must be given as in {example}; got {name!r}") from None
    if not name.endswith(")") or not given.keys() <= PARAMETERS.keys():
        raise InputError(f"parameters must be given as in {example}; got {name!r}")
    return PARAMETRIC[base](**given, name=name)


def has_name(measure: object) -> bool:
    """Return whether a measure can be found by its name."""
    if not isinstance(measure, str):
        return False
    return measure in MEASURES or measure.partition("(")[0] in PARAMETRIC
