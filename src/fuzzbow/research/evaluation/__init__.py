"""Evaluation of measures on your data: retrieval, candidates, pairs and scores, with baselines.

>>> import fuzzbow
>>> from fuzzbow.research.evaluation import CandidateSet, evaluate
>>> asked = ("a kitten", ["My cat sleeps", "A jet landed"], [1, 0])
>>> found = evaluate(CandidateSet("pets", (asked,)), fuzzbow.load(), baselines=[])
>>> found["pets"]["weighted-jaccard"].values
{'MAP': 100.0, 'MRR': 100.0}
"""

from fuzzbow.research.evaluation.evaluation import evaluate
from fuzzbow.research.evaluation.results import EvaluationResult, SetResult, SystemResult
from fuzzbow.research.evaluation.sets import EvaluationSet, read_set
from fuzzbow.research.evaluation.sets.candidates import CandidateSet
from fuzzbow.research.evaluation.sets.pairs import PairSet
from fuzzbow.research.evaluation.sets.retrieval import RetrievalSet
from fuzzbow.research.evaluation.sets.scored import ScoredPairSet
from fuzzbow.research.evaluation.systems import BASELINES

__all__ = [
    "BASELINES",
    "CandidateSet",
    "EvaluationResult",
    "EvaluationSet",
    "PairSet",
    "RetrievalSet",
    "ScoredPairSet",
    "SetResult",
    "SystemResult",
    "evaluate",
    "read_set",
]
