from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import fuzzbow

MODULES = [module.name for module in pkgutil.walk_packages(fuzzbow.__path__, "fuzzbow.")]


def test_what_people_annotate_their_code_with_can_be_imported():
    types = {"Model", "ModelSpec", "Index", "Hits", "Hit", "Duplicates", "Explanation"}
    assert types | {"WordVectors", "InputError"} <= set(fuzzbow.__all__)
    assert all(getattr(fuzzbow, name).__doc__ for name in types)


@pytest.mark.parametrize("name", [name for name in MODULES if name != "fuzzbow.__main__"])
def test_examples_in_docstrings_are_true(name):
    try:
        module = importlib.import_module(name)
    except fuzzbow.MissingExtraError as error:
        pytest.skip(str(error))
    result = doctest.testmod(module)
    assert result.failed == 0


def test_input_error_is_a_value_error():
    assert issubclass(fuzzbow.InputError, ValueError)


def test_missing_extra_names_the_command_that_brings_it():
    error = fuzzbow.MissingExtraError("POT", "wmd")
    assert 'pip install "fuzzbow[wmd]"' in str(error)
