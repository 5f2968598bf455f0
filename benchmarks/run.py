"""Every benchmark of speed, then the pages: python -m benchmarks.run [NAME ...].

Each has a process of its own. FUZZBOW_CORPUS must name a file of sentences (benchmarks/corpus.py).
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

from benchmarks.corpus import corpus_path

MODULES = (
    *("speed.calls", "speed.search", "speed.bm25", "speed.dedupe", "speed.kernels"),
    *("speed.arrow", "speed.parse_vectors", "speed.scripts"),
    *("server.load", "cluster.scale", "cluster.search", "page"),
)


def main(chosen: list[str]) -> None:
    """Run the chosen modules, or all; stop at the first that fails."""
    print(f"sentences of {corpus_path()}", flush=True)
    for name in chosen or MODULES:
        if name == "speed.scripts" and not os.environ.get("FUZZBOW_LANGUAGES"):
            print("speed.scripts is left out: FUZZBOW_LANGUAGES is not set", flush=True)
            continue
        start = time.monotonic()
        subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=True)
        print(f"{name}: {time.monotonic() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
