"""Work on data sets in shards, in this process or on Ray; each run can be resumed.

Results are bit-identical to those without shards.
"""

from fuzzbow.dedupe import DedupeOptions
from fuzzbow.join import JoinOptions
from fuzzbow.pipeline.columns import FileWithColumn, encode_file, score_file
from fuzzbow.pipeline.dedupe import DedupedFile, dedupe_file
from fuzzbow.pipeline.executor import Executor, ThisProcess, open_executor
from fuzzbow.pipeline.indexing import IndexedFile, add_file, build_sharded_index, index_file
from fuzzbow.pipeline.join import JoinedFile, join_files
from fuzzbow.pipeline.selection import SelectedFile, select_file
from fuzzbow.pipeline.shards import RunOptions
from fuzzbow.selection import OutlierOptions, RepresentativeOptions

__all__ = [
    "DedupeOptions",
    "DedupedFile",
    "Executor",
    "FileWithColumn",
    "IndexedFile",
    "JoinOptions",
    "JoinedFile",
    "OutlierOptions",
    "RepresentativeOptions",
    "RunOptions",
    "SelectedFile",
    "ThisProcess",
    "add_file",
    "build_sharded_index",
    "dedupe_file",
    "encode_file",
    "index_file",
    "join_files",
    "open_executor",
    "score_file",
    "select_file",
]
