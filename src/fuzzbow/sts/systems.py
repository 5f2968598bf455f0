"""Systems to compare: a measure with its options, on word vectors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product

from fuzzbow.errors import InputError, nearest, parse_choice
from fuzzbow.measures import DEFAULT_MEASURE, MEASURES, scalings_of
from fuzzbow.model import ModelSpec
from fuzzbow.model.spec import NORMALISED
from fuzzbow.sts.user_measures import is_user_measure, load_user_measure
from fuzzbow.vectors.weights import Weights

TOKENIZER = "whitespace"


@dataclass(frozen=True)
class System(ModelSpec):
    """A model but for its vectors: a measure by name, or by `path.py:function`, with options."""

    measure: str = DEFAULT_MEASURE
    tokenizer: str = TOKENIZER

    @property
    def name(self) -> str:
        """For instance `dynamax-jaccard+sif`; the tokenizer is named where it is not the usual."""
        usual = self.tokenizer == TOKENIZER
        return super().name if usual else f"{super().name}+{self.tokenizer}"


def parse_system(text: str, *, tokenizer: str = TOKENIZER) -> System:
    """A system from its name, a `text` such as `MEASURE[+sif|+usif][+norm]`.

    `tokenizer` names how it splits texts.
    """
    measure, found = text, System(tokenizer=tokenizer)
    weights = [kind.value for kind in Weights if kind is not Weights.NONE]
    while "+" in measure:
        head, _, last = measure.rpartition("+")
        if last == NORMALISED:
            found = replace(found, normalise=True)
        elif last in weights:
            found = replace(found, weights=Weights(last))
        elif is_user_measure(measure):
            break
        else:
            options = ", ".join(f"+{name}" for name in (*weights, NORMALISED))
            raise InputError(f"after a measure may stand {options}; got '+{last}' in {text!r}")
        measure = head
    return check_system(replace(found, measure=measure))


def check_system(system: System) -> System:
    """The system itself, if its parts are known and go together."""
    if is_user_measure(system.measure):
        load_user_measure(system.measure)
    elif system.measure not in MEASURES:
        raise InputError(
            f"measure must be a name such as dynamax-jaccard or path.py:function;"
            f" got {system.measure!r}{nearest(system.measure, MEASURES)}"
        )
    if _weighs_twice(system):
        raise InputError(
            f"{system.measure} weighs words by itself; weights must be none;"
            f" got {system.weights.value!r}"
        )
    return system


def all_systems(
    measures: Sequence[str],
    *,
    weights: Iterable[str] = ("none",),
    normalise: Iterable[bool] = (False,),
    tokenizer: str = TOKENIZER,
) -> tuple[list[System], list[System]]:
    """Every combination, and those that were left out because the measure weighs words itself."""
    kinds = [parse_choice(Weights, name, "weights") for name in weights]
    every = [
        System(measure=measure, weights=kind, normalise=unit, tokenizer=tokenizer)
        for measure, kind, unit in product(measures, kinds, normalise)
    ]
    left_out = [system for system in every if _weighs_twice(system)]
    kept = [check_system(system) for system in every if system not in left_out]
    if not kept:
        check_system(left_out[0])
    return list(dict.fromkeys(kept)), left_out


def _weighs_twice(system: System) -> bool:
    known = MEASURES.get(system.measure)
    return known is not None and system.weights not in scalings_of(known)
