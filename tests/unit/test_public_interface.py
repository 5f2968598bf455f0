from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import fuzzbow

MODULES = [module.name for module in pkgutil.walk_packages(fuzzbow.__path__, "fuzzbow.")]


def test_public_names_are_a_dozen_at_most():
    assert len(fuzzbow.__all__) <= 12


@pytest.mark.parametrize("name", [name for name in MODULES if name != "fuzzbow.__main__"])
def test_examples_in_docstrings_are_true(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


def test_input_error_is_a_value_error():
    assert issubclass(fuzzbow.InputError, ValueError)


def test_missing_extra_names_the_command_that_brings_it():
    error = fuzzbow.MissingExtraError("POT", "wmd")
    assert 'pip install "fuzzbow[wmd]"' in str(error)
