"""Parts of the benchmark page and of the documentation about speed, made of results."""

from __future__ import annotations

from typing import Any

from benchmarks.markdown import number, percent, table

Results = dict[str, Any]
MEASURES = ("weighted-jaccard", "dynamax-jaccard")
FLAT = "FAISS flat"
DEFAULT = MEASURES[0]


def both(run: dict[str, float], digits: int) -> str:
    """Median and mean."""
    return f"{number(run['median'], digits)} / {number(run['mean'], digits)}"


def origin(data: Results) -> str:
    """Sentence on what was measured, where and when."""
    corpus, machine = data["corpus"], data["machine"]
    return (
        f"{corpus['sentences']:,} sentences of `{corpus['file']}`, {corpus['words_per_sentence']}"
        f" words each. {machine['cpu']}, {machine['cores']} cores; {data['date']}, commit"
        f" {data['commit']}."
    )


def calls(data: Results) -> str:
    """Single calls and pairs."""
    stream, pairs = data["stream"], data["pairs"]
    first = ((name, *(number(value, 2) for value in run)) for name, run in data["first"].items())
    rates = [("NumPy, pair by pair", number(pairs["numpy_pairs_per_second"], 0), "–", "1.0")]
    rates += [
        (
            name,
            *(number(run[key], 0) for key in ("pairs_per_second", "again")),
            number(run["times_numpy"]),
        )
        for name, run in pairs.items()
        if isinstance(run, dict)
    ]
    return "\n\n".join(
        [
            f"## Single calls\n\n{origin(data)} `model.similarity(a, b)` over"
            f" {stream['pairs']:,} pairs of distinct sentences, in microseconds, median / mean.",
            similarity_table(data),
            "Milliseconds of the first and the second call after `fuzzbow.load`:",
            table(("", "first", "second"), first),
            f"`model.pairs` of {pairs['pairs']:,} pairs of strings, pairs per second; the ratio is"
            " of the first time:",
            table(("", "first time", "again", "times NumPy"), rates),
        ]
    )


def similarity_table(data: Results) -> str:
    """Microseconds of a call, and the ratio of means to ours."""
    runs = data["stream"]["microseconds"]
    ours = runs[DEFAULT]
    key = "rest" if "rest" in ours else "start"
    rows = [
        (
            name,
            both(run["start"], 1),
            both(run[key], 1),
            both(run["again"], 1),
            number(run[key]["mean"] / ours[key]["mean"], 2),
        )
        for name, run in runs.items()
    ]
    start = f"first {data['stream']['start']:,}"
    header = ("`similarity`", start, "after them", "the same pairs again", "times ours")
    return table(header, rows)


def searches(data: Results) -> str:
    """Search by size."""
    disk, graph = data["disk"], data["sizes"]["faiss_hnsw"]
    rows = [
        (name, both(run, 2), number(run["recall_at_10"], 3))
        for name, run in graph.items()
        if isinstance(run, dict)
    ]
    return "\n\n".join(
        [
            f"## Search\n\n{origin(data)} `index.search(query, k={data['sizes']['k']})` with"
            " distinct queries that are not in the index, on the embedded vectors, d = 128."
            " Milliseconds of a query, median / mean. FAISS IndexFlatIP searches averages of the"
            " same vectors; `query made` adds making the vector of the query in NumPy. A batch is"
            " 1,000 other queries together.",
            search_table(data, MEASURES),
            f"FAISS HNSW (M = {graph['M']}) over the averages of {graph['texts']:,} texts, built"
            f" in {number(graph['build_seconds'])} s, one thread; recall is of IndexFlatIP's"
            " result:",
            table(("", "milliseconds", "recall at 10"), rows),
            f"On disk, {disk['texts']:,} texts under {DEFAULT}: built in"
            f" {number(disk['build']['seconds'])} s (peak memory"
            f" {number(disk['build']['peak_gigabytes'], 2)} GB), opened in"
            f" {number(disk['open']['seconds'], 2)} s.",
        ]
    )


def search_table(data: Results, measures: tuple[str, ...]) -> str:
    """Milliseconds of a query by size."""
    rows = []
    for size, runs in data["sizes"]["milliseconds"].items():
        best = min(runs[FLAT][f"{threads} threads"]["mean"] for threads in (1, 2))
        for name in (*measures, FLAT):
            run = runs[name]
            made = run.get("with its query vector made in NumPy")
            own = min(run[f"{threads} threads"]["mean"] for threads in (1, 2))
            rows.append(
                (
                    f"{int(size):,}",
                    name,
                    both(run["1 threads"], 3),
                    both(run["2 threads"], 3),
                    both(run["again"], 3) if "again" in run else "–",
                    both(made, 3) if made else "–",
                    number(run["batch"], 3),
                    number(best / own, 2),
                    number(run["bytes_per_text"], 0),
                )
            )
    header = (
        *("texts", "", "1 thread", "2 threads", "again", "query made", "batch"),
        *("times as fast as FAISS at its best", "bytes per text"),
    )
    return table(header, rows)


def default_search_table(data: Results) -> str:
    """Search by size under the default measure."""
    return search_table(data, (DEFAULT,))


def bm25_summary(data: Results) -> str:
    """Mean milliseconds of distinct queries for both lengths of text."""
    rows = [
        (
            f"{run['texts']:,}",
            number(run["words_per_text"]),
            *(number(way["new"]["mean"], 2) for way in run["milliseconds"].values()),
        )
        for run in (data["sentences"], data["passages"])
    ]
    return table(("texts", "words each", *data["sentences"]["milliseconds"]), rows)


def bm25(data: Results) -> str:
    """Fuzzy BM25 beside others."""
    parts = [
        f"## Fuzzy BM25\n\n{origin(data)} Distinct queries, the 10 best, one thread. fuzzbow"
        " splits the query; the others get the same tokens ready-made. `similar` says whether"
        " words that are similar to those of the query count."
    ]
    for kind in ("sentences", "passages"):
        run = data[kind]
        size, length = f"{run['texts']:,}", number(run["words_per_text"])
        title = f"{size} sentences" if kind == "sentences" else f"{size} passages of 11 sentences"
        parts += [f"### {title}, {length} words each", bm25_table(run)]
    return "\n\n".join(parts)


def bm25_table(run: Results) -> str:
    """Milliseconds of a query, and how many times ours takes."""
    rows = [
        (
            name,
            "no" if name.startswith(("bm25s", "Tantivy")) else "yes",
            both(way["new"], 2),
            both(way["again"], 2),
            number(way["slowest_tenth"], 2),
            number(way["fuzzy_bm25_takes_times"], 2),
            number(way["build_seconds"]),
            number(way.get("bytes_per_text"), 0),
        )
        for name, way in run["milliseconds"].items()
    ]
    header = (
        *("milliseconds, median / mean", "similar", "new queries", "the same again"),
        *("slowest tenth", "fuzzy-bm25 takes times", "build, s", "bytes per text"),
    )
    return table(header, rows)


def duplicates(data: Results) -> str:
    """Near-duplicates: growth and peers."""
    growth = data["growth"]
    header = (
        *("threshold", "texts", "seconds", "processor seconds", "pairs", "exact", "removed"),
        *("grouping, s", "removed, s", "words, s", "peak GB"),
    )
    rows = [
        (
            threshold,
            f"{int(size):,}",
            *(number(run[name]) for name in ("seconds", "processor_seconds")),
            *(f"{run[name]:,}" for name in ("pairs", "exact_copies", "removed")),
            *(number(run[f"{n}_seconds"], 2) for n in ("group", "removed", "reasons")),
            number(run["peak_gb_of_the_process"], 2),
        )
        for threshold, line in growth.items()
        for size, run in line["runs"].items()
    ]
    peers = data["peers"]
    return "\n\n".join(
        [
            f"## Near-duplicates\n\n{origin(data)} `model.duplicates(texts)` under {DEFAULT}, two"
            " threads, each run in a new process.",
            table(header, rows),
            "Exponents, the slopes of seconds and of pairs over texts, in logarithms:",
            exponents_table(data),
            f"Beside others, {peers['texts']:,} texts at {peers['threshold']}: our own matrix and a"
            " cosine GEMM on averaged vectors are extrapolated from a few rows to half of all"
            " cells; semhash has averages of the same word vectors and its default index.",
            peers_table(data),
            f"semhash finds {peers['semhash_pairs']:,} pairs by its cosine, ours"
            f" {peers['pairs']:,}, of which {percent(peers['of_our_pairs_also_theirs'])} are also"
            f" its. Its index finds {percent(peers['of_the_pairs_by_their_own_cosine_found'])} of"
            " the pairs by its own cosine.",
        ]
    )


def exponents_table(data: Results) -> str:
    """Exponents by threshold."""
    names = ("exponent", "processor_exponent", "pairs_exponent")
    rows = [
        (threshold, *(number(line[name], 2) for name in names))
        for threshold, line in data["growth"].items()
    ]
    return table(("threshold", "seconds", "processor seconds", "pairs"), rows)


def peers_table(data: Results) -> str:
    """Seconds of other ways to find duplicates."""
    peers = data["peers"]
    rows = [
        (name, number(seconds), number(peers["times"].get(name, 1)))
        for name, seconds in peers["seconds"].items()
        if name != "fuzzbow, again"
    ]
    return table(("", "seconds", "times fuzzbow"), rows)


def memory_table(search: Results, bm25: Results) -> str:
    """Bytes per text of indexes."""
    sizes = list(search["sizes"]["milliseconds"].items())[-2:]
    words = search["corpus"]["words_per_sentence"]
    rows = [
        (f"`{name}`", f"{int(size):,}", number(words), number(runs[name]["bytes_per_text"], 0))
        for size, runs in sizes
        for name in MEASURES
    ]
    rows += [
        (
            f"`{name}`",
            f"{run['texts']:,}",
            number(run["words_per_text"]),
            number(run["milliseconds"][name]["bytes_per_text"], 0),
        )
        for run in (bm25["sentences"], bm25["passages"])
        for name in ("fuzzy-bm25", DEFAULT)
        if name == "fuzzy-bm25" or run is bm25["passages"]
    ]
    return table(("measure", "texts", "words each", "bytes per text"), rows)


def kernels(data: Results) -> str:
    """Pairs of ids by instruction set, and poolings."""
    peaks, poolings = data["peaks"], data["poolings"]
    fma = ", ".join(f"{k} {number(v, 0)}" for k, v in peaks["fma_gflops_one_core"].items() if v)
    parts = [
        f"## Kernels, on synthetic texts\n\nDynaMax-Jaccard from ids, d ="
        f" {data['pairs']['dimension']}, Zipfian texts of 11.6 words over random vectors. FMA peak"
        f" of one core in GFLOP/s: {fma}; summing an array:"
        f" {number(peaks['memory_gb_per_second_one_thread'])} GB/s on one thread."
    ]
    for name, where in (("pairs", "memory"), ("pairs_in_cache", "the cache")):
        words = data[name]["words"]
        parts += [f"Over {words:,} words, whose vectors come from {where}:", _pairs(data[name])]
    rows = [(f"{name}-jaccard", number(value, 2)) for name, value in poolings["seconds"].items()]
    parts += [
        f"The ablations of DynaMax have no kernels. {poolings['pairs']:,} pairs of sentences of"
        f" `{data['corpus']['file']}` take with each pooling:",
        table(("measure", "seconds"), rows),
    ]
    return "\n\n".join(parts)


def _pairs(ids: Results) -> str:
    rate = ids["numpy_pairs_per_second"]
    rows = [("NumPy, pair by pair", number(rate, 0), "1.0", "–", "–")]
    if ids["torch_pairs_per_second"]:
        padded = ids["torch_pairs_per_second"]
        rows.append(("torch, padded", number(padded, 0), number(padded / rate), "–", "–"))
    rows += [
        (
            name,
            number(run["pairs_per_second"], 0),
            number(run["times_numpy"]),
            percent(run["share_of_fma_peak"]),
            number(run["gb_of_vectors_per_second"]),
        )
        for name, run in ids.items()
        if isinstance(run, dict)
    ]
    header = ("", "pairs per second", "times NumPy", "of FMA peak", "GB of vectors per second")
    return table(header, rows)


def parsing(data: Results) -> str:
    """Reading a text file of vectors."""
    file, seconds = data["file"], data["median_seconds"]
    rows = [
        (name, number(value, 2), number(seconds["gensim"] / value))
        for name, value in seconds.items()
    ]
    return (
        f"## Reading vectors\n\nA text file of {file['words']:,} × {file['dimension']} random"
        f" numbers, {data['machine']['cores']} cores.\n\n"
        + table(("reader", "seconds", "times gensim"), rows)
    )


def summary(calls: Results, search: Results, bm25: Results, dedupe: Results) -> str:
    """The table of the README: means on real text that was not seen before."""
    stream = calls["stream"]["microseconds"]
    key = "rest" if "rest" in stream[DEFAULT] else "start"
    each = {name: f"{number(run[key]['mean'])} µs" for name, run in stream.items()}
    rapid = "rapidfuzz token_set_ratio"
    rows = [
        (
            "`similarity(a, b)`",
            each[DEFAULT],
            f"NumPy {each['NumPy']}, {rapid} {each[rapid]}",
        )
    ]
    for size, runs in search["sizes"]["milliseconds"].items():
        ours, flat = (
            min(runs[name][f"{threads} threads"]["mean"] for threads in (1, 2))
            for name in (DEFAULT, FLAT)
        )
        what = f"`index.search(query)` over {int(size):,} sentences"
        rows.append((what, f"{number(ours, 2)} ms", f"FAISS IndexFlatIP {number(flat, 2)} ms"))
    ways = bm25["sentences"]["milliseconds"]
    took = {name: f"{number(way['new']['mean'], 2)} ms" for name, way in ways.items()}
    rest = ", ".join(f"{name} {took[name]}" for name in took if name.startswith(("bm25s", "Tan")))
    what = f"`fuzzy-bm25` over {bm25['sentences']['texts']:,}, one thread"
    rows.append((what, took["fuzzy-bm25"], rest))
    for threshold, line in dedupe["growth"].items():
        size, run = list(line["runs"].items())[-1]
        what = f"`duplicates` of {int(size):,} at {threshold}"
        rows.append((what, f"{number(run['seconds'])} s", ""))
    return table(("means", "fuzzbow", "others"), rows) + "\n\n" + origin(calls)
