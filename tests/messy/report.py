"""Print which pairs of the table hold: `python -m tests.messy.report [--known]`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping

from tests.messy.pairs import Pair, read_pairs, score_if_possible


def peers() -> dict[str, Callable[[str, str], float]]:
    """Scores of rapidfuzz from 0 to 1, if it is installed, without and with its preprocessing."""
    try:
        from rapidfuzz import fuzz, utils
    except ImportError:
        return {}

    def scorer(name: str, processor: Callable[[str], str] | None) -> Callable[[str, str], float]:
        return lambda *texts: getattr(fuzz, name)(*texts, processor=processor) / 100

    processors = {"": None, "+": utils.default_process}
    return {n + mark: scorer(n, p) for mark, p in processors.items() for n in ("ratio", "WRatio")}


def main(arguments: list[str]) -> None:
    pairs = read_pairs()
    scores = {pair.name: score_if_possible(pair) for pair in pairs}
    failing = [pair for pair in pairs if not _holds(pair, scores[pair.name])]
    if arguments == ["--known"]:
        print("\n".join(pair.name for pair in failing))
        return

    embarrassing = {"fuzzbow": _embarrassing(pairs, scores)}
    for name, compare in peers().items():
        values = {p.name: compare(p.left, p.right) for p in pairs if scores[p.name] is not None}
        embarrassing[name] = _embarrassing(pairs, values)

    print("rows held, and rows whose score is embarrassing (+: rapidfuzz with default_process)")
    print(f"{'kind':18} {'held':>9}", *(f"{name:>8}" for name in embarrassing))
    for kind in [*dict.fromkeys(pair.kind for pair in pairs), "all"]:
        rows = [pair for pair in pairs if kind in (pair.kind, "all")]
        held = sum(pair not in failing for pair in rows)
        counts = [sum(pair.name in names for pair in rows) for names in embarrassing.values()]
        print(f"{kind:18} {held:3} / {len(rows):3}", *(f"{count:8}" for count in counts))

    print("\nfailing rows (-----: the purpose or the option does not exist)")
    for pair in failing:
        value = scores[pair.name]
        shown = "-----" if value is None else f"{value:.3f}"
        span = f"{pair.lowest:.2f}..{pair.highest:.2f}"
        texts = f"{pair.left!a} | {pair.right!a}"
        note = f"  ({pair.note})" if pair.note else ""
        print(f"{pair.name:20} {pair.purpose:9} {shown} not in {span}  {texts}{note}")

    missing = sum(value is None for value in scores.values())
    if missing:
        print(f"\nnot scored, and embarrassing for none: {missing} rows")


def _embarrassing(pairs: list[Pair], scores: Mapping[str, float | None]) -> set[str]:
    """Names of the pairs whose score is embarrassing."""
    values = ((pair, scores.get(pair.name)) for pair in pairs)
    return {pair.name for pair, value in values if value is not None and pair.embarrasses(value)}


def _holds(pair: Pair, value: float | None) -> bool:
    return value is not None and pair.holds(value)


if __name__ == "__main__":
    main(sys.argv[1:])
