"""Every test that asks for `simd` runs on every instruction set of this machine."""

from __future__ import annotations

import pytest

_kernel = pytest.importorskip("fuzzbow._kernel", reason="installed without compiled kernels")


@pytest.fixture(params=_kernel.info()["available"])
def simd(request):
    """An instruction set."""
    before = _kernel.info()["simd"]
    _kernel.set_simd(request.param)
    yield request.param
    _kernel.set_simd(before)
