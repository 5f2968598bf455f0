"""spaCy: `nlp.add_pipe("fuzzbow")` makes `similarity` of Doc, Span and Token that of a model."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.model import Model, load

try:
    from spacy.language import Language
except ImportError as error:
    raise MissingExtraError("spacy", "spacy") from error

__all__ = ["FuzzySimilarity", "make_component"]

PIPELINE = "pipeline"  # vectors: those that the pipeline has itself
FILE = "fuzzbow.json"


@Language.factory(
    "fuzzbow",
    default_config={
        "vectors": "default",
        "measure": None,
        "weights": None,
        "counts": None,
        "tokenizer": None,
        "purpose": None,
    },
)
def make_component(
    nlp: Any,
    name: str,
    vectors: str,
    measure: str | None,
    weights: str | None,
    counts: str | None,
    tokenizer: str | None,
    purpose: str | None,
) -> FuzzySimilarity:
    """The component; `vectors` is a name or path of vectors, or "pipeline" for those of `nlp`.

    The other options are those of `fuzzbow.load`.
    """
    options = {
        "measure": measure,
        "weights": weights,
        "counts": counts,
        "tokenizer": tokenizer,
        "purpose": purpose,
    }
    return FuzzySimilarity(nlp.vocab, vectors, options)


class FuzzySimilarity:
    """Sets the hooks of similarity; the model is loaded when it is first needed."""

    def __init__(self, vocab: Any, vectors: str, options: dict[str, Any]) -> None:
        self._vocab, self._vectors, self._options = vocab, vectors, options

    @cached_property
    def fuzzy_model(self) -> Model:
        """The model that compares; `model` is spaCy's name for what it trains."""
        source = self._vocab if self._vectors == PIPELINE else self._vectors
        return load(source, **self._options)

    def __call__(self, doc: Any) -> Any:
        """The doc, which with its spans and tokens is from now on compared by the model."""
        for hooks in (doc.user_hooks, doc.user_span_hooks, doc.user_token_hooks):
            hooks["similarity"] = self.similarity
        return doc

    def similarity(self, a: Any, b: Any) -> float:
        """Similarity of two docs, spans, tokens or lexemes, by their texts."""
        return self.fuzzy_model.similarity(a.text, b.text)

    def explain(self, a: Any, b: Any) -> Any:
        """Why they score what they score: `Model.explain`."""
        return self.fuzzy_model.explain(a.text, b.text)

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """What the component was made of, and the fingerprint of its vectors."""
        stored = {
            "vectors": self._vectors,
            "options": self._options,
            "fingerprint": self.fuzzy_model.vectors.fingerprint,
        }
        return json.dumps(stored, sort_keys=True).encode()

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> FuzzySimilarity:
        """The component as it was, whose vectors must be those that they were."""
        stored = json.loads(data)
        self._vectors, self._options = stored["vectors"], stored["options"]
        self.__dict__.pop("fuzzy_model", None)
        if self.fuzzy_model.vectors.fingerprint != stored["fingerprint"]:
            raise InputError(
                f"the vectors of the component fuzzbow, {self._vectors!r}, have changed since it"
                " was written"
            )
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """The same as a file in a folder."""
        folder = Path(path)
        folder.mkdir(exist_ok=True)
        (folder / FILE).write_bytes(self.to_bytes())

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> FuzzySimilarity:
        """The component of such a folder."""
        return self.from_bytes((Path(path) / FILE).read_bytes())
