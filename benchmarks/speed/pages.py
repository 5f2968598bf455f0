"""Parts of the benchmark page about speed, and tables of docs/performance.md.

`python -m benchmarks.speed.pages` writes those tables into the document.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.markdown import insert, number, table
from benchmarks.runner import read_results

Runs = dict[str, dict[str, Any]]  # by corpus and size
KINDS = {"sts": "STS sentences with every fourth word replaced", "zipf": "Zipfian text"}
MEASURES = ("weighted-jaccard", "dynamax-jaccard")


def search_table(name: str, run: dict[str, Any]) -> str:
    """One corpus: ours and the peers, one query at a time."""
    flat = run["faiss_flat"]
    best = min(flat["milliseconds_by_threads"].values())

    def row(label: str, one: float, two: float, many: float | None, more: str) -> list[str]:
        cells = [number(one, 2), number(two, 2), number(many, 2), number(best / min(one, two), 1)]
        return [label, *cells, more]

    rows = []
    for measure in MEASURES:
        own, threads = run[measure], run[measure]["milliseconds_by_threads"]
        more = f"exact; {own['bytes_per_text']:.0f} bytes per text"
        many = own["many_at_once_milliseconds"]
        rows.append(row(f"fuzzbow, {measure}", threads["1"], threads["2"], many, more))
    threads = flat["milliseconds_by_threads"]
    more = f"exact on averages; {flat['bytes_per_text']} bytes per text"
    many = flat["many_at_once_milliseconds"]
    rows.append(row("FAISS IndexFlatIP", threads["1"], threads["2"], many, more))
    for key, found in run["faiss_hnsw"].items():
        if isinstance(found, dict):
            threads = found["milliseconds_by_threads"]
            more = f"recall {found['recall_at_10']:.3f} of IndexFlatIP's"
            rows.append(row(f"FAISS HNSW, {key}", threads["1"], threads["2"], None, more))
    milliseconds = run["bm25s"]["milliseconds"]
    rows.append(row("bm25s", milliseconds, milliseconds, None, "words only; one thread"))
    loop = run["numpy_loop"]
    milliseconds = loop["milliseconds"]
    rows.append(row("NumPy DynaMax loop", milliseconds, milliseconds, None, loop["is"]))
    header = ("", "1 thread", "2 threads", "many at once", "times IndexFlatIP at its best", "")
    kind = KINDS[name.split()[0]]
    return (
        f"### {run['texts']:,} texts: {kind}, {run['words_per_text']:.1f} words each\n\n"
        "Milliseconds per query, top 10.\n\n" + table(header, rows) + "\n\n" + disk(run)
    )


def disk(run: dict[str, Any]) -> str:
    """Build, reopening and memory of ours."""
    rows = [
        (
            measure,
            number(run[measure]["build"]["seconds"], 1),
            number(run[measure]["build"]["peak_gigabytes"], 2),
            number(run[measure]["reopen"]["seconds"], 2),
            number(run[measure]["with_texts_read_milliseconds"], 2),
            number(run[measure]["many_times_one_by_one"], 1),
        )
        for measure in MEASURES
    ]
    header = (
        "on disk", "build, s", "peak memory, GB", "reopen, s", "query with its texts read, ms",
        "many at once, times one by one",
    )  # fmt: skip
    return table(header, rows)


def indexes(data: dict[str, Any]) -> str:
    """The whole part."""
    parts = [
        "## Search through the public interface\n\n`index.search(text, k=10)` on the embedded"
        " vectors, d = 128, tokenising included; FAISS gets its query vectors ready-made. Texts and"
        " metadata are on disk and are read when a hit is looked at."
    ]
    parts += [search_table(name, run) for name, run in data["corpora"].items()]
    if "growth" in data:
        rows = (
            [f"{int(size):,}", *(number(run[key], 2) for key in (*MEASURES, "faiss_flat"))]
            for size, run in data["growth"].items()
        )
        header = ("texts", *MEASURES, "FAISS IndexFlatIP at its best")
        parts.append(
            "### As a Zipfian corpus grows\n\nMilliseconds per query, two threads.\n\n"
            + table(header, rows)
        )
    return "\n\n".join(parts)


def calls(data: dict[str, Any]) -> str:
    """Pairs and searches one at a time, and pairs of strings many at once."""
    return "\n\n".join([_similarity(data["similarity"]), _search(data["search"]), _pairs(data)])


def _similarity(data: dict[str, Any]) -> str:
    runs = {name: run for name, run in data.items() if isinstance(run, dict)}
    rows = [
        (name, number(run["microseconds"]), number(run.get("first"))) for name, run in runs.items()
    ]
    return (
        "## Single calls\n\n`model.similarity(a, b)`, two sentences of"
        f" {number(data['words_per_text'])} words, from strings; `first` is the time of a call with"
        " words that were not met before:\n\n" + table(("", "microseconds", "first"), rows)
    )


def _search(data: dict[str, Any]) -> str:
    rows = [
        (
            f"{int(size):,}",
            *(number(run[name][threads], 3) for name in run for threads in ("1", "2")),
        )
        for size, run in data["milliseconds_by_threads"].items()
    ]
    names = list(next(iter(data["milliseconds_by_threads"].values())))
    header = [f"{name.replace('_', ' ')}, {threads}" for name in names for threads in (1, 2)]
    return (
        f"`index.search(query, k={data['k']})`, one query at a time from strings, with 1 and 2"
        " threads; FAISS gets a ready vector. Milliseconds:\n\n" + table(("texts", *header), rows)
    )


def _pairs(data: dict[str, Any]) -> str:
    rows = [
        (f"d = {dimension}, {name}", number(run["pairs_per_second"], 0), number(run["times_numpy"]))
        for dimension, found in data["pairs"].items()
        for name, run in found.items()
        if isinstance(run, dict)
    ]
    return "Pairs of strings, many at once, beside NumPy pair by pair:\n\n" + table(
        ("", "pairs per second", "times NumPy"), rows
    )


def performance(data: dict[str, Any]) -> str:
    """The tables of docs/performance.md."""
    search = data["search"]["milliseconds_by_threads"]
    rows = [
        (
            f"{int(size):,}",
            *(number(run["weighted-jaccard"][key], 2) for key in ("1", "2", "first")),
            number(min(run["faiss_flat"].values()), 2),
        )
        for size, run in search.items()
    ]
    header = ("texts", "milliseconds, 1 thread", "2 threads", "new words", "FAISS flat")
    pairs = [
        (name, number(run["microseconds"]), number(run.get("first"), 0))
        for name, run in data["similarity"].items()
        if isinstance(run, dict)
    ]
    return "\n\n".join(
        [table(("`similarity`", "microseconds", "new words"), pairs), table(header, rows)]
    )


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


def dedupe_speed(runs: Runs) -> str:
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


def dedupe_found(runs: Runs) -> str:
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


def dedupe_growth(runs: Runs) -> str:
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
            dedupe_speed(runs),
            "What was found, and the seconds of what is done with it:",
            dedupe_found(runs),
            "How semhash's pairs agree with ours, a matter of measures, and how many of the pairs"
            " by its own cosine it finds, a matter of its index:",
            agreement(runs),
            "As the corpus grows:",
            dedupe_growth(flat(data["growth"])),
        ]
    )


def join_growth(data: dict[str, Any]) -> str:
    """Seconds of the processor by corpus, threshold and size, and the exponents."""
    lines = {
        (kind, threshold): found
        for kind, thresholds in data["growth"].items()
        for threshold, found in sorted(thresholds.items())
    }
    sizes = sorted({int(size) for found in lines.values() for size in found["runs"]})
    loads = [run["load"] for found in lines.values() for run in found["runs"].values()]
    rows = (
        (
            kind,
            threshold,
            *(number(_seconds(found, size)) for size in sizes),
            number(found["exponent"], 2),
            number(found["pairs_exponent"], 2),
        )
        for (kind, threshold), found in lines.items()
    )
    header = ("corpus", "threshold", *(f"{size:,}" for size in sizes), "exponent", "of the pairs")
    return (
        f"## How near-duplicates grow\n\n`model.duplicates(texts)` with {data['measure']},"
        " tokenising included. Seconds of the processor, all threads together: on"
        f" {data['threads']} idle cores the clock shows somewhat more than 1/{data['threads']} of"
        f" them. The machine had other work to do (load {min(loads):.0f} to {max(loads):.0f}),"
        " which makes them larger too. The exponent is the slope of seconds over texts, in"
        " logarithms; the last column is that of the number of pairs that are found.\n\n"
        + table(header, rows)
    )


def _seconds(found: dict[str, Any], size: int) -> float | None:
    return found["runs"].get(str(size), {}).get("processor_seconds")


if __name__ == "__main__":
    document = Path(__file__).parents[2] / "docs" / "performance.md"
    insert(document, "calls", performance(read_results("calls")))
