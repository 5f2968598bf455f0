"""The part of the page about near-duplicates, from results/dedupe.json."""

from __future__ import annotations

from typing import Any

from benchmarks.markdown import number, table

Runs = dict[str, dict[str, Any]]  # by corpus and size

FOUND = ("pairs", "groups", "removed")
AFTERWARDS = ("group_seconds", "complete_linkage_seconds", "removed_seconds", "reasons_seconds")
AGREEMENT = (
    "of_our_pairs_also_theirs",
    "of_their_pairs_also_ours",
    "of_the_pairs_by_their_own_cosine_found",
)


def flat(results: dict[str, Runs]) -> Runs:
    """The runs by a name for corpus and size."""
    return {
        f"{kind}, {int(size):,}": run
        for kind, sizes in results.items()
        for size, run in sizes.items()
    }


def speed(runs: Runs) -> str:
    """Seconds of everyone, and how many times ours."""
    header = ("corpus", "fuzzbow", "our matrix", "cosine GEMM", "semhash", "peak GB")
    rows = (
        (
            name,
            number(run["fuzzbow"]["seconds"]),
            f"{number(run['matrix_seconds'])} ({number(run['times_matrix'])})",
            f"{number(run['gemm_seconds'])} ({number(run['times_gemm'])})",
            f"{number(run['semhash']['seconds'])} ({number(run['times_semhash'])})"
            if "semhash" in run
            else "",
            number(run["fuzzbow"]["peak_gb_of_the_process"], 2),
        )
        for name, run in runs.items()
    )
    return table(header, rows)


def found(runs: Runs) -> str:
    """What was found, and the seconds of what is done with it."""
    header = (
        "corpus",
        *FOUND,
        "single linkage, s",
        "complete linkage, s",
        "removed, s",
        "words, s",
    )
    rows = (
        (
            name,
            *(f"{run['fuzzbow'][key]:,}" for key in FOUND),
            *(number(run["fuzzbow"][key], 2) for key in AFTERWARDS),
        )
        for name, run in runs.items()
    )
    return table(header, rows)


def agreement(runs: Runs) -> str:
    """How semhash's pairs agree with ours and with its own measure."""
    header = ("corpus", "its pairs", "ours also its", "its also ours", "found by its index")
    rows = (
        (
            name,
            f"{run['semhash']['pairs']:,}",
            *(f"{100 * run['semhash'][key]:.1f} %" for key in AGREEMENT),
        )
        for name, run in runs.items()
        if "semhash" in run
    )
    return table(header, rows)


def growth(runs: Runs) -> str:
    """Seconds as the corpus grows."""
    rows = ((name, number(run["seconds"]), f"{run['pairs']:,}") for name, run in runs.items())
    return table(("corpus", "seconds", "pairs"), rows)


def duplicates(data: dict[str, Any]) -> str:
    """The whole part."""
    runs = flat(data["corpora"])
    return "\n\n".join(
        [
            f"## Near-duplicates at {data['threshold']} or above\n\n`model.duplicates(texts)` with"
            f" {data['measure']}, tokenising included, {data['threads']} threads. Seconds, and in"
            f" brackets how many times ours. Our own matrix: {data['matrix_is']}. A cosine GEMM on"
            f" averaged vectors: {data['gemm_is']}. semhash: {data['semhash_is']}.",
            speed(runs),
            "What was found, and the seconds of what is done with it:",
            found(runs),
            "How semhash's pairs agree with ours, a matter of measures, and how many of the pairs"
            " by its own cosine it finds, a matter of its index:",
            agreement(runs),
            "As the corpus grows:",
            growth(flat(data["growth"])),
        ]
    )
