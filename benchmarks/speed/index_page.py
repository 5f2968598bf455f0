"""The part of the page about search through the public interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

KINDS = {"sts": "STS sentences with every fourth word replaced", "zipf": "Zipfian text"}
MEASURES = ("weighted-jaccard", "dynamax-jaccard")


def number(value: float | None, digits: int = 2) -> str:
    """A number with thousands separated, or a dash."""
    return "–" if value is None else f"{value:,.{digits}f}"


def corpus(name: str, run: dict[str, Any], table: Callable[..., str]) -> str:
    """One corpus: ours and the peers, one query at a time."""
    flat = run["faiss_flat"]
    best = min(flat["milliseconds_by_threads"].values())

    def row(label: str, one: float, two: float, many: float | None, more: str) -> list[str]:
        cells = [number(one), number(two), number(many), number(best / min(one, two), 1)]
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
        "Milliseconds per query, top 10.\n\n" + table(header, rows) + "\n\n" + disk(run, table)
    )


def disk(run: dict[str, Any], table: Callable[..., str]) -> str:
    """Build, reopening and memory of ours."""
    rows = [
        (
            measure,
            number(run[measure]["build"]["seconds"], 1),
            number(run[measure]["build"]["peak_gigabytes"]),
            number(run[measure]["reopen"]["seconds"]),
            number(run[measure]["with_texts_read_milliseconds"]),
            number(run[measure]["many_times_one_by_one"], 1),
        )
        for measure in MEASURES
    ]
    header = (
        "on disk", "build, s", "peak memory, GB", "reopen, s", "query with its texts read, ms",
        "many at once, times one by one",
    )  # fmt: skip
    return table(header, rows)


def indexes(data: dict[str, Any], table: Callable[..., str]) -> str:
    """The whole part."""
    parts = [
        "## Search through the public interface\n\n`index.search(text, k=10)` on the embedded"
        " vectors, d = 128, tokenising included; FAISS gets its query vectors ready-made. Texts and"
        " metadata are on disk and are read when a hit is looked at."
    ]
    parts += [corpus(name, run, table) for name, run in data["corpora"].items()]
    if "growth" in data:
        rows = (
            [f"{int(size):,}", *(number(run[key]) for key in (*MEASURES, "faiss_flat"))]
            for size, run in data["growth"].items()
        )
        header = ("texts", *MEASURES, "FAISS IndexFlatIP at its best")
        parts.append(
            "### As a Zipfian corpus grows\n\nMilliseconds per query, two threads.\n\n"
            + table(header, rows)
        )
    return "\n\n".join(parts)
