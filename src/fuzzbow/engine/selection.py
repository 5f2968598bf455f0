"""Choice of the engine, and the reason if kernels are missing."""

from __future__ import annotations

import os
import warnings
from enum import Enum
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from fuzzbow.engine.reference import Engine
from fuzzbow.errors import FuzzbowWarning, InputError, MissingExtraError, parse_choice


class EngineName(str, Enum):
    """Names of engines; `auto` is the compiled one if it was built."""

    AUTO = "auto"
    COMPILED = "compiled"
    REFERENCE = "reference"
    CUDA = "cuda"


@lru_cache(maxsize=1)
def load_kernel() -> tuple[ModuleType | None, str]:
    """Return the compiled kernels, or None and the reason why they are missing."""
    try:
        return import_module("fuzzbow._kernel"), ""
    except ImportError as error:
        return None, str(error)


def choose_engine(choice: str | EngineName) -> Engine:
    """Return an engine by its name; `auto` falls back to the reference engine with a warning."""
    name = parse_choice(EngineName, choice, "engine")
    if name is EngineName.REFERENCE:
        return Engine()
    kernel, why = load_kernel()
    if name is EngineName.CUDA:
        return _cuda_engine(why)
    if kernel is not None:
        from fuzzbow.engine.compiled import CompiledEngine

        return CompiledEngine()
    if name is EngineName.COMPILED:
        raise InputError(f"the compiled engine is not installed ({why}); use engine='reference'")
    _warn_once()
    return Engine()


def _cuda_engine(missing: str) -> Engine:
    """Return the engine on a GPU; `missing` is the reason why there are no kernels, if any."""
    if missing:
        raise InputError(f"engine='cuda' needs the compiled kernels as well ({missing})")
    if find_spec("torch") is None:
        raise MissingExtraError("torch", "torch")
    import torch

    from fuzzbow.engine.cuda import CudaEngine

    if not torch.cuda.is_available():
        raise InputError(
            "engine='cuda' needs a GPU that PyTorch can use; torch.cuda.is_available() is False"
            f" with torch {torch.__version__}. Use engine='auto'"
        )
    return CudaEngine()


@lru_cache(maxsize=1)
def _warn_once() -> None:
    from fuzzbow.engine.installation import reinstall_command

    warnings.warn(
        "fuzzbow was installed without its compiled kernels and uses the slow reference engine;"
        f" install a C++17 compiler and run: {reinstall_command()}",
        FuzzbowWarning,
        stacklevel=4,
    )


def engine_info() -> dict[str, Any]:
    """Return the engine that `auto` selects, its instruction set, and the threads it uses."""
    kernel, why = load_kernel()
    if kernel is None:
        return {"engine": "reference", "simd": None, "threads": 1, "why": why}
    info = kernel.info()
    return {
        "engine": "compiled",
        "simd": info["simd"],
        "available": list(info["available"]),
        "threads": info["threads"],
        "cores": os.cpu_count(),
    }
