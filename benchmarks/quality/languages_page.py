"""The tables of docs/how-to/languages.md, made of benchmarks/results/languages.json.

python -m benchmarks.quality.languages_page
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.markdown import insert, number, table
from benchmarks.runner import read_results

ROOT = Path(__file__).parents[2]
NAME = "languages"  # of the results and of the marks
PAGE = ROOT / "docs" / "how-to" / "languages.md"


def render(results: dict[str, Any]) -> str:
    """The results as Markdown."""
    parts = [
        "Pearson × 100 on the development part of STS-B, machine-translated, 1,500 pairs each;"
        " collection weights and TF-IDF are fitted on the very sentences. The bar is the best of"
        " eight kinds of character TF-IDF.",
        without_vectors(results["languages"]),
    ]
    if results["french"] is not None:
        parts += [french_title(results["french"]), with_vectors(results["french"])]
    return "\n\n".join(parts)


def without_vectors(languages: dict[str, Any]) -> str:
    """Languages across, ways of comparing down."""
    first = next(iter(languages.values()))
    rows = [
        (name, *(number(part["without vectors"][name]["pearson"]) for part in languages.values()))
        for name in first["without vectors"]
    ]
    bar = ("character TF-IDF", *(best_tfidf(part["tfidf"]) for part in languages.values()))
    return table(("without vectors", *(part["name"] for part in languages.values())), [*rows, bar])


def best_tfidf(kinds: dict[str, dict[str, float]]) -> str:
    """The best of them, and which it is."""
    name = max(kinds, key=lambda kind: kinds[kind]["pearson"])
    return f"{number(kinds[name]['pearson'])} ({name})"


def french_title(french: dict[str, Any]) -> str:
    """What the second table is about."""
    return (
        f"French with the {french['words']:,} vectors of `{french['vectors']}`, weighted-jaccard;"
        f" {100 * french['coverage']:.1f} % of the words have one:"
    )


def with_vectors(french: dict[str, Any]) -> str:
    """French under several choices."""
    rows = [
        (name, number(found["pearson"]), number(found["spearman"]))
        for name, found in french["with vectors"].items()
    ]
    return table(("French vectors", "Pearson", "Spearman"), rows)


def main() -> None:
    """Write the tables into the docs."""
    text = render(read_results(NAME))
    insert(PAGE, NAME, text)


if __name__ == "__main__":
    main()
