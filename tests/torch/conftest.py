"""Without a GPU kernels run in Triton's interpreter, which is chosen before the first import."""

from __future__ import annotations

import importlib.util
import os

if importlib.util.find_spec("torch") is None:
    collect_ignore_glob = ["test_*.py"]
else:
    import torch

    if not torch.cuda.is_available():
        os.environ.setdefault("TRITON_INTERPRET", "1")
