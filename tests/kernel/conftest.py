"""Every test that asks for `simd` runs on every instruction set of this machine."""

from __future__ import annotations

import pytest

_kernel = pytest.importorskip("fuzzbow._kernel", reason="installed without compiled kernels")


@pytest.fixture(params=_kernel.info()["available"])
def simd(request):
    """An instruction set."""
    from tests.kernel.calls import instruction_set

    with instruction_set(request.param):
        yield request.param
