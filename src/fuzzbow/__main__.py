"""`python -m fuzzbow` is the command line."""

from fuzzbow.cli.main import run

run()
