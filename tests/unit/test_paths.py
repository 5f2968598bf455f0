from __future__ import annotations

import os

import pytest

from fuzzbow import InputError
from fuzzbow.paths import check_paths


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("text\n")
    return path


def linked(path, how):
    """Another name of a file."""
    other = path.with_name(f"{how}.csv")
    if how == "hard":
        other.hardlink_to(path)
    elif how == "symbolic":
        other.symlink_to(path.name)
    elif how == "dotted":
        return path.parent / ".." / path.parent.name / path.name
    elif how == "folder":
        (path.parent / "linked").symlink_to(".")
        return path.parent / "linked" / path.name
    return path if how == "same" else other


@pytest.mark.parametrize("how", ["same", "hard", "symbolic", "dotted", "folder"])
def test_an_output_must_not_be_an_input(file, how):
    with pytest.raises(InputError, match=r"^--html and FILE must be different files"):
        check_paths(inputs={"FILE": file}, outputs={"--html": linked(file, how)})


@pytest.mark.parametrize("how", ["same", "hard", "symbolic", "dotted", "folder"])
def test_two_outputs_must_differ(file, how):
    with pytest.raises(InputError, match=r"^-o and --html must be different files"):
        check_paths(inputs={}, outputs={"-o": file, "--html": linked(file, how)})


def test_two_outputs_that_are_not_there_yet_must_differ(tmp_path):
    (tmp_path / "link").symlink_to("new")
    with pytest.raises(InputError, match="must be different files"):
        check_paths(inputs={}, outputs={"-o": tmp_path / "new", "--html": tmp_path / "link"})


def test_different_files_and_options_not_given_pass(file, tmp_path):
    check_paths(
        inputs={"FILE": file, "--counts": None, "--vectors": "default"},
        outputs={"-o": tmp_path / "a", "--html": tmp_path / "b", "--pairs": None},
    )


def test_a_device_may_be_named_twice():
    check_paths(inputs={"FILE": "/dev/null"}, outputs={"-o": "/dev/null", "--html": "/dev/null"})


def test_a_file_of_an_input_folder_must_not_be_replaced(file, tmp_path):
    with pytest.raises(InputError, match="must be different files"):
        check_paths(inputs={"--vectors": tmp_path}, outputs={"TARGET": file})
    check_paths(inputs={"--vectors": tmp_path}, outputs={"TARGET": tmp_path / "new"})


def test_nothing_is_written_into_a_closed_folder(tmp_path):
    inside = tmp_path / "index" / "data"
    inside.mkdir(parents=True)
    with pytest.raises(InputError, match="--html must not be inside the index"):
        check_paths(
            inputs={},
            outputs={"--html": inside / "new.html"},
            folders={"the index": tmp_path / "index"},
        )


@pytest.mark.parametrize("place", [".", "nowhere/out.csv"])
def test_an_output_must_have_a_place(tmp_path, place, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="output must be"):
        check_paths(inputs={}, outputs={"-o": place})
    assert os.listdir(tmp_path) == []
