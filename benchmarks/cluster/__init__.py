"""What it costs to work in shards."""
