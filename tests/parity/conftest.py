"""Every engine test runs on every engine, instruction set and number of threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from fuzzbow.engine import choose_engine, limited_threads, load_kernel
from tests.hostile.scale import covering

KERNEL, _ = load_kernel()
SIMD = list(KERNEL.info()["available"]) if KERNEL else []
ENGINES = ["reference"] + [f"{simd}-{threads}" for simd in SIMD for threads in (1, 3)]


def every_two(**choices: Sequence[Any]) -> pytest.MarkDecorator:
    """Run every two of engine and the other choices; all with all if FUZZBOW_SLOW=1."""
    cases = covering(ENGINES, *choices.values())
    return pytest.mark.parametrize(("engine", *choices), cases, indirect=["engine"], ids=str)


@pytest.fixture(params=ENGINES)
def engine(request):
    """An engine; the compiled one with one instruction set and number of threads."""
    if request.param == "reference":
        yield choose_engine("reference")
        return
    simd, threads = request.param.split("-")
    before = KERNEL.info()["simd"]
    KERNEL.set_simd(simd)
    try:
        with limited_threads(int(threads)):
            yield choose_engine("compiled")
    finally:
        KERNEL.set_simd(before)
