"""Reading pairs with gold scores, and refusing what cannot be read."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fuzzbow import InputError
from fuzzbow.sts.datasets import SUBTASKS, load_tasks, parse_tasks
from fuzzbow.sts.table_data import load_table


def place(folder, kind="input", year="STS12", name="MSRpar"):
    return folder / f"{year}-en-test" / f"STS.{kind}.{name}.txt"


def test_there_are_24_subtasks():
    assert sum(map(len, SUBTASKS.values())) == 24


def test_all_years_are_read_and_unlabelled_pairs_are_counted(sts_data):
    datasets = load_tasks(sts_data)
    assert [dataset.key for dataset in datasets][:2] == ["STS12/MSRpar", "STS12/MSRvid"]
    assert len(datasets) == 24
    assert {(len(dataset), dataset.skipped) for dataset in datasets} == {(13, 1)}


def test_columns_after_the_second_are_notes(sts_data):
    before = load_tasks(sts_data, ["STS12/MSRpar"])[0]
    lines = place(sts_data).read_text().splitlines()
    place(sts_data).write_text("".join(f"{line}\tsource\tnote\n" for line in lines))
    assert load_tasks(sts_data, ["STS12/MSRpar"])[0].fingerprint == before.fingerprint


def test_line_ends_do_not_change_the_content(sts_data):
    before = load_tasks(sts_data, ["STS12/MSRpar"])[0]
    for kind in ("input", "gs"):
        path = place(sts_data, kind)
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert load_tasks(sts_data, ["STS12/MSRpar"])[0].fingerprint == before.fingerprint


def test_other_text_has_another_fingerprint(sts_data):
    first, second = load_tasks(sts_data, ["STS13/FNWN", "STS13/OnWN"])
    assert first.fingerprint != second.fingerprint


def test_a_missing_subtask_file_is_named(sts_data):
    place(sts_data, "gs").unlink()
    with pytest.raises(InputError, match=r"STS12/MSRpar needs the file '.*STS\.gs\.MSRpar\.txt'"):
        load_tasks(sts_data)


def test_the_folder_above_gets_a_hint(sts_data):
    (sts_data.parent / "all").mkdir()
    sts_data.rename(sts_data.parent / "all" / "tokenized")
    with pytest.raises(InputError, match=r"did you mean '.*tokenized'"):
        load_tasks(sts_data.parent / "all")


def test_unequal_line_counts_name_both_files(sts_data):
    with place(sts_data, "gs").open("a") as file:
        file.write("3.0\n")
    with pytest.raises(InputError, match=r"input\.MSRpar.*gs\.MSRpar.*got 14 and 15"):
        load_tasks(sts_data)


@pytest.mark.parametrize(("gold", "message"), [("high", "a number"), ("nan", "finite")])
def test_a_gold_score_that_is_no_number_is_refused_with_its_line(sts_data, gold, message):
    lines = place(sts_data, "gs").read_text().split("\n")
    lines[4] = gold
    place(sts_data, "gs").write_text("\n".join(lines))
    with pytest.raises(InputError, match=rf"MSRpar\.txt, line 5: .*{message}"):
        load_tasks(sts_data)


def test_a_line_with_one_text_is_refused(sts_data):
    lines = place(sts_data).read_text().split("\n")
    place(sts_data).write_text("\n".join(["alone", *lines[1:]]))
    with pytest.raises(InputError, match=r"line 1: must have two texts"):
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


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(InputError, match="nothing there"):
        load_tasks(tmp_path / "none")


def test_sts_benchmark(tmp_path):
    rows = [
        "main\tMSRvid\t2012\t1\t5.0\ta cat\tthe cat",
        'main\tx\t2012\t2\t1.5\t"a\tb\tnote\tnote',
    ]
    (tmp_path / "sts-dev.csv").write_text("\n".join(rows) + "\n")
    found = load_tasks(tmp_path, ["STSB-dev"])[0]
    assert (found.key, found.lefts, found.gold.tolist()) == ("STSB-dev", ["a cat", '"a'], [5, 1.5])


def test_sick(tmp_path):
    head = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
    rows = "1\ta cat\ta dog\t3.3\tNEUTRAL\n2\tx\ty\t1\tNEUTRAL\n"
    (tmp_path / "SICK_test_annotated.txt").write_text(head + rows)
    found = load_tasks(tmp_path, ["SICK-R"])[0]
    assert (found.key, found.rights, found.gold.tolist()) == (
        "SICK-R-test",
        ["a dog", "y"],
        [3.3, 1],
    )


def test_sick_without_its_columns_is_refused(tmp_path):
    (tmp_path / "SICK_test_annotated.txt").write_text("a\tb\n1\t2\n")
    with pytest.raises(InputError, match="must have the columns sentence_A"):
        load_tasks(tmp_path, ["SICK-R"])


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet"])
def test_a_table_of_pairs(tmp_path, kind):
    path = tmp_path / f"mine.{kind}"
    if kind == "parquet":
        columns = {"a": ["x", "y", "z"], "b": ["u", "v", "w"], "s": [1.0, None, 3.0]}
        pq.write_table(pa.table(columns), path)
    else:
        mark = "," if kind == "csv" else "\t"
        rows = ["a b s", "x u 1.0", "y v ", "z w 3"]
        path.write_text("".join(row.replace(" ", mark) + "\n" for row in rows))
    found = load_table(path, left="a", right="b", score="s")
    assert (found.key, found.lefts, found.gold.tolist(), found.skipped) == (
        "mine", ["x", "z"], [1.0, 3.0], 1,
    )  # fmt: skip


def test_a_table_without_the_column_is_refused(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("a,b,score\nx,y,1\n")
    with pytest.raises(InputError, match="did you mean 'score'"):
        load_table(path, left="a", right="b", score="scor")


def test_untokenised_text_is_noticed(sts_data, dataset):
    assert dataset.looks_tokenised
    lines = place(sts_data).read_text().splitlines()
    place(sts_data).write_text("".join(line.replace("\t", ".\t") + ".\n" for line in lines))
    assert not load_tasks(sts_data, ["STS12/MSRpar"])[0].looks_tokenised
