"""The measures that a server offers, as one model each."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from fuzzbow.errors import InputError, nearest
from fuzzbow.measures import MEANINGS
from fuzzbow.model import Model
from fuzzbow.tasks.index import TextIndex


class OfferedModels:
    """One model for each offered measure, on the vectors of the server's own.

    Offered are the measures that have a meaning in the registry, and the server's own.
    """

    def __init__(self, model: Model, index: TextIndex | None = None) -> None:
        own = model.measure.name
        self.default = model
        self._index = index if model.measure.by_call else None  # it decides how texts score
        self.meanings = {own: MEANINGS.get(own, "The measure that this server was started with.")}
        self._models = {own: model}
        for name in MEANINGS.keys() - {own}:
            with suppress(InputError):  # it weighs words, and the vectors are weighted already
                made = model.with_measure(name)
                if not made.measure.by_call:  # two texts are enough for a score
                    self._models[name] = made
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

    def scoring(self, name: str | None) -> Model:
        """The same, with what it takes from the texts of the index; may wait for a writer."""
        model = self.get(name)
        if self._index is None or model is not self.default:
            return model
        return replace(model, measure=self._index.fitted_model().measure)
