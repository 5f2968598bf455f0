"""The paper's experiments: datasets, evaluation, significance, tables, figures, reports.

>>> from pathlib import Path
>>> from fuzzbow.sts import Scorer, evaluate, load_tasks, parse_sources, parse_system
>>> def mean_pearson(folder: Path) -> float | None:
...     source = parse_sources(["default"])[0]
...     scorer = Scorer(source, parse_system("dynamax-jaccard+sif"))
...     return evaluate([scorer], load_tasks(folder))[0].mean_pearson
"""

from fuzzbow.sts.comparison import bootstrap_all, compare_all
from fuzzbow.sts.datasets import Dataset, load_tasks
from fuzzbow.sts.evaluation import Evaluation, evaluate
from fuzzbow.sts.reproduction import reproduce
from fuzzbow.sts.scoring import Scorer
from fuzzbow.sts.sources import parse_sources
from fuzzbow.sts.systems import System, parse_system
from fuzzbow.sts.table_data import load_table

__all__ = [
    "Dataset",
    "Evaluation",
    "Scorer",
    "System",
    "bootstrap_all",
    "compare_all",
    "evaluate",
    "load_table",
    "load_tasks",
    "parse_sources",
    "parse_system",
    "reproduce",
]
