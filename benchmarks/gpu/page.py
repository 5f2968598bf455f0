"""The tables of docs/how-to/torch.md, made of gpu_*.json and contextual.json.

python -m benchmarks.gpu.page
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.markdown import number, percent, table
from fuzzbow.io.atomic import replacing

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "how-to" / "torch.md"
DEVELOPMENT = "STSB-dev"
MAXSIMS = ("late-interaction-kernels", "flash-maxsim", "PyTorch")


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
                *(number(shape["maxsim"][name] / 1e9, 2) for name in MAXSIMS),
            )
        )
    above = results["above"]
    return (
        f"Exact DynaMax-Jaccard in bfloat16 on one {results['gpu']}, 10⁹ pairs in a second, beside"
        " the same formula in plain PyTorch; the share is of the products alone at the rate of"
        f" `torch.matmul` on large matrices ({results['gemm'] / 1e12:.0f} TFLOP/s). All pairs of"
        f" {above['texts']:,} and {above['texts']:,} sets of {above['words']} words ×"
        f" {above['dimensions']} at 0.8 or above take {above['seconds']:.1f} s.\n\n"
        + table(
            ["words", "dimensions", "fuzzbow.torch", "share", "PyTorch"]
            + [f"MaxSim, {name}" for name in MAXSIMS],
            rows,
        )
        + "\n\nMaxSim, the score of late interaction, takes the maxima one way only and no"
        " minima, after the same products. The libraries' kernels are late-interaction-kernels"
        " 0.4.5 and flash-maxsim 0.3.0; PyTorch's is a product"
        " of matrices, `amax` and `sum`."
    )


def training_table(results: dict[str, Any]) -> str:
    """Shapes down: milliseconds of a step and the memory of both ways, and errors."""
    rows = [
        (
            f"{shape['pairs']:,}",
            shape["words"],
            shape["dimensions"],
            *(number(1000 * shape[way]["seconds"], 1) for way in ("kernel", "plain")),
            *(number(shape[way]["bytes"] / 2**20, 0) for way in ("kernel", "plain")),
            f"{shape['kernel']['error']:.0e}",
        )
        for shape in results["shapes"]
    ]
    head = ["pairs", "words", "dimensions", "kernel, ms", "plain, ms"]
    head += ["kernel, MiB", "plain, MiB", "error"]
    return (
        f"Scores and gradients of a batch in float32 on one {results['gpu']}; memory is what a step"
        " takes beyond the words and their gradients, the error is that of the kernel's gradients"
        " beside float64, relative to the largest:\n\n" + table(head, rows)
    )


def models_table(results: dict[str, Any]) -> str:
    """What a model's engine takes."""
    search, join = results["search"], results["join"]
    compiling = join["first_seconds"] - join["seconds"]
    return (
        f"On one {results['gpu']}, beside 16 cores: the 10 best of {search['documents']:,}"
        f" documents for {search['queries']:,} queries take {search['seconds']:.2f} s, those of"
        f" the compiled engine {search['compiled_seconds']:.2f} s; all pairs of"
        f" {join['texts']:,} and {join['texts']:,} texts at {join['threshold']} or above"
        f" {join['seconds']:.1f} s. The first call compiles kernels, which takes"
        f" {compiling:.0f} s or more: a single search, or a join of some thousand texts, is faster"
        " on the compiled engine."
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


TABLES = {
    "gpu_pairs": pairs_table,
    "gpu_training": training_table,
    "gpu_models": models_table,
    "contextual": contextual_table,
}


def main() -> None:
    """Write the parts between the marks."""
    text = PAGE.read_text(encoding="utf-8")
    for name, make in TABLES.items():
        results = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
        begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        before, rest = text.split(begin)
        text = f"{before}{begin}\n{make(results)}\n{end}{rest.split(end)[1]}"
    with replacing(PAGE) as beside:
        beside.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
