"""Work on data sets in shards, in this process or on Ray; each run can be resumed.

Results are identical to those without shards, to the bit.
"""

from fuzzbow.cluster.dedupe import dedupe
from fuzzbow.cluster.encode import EncodedFiles, encode
from fuzzbow.cluster.executors import Executor, ThisProcess, open_executor
from fuzzbow.cluster.join import MatchedFiles, StoredMatches, join
from fuzzbow.cluster.score import ScoredFiles, StoredScores, score
from fuzzbow.cluster.setting import text_specs
from fuzzbow.cluster.sharded_collection import ShardedCollection

__all__ = [
    "EncodedFiles",
    "Executor",
    "MatchedFiles",
    "ScoredFiles",
    "ShardedCollection",
    "StoredMatches",
    "StoredScores",
    "ThisProcess",
    "dedupe",
    "encode",
    "join",
    "open_executor",
    "score",
    "text_specs",
]
