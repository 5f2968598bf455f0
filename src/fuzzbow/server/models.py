"""The measures that a server offers, as one model each."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from fuzzbow.errors import InputError, nearest
from fuzzbow.measures import MEANINGS, TextMeasure
from fuzzbow.model import Model
from fuzzbow.tasks.index import TextIndex

INDEX = "index"  # the name of the measure that searches


class OfferedModels:
    """One model for each offered measure, on the vectors of the server's own.

    Offered are the measures that have a meaning in the registry, the server's own and, as
    `index`, the model of the index.
    """

    def __init__(self, model: Model, index: TextIndex | None = None) -> None:
        own = model.measure.name
        self.default, self._index = model, index
        self.meanings = {own: MEANINGS.get(own, "The measure that this server was started with.")}
        self._models: dict[str, TextMeasure] = {own: model}
        for name in MEANINGS.keys() - {own}:
            with suppress(InputError):  # it weighs words, and the vectors are weighted already
                made = model.with_measure(name)
                if not made.measure.depends_on_batch:  # two texts are enough for a score
                    self._models[name] = made
        self.meanings |= {name: MEANINGS[name] for name in MEANINGS if name in self._models}
        self._fitted: set[str] = set()  # names of the models whose words the index counts
        if index is not None:
            self._models[INDEX] = index.model
            self.meanings[INDEX] = (
                f"Scores and explains as search does: {index.model.measure.name}, with the"
                " vectors and the word counts of the index."
            )
            if index.model.measure.depends_on_batch:
                same = model.identity() == index.model.identity()
                self._fitted = {INDEX, own} if same else {INDEX}

    def get(self, name: str | None) -> TextMeasure:
        """The model with the measure of that name; the server's own for None."""
        if name is None:
            return self.default
        if name not in self._models:
            offered = ", ".join(self.meanings)
            hint = nearest(name[:60], self.meanings)
            raise InputError(f"measure must be one of {offered}; got {name!r:.60}{hint}")
        return self._models[name]

    def scoring(self, name: str | None) -> TextMeasure:
        """The model of `get` with the word counts of the index; may wait for a writer."""
        model = self.get(name)
        if self._index is None or (name or self.default.measure.name) not in self._fitted:
            return model
        return replace(model, measure=self._index.fitted_model().measure)
