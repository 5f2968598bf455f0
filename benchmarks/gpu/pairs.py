"""All pairs on a GPU: every kernel and tile is checked, then timed beside plain PyTorch.

    PYTHONPATH=src python -m benchmarks.gpu.pairs --output DIR [--quick]

Shapes are compiled and checked in processes of their own, all at once, so that what crashes or
hangs ends alone; what computed the right scores is then timed, one after the other. Results
are in DIR/pairs.json after each step.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch

from benchmarks.gpu.problem import Config, Problem, configs, run_of
from benchmarks.gpu.timing import gemm, gemm_as, machine, maxsims, seconds, unfused

SHAPES = (  # words, dimensions: those with a target first
    (16, 256), (16, 128), (32, 256), (64, 256), (8, 256), (16, 64), (16, 384), (8, 128),
    (32, 128), (64, 128), (8, 64), (32, 64), (64, 64), (8, 384), (32, 384), (64, 384),
)  # fmt: skip
TOLERANCE = 1e-3
CHECK_SECONDS, QUICK_CHECK_SECONDS = 240, 70


def main() -> None:
    """Check, time, print."""
    options = _options()
    most = 2 if options.quick else None
    if options.check:
        _check_shape(*options.check, most, Path(options.output))
        return
    folder = Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    shapes = [shape for shape in SHAPES if not options.only or list(shape) in options.only]
    report = {"command": "python -m benchmarks.gpu.pairs", **machine(), "gemm": gemm()}
    print(
        f"{report['gpu']}: product of matrices at {report['gemm'] / 1e12:.0f} TFLOP/s", flush=True
    )
    with tempfile.TemporaryDirectory() as found:
        checked = _checked(shapes, options.quick, Path(found))
    report["shapes"] = []
    end = time.monotonic() + options.seconds
    for k, d in shapes:
        if time.monotonic() < end:
            _time_shape(k, d, most, checked[k, d], report, folder / "pairs.json", end)
    report["above"] = _time_above()
    _write(folder / "pairs.json", report)
    _show(report)


def _options() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", required=True, help="folder for pairs.json")
    parser.add_argument("--quick", action="store_true", help="two tiles of each kernel at most")
    parser.add_argument("--seconds", type=float, default=240, help="for timing, after the checks")
    parser.add_argument(
        "--only", type=int, nargs=2, action="append", metavar=("WORDS", "DIMENSIONS")
    )
    parser.add_argument("--check", type=int, nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args()


def _checked(
    shapes: list[tuple[int, int]], quick: bool, folder: Path
) -> dict[tuple[int, int], list[dict]]:
    """What each configuration of each shape computes, from processes that run side by side."""
    command = [sys.executable, "-m", "benchmarks.gpu.pairs", "--output", str(folder)]
    command += ["--quick"] * quick
    workers = [subprocess.Popen([*command, "--check", str(k), str(d)]) for k, d in shapes]
    end = time.monotonic() + (QUICK_CHECK_SECONDS if quick else CHECK_SECONDS)
    for worker in workers:
        try:
            worker.wait(timeout=max(0.1, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            worker.kill()
            worker.wait()
    results = {}
    for k, d in shapes:
        path = folder / f"{k}-{d}.jsonl"
        lines = path.read_text().splitlines() if path.exists() else []
        results[k, d] = [json.loads(line) for line in lines]
    return results


def _check_shape(k: int, d: int, most: int | None, folder: Path) -> None:
    """Compile and check every configuration of a shape, a line of JSON for each."""
    problem = Problem(k, d)
    with (folder / f"{k}-{d}.jsonl").open("w") as lines:
        for number, config in enumerate(configs(k, d, most)):
            start, result = time.monotonic(), {"number": number}
            try:
                problem.out.fill_(float("nan"))
                run_of(problem, config)()
                torch.cuda.synchronize()
                result["error"] = problem.error()
            except Exception as raised:
                result["raised"] = f"{type(raised).__name__}: {raised}"[:300]
            result["check_seconds"] = round(time.monotonic() - start, 2)
            lines.write(json.dumps(result) + "\n")
            lines.flush()


def _time_shape(
    k: int, d: int, most: int | None, checked: list[dict], report: dict, path: Path, end: float
) -> None:
    """Time the configurations of a shape that computed the right scores."""
    problem, chosen = Problem(k, d), configs(k, d, most)
    shape = {
        "words": k, "dimensions": d, "texts": problem.texts,
        "gemm": gemm_as(problem), "unfused": unfused(problem), "maxsim": {}, "configs": [],
    }  # fmt: skip
    report["shapes"].append(shape)
    for result in checked:
        config = chosen[result["number"]]
        if result.get("error", 1) <= TOLERANCE and time.monotonic() < end:
            result.update(_timed(problem, config, report["gemm"]))
        shape["configs"].append({**config.described(), **result})
        _write(path, report)
    if time.monotonic() < end:
        with torch.inference_mode():
            shape["maxsim"] = maxsims(problem)
        _write(path, report)
    best = max((each.get("pairs_per_second", 0) for each in shape["configs"]), default=0)
    print(f"{k} words, {d} dimensions: {best / 1e9:.2f}e9 pairs/s", flush=True)


def _timed(problem: Problem, config: Config, peak: float) -> dict[str, object]:
    """Time, pairs a second and share of the peak of one configuration."""
    try:
        taken = seconds(run_of(problem, config))
    except Exception as raised:
        return {"raised": f"{type(raised).__name__}: {raised}"[:300]}
    return {
        "seconds": taken,
        "pairs_per_second": problem.texts**2 / taken,
        "share_of_gemm": problem.operations / taken / peak,
    }


def _time_above(texts: int = 100_000, k: int = 16, d: int = 128) -> dict[str, object]:
    """All pairs of 10⁵ × 10⁵ texts that score 0.8 or more; a thousand texts have a near copy."""
    from fuzzbow.torch import above

    try:
        random = torch.Generator("cuda").manual_seed(7)
        X = torch.randn((texts, k, d), generator=random, device="cuda") / d**0.5
        Y = torch.randn((texts, k, d), generator=random, device="cuda") / d**0.5
        Y[:1000] = X[:1000] + 0.01 * Y[:1000]
        X, Y = X.to(torch.bfloat16), Y.to(torch.bfloat16)
        torch.cuda.synchronize()
        taken = seconds(lambda: above(X, Y, 0.8), repeats=2)
        rows, columns, _ = above(X, Y, 0.8)
        right = rows.tolist() == columns.tolist() == list(range(1000))
        return {"texts": texts, "words": k, "dimensions": d, "seconds": taken, "right": right}
    except Exception as raised:
        return {"raised": f"{type(raised).__name__}: {raised}"[:300]}


def _show(report: dict) -> None:
    """The best of each kernel, as a table."""
    print("10⁵ × 10⁵:", report["above"])
    print(f"{'words':>5} {'dims':>4} {'1e9/s':>7} {'share':>5} {'unfused':>7}  kernel and tile")
    for shape in report["shapes"]:
        timed = [each for each in shape["configs"] if "seconds" in each]
        wrong = sum("seconds" not in each for each in shape["configs"])
        for variant in dict.fromkeys(each["variant"] for each in shape["configs"]):
            own = [each for each in timed if each["variant"] == variant]
            if not own:
                failed = next(each for each in shape["configs"] if each["variant"] == variant)
                print(f"{shape['words']:5} {shape['dimensions']:4} {variant}: {failed}"[:220])
                continue
            best = min(own, key=lambda each: each["seconds"])
            tile = {n: best[n] for n in ("warps", "repeats", "groups", "lanes", "stages")}
            print(
                f"{shape['words']:5} {shape['dimensions']:4} {best['pairs_per_second'] / 1e9:7.3f}"
                f" {best['share_of_gemm']:5.2f} {shape['unfused'] / 1e9:7.3f}  {variant} {tile}"
            )
        print(f"      {len(timed)} timed, {wrong} not")


def _write(path: Path, report: object) -> None:
    """Results so far."""
    path.write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
