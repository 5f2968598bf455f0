"""Reading pairs with gold scores, and refusing what cannot be read."""

from __future__ import annotations

import pytest

from fuzzbow import InputError
from fuzzbow.research.evaluation import read_set
from fuzzbow.research.sts.datasets import SUBTASKS, load_tasks, parse_tasks


def place(folder, kind="input"):
    return folder / "STS12-en-test" / f"STS.{kind}.MSRpar.txt"


def msrpar(folder):
    return load_tasks(folder, ["STS12/MSRpar"])[0]


def test_all_24_subtasks_are_read_and_unlabelled_pairs_are_counted(sts_data):
    datasets = load_tasks(sts_data)
    assert [dataset.name for dataset in datasets][:2] == ["STS12/MSRpar", "STS12/MSRvid"]
    assert len(datasets) == sum(map(len, SUBTASKS.values())) == 24
    assert {(len(dataset), dataset.skipped) for dataset in datasets} == {(13, 1)}
    assert len({dataset.fingerprint for dataset in datasets}) == 24


def test_notes_and_line_ends_do_not_change_the_content(sts_data):
    before = msrpar(sts_data).fingerprint
    lines = place(sts_data).read_text().splitlines()
    place(sts_data).write_text("".join(f"{line}\tsource\tnote\n" for line in lines))
    assert msrpar(sts_data).fingerprint == before
    for kind in ("input", "gs"):
        path = place(sts_data, kind)
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert msrpar(sts_data).fingerprint == before


def test_a_missing_file_or_folder_is_named_with_a_hint(sts_data):
    with pytest.raises(InputError, match="nothing there"):
        load_tasks(sts_data / "none")
    place(sts_data, "gs").unlink()
    with pytest.raises(InputError, match=r"STS12/MSRpar needs the file '.*STS\.gs\.MSRpar\.txt'"):
        load_tasks(sts_data)
    (sts_data.parent / "all").mkdir()
    sts_data.rename(sts_data.parent / "all" / "tokenized")
    with pytest.raises(InputError, match=r"did you mean '.*tokenized'"):
        load_tasks(sts_data.parent / "all")


@pytest.mark.parametrize(
    ("kind", "line", "message"),
    [
        ("gs", "high", r"MSRpar\.txt, line 5: .*a number"),
        ("gs", "nan", r"MSRpar\.txt, line 5: .*finite"),
        ("gs", "3.0\n3.0", r"input\.MSRpar.*gs\.MSRpar.*got 14 and 15"),
        ("input", "alone", r"line 5: must have two texts"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(sts_data, kind, line, message):
    lines = place(sts_data, kind).read_text().split("\n")
    lines[4] = line
    place(sts_data, kind).write_text("\n".join(lines))
    with pytest.raises(InputError, match=message):
        load_tasks(sts_data)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("STS18", "task must be one of STS12"),
        ("STS12/MSRpr", "did you mean 'MSRpar'"),
        ("STSB/dev", "no subtasks"),
    ],
)
def test_unknown_tasks_are_refused(name, message):
    with pytest.raises(InputError, match=message):
        parse_tasks([name])


def test_a_task_named_twice_is_read_once():
    assert parse_tasks(["STS13", "STS13/FNWN"]) == [("STS13", name) for name in SUBTASKS["STS13"]]


def test_sts_benchmark(tmp_path):
    rows = ["main\tMSRvid\t2012\t1\t5.0\ta cat\tthe cat", 'main\tx\t2012\t2\t1.5\t"a\tb\tnote']
    (tmp_path / "sts-dev.csv").write_text("\n".join(rows) + "\n")
    found = load_tasks(tmp_path, ["STSB-dev"])[0]
    assert (found.name, found.lefts, found.gold.tolist()) == ("STSB-dev", ["a cat", '"a'], [5, 1.5])
    (tmp_path / "sts-dev.csv").write_text("main\tx\t2012\n")
    with pytest.raises(InputError, match="line 1: must have 7 fields"):
        load_tasks(tmp_path, ["STSB-dev"])
    with pytest.raises(InputError, match=r"'sts-test.csv' is missing; looked for"):
        load_tasks(tmp_path, ["STSB"])


def test_sick(tmp_path):
    head = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
    rows = "1\ta cat\ta dog\t3.3\tNEUTRAL\n2\tx\ty\t1\tNEUTRAL\n"
    path = tmp_path / "SICK_test_annotated.txt"
    path.write_text(head + rows)
    found = load_tasks(tmp_path, ["SICK-R"])[0]
    assert (found.name, found.rights) == ("SICK-R-test", ["a dog", "y"])
    assert found.gold.tolist() == [3.3, 1]
    path.write_text("a\tb\n1\t2\n")
    with pytest.raises(InputError, match="must have the columns sentence_A"):
        load_tasks(tmp_path, ["SICK-R"])


def test_a_table_of_pairs(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("a,b,s\nx,u,1.0\ny,v,\nz,w,3\n")
    found = read_set(path, left="a", right="b", score="s")
    assert (found.name, found.lefts) == ("mine", ["x", "z"])
    assert (found.gold.tolist(), found.skipped) == ([1.0, 3.0], 1)
    with pytest.raises(InputError, match="did you mean 's'"):
        read_set(path, kind="scores", left="a", right="b", score="ss")


def test_untokenised_text_is_noticed(sts_data, dataset):
    assert dataset.looks_tokenised
    lines = place(sts_data).read_text().splitlines()
    place(sts_data).write_text("".join(line.replace("\t", ".\t") + ".\n" for line in lines))
    assert not msrpar(sts_data).looks_tokenised
