"""A format is one file and one line of the registry; the first that recognises a file reads it."""

from __future__ import annotations

import json

import numpy as np
import pytest

import fuzzbow
from fuzzbow.errors import InputError
from fuzzbow.vectors import open_vectors
from fuzzbow.vectors.formats import registry
from fuzzbow.vectors.formats.registry import FORMATS, Format
from fuzzbow.vectors.formats.vector_file import VectorFile
from fuzzbow.vectors.word_vectors import WordVectors

from ..samples import Write

MARK = b"TOY\0"
CONTENT = MARK + json.dumps({"cat": [1.0, 0.0], "dog": [0.6, 0.8]}).encode()


def recognises(file: VectorFile) -> bool:
    return file.head.startswith(MARK)


def read(file: VectorFile) -> WordVectors:
    listed = json.loads(bytes(file.content())[len(MARK) :])
    return WordVectors.from_words(list(listed), list(listed.values()), name=file.name)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    formats = (Format("toy", (".toy",), recognises, read), *FORMATS)
    monkeypatch.setattr(registry, "FORMATS", formats)


@pytest.mark.usefixtures("toy")
def test_a_model_is_loaded_from_a_file_of_a_new_format(write: Write) -> None:
    model = fuzzbow.load(write("pets.toy", CONTENT), measure="avg-cosine")
    assert model.similarity("cat", "dog") == pytest.approx(0.6)


@pytest.mark.usefixtures("toy")
def test_the_suffix_of_a_new_format_is_no_part_of_the_name(write: Write) -> None:
    assert open_vectors(write("pets.toy", CONTENT)).name == "pets"


@pytest.mark.usefixtures("toy")
def test_a_new_format_leaves_the_others_alone(write: Write) -> None:
    np.testing.assert_array_equal(open_vectors(write("pets.txt", b"cat 1 0\n"))["cat"], [1, 0])


def test_a_file_that_no_format_recognises_lists_those_that_are_known(write: Write) -> None:
    with pytest.raises(InputError, match=r"known are fastText \.bin, safetensors, .*, text$"):
        open_vectors(write("pets.toy", CONTENT))
