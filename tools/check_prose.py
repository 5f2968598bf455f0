"""Fail on docstrings in src/ that open with a pronoun or an indirect question.

    python tools/check_prose.py            # compare with the baseline; used by make check
    python tools/check_prose.py --list     # show every such docstring
    python tools/check_prose.py --lower    # write a baseline that is lower than the last one

The baseline, tools/prose_baseline.json, holds how many are left in each package; the numbers may
only fall.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "fuzzbow"
BASELINE = ROOT / "tools" / "prose_baseline.json"
BANNED = re.compile(
    r"(?:The same|What|Those|These|Whether|Who(?:ever|se)?|Why|How|It|Its|Itself|They|Them|This|"
    r"One (?:that|of)|One,|Some(?:one|body)|Nobody|That|Where|Which|When|As|All that|Everything)\b"
)
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)

Finding = tuple[Path, int, str]  # file, line, first line of the docstring


def openings(source: str) -> Iterator[tuple[int, str]]:
    """Find the docstrings of a module that open with a banned word: (line, first line)."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, DOCUMENTED):
            first = (ast.get_docstring(node) or "").partition("\n")[0]
            if BANNED.match(first):
                yield node.body[0].lineno, first


def findings(source: Path = SOURCE) -> list[Finding]:
    """Find such docstrings in all modules under a folder."""
    return [
        (path, line, first)
        for path in sorted(source.rglob("*.py"))
        for line, first in sorted(openings(path.read_text("utf-8")))
    ]


def by_package(found: list[Finding], source: Path = SOURCE) -> dict[str, int]:
    """Count findings by package of the library, such as `cli`, or `fuzzbow` for its own modules."""
    parts = [path.relative_to(source).parts for path, _, _ in found]
    counts = Counter(names[0] if len(names) > 1 else "fuzzbow" for names in parts)
    return dict(sorted(counts.items()))


def risen(counts: dict[str, int], allowed: dict[str, int]) -> list[str]:
    """Return the packages with more findings than are allowed."""
    return [name for name, count in counts.items() if count > allowed.get(name, 0)]


def main(arguments: list[str]) -> int:
    """Compare with the baseline, list, or lower the baseline."""
    found = findings()
    counts, allowed = by_package(found), json.loads(BASELINE.read_text("utf-8"))
    worse = risen(counts, allowed)
    shown = found if "--list" in arguments else [item for item in found if _is_in(item, worse)]
    for path, line, first in shown:
        print(f"{path.relative_to(ROOT)}:{line}: {first}")
    for name in worse:
        print(
            f"{name}: docstrings that open with a pronoun or an indirect question: {counts[name]},"
            f" at most {allowed.get(name, 0)} may (a function's begins with a verb, a class's with"
            " a noun)",
            file=sys.stderr,
        )
    if worse:
        return 1
    if "--lower" in arguments:
        BASELINE.write_text(json.dumps(counts, indent=1) + "\n", "utf-8")
    elif counts != allowed:
        print("fewer than the baseline: run python tools/check_prose.py --lower", file=sys.stderr)
        return 1
    return 0


def _is_in(finding: Finding, packages: list[str]) -> bool:
    return next(iter(by_package([finding]))) in packages


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
