"""What the machine could do at best: fused multiply-adds of one core, and reading memory."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

SOURCE = r"""
#include <chrono>
typedef float lanes __attribute__((vector_size(BYTES)));
#define FMA(sum) asm volatile("vfmadd213ps %2,%1,%0" : "+v"(sum) : "v"(factor), "v"(term));
extern "C" double peak() {
  double best = 0;
  for (int round = 0; round < 9; ++round) {
    lanes a{}, b{}, c{}, d{}, e{}, f{}, g{}, h{}, i{}, j{}, k{}, l{};
    const lanes factor = lanes{} + 0.999f, term = lanes{} + 1e-3f;
    const long steps = 1000000;
    const auto start = std::chrono::steady_clock::now();
    for (long step = 0; step < steps; ++step) {
      FMA(a) FMA(b) FMA(c) FMA(d) FMA(e) FMA(f) FMA(g) FMA(h) FMA(i) FMA(j) FMA(k) FMA(l)
    }
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    const double rate = steps * 12.0 * (BYTES / 4) * 2 / time.count() / 1e9;
    if (rate > best) best = rate;
  }
  return best;
}
"""


def fma_peak(simd: str) -> float | None:
    """GFLOP/s of one core in single precision; None where the instruction set has no peak here."""
    flags = {"avx512": ("-mavx512f", 64), "avx2": ("-mavx2", 32)}.get(simd)
    if flags is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "peak.cpp"), Path(folder, "peak.so")
        source.write_text(SOURCE, encoding="utf-8")
        command = ["c++", "-O2", "-mfma", flags[0], f"-DBYTES={flags[1]}", "-shared", "-fPIC"]
        subprocess.run([*command, "-o", str(library), str(source)], check=True)
        peak = ctypes.CDLL(str(library)).peak
        peak.restype = ctypes.c_double
        return float(peak())


def memory_peak() -> float:
    """GB/s of summing an array much larger than the caches, one thread."""
    array = np.ones(1 << 27, dtype=np.float32)
    array.sum()
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        array.sum()
        seconds.append(time.perf_counter() - start)
    return array.nbytes / float(np.median(seconds)) / 1e9
