"""spaCy: after `nlp.add_pipe("fuzzbow")`, `similarity` of Doc, Span and Token uses a model."""

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


OPTIONS = ("measure", "weights", "counts", "tokenizer", "purpose")  # of `fuzzbow.load`


@Language.factory("fuzzbow", default_config={"vectors": "default"} | dict.fromkeys(OPTIONS))
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
    """Make the component; `vectors` is a name or path, or "pipeline" for the vectors of `nlp`.

    The other options are those of `fuzzbow.load`.
    """
    values = (measure, weights, counts, tokenizer, purpose)
    return FuzzySimilarity(nlp.vocab, vectors, dict(zip(OPTIONS, values, strict=True)))


class FuzzySimilarity:
    """Component that sets the hooks of similarity; the model is loaded when first needed."""

    def __init__(self, vocab: Any, vectors: str, options: dict[str, Any]) -> None:
        self._vocab, self._vectors, self._options = vocab, vectors, options

    @cached_property
    def fuzzy_model(self) -> Model:
        """Model that compares texts; in spaCy the attribute `model` is the trained network."""
        source = self._vocab if self._vectors == PIPELINE else self._vectors
        return load(source, **self._options)

    def __call__(self, doc: Any) -> Any:
        """Set the hooks of a doc, its spans and its tokens."""
        for hooks in (doc.user_hooks, doc.user_span_hooks, doc.user_token_hooks):
            hooks["similarity"] = self.similarity
        return doc

    def similarity(self, a: Any, b: Any) -> float:
        """Score two docs, spans, tokens or lexemes by their texts."""
        return self.fuzzy_model.similarity(a.text, b.text)

    def explain(self, a: Any, b: Any) -> Any:
        """Explain the score, as `Model.explain` does."""
        return self.fuzzy_model.explain(a.text, b.text)

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialize the options and the fingerprint of the vectors."""
        stored = {
            "vectors": self._vectors,
            "options": self._options,
            "fingerprint": self.fuzzy_model.vectors.fingerprint,
        }
        return json.dumps(stored, sort_keys=True).encode()

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> FuzzySimilarity:
        """Restore the component; raise InputError if its vectors have changed."""
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
        """Write the component to a file in this folder."""
        folder = Path(path)
        folder.mkdir(exist_ok=True)
        (folder / FILE).write_bytes(self.to_bytes())

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> FuzzySimilarity:
        """Restore the component from its folder."""
        return self.from_bytes((Path(path) / FILE).read_bytes())
