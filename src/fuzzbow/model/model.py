"""Model of word vectors, with all operations as methods."""

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
from fuzzbow.encoding import check_texts, column_names, column_of, is_frame
from fuzzbow.encoding.text_columns import check_new_column
from fuzzbow.engine import choose_engine
from fuzzbow.errors import InputError
from fuzzbow.measures import Ability, Measure, MeasureFactory, TextMeasure, build_measure
from fuzzbow.model.purposes import join_threshold
from fuzzbow.model.spec import ModelSpec
from fuzzbow.progress import ProgressOption, open_progress

if TYPE_CHECKING:  # each task is imported by the method that runs it
    from typing import TypeAlias, TypeVar

    import pandas
    import polars
    import pyarrow

    from fuzzbow.dedupe import Duplicates
    from fuzzbow.explain import Explanation
    from fuzzbow.index import Index, LocationLike
    from fuzzbow.selection import Outliers, Representatives

    AnyFrame: TypeAlias = pandas.DataFrame | polars.DataFrame | pyarrow.Table | pyarrow.RecordBatch
    Frame = TypeVar("Frame", pandas.DataFrame, polars.DataFrame, pyarrow.Table, pyarrow.RecordBatch)

ROWS_MEASURE = "avg-cosine"  # of `encode`, where the measure of the model has no rows


@dataclass(frozen=True, repr=False)
class Model(TextMeasure):
    """Model that compares texts, searches, joins and finds duplicates; made by `fuzzbow.load`.

    Examples
    --------
    >>> import fuzzbow
    >>> model = fuzzbow.load()
    >>> round(model.similarity("He has a cat", "She had one dog"), 2)
    0.24
    >>> model.duplicates(["a cat sat", "a dog ran", "A cat sat."])
    Duplicates(3 texts, 1 pair at 0.9 or above)
    """

    spec: ModelSpec = field(repr=False)  # what it was loaded with

    def __repr__(self) -> str:
        """Show the measure, the vectors and the tokenizer in one line."""
        words, dimension = len(self.vectors), self.vectors.dimension
        cleaning = "" if self.clean is None else f", clean={self.clean!r}"
        return (
            f"Model({self.measure.name!r}, vectors={self.vectors.name!r} ({words} × {dimension}),"
            f" tokenizer={self.tokenizer.name!r}{cleaning})"
        )

    def recipe(self) -> dict[str, Any] | None:
        """Return the options that load the model again; None if it was made of unnamed objects."""
        try:
            return self.spec.to_dict() | {"limit": len(self.vectors)}
        except InputError:
            return None

    def with_measure(self, choice: str | MeasureFactory) -> Model:
        """Return this model under another measure: a name, or one made by `compose`."""
        measure = build_measure(choice, self.space, choose_engine(self.spec.engine))
        return replace(self, measure=measure, spec=replace(self.spec, measure=choice))

    @cached_property
    def rows_model(self) -> Model:
        """Model whose measure gives the rows of `encode`: this one, or one by avg-cosine.

        Measures over the words of two texts have no row for one text.
        """
        if Ability.MEMBERSHIPS in self.measure.abilities:
            return self
        space = replace(self.space, counts=None if self.space.by_collection else self.space.counts)
        spec = replace(self.spec, counts=space.counts)
        return replace(self, space=space, spec=spec).with_measure(ROWS_MEASURE)

    def encode(self, texts: Iterable[str], *, threads: int | None = None) -> NDArray[np.float32]:
        """Encode each text as a row of numbers, for tools that work with vectors.

        Rows are memberships in a fixed universe: that of the measure if it has one, such as
        max-jaccard; else the mean of the vectors of a text's words, avg-cosine, whose cosine
        approximates the score of weighted-jaccard.

        Parameters
        ----------
        texts
            A list, or a column of any library.
        threads
            Number of threads, all cores unless given.

        Returns
        -------
        ndarray
            One row for each text, (n, u) float32; of zeros for a text without a known word.
        """
        return TextMeasure.encode(self.rows_model, texts, threads=threads)

    @property
    def join_threshold(self) -> float:
        """Default threshold of `join`, which depends on the measure."""
        return join_threshold(self.measure.name)

    def explain(self, a: str, b: str, *, dimensions: int = 20) -> Explanation:
        """Explain the score of two texts by the exact share of every word.

        Dynamic max measures can be explained, and max-pooled ones over a fixed universe.

        Parameters
        ----------
        a, b
            The texts.
        dimensions
            Number of dimensions of a fixed universe to list, those with the largest shares.
        """
        from fuzzbow.explain import explain

        return explain(self, a, b, dimensions=dimensions)

    def score(
        self,
        frame: Frame,
        left: str,
        right: str,
        *,
        score: str = "score",
        threads: int | None = None,
    ) -> Frame:
        """Add the similarity of two columns of a frame as a new column.

        If a collection of texts decides the weights of words, it is the texts of the frame: both
        columns, or only the right one if the left one contains queries.

        Parameters
        ----------
        frame
            Frame of pandas, Polars or Arrow.
        left, right
            Names of the columns to compare.
        score
            Name of the new column.
        threads
            Number of threads, all cores unless given.

        Returns
        -------
        frame
            A frame of the same kind with all rows; one of pandas keeps its labels.

        Examples
        --------
        >>> import fuzzbow, pyarrow
        >>> table = pyarrow.table({"a": ["a cat"], "b": ["a cat"]})
        >>> fuzzbow.load().score(table, "a", "b")["score"].to_pylist()
        [1.0]
        """
        from fuzzbow.io.frames import with_column

        if not is_frame(frame):
            raise InputError(
                f"frame must be one of pandas, Polars or Arrow; got {type(frame).__name__}:"
                " pairs(lefts, rights) scores lists"
            )
        check_new_column(column_names(frame), score, "frame")
        texts = [check_texts(column_of(frame, name, "frame"), name) for name in (left, right)]
        sides = self.measure.collection_sides(*texts)
        model = self.fit(reduce(add, sides)) if sides else self
        scored: Frame = with_column(frame, score, model.pairs(*texts, threads=threads))
        return scored

    def duplicates(
        self,
        texts: Iterable[str] | AnyFrame,
        *,
        column: str | None = None,
        threshold: float = DEFAULT_THRESHOLD,
        others: Iterable[str] | AnyFrame | None = None,
        details: Iterable[str] = ALL_DETAILS,
        ignore_details: str | None = None,
        threads: int | None = None,
        progress: ProgressOption = None,
        path: str | os.PathLike[str] | None = None,
    ) -> Duplicates:
        """Find every pair of texts that scores at least `threshold`, exactly.

        No n × n matrix is made. Copies of one string are exact pairs of the first with each copy,
        whatever words they contain.

        Parameters
        ----------
        texts
            A list, a column, or a frame with its texts in `column`.
        column
            Name of the column of texts.
        threshold
            Minimum score of a pair (0 < s ≤ 1).
        others
            Texts to pair the `texts` with, instead of pairing these with each other.
        details
            Kinds of detail in which two texts must agree to be a pair: of "numbers" one text may
            lack some of the other's; "codes", words of digits and letters such as 64GB, must be
            equal; either both or neither may contain a "negation" such as "not".
        ignore_details
            Regular expression of text that has no details.
        threads
            Number of threads, all cores unless given.
        progress
            True for a bar, or a function of the number of texts done and their total.
        path
            Parquet file for many pairs; a temporary one unless given.

        Returns
        -------
        Duplicates
            The pairs; `apart` is the number of pairs whose details differ.
        """
        from fuzzbow.dedupe import DedupeOptions, find_duplicates

        given = column_of(texts, column, "texts")
        against = column_of(others, column, "others") if is_frame(others) else others
        with open_progress(progress, "comparing") as on_progress:
            return find_duplicates(
                self,
                given,
                DedupeOptions(threshold, details=details, ignore_details=ignore_details),
                others=against,
                threads=threads,
                progress=on_progress,
                path=path,
            )

    def outliers(
        self,
        texts: Iterable[str] | AnyFrame,
        k: int | None = 10,
        *,
        column: str | None = None,
        neighbours: int = 1,
        threshold: float | None = None,
        threads: int | None = None,
        progress: ProgressOption = None,
    ) -> Outliers:
        """Find the texts that are least similar to any other of the `texts`, exactly.

        The score of a text is the mean of its best similarities to other texts, which include its
        copies. Missing and blank texts are neither outliers nor other texts.

        Parameters
        ----------
        texts
            A list, a column, or a frame with its texts in `column`.
        k
            Number of texts to return, None for all.
        neighbours
            Number of best similarities that make the score.
        threshold
            Score below which a text is returned, if given.
        column, threads, progress
            As for `duplicates`.

        Returns
        -------
        Outliers
            The lowest scores first, equal ones in the order of the texts.
        """
        from fuzzbow.selection import OutlierOptions, find_outliers

        with open_progress(progress, "searching") as on_progress:
            return find_outliers(
                self,
                check_texts(column_of(texts, column, "texts"), "texts"),
                OutlierOptions(k, neighbours, threshold),
                threads=threads,
                progress=on_progress,
            )

    def representatives(
        self,
        texts: Iterable[str] | AnyFrame,
        k: int = 10,
        *,
        column: str | None = None,
        threshold: float = COVERING,
        threads: int | None = None,
        progress: ProgressOption = None,
    ) -> Representatives:
        """Choose texts that cover all of the `texts` best.

        A text is covered by its largest similarity with a chosen one. Texts are chosen one after
        the other, each the one that adds most to the sum of coverage, of equal ones the first.
        Copies count as often as they occur, and at most one of them is chosen. Missing and blank
        texts are never chosen and need no cover.

        Parameters
        ----------
        k
            Number of texts to choose.
        threshold
            Similarity below which coverage is 0.
        texts, column, threads, progress
            As for `duplicates`.
        """
        from fuzzbow.selection import RepresentativeOptions, find_representatives

        with open_progress(progress, "comparing") as on_progress:
            return find_representatives(
                self,
                check_texts(column_of(texts, column, "texts"), "texts"),
                RepresentativeOptions(k, threshold),
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
        """Join each row of `left` with the most similar rows of `right`, exactly.

        Parameters
        ----------
        left, right
            Frames of pandas, Polars or Arrow, or lists of texts.
        on
            Name of the column of texts in both frames.
        left_on, right_on
            Names of the columns of texts, if they differ.
        k
            Number of matches of a row, the best first, equal ones in the order of `right`.
        threshold
            Minimum score of a match; `join_threshold` unless given.
        how
            "inner" for the rows that match, "left" for all rows of `left`, "anti" for the rows of
            `left` without a match.
        one_to_one
            Whether to match every row of either side at most once: the pair with the best score is
            taken first, then the best of those whose rows are both free, and so on, equal scores
            by the position in `left`, then in `right`.
        score
            Name of the column of scores.
        reasons
            Whether to add a column with the words that match.
        threads, progress
            As for `duplicates`.

        Returns
        -------
        frame or list
            A frame of the kind of `left`, or for lists a list of dictionaries: the columns of
            `left`, those of `right`, called `…_right` if both have one, and the score. A pandas
            frame keeps the labels of `left`.

        Raises
        ------
        InputError
            If a column is missing, or the measure cannot be searched.

        Examples
        --------
        >>> import fuzzbow
        >>> (row,) = fuzzbow.load().join(["a small cat"], ["a jet", "the small cat"])
        >>> row["left_text"], row["right_text"], round(row["score"], 2)
        ('a small cat', 'the small cat', 0.97)
        """
        from fuzzbow.join import JoinOptions, join_frames

        if threshold is None:
            threshold = self.join_threshold
        with open_progress(progress, "joining") as on_progress:
            return join_frames(
                self,
                left,
                right,
                JoinOptions(k, threshold, how, one_to_one, score, reasons),
                left_on=left_on or on,
                right_on=right_on or on,
                threads=threads,
                progress=on_progress,
            )

    def fit(self, texts: Iterable[str]) -> Model:
        """Return this model with the statistics of a collection stored.

        With `counts="collection"`, and for fuzzy-bm25, these are the numbers of texts that contain
        each word; for sif-pca, the component that the texts have in common.

        Parameters
        ----------
        texts
            A list, or a column of any library.
        """
        batch, which = self.encoder.encode(check_texts(texts, "texts"))
        measure = self.measure.fit(batch, which)
        return replace(self, measure=measure, spec=replace(self.spec, measure=measure))

    def index(
        self,
        texts: Iterable[str] | AnyFrame,
        ids: Iterable[int] | Iterable[str] | str | None = None,
        metadata: Mapping[str, Any] | Iterable[Mapping[str, Any]] | AnyFrame | None = None,
        *,
        column: str | None = None,
        path: LocationLike | None = None,
        storage_options: Mapping[str, str] | None = None,
        progress: ProgressOption = None,
        threads: int | None = None,
    ) -> Index:
        """Index texts for exact search.

        Parameters
        ----------
        texts
            A list, a column, or a frame with its texts in `column`.
        ids
            Whole numbers or strings, or the name of a column of the frame; texts are numbered
            from 0 unless given.
        metadata
            Columns that searches can filter by: a mapping of columns, a list of dictionaries or a
            frame; unless given, all other columns of the frame.
        path
            New folder in which the index is stored, a batch at a time, or an address such as
            s3://bucket/name; in memory unless given.
        storage_options
            Options of the object store; those of the environment unless given.
        column, progress, threads
            As for `duplicates`.

        Examples
        --------
        >>> import fuzzbow
        >>> index = fuzzbow.load().index(["a cat sleeps", "a jet lands"])
        >>> index.search("a kitten", k=1)[0].text
        'a cat sleeps'
        """
        from fuzzbow.index import build_index

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
        """Pickle the options that the model was loaded with."""
        if isinstance(self.spec.measure, Measure):
            raise InputError(
                "a fitted model, or one of a measure that is an object, cannot be pickled;"
                " pickle the model that it was made of, and fit that again"
            )
        return _loaded_again, (self.spec, self.vectors.fingerprint)


def _loaded_again(spec: ModelSpec, fingerprint: str) -> Model:
    """Load the model of a spec; raise InputError if its vectors have changed."""
    model = spec.load()
    if model.vectors.fingerprint != fingerprint:
        raise InputError(f"the vectors of the model, {spec.source!r:.200}, have changed since")
    return model
