"""Work on data sets that one process cannot hold: many processes, here or on other machines.

Results are those of one process, to the bit.
"""

from fuzzbow.cluster.dedupe import dedupe
from fuzzbow.cluster.encode import EncodedFiles, encode
from fuzzbow.cluster.join import MatchedFiles, StoredMatches, join
from fuzzbow.cluster.score import ScoredFiles, StoredScores, score
from fuzzbow.cluster.setting import text_specs
from fuzzbow.cluster.sharded_collection import ShardedCollection
from fuzzbow.cluster.workers import ProcessWorkers, Workers, open_workers

__all__ = [
    "EncodedFiles",
    "MatchedFiles",
    "ProcessWorkers",
    "ScoredFiles",
    "ShardedCollection",
    "StoredMatches",
    "StoredScores",
    "Workers",
    "dedupe",
    "encode",
    "join",
    "open_workers",
    "score",
    "text_specs",
]
