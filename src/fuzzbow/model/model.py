"""The facade: everything that can be done with a model, as its methods."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow.defaults import ALL_DETAILS, COVERING, DEFAULT_THRESHOLD
from fuzzbow.encoding import check_texts, column_of, is_frame
from fuzzbow.engine import choose_engine
from fuzzbow.errors import InputError
from fuzzbow.measures import Ability, Measure, MeasureFactory, TextMeasure, build_measure
from fuzzbow.model.purposes import join_threshold
from fuzzbow.model.spec import ModelSpec
from fuzzbow.progress import ProgressOption, open_progress

if TYPE_CHECKING:  # each task is imported by the method that runs it
    from fuzzbow.tasks.dedupe import Duplicates
    from fuzzbow.tasks.explain import Explanation
    from fuzzbow.tasks.index import Index, PlaceLike
    from fuzzbow.tasks.selection import Outliers, Representatives

ROWS_MEASURE = "avg-cosine"  # of `encode`, where the measure of the model has no rows


@dataclass(frozen=True, repr=False)
class Model(TextMeasure):
    """Compares texts, searches, finds duplicates and explains; made by `fuzzbow.load`."""

    spec: ModelSpec = field(repr=False)  # what it was loaded with

    def __repr__(self) -> str:
        """One line: the measure, the vectors and the tokenizer."""
        words, dimension = len(self.vectors), self.vectors.dimension
        cleaning = "" if self.clean is None else f", clean={self.clean!r}"
        return (
            f"Model({self.measure.name!r}, vectors={self.vectors.name!r} ({words} × {dimension}),"
            f" tokenizer={self.tokenizer.name!r}{cleaning})"
        )

    def recipe(self) -> dict[str, Any] | None:
        """Return how to load the model again; None if it was made of unnamed objects."""
        try:
            return self.spec.to_dict() | {"limit": len(self.vectors)}
        except InputError:
            return None

    def with_measure(self, choice: str | MeasureFactory) -> Model:
        """Return this model under another measure.

        `choice` is the name of a measure, or one that `compose` makes.
        """
        measure = build_measure(choice, self.space, choose_engine(self.spec.engine))
        return replace(self, measure=measure, spec=replace(self.spec, measure=choice))

    @cached_property
    def rows_model(self) -> Model:
        """The model whose measure gives the rows of `encode`: this one, or one by avg-cosine.

        Measures over the words of two texts have no row for one text.
        """
        if Ability.MEMBERSHIPS in self.measure.abilities:
            return self
        space = replace(self.space, counts=None if self.space.by_collection else self.space.counts)
        measure = build_measure(ROWS_MEASURE, space, choose_engine(self.spec.engine))
        spec = replace(self.spec, measure=ROWS_MEASURE, counts=space.counts)
        return replace(self, space=space, measure=measure, spec=spec)

    def encode(self, texts: Iterable[str], *, threads: int | None = None) -> NDArray[np.float32]:
        """A row of numbers for each text, for tools that work with vectors: n texts -> (n, u).

        They are memberships in a fixed universe: that of the measure where it has one, such as
        max-jaccard; else the mean of the vectors of a text's words, avg-cosine, whose cosine is
        near to the score of weighted-jaccard. A text without a known word has zeros. `threads`
        are all cores unless given.
        """
        rows = self.rows_model
        return (
            super().encode(texts, threads=threads)
            if rows is self
            else rows.encode(texts, threads=threads)
        )

    @property
    def join_threshold(self) -> float:
        """The threshold that `join` takes unless one is given, by the measure."""
        return join_threshold(self.measure.name)

    def explain(self, a: str, b: str, *, dimensions: int = 20) -> Explanation:
        """Explain the score of `a` and `b` by the exact share of every word.

        For the dynamic max measures, and for max-pooled ones over a fixed universe, of
        which the `dimensions` with the largest shares are listed.
        """
        from fuzzbow.tasks.explain import explain

        return explain(self, a, b, dimensions=dimensions)

    def score(
        self,
        frame: Any,
        left: str,
        right: str,
        *,
        score: str = "score",
        threads: int | None = None,
    ) -> Any:
        """A frame with the similarity of its columns `left` and `right` as a column `score`.

        `frame` is one of pandas, Polars or Arrow, and what comes back is one of the same kind
        with all its rows; those of pandas keep their labels. Where a collection of texts weighs
        words, it is the texts of the frame: both columns, or the right one where the left one
        holds queries.
        """
        from fuzzbow.tasks.frames import with_column
        from fuzzbow.tasks.scores import collection_sides, frame_texts

        texts = frame_texts(frame, left, right, score)
        sides = collection_sides(self.measure, *texts)
        model = self.fit(reduce(add, sides)) if sides else self
        return with_column(frame, score, model.pairs(*texts, threads=threads))

    def duplicates(
        self,
        texts: Iterable[str],
        *,
        column: str | None = None,
        threshold: float = DEFAULT_THRESHOLD,
        others: Iterable[str] | None = None,
        details: Iterable[str] = ALL_DETAILS,
        ignore_details: str | None = None,
        threads: int | None = None,
        progress: ProgressOption = None,
        path: str | os.PathLike[str] | None = None,
    ) -> Duplicates:
        """Every pair of texts that scores at least `threshold`, exactly, without an n × n matrix.

        With `others`, every pair of a text with one of those. `texts` and `others` are lists
        or columns, or frames with their texts in `column`. Two texts are no pair unless their
        `details` agree: of "numbers" one text may lack some of the other's, "codes", which are
        words of digits and letters such as 64GB or A1234, must be the same, and either both or
        neither must hold a "negation" such as "not". `details` names those that count, none if
        it is empty; text that matches the regular expression `ignore_details` has none. `apart`
        of the result is the number of pairs that details kept apart.
        Copies of one string are reported as exact pairs of the first with each copy, whatever
        words they hold. Many pairs are kept in a Parquet file: a temporary one, or that at
        `path`. `progress` is True for a bar, or is called with texts done, of how many.
        """
        from fuzzbow.tasks.dedupe import find_duplicates, parse_details

        given = column_of(texts, column, "texts")
        against = column_of(others, column, "others") if is_frame(others) else others
        with open_progress(progress, "comparing") as on_progress:
            return find_duplicates(
                self.measure,
                self.encoder,
                given,
                threshold=threshold,
                others=against,
                details=parse_details(details, ignore_details),
                threads=threads,
                progress=on_progress,
                path=path,
            )

    def outliers(
        self,
        texts: Any,
        k: int | None = 10,
        *,
        column: str | None = None,
        neighbours: int = 1,
        threshold: float | None = None,
        threads: int | None = None,
        progress: ProgressOption = None,
    ) -> Outliers:
        """Find the texts that are least similar to any other of the `texts`, exactly.

        The score of a text is the mean of its best similarities to other texts, as many as
        `neighbours`; a copy of it is another text. Up to `k` texts are returned (None: all), the
        lowest scores first, equal ones in the order of the texts, and with a `threshold` only those
        that score below it.
        Missing and blank texts are neither outliers nor other texts. `texts` are a list, a column,
        or a frame with its texts in `column`. `progress` is True for a bar, or is called with texts
        done, of how many.
        """
        from fuzzbow.tasks.selection import find_outliers

        with open_progress(progress, "searching") as on_progress:
            return find_outliers(
                self,
                check_texts(column_of(texts, column, "texts"), "texts"),
                k,
                neighbours=neighbours,
                threshold=threshold,
                threads=threads,
                progress=on_progress,
            )

    def representatives(
        self,
        texts: Any,
        k: int = 10,
        *,
        column: str | None = None,
        threshold: float = COVERING,
        threads: int | None = None,
        progress: ProgressOption = None,
    ) -> Representatives:
        """Choose `k` of the `texts` that cover all of them best.

        A text is covered by its largest similarity with a chosen one, where similarities below
        `threshold` count 0. The texts are chosen one after the other, each the one that adds most
        to the sum of coverage, of equal ones the first. Copies count as often as they occur, and
        one of them is chosen at most. Missing and blank texts are never chosen and need no cover.
        `texts` are a list, a column, or a frame with its texts in `column`. `progress` is True for
        a bar, or is called with texts done, of how many.
        """
        from fuzzbow.tasks.selection import find_representatives

        with open_progress(progress, "comparing") as on_progress:
            return find_representatives(
                self.measure,
                self.encoder,
                check_texts(column_of(texts, column, "texts"), "texts"),
                k,
                threshold=threshold,
                threads=threads,
                progress=on_progress,
            )

    def join(
        self,
        left: Any,
        right: Any,
        *,
        on: str | None = None,
        left_on: str | None = None,
        right_on: str | None = None,
        k: int = 1,
        threshold: float | None = None,
        how: str = "inner",
        one_to_one: bool = False,
        score: str = "score",
        reasons: bool = False,
        threads: int | None = None,
        progress: ProgressOption = None,
    ) -> Any:
        """Each row of `left` with the rows of `right` that are most similar, exactly.

        Both are frames of pandas, Polars or Arrow, with their texts in the columns `left_on`
        and `right_on`, or `on` if these are called the same; or lists of texts. A row has up
        to `k` matches that score at least `threshold` (`join_threshold` unless given), the best
        first, equal ones in the order of `right`. With `one_to_one` no row of either side is
        matched twice: the pair with the best score is taken first, then the best of those whose
        rows are both free, and so on, equal scores by the place in `left`, then in `right`. `how`
        is "inner", the rows that match, "left", all of `left`, or "anti", those of `left` without
        a match.

        What comes back is a frame of the kind of `left` (of lists, a list of dictionaries):
        its columns, those of `right`, called `…_right` where both have one, the `score`, and
        with `reasons` the words that match. A pandas frame keeps the labels of `left`.
        """
        from fuzzbow.tasks.join import join_frames

        with open_progress(progress, "joining") as on_progress:
            return join_frames(
                self,
                left,
                right,
                on=on,
                left_on=left_on,
                right_on=right_on,
                k=k,
                threshold=self.join_threshold if threshold is None else threshold,
                how=how,
                one_to_one=one_to_one,
                score=score,
                reasons=reasons,
                threads=threads,
                progress=on_progress,
            )

    def fit(self, texts: Iterable[str]) -> Model:
        """Return this model with the statistics of a collection, `texts`, stored.

        With `counts="collection"`, and for fuzzy-bm25, that is in how many texts each word
        occurs; for sif-pca, what the texts have in common.
        """
        batch, which = self.encoder.encode(check_texts(texts, "texts"))
        measure = self.measure.fit(batch, which)
        return replace(self, measure=measure, spec=replace(self.spec, measure=measure))

    def index(
        self,
        texts: Any,
        ids: Iterable[int] | Iterable[str] | str | None = None,
        metadata: Any = None,
        *,
        column: str | None = None,
        path: PlaceLike | None = None,
        storage_options: Mapping[str, str] | None = None,
        progress: ProgressOption = None,
        threads: int | None = None,
    ) -> Index:
        """The texts ready for exact search: `index.search("a query", k=10)`.

        `ids` are whole numbers or strings; without them texts are numbered from 0. `metadata`
        is a mapping of columns, a list of dictionaries, a pandas frame or an Arrow table, for
        `where`. `texts` may be a frame with its texts in `column`; `ids` may then name a column,
        and all others are metadata unless `metadata` is given. With a `path` the index is
        written to that new folder, a batch at a time, and stays there. It may be an address such
        as s3://bucket/name, which `storage_options` say how to reach, or else the environment.
        `progress` is True for a bar, or hears of texts done, of how many.
        """
        from fuzzbow.tasks.index import build_index

        with open_progress(progress, "indexing") as on_progress:
            return build_index(
                self,
                texts,
                ids,
                metadata,
                column=column,
                path=path,
                storage_options=storage_options,
                progress=on_progress,
                threads=threads,
            )

    def __deepcopy__(self, memo: dict[int, Any]) -> Model:
        """Return this model, as it cannot change."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """A model is pickled by what it was loaded with, and loaded again."""
        if isinstance(self.spec.measure, Measure):
            raise InputError(
                "a fitted model, or one of a measure that is an object, cannot be pickled;"
                " pickle the model that it was made of, and fit that again"
            )
        return _loaded_again, (self.spec, self.vectors.fingerprint)


def _loaded_again(spec: ModelSpec, fingerprint: str) -> Model:
    """The model of a spec, whose vectors must be those that they were."""
    model = spec.load()
    if model.vectors.fingerprint != fingerprint:
        raise InputError(f"the vectors of the model, {spec.source!r:.200}, have changed since")
    return model
