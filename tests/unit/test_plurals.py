"""Numbers agree with their nouns in all messages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import fuzzbow
from fuzzbow.plurals import counted, plural

NOUNS = "pair row group word text file hit shard query subtask task field version number second"
# a number written into a plural, such as {count} rows, without `counted`; not a {CONSTANT}
FIXED = re.compile(r"\{(?![A-Z_]+\})[^{}]+\} (" + "|".join(map(plural, NOUNS.split())) + r")\b")
# with numbers that are never 1, or an identity that is no message
ALLOWED = {
    "cli/options.py",
    "measures/words/base.py",
    "tasks/explain/fragment.py",
    "vectors/formats/fasttext_binary.py",
    "vectors/formats/text_blocks.py",
}


@pytest.mark.parametrize("number", [0, 1, 2, 1.0, 1.5])
def test_only_one_is_singular(number):
    assert counted(number, "row") == f"{number} {'row' if number == 1 else 'rows'}"


def test_messages_count_with_nouns_that_agree():
    source = Path(fuzzbow.__file__).parent
    found = [
        f"{path.relative_to(source)}: {match[0]}"
        for path in source.rglob("*.py")
        if path.relative_to(source).as_posix() not in ALLOWED
        for match in FIXED.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []
