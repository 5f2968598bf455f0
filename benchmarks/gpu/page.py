"""The tables of docs/how-to/torch.md, made of gpu_pairs.json and contextual.json.

python -m benchmarks.gpu.page
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.markdown import number, percent, table
from fuzzbow.atomic import replacing

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "how-to" / "torch.md"
DEVELOPMENT = "STSB-dev"


def pairs_table(results: dict[str, Any]) -> str:
    """Sets by size: thousand millions of pairs in a second, the library's kernel and PyTorch."""
    rows = []
    for shape in sorted(results["shapes"], key=lambda item: (item["words"], item["dimensions"])):
        own = next(item for item in shape["configs"] if item["variant"] == "library")
        rows.append(
            (
                shape["words"],
                shape["dimensions"],
                number(own["pairs_per_second"] / 1e9, 2),
                percent(own["share_of_gemm"]),
                number(shape["unfused"] / 1e9, 2),
            )
        )
    above = results["above"]
    return (
        f"Exact DynaMax-Jaccard in bfloat16 on one {results['gpu']}, 10⁹ pairs in a second, beside"
        " the same formula in plain PyTorch; the share is of the products alone at the rate of"
        f" `torch.matmul` on large matrices ({results['gemm'] / 1e12:.0f} TFLOP/s). All pairs of"
        f" {above['texts']:,} and {above['texts']:,} sets of {above['words']} words ×"
        f" {above['dimensions']} at 0.8 or above take {above['seconds']:.1f} s.\n\n"
        + table(["words", "dimensions", "fuzzbow.torch", "share", "PyTorch"], rows)
    )


def contextual_table(results: dict[str, Any]) -> str:
    """Systems down, sets across."""
    tasks = results["tasks"]
    years = [name for name in tasks if name != DEVELOPMENT]
    rows = []
    for system in tasks[DEVELOPMENT]:
        found = [tasks[name][system]["pearson"] for name in (*years, DEVELOPMENT)]
        mean = sum(found[: len(years)]) / len(years)
        rows.append((system, *(number(value) for value in (*found[:-1], mean, found[-1]))))
    return (
        "Pearson × 100 with all-MiniLM-L6-v2, mean over the subtasks of each year; idf counts the"
        " very sentences:\n\n" + table(["", *years, "mean", "STS-B dev"], rows)
    )


def main() -> None:
    """Write the parts between the marks."""
    text = PAGE.read_text(encoding="utf-8")
    for name, make in (("gpu_pairs", pairs_table), ("contextual", contextual_table)):
        results = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
        begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        before, rest = text.split(begin)
        text = f"{before}{begin}\n{make(results)}\n{end}{rest.split(end)[1]}"
    with replacing(PAGE) as beside:
        beside.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
