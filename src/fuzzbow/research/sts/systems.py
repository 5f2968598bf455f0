"""Systems to compare: measures with options, word vectors by name or file, and users' functions.

A user's measure is `path.py:function`: the file is executed. The names of
its two parameters decide what it gets:

* `X, Y`: the word vectors of the two texts, (k, d) and (l, d); it returns a number;
* `lefts, rights`: two lists of texts; it returns one number for each pair, (n,);
* `space, engine`: a factory of a measure, as `fuzzbow.measures.compose` returns.
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from itertools import product
from pathlib import Path
from typing import Any

from fuzzbow.encoding import Texts
from fuzzbow.errors import InputError, nearest, parse_choice
from fuzzbow.measures import DEFAULT_MEASURE, MEASURES, MeasureFactory, Words
from fuzzbow.measures.baselines import LoopMeasure
from fuzzbow.measures.words import paper_words
from fuzzbow.model import ModelSpec
from fuzzbow.model.spec import NORMALISED
from fuzzbow.plurals import counted
from fuzzbow.research.sts.cache import key_of, read_cached, write_cached
from fuzzbow.research.sts.paper import recognise
from fuzzbow.vectors import WordVectors, open_vectors
from fuzzbow.vectors.sources import (
    DEFAULT_FILE,
    GLOVE_PACKAGE,
    WORDLLAMA_PACKAGE,
    package_folder,
)
from fuzzbow.vectors.weights import Weights

TOKENIZER = "whitespace"
PACKAGES = {"glove-6b-50d": GLOVE_PACKAGE, "wordllama-256": WORDLLAMA_PACKAGE}
USER_FILE = ".py:"  # in the name of a measure, path.py:function
VECTORS, TEXTS, FACTORY = ("X", "Y"), ("lefts", "rights"), ("space", "engine")


@dataclass(frozen=True)
class System(ModelSpec):
    """Model without vectors: a measure by name, or by `path.py:function`, with options."""

    measure: str = DEFAULT_MEASURE
    tokenizer: str = TOKENIZER

    @property
    def name(self) -> str:
        """Name such as `dynamax-jaccard+sif`, with the tokenizer if it is not the default."""
        usual = self.tokenizer == TOKENIZER
        return super().name if usual else f"{super().name}+{self.tokenizer}"

    def checked(self) -> System:
        """Return this system, if its measure exists and takes its weights."""
        if user_measure(self.measure) is None and self.measure not in MEASURES:
            raise InputError(
                f"measure must be a name such as dynamax-jaccard or path.py:function;"
                f" got {self.measure!r}{nearest(self.measure, MEASURES)}"
            )
        if self.weighs_twice:
            raise InputError(
                f"{self.measure} has word weights of its own; weights must be none;"
                f" got {self.weights.value!r}"
            )
        return self

    @property
    def weighs_twice(self) -> bool:
        """Return whether weights are given though the measure has its own."""
        known = MEASURES.get(self.measure)
        return known is not None and self.weights not in known.scalings


DEFAULT_SYSTEM = System()


def parse_system(text: str, *, options: System = DEFAULT_SYSTEM) -> System:
    """Make a system from a name such as `MEASURE[+sif|+usif|+whitened][+norm]`.

    Parameters
    ----------
    text : str
        The name.
    options : System
        A system with the other options: tokenizer and word frequencies.

    Raises
    ------
    InputError
        If a part of the name is unknown, or the parts do not go together.
    """
    measure, found = text, options
    weights = [kind.value for kind in Weights if kind is not Weights.NONE]
    while "+" in measure:
        head, _, last = measure.rpartition("+")
        if last == NORMALISED:
            found = replace(found, normalise=True)
        elif last in weights:
            found = replace(found, weights=Weights(last))
        elif USER_FILE in measure:
            break
        else:
            parts = ", ".join(f"+{name}" for name in (*weights, NORMALISED))
            raise InputError(f"after a measure may stand {parts}; got '+{last}' in {text!r}")
        measure = head
    return replace(found, measure=measure).checked()


def all_systems(
    measures: Sequence[str],
    *,
    weights: Iterable[str] = ("none",),
    normalise: Iterable[bool] = (False,),
    options: System = DEFAULT_SYSTEM,
) -> tuple[list[System], list[System]]:
    """Combine all options; also return those left out because measures have their own weights."""
    kinds = [parse_choice(Weights, name, "weights") for name in weights]
    every = [
        replace(options, measure=measure, weights=kind, normalise=unit)
        for measure, kind, unit in product(measures, kinds, normalise)
    ]
    left_out = [system for system in every if system.weighs_twice]
    kept = [system.checked() for system in every if not system.weighs_twice]
    if not kept:
        left_out[0].checked()
    return list(dict.fromkeys(kept)), left_out


@dataclass(frozen=True)
class VectorSource:
    """Vectors with a label, opened at first use; with `limit` only the first words are read."""

    label: str
    origin: str  # a name or a path
    limit: int | None = None
    cache: Path | None = None  # folder

    @cached_property
    def vectors(self) -> WordVectors:
        """Vectors, opened once."""
        return open_vectors(self.origin, limit=self.limit)

    @cached_property
    def fingerprint(self) -> str:
        """Content hash, from the cache if the files are unchanged."""
        stamp = None if self.cache is None else self._stamp()
        if stamp is None:
            return self.vectors.fingerprint
        known = read_cached(self.cache, stamp)
        if not isinstance(known, str):
            known = self.vectors.fingerprint
            write_cached(self.cache, stamp, known)
        return known

    def _stamp(self) -> str | None:
        """Hash the names, sizes and times of the files of the vectors."""
        if self.origin in PACKAGES:
            folder = package_folder(PACKAGES[self.origin])
            files = [] if folder is None else [DEFAULT_FILE, *sorted(folder.rglob("*"))]
        else:
            path = Path(self.origin)
            files = sorted(path.rglob("*")) if path.is_dir() else [path]
        facts = [(str(file.resolve()), file.stat()) for file in files if file.is_file()]
        sizes = [(path, stat.st_size, stat.st_mtime_ns) for path, stat in facts]
        return key_of(sizes, self.limit) if sizes else None

    def release(self) -> None:
        """Close the vectors, which may be gigabytes; their fingerprint is kept."""
        if "vectors" in vars(self):
            _ = self.fingerprint
            del vars(self)["vectors"]

    @cached_property
    def paper(self) -> dict[str, Any] | None:
        """Vectors of the paper with the name of this file or label, if any."""
        if self.limit is not None:
            return None
        stem = Path(self.origin).name if Path(self.origin).exists() else self.origin
        return recognise(stem) or recognise(self.label)

    @property
    def title(self) -> str:
        """Label, with the paper's name for the vectors or a note that they are not the paper's."""
        if self.paper is not None:
            return str(self.paper["title"])
        part = f", first {counted(self.limit, 'word')}" if self.limit is not None else ""
        return f"{self.label} (not the paper's vectors{part})"


def parse_sources(
    given: Iterable[str], *, limit: int | None = None, cache: Path | None = None
) -> list[VectorSource]:
    """Make sources of word vectors.

    Parameters
    ----------
    given : iterable of str
        `LABEL=NAME_OR_FILE`, or a bare name or file; labels must differ.
    limit : int, optional
        Number of words to read of a file, from its first on.
    cache : Path, optional
        Folder of cached scores and content hashes.
    """
    sources: dict[str, VectorSource] = {}
    for text in given:
        label, equals, origin = text.partition("=")
        if not equals or Path(text).exists():
            label, origin = Path(text).name if Path(text).exists() else text, text
        if not label or not origin:
            raise InputError(f"vectors must be given as LABEL=FILE or FILE; got {text!r}")
        if label in sources:
            raise InputError(
                f"the label of each set of vectors must differ; got {label!r} twice"
                " (give LABEL=FILE)"
            )
        sources[label] = VectorSource(label, origin, limit, cache)
    return list(sources.values())


@dataclass(frozen=True)
class UserMeasure:
    """Function from a user's file; `digest` is that of the file's content."""

    name: str
    digest: str
    parameters: tuple[str, str]  # VECTORS, TEXTS or FACTORY
    function: Callable[..., Any] = field(repr=False)

    @property
    def factory(self) -> MeasureFactory:
        """Measure for `fuzzbow.load`; not available for a function of texts."""
        function, name = self.function, self.name
        if self.parameters == FACTORY:
            return function

        def scorer(words: Words, texts: Texts) -> Callable[[int, int], float]:
            """Score by the vectors of the words of two texts, 0 where a text has none."""
            vectors, rows = words.vectors(texts)
            sets = [vectors[row] for row in rows]
            return lambda a, b: (
                float(function(sets[a], sets[b])) if len(sets[a]) and len(sets[b]) else 0.0
            )

        return lambda space, engine: LoopMeasure(name, partial(scorer, paper_words(space, engine)))


@lru_cache(maxsize=32)
def user_measure(text: str) -> UserMeasure | None:
    """Run the file of a user's measure and take the function from it; None for another measure."""
    if USER_FILE not in text:
        return None
    file, _, name = text.rpartition(":")
    path = Path(file)
    if not path.is_file():
        raise InputError(f"a measure path.py:function needs the file '{path}'; it is missing")
    spec = importlib.util.spec_from_file_location(f"fuzzbow_user_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise InputError(f"'{path}' must be a Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise InputError(f"'{path}' cannot be run: {type(error).__name__}: {error}") from error
    function = getattr(module, name, None)
    if not callable(function):
        there = [key for key, value in vars(module).items() if inspect.isfunction(value)]
        raise InputError(f"'{path}' must define the function {name!r}{nearest(name, there)}")
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        names = []
    for parameters in (VECTORS, TEXTS, FACTORY):
        if tuple(names[:2]) == parameters:
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            return UserMeasure(f"{path.name}:{name}", digest, parameters, function)
    wanted = "; ".join(", ".join(known) for known in (VECTORS, TEXTS, FACTORY))
    raise InputError(
        f"{text}: the function's two parameters must be named {wanted}; got {', '.join(names)}"
    )
