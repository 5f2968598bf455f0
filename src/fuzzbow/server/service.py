"""State of a server: models, index, threads, limits on texts, and counters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from operator import mul
from typing import Any

from fuzzbow.errors import InputError, nearest
from fuzzbow.index import Index
from fuzzbow.measures import MEANINGS, TextMeasure
from fuzzbow.model import Model
from fuzzbow.plurals import counted
from fuzzbow.server.batching import IsWanted, SharedCalls, Workers
from fuzzbow.server.errors import ApiError
from fuzzbow.server.monitoring import Metrics
from fuzzbow.server.settings import Limits, Settings

INDEX = "index"  # the name of the measure that searches
WARM_UP = [f"a cat and {number} dogs" for number in range(100)]
# characters up to which requests share a call: none waits for the long text of another
SHORT = 2_000

Together = Callable[["Service", Sequence[Any], IsWanted], Sequence[Any]]


class TextLimits:
    """Checks of the texts of one request, or of several that share a call.

    `words` splits a text as the model of the request does.
    """

    def __init__(self, limits: Limits, words: Callable[[str], Sequence[str]]) -> None:
        self._limits = limits
        self._count_words = cache(lambda text: len(words(text)))

    def check_texts(self, texts: Sequence[str]) -> None:
        """Refuse too many texts, and a text of too many characters or words."""
        limits = self._limits
        self._check("request may hold", limits.texts, "text", len(texts))
        for position, text in enumerate(texts):
            where = f"text {position} has"
            self._check("text may have", limits.characters, "character", len(text), where)
            if len(text) > limits.words:  # else there are no more words either
                self._check("text may have", limits.words, "word", self._count_words(text), where)

    def check_query(self, query: str) -> None:
        """Refuse a query of too many characters or words."""
        self.check_texts([query])
        if len(query) > (most := self._limits.query_words):
            self._check("query may have", most, "word", self._count_words(query))

    @staticmethod
    def _check(subject: str, most: int, noun: str, number: int, got: str = "got") -> None:
        if number > most:
            raise InputError(f"a {subject} at most {counted(most, noun)}; {got} {number}")

    def check_comparisons(
        self, lefts: Sequence[str], rights: Sequence[str], *, before: int = 0
    ) -> list[int]:
        """Bound the comparisons of words with words that each row takes: (n,), (n,) -> (n,).

        `before` is the number that the request has made already.
        """
        if len(lefts) != len(rights):
            raise InputError(
                f"lefts and rights must have equal length; got {len(lefts)} and {len(rights)}"
            )
        most = self._limits.comparisons
        # characters first, since no text has more words than characters
        products = list(map(mul, map(len, lefts), map(len, rights)))
        if before + sum(products) > most:
            left, right = (map(self._count_words, side) for side in (lefts, rights))
            products = list(map(mul, left, right))
        if before + sum(products) > most:
            raise InputError(
                f"a request may compare at most {counted(most, 'word')} with words,"
                f" the sum over its rows of words times words;"
                f" got {before + sum(products)}: send fewer or shorter texts"
            )
        return products

    def check_answer(self, size: int, fewer: str) -> None:
        """Raise ApiError if an answer is too large; `fewer` names the parameter to lower."""
        most = self._limits.answer_bytes
        if size > most:
            raise ApiError(
                422,
                f"an answer may have at most {most} bytes; this one has {size}: ask for {fewer}",
                code="answer_too_large",
            )


class Service:
    """Models, optional index, threads and counters of a server.

    The available measures are those with a description in the registry, that of the server and, as
    `index`, the model of the index, all with the vectors of the server.
    """

    def __init__(self, model: Model, index: Index | None, settings: Settings) -> None:
        self.settings, self.limits, self.workers = settings, settings.limits, Workers()
        self.model, self.index = model, index
        self.metrics = Metrics(lambda: self.documents or 0)
        self.working = 0  # requests whose work has begun or waits
        self.arriving = 0  # bytes of incomplete bodies
        self._shared: dict[Together, SharedCalls[Any, Any]] = {}
        # counted by the last search or change: counting now might have to wait for a change
        self.documents = None if index is None else len(index)
        self.has_numbers = index is not None and index.info()["ids"] == "numbers"
        own = model.measure.name
        self.meanings = {own: MEANINGS.get(own, "The measure that this server was started with.")}
        self._models: dict[str, TextMeasure] = {own: model}
        for name in MEANINGS:
            with suppress(InputError):  # it weighs words, and the vectors are weighted already
                made = model if name == own else model.with_measure(name)
                if name == own or not made.measure.depends_on_batch:  # two texts make a score
                    self._models[name], self.meanings[name] = made, MEANINGS[name]
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

    def need_index(self) -> Index:
        """Return the index, or raise an error that names the option for one."""
        if self.index is None:
            raise ApiError(
                404, "there is no index; start the server with --index DIR", code="no_index"
            )
        return self.index

    def model_of(self, name: str | None) -> TextMeasure:
        """Return the model with the measure of a name, or for None the server's model."""
        if name is None:
            return self.model
        if name not in self._models:
            offered = ", ".join(self.meanings)
            hint = nearest(name[:60], self.meanings)
            raise InputError(f"measure must be one of {offered}; got {name!r:.60}{hint}")
        return self._models[name]

    def scoring_model(self, name: str | None) -> TextMeasure:
        """Return the model of a measure with the index's word counts; may wait for a writer."""
        model = self.model_of(name)
        if self.index is None or (name or self.model.measure.name) not in self._fitted:
            return model
        return replace(model, measure=self.index.fitted_model().measure)

    def checks(self, model: TextMeasure) -> TextLimits:
        """Make the checks of texts by the tokenizer of a model."""
        return TextLimits(self.limits, model.encoder.words)

    def shared(self, together: Together) -> SharedCalls[Any, Any]:
        """Return the queue that answers waiting requests together by this function."""
        if together not in self._shared:
            self._shared[together] = SharedCalls(self.workers, partial(together, self))
        return self._shared[together]

    def warm_up(self) -> None:
        """Load and compute in advance, so that the first request is fast."""
        for name in self.meanings:
            with suppress(InputError):  # an index without texts weighs no words
                self.scoring_model(name).pairs(WARM_UP, WARM_UP[::-1])
