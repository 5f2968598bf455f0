"""The paper's experiments: datasets, evaluation, significance, tables, figures, reports.

>>> from pathlib import Path
>>> from fuzzbow.research.sts import SystemScorer, evaluate, load_tasks, parse_sources, parse_system
>>> def mean_pearson(folder: Path) -> float | None:
...     source = parse_sources(["default"])[0]
...     scorer = SystemScorer(source, parse_system("dynamax-jaccard+sif"))
...     return evaluate([scorer], load_tasks(folder))[0].mean_pearson
"""

from fuzzbow.research.sts.datasets import load_tasks
from fuzzbow.research.sts.evaluation import (
    Evaluation,
    SystemScorer,
    bootstrap_all,
    compare_all,
    evaluate,
)
from fuzzbow.research.sts.reproduction import reproduce
from fuzzbow.research.sts.systems import System, parse_sources, parse_system

__all__ = [
    "Evaluation",
    "System",
    "SystemScorer",
    "bootstrap_all",
    "compare_all",
    "evaluate",
    "load_tasks",
    "parse_sources",
    "parse_system",
    "reproduce",
]
