"""The measures that a server offers, each with what it means in one line."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from fuzzbow.engine import choose_engine
from fuzzbow.errors import InputError, nearest
from fuzzbow.measures import build_measure
from fuzzbow.model import Model

# the quick ones: no request may be the one that clusters a vocabulary or moves earth
MEANINGS = {
    "weighted-jaccard": "Shared meaning over all meaning; telling words count more,"
    " numbers must agree, unknown words are compared by their letters.",
    "dynamax-jaccard": "Shared meaning over all meaning: each word counts as much as its best"
    " match in the other text.",
    "dynamax-otsuka": "Shared meaning over the geometric mean of both texts' sizes;"
    " kinder to texts of unequal length.",
    "dynamax-dice": "Twice the shared meaning over the sum of both texts' sizes.",
    "dynamax-cosine": "The angle between both texts' degrees of membership of all the words.",
    "max-jaccard": "Each dimension of the vector space keeps its largest value; shared over all.",
    "avg-cosine": "The usual baseline: the angle between averaged word vectors.",
    "set-jaccard": "Words in common over all words: spelling decides, meaning does not.",
    "bag-jaccard": "The same with repeated words counted.",
}


class Models:
    """One model for each offered measure, on the vectors of the server's own."""

    def __init__(self, model: Model) -> None:
        own = model.measure.name
        self.default = model
        self.meanings = {own: MEANINGS.get(own, "The measure that this server was started with.")}
        self._models = {own: model}
        for name in MEANINGS.keys() - {own}:
            with suppress(InputError):  # it weighs words, and the vectors are weighted already
                measure = build_measure(name, model.space, choose_engine("auto"))
                self._models[name] = replace(model, measure=measure)
        self.meanings |= {name: MEANINGS[name] for name in MEANINGS if name in self._models}

    def get(self, name: str | None) -> Model:
        """The model with the measure of that name; the server's own for None."""
        if name is None:
            return self.default
        if name not in self._models:
            offered = ", ".join(self.meanings)
            hint = nearest(name[:60], self.meanings)
            raise InputError(f"measure must be one of {offered}; got {name!r:.60}{hint}")
        return self._models[name]
