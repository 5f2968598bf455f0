"""Distillation: what comes out, what is refused, and what goes on after a stop."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import fuzzbow
from fuzzbow.arrays import Ragged
from fuzzbow.errors import InputError
from fuzzbow.research.distillation import DistilReport, distil
from fuzzbow.research.distillation.objective import TrainedWords, loss_and_gradient, scores
from fuzzbow.vectors import WordVectors, open_vectors
from tests.command import invoked

RANDOM = np.random.default_rng(0)
WORDS = [f"word{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(120)]
TABLE = WordVectors.from_words(WORDS, RANDOM.normal(size=(120, 8)), name="toy")
TEXTS = [" ".join(RANDOM.choice(WORDS, size=RANDOM.integers(2, 9))) for _ in range(200)]
EMBEDDINGS = RANDOM.normal(size=(200, 16))
QUICK = {"vectors": TABLE, "steps": 12, "batch": 64}


def test_gradient_is_that_of_finite_differences() -> None:
    random = np.random.default_rng(1)
    rows = Ragged.from_rows(random.integers(0, 24, size=random.integers(1, 9)) for _ in range(30))
    free, logs = random.normal(size=(20, 5)), random.normal(size=20) * 0.3
    numbers = np.arange(21) < 4
    left, right, targets = random.integers(0, 30, 50), random.integers(0, 30, 50), random.random(50)

    def words(free: np.ndarray, logs: np.ndarray) -> TrainedWords:
        unit = free / np.linalg.norm(free, axis=1, keepdims=True)
        return TrainedWords(np.vstack([unit, np.zeros(5)]), np.append(np.exp(logs), 1.0), numbers)

    def slope(change: np.ndarray, by_log: bool) -> float:
        ends = []
        for sign in (1e-6, -1e-6):
            moved = (
                words(free, logs + sign * change) if by_log else words(free + sign * change, logs)
            )
            ends.append(loss_and_gradient(moved, rows, left, right, targets)[0])
        return (ends[0] - ends[1]) / 2e-6

    said = loss_and_gradient(words(free, logs), rows, left, right, targets)[1]
    by_vector = said.vectors[:-1] / np.linalg.norm(free, axis=1, keepdims=True)
    for direction in random.normal(size=(5, 20, 5)):
        assert slope(direction, False) == pytest.approx((by_vector * direction).sum(), abs=1e-8)
    for direction in random.normal(size=(5, 20)):
        assert slope(direction, True) == pytest.approx(said.log_weights[:-1] @ direction, abs=1e-8)


def test_the_trained_score_is_the_measure_s_own() -> None:
    ready = WordVectors.from_words(WORDS, TABLE.matrix, preweighted=True)
    model = fuzzbow.load(ready, engine="reference")
    unit = model.measure.words.vocabulary_matrix()
    table = TrainedWords(
        np.vstack([unit, np.zeros(8)]), np.append(ready.weights, 1.0), np.zeros(121, dtype=bool)
    )
    rows = model.encoder.word_ids(TEXTS).rows
    found = scores(table, rows, np.arange(100), np.arange(100, 200))
    assert found == pytest.approx(model.pairs(TEXTS[:100], TEXTS[100:]), abs=1e-6)


@pytest.mark.heavy
@pytest.mark.parametrize("device", [None, "cpu"])
def test_a_seed_gives_the_same_table_again(device: str | None) -> None:
    if device is not None:
        pytest.importorskip("torch")
    one, two = (distil(TEXTS, EMBEDDINGS, device=device, **QUICK) for _ in range(2))
    assert np.array_equal(one.matrix, two.matrix)
    assert one.preweighted
    assert not np.array_equal(one.matrix, distil(TEXTS, EMBEDDINGS, seed=1, **QUICK).matrix)


@pytest.mark.heavy
def test_both_trainers_agree() -> None:
    pytest.importorskip("torch")
    one = distil(TEXTS, EMBEDDINGS, **QUICK)
    two = distil(TEXTS, EMBEDDINGS, device="cpu", **QUICK)
    assert one.matrix == pytest.approx(two.matrix, abs=5e-3)


def test_weights_alone_leave_the_directions() -> None:
    table = distil(TEXTS, EMBEDDINGS, train="weights", **QUICK)
    before = fuzzbow.load(TABLE).measure.words.vocabulary_matrix()
    after = fuzzbow.load(table).measure.words.vocabulary_matrix()
    assert after == pytest.approx(before, abs=1e-5)


def test_words_that_no_text_holds_stay_finite() -> None:
    more = WordVectors.from_words([*WORDS, "unseen"], np.vstack([TABLE.matrix, np.ones(8)]))
    table = distil(TEXTS, EMBEDDINGS, **{**QUICK, "vectors": more})
    assert np.isfinite(table["unseen"]).all()
    assert np.linalg.norm(table["unseen"]) > 0


def test_a_function_teaches_with_perturbed_copies() -> None:
    seen: list[str] = []

    def teacher(texts: list[str]) -> np.ndarray:
        seen.extend(texts)
        return np.array([[len(text), text.count("a"), 1.0] for text in texts])

    distil(iter(TEXTS), teacher, **QUICK)
    assert len(seen) == 2 * len(TEXTS)


def test_a_stopped_training_goes_on_to_the_same_table(tmp_path: Path) -> None:
    whole = distil(TEXTS, EMBEDDINGS, **QUICK)
    place = tmp_path / "half.safetensors"

    def stop(report: DistilReport) -> None:
        if report.stage == "training" and report.done == 5 and not report.interrupted:
            raise KeyboardInterrupt

    distil(TEXTS, EMBEDDINGS, checkpoint=place, progress=stop, **QUICK)
    again = distil(TEXTS, EMBEDDINGS, checkpoint=place, **QUICK)
    assert np.array_equal(again.matrix, whole.matrix)
    with pytest.raises(InputError, match="checkpoint of another training"):
        distil(TEXTS, EMBEDDINGS, checkpoint=place, seed=3, **QUICK)


def broken(texts: list[str]) -> np.ndarray:
    """A teacher that fails."""
    raise RuntimeError("out of chalk")


@pytest.mark.parametrize(
    ("texts", "teacher", "message"),
    [
        ([], EMBEDDINGS[:0], "at least 32 with words"),
        (TEXTS[:1], EMBEDDINGS[:1], "at least 32 with words in them; got 1"),
        (TEXTS, EMBEDDINGS[:-1], "one row for each text"),
        (TEXTS, np.vstack([EMBEDDINGS, EMBEDDINGS]), "got 400 rows for 200 texts"),
        (TEXTS, np.where(np.arange(16) == 3, np.nan, EMBEDDINGS), "text 0 holds NaN"),
        (TEXTS, broken, "the teacher failed on texts 0 to 199: out of chalk"),
        (TEXTS, "no-such-folder", "there is no 'no-such-folder'"),
        ([*TEXTS, 7], EMBEDDINGS, "text 200 must be a string"),
    ],
)
def test_bad_input_is_refused(texts: object, teacher: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        distil(texts, teacher, **QUICK)


def test_the_command_writes_a_table_or_nothing(tmp_path: Path) -> None:
    (tmp_path / "texts.txt").write_text("\n".join(TEXTS) + "\n")
    fuzzbow.vectors.save_vectors(TABLE, tmp_path / "toy.safetensors")
    np.save(tmp_path / "good.npy", EMBEDDINGS)
    np.save(tmp_path / "short.npy", EMBEDDINGS[:9])
    made = tmp_path / "mine.safetensors"
    usual = ("vectors", "distil", tmp_path / "texts.txt", "--vectors", tmp_path / "toy.safetensors",
             "--steps", 5, "--batch", 64, "-o", made)  # fmt: skip
    failed = invoked(*usual, "--teacher", tmp_path / "short.npy", check=2)
    assert "one row for each text" in failed.stderr
    assert not made.exists()
    done = invoked(*usual, "--teacher", tmp_path / "good.npy")
    assert "held out" in done.stderr
    assert open_vectors(made).preweighted
