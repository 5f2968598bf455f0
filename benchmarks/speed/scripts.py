"""How long it takes to split a text and to find its words, script by script.

    FUZZBOW_LANGUAGES=... python -m benchmarks.speed.scripts

or with the folder as --data; it holds `stsb-<code>-dev.csv` of sentence, sentence, score. One
thread; processor time of the fastest of several runs. Writes benchmarks/results/scripts.json.
"""

from __future__ import annotations

import argparse
import os
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fuzzbow
from benchmarks import runner
from benchmarks.markdown import number, table
from benchmarks.quality.languages import LANGUAGES, Sentences
from benchmarks.runner import write_results
from fuzzbow.engine import limited_threads
from fuzzbow.text import parse_language

NAME = "scripts"
COPIES, RUNS = 5, 9
BY_PYTHON = 500  # texts that the splitter in Python is timed on


def main() -> None:
    """Measure every language, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("FUZZBOW_LANGUAGES"))
    options = parser.parse_args()
    if options.data is None:
        parser.error("--data or FUZZBOW_LANGUAGES must name the folder of sentences")
    results = {
        **runner.origin(),
        "unicode": unicodedata.unidata_version,
        "languages": {code: measure(Path(options.data), code) for code in LANGUAGES},
    }
    write_results(NAME, results)


def measure(folder: Path, code: str) -> dict[str, Any]:
    """Microseconds of one text in the kernels and in Python."""
    sentences = Sentences.read(folder / f"stsb-{code}-dev.csv")
    texts = (sentences.left + sentences.right) * COPIES
    encoder = fuzzbow.load(language=code).encoder
    with limited_threads(1):
        words = encoder.word_ids(texts).rows
        by_kernel = fastest(lambda: encoder.word_ids(texts)) / len(texts)
    some = texts[:BY_PYTHON]
    by_python = fastest(lambda: encoder._encode_by_python(some)) / len(some)
    return {
        "name": parse_language(code).name,
        "characters": round(sum(map(len, texts)) / len(texts), 1),
        "words": round(len(words.values) / len(texts), 1),
        "kernel_microseconds": round(1e6 * by_kernel, 2),
        "python_microseconds": round(1e6 * by_python, 1),
    }


def fastest(call: Callable[[], Any]) -> float:
    """Seconds of processor time of the fastest run; a busy machine disturbs it least."""
    return min(runner.timed(call).processor_seconds for _ in range(RUNS))


def page(data: dict[str, Any]) -> str:
    """The results as Markdown."""
    rows = (
        (
            part["name"],
            number(part["characters"], 0),
            number(part["words"]),
            number(part["kernel_microseconds"], 2),
            number(part["python_microseconds"]),
        )
        for part in data["languages"].values()
    )
    header = ("language", "characters", "words", "kernels, µs", "Python, µs")
    return (
        "## Texts to words\n\nSplitting a sentence of STS-B dev and finding its words in the"
        " embedded vocabulary: processor time on one thread, the fastest of nine runs over 15,000"
        f" texts (500 in Python, which is the oracle). Unicode {data['unicode']}.\n\n"
        + table(header, rows)
    )


if __name__ == "__main__":
    main()
