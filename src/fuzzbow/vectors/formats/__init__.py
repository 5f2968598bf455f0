"""File formats of word vectors: how each is recognised, read and, for fuzzbow's own, written."""
