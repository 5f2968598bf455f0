"""Print which pairs of the table hold: `python -m tests.messy.report [--known]`."""

from __future__ import annotations

import sys
from collections.abc import Callable

from tests.messy.pairs import Pair, read_pairs, score_if_possible


def peers() -> dict[str, Callable[[str, str], float]]:
    """Scores of rapidfuzz from 0 to 1, if it is installed, by its default settings."""
    try:
        from rapidfuzz import fuzz
    except ImportError:
        return {}
    return {
        "ratio": lambda left, right: fuzz.ratio(left, right) / 100,
        "WRatio": lambda left, right: fuzz.WRatio(left, right) / 100,
    }


def main(arguments: list[str]) -> None:
    pairs = read_pairs()
    scores = {pair.name: score_if_possible(pair) for pair in pairs}
    failing = [pair for pair in pairs if not _holds(pair, scores[pair.name])]
    if arguments == ["--known"]:
        print("\n".join(pair.name for pair in failing))
        return

    print("rows held, by kind")
    for kind in dict.fromkeys(pair.kind for pair in pairs):
        rows = [pair for pair in pairs if pair.kind == kind]
        held = sum(pair not in failing for pair in rows)
        print(f"{kind:20} {held:3} / {len(rows):3}")
    print(f"{'all':20} {len(pairs) - len(failing):3} / {len(pairs):3}")

    print("\nfailing rows (-----: the purpose or the option does not exist)")
    for pair in failing:
        value = scores[pair.name]
        shown = "-----" if value is None else f"{value:.3f}"
        span = f"{pair.lowest:.2f}..{pair.highest:.2f}"
        texts = f"{pair.left!a} | {pair.right!a}"
        note = f"  ({pair.note})" if pair.note else ""
        print(f"{pair.name:20} {pair.purpose:9} {shown} not in {span}  {texts}{note}")

    scored = [pair for pair in pairs if scores[pair.name] is not None]
    print(f"\nembarrassing, of {len(scored)} rows that could be scored")
    print(f"{'fuzzbow':8} {sum(pair.embarrasses(scores[pair.name]) for pair in scored)}")
    for name, compare in peers().items():
        print(f"{name:8} {sum(p.embarrasses(compare(p.left, p.right)) for p in scored)}")


def _holds(pair: Pair, value: float | None) -> bool:
    return value is not None and pair.holds(value)


if __name__ == "__main__":
    main(sys.argv[1:])
