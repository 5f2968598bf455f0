"""Tests of fuzzbow.torch are collected where PyTorch is installed."""

from __future__ import annotations

import importlib.util

if importlib.util.find_spec("torch") is None:
    collect_ignore_glob = ["test_*.py"]
