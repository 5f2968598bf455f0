"""CSV that commands write has the delimiter of the CSV that they read."""

from __future__ import annotations

import pytest

from tests.command import invoked

ROWS = [("id", "text", "other"), ("1", "a cat, asleep", "a dog"), ("2", "stocks fell", "rain")]
COMMANDS = {
    "score": "score {file} -l text -r other",
    "dedupe": "dedupe {file} --text text",
    "join": "join {file} right.csv --on text",
    "outliers": "outliers {file} --text text",
    "representatives": "representatives {file} --text text",
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, delimiter in {"t.csv": ";", "right.csv": "|"}.items():
        (tmp_path / name).write_text("".join(delimiter.join(row) + "\n" for row in ROWS))
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize("stdin", [False, True], ids=["file", "stdin"])
def test_output_has_the_delimiter_of_the_input(folder, command, stdin):
    words = command.format(file="-" if stdin else "t.csv").split()
    content = (folder / "t.csv").read_text() if stdin else None
    printed = invoked(*words, "-o", "-", input=content).stdout
    invoked(*words, "-o", "out.csv", input=content)
    assert (folder / "out.csv").read_text() == printed
    assert printed.startswith("id;text;other")
    assert ";a cat, asleep;" in printed


@pytest.mark.parametrize("delimiter", [":", "\t"])
def test_a_delimiter_that_is_given_is_that_of_the_output(folder, delimiter):
    (folder / "t.csv").write_text("".join(delimiter.join(row) + "\n" for row in ROWS))
    done = invoked("dedupe", "t.csv", "--text", "text", "--delimiter", delimiter, "-o", "-")
    assert done.stdout == (folder / "t.csv").read_text()


@pytest.mark.parametrize(("name", "first"), [("o.tsv", "id\ttext"), ("o.jsonl", '{"id": "1"')])
def test_the_name_of_the_output_decides_its_format(folder, name, first):
    invoked("dedupe", "t.csv", "--text", "text", "-o", name)
    assert (folder / name).read_text().startswith(first)


def test_csv_from_another_format_has_commas(folder):
    (folder / "t.tsv").write_text("".join("\t".join(row) + "\n" for row in ROWS))
    invoked("dedupe", "t.tsv", "--text", "text", "-o", "out.csv")
    assert (folder / "out.csv").read_text().startswith("id,text,other\n")
