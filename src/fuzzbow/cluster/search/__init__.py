"""Search over an index of shards, open in this process or in Ray actors."""

from fuzzbow.cluster.search.card import is_sharded
from fuzzbow.cluster.search.construction import (
    build_sharded_index,
    card_spec,
    open_sharded_index,
    rebuild_sharded_index,
    write_shards_of,
)
from fuzzbow.cluster.search.index import ShardedIndex
from fuzzbow.cluster.search.placement import ShardLostError

__all__ = [
    "ShardLostError",
    "ShardedIndex",
    "build_sharded_index",
    "card_spec",
    "is_sharded",
    "open_sharded_index",
    "rebuild_sharded_index",
    "write_shards_of",
]
