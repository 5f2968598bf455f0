"""The example that trains, on few pairs."""

from __future__ import annotations

from examples.train_similarity import main


def test_the_example_learns_its_pairs_and_draws_the_curve(sts_folder, tmp_path):
    figure = tmp_path / "curve.svg"
    arguments = ["--epochs", "3", "--pairs", "64", "--figure", str(figure)]
    curve = main([str(sts_folder / "stsb"), *arguments])
    assert len(curve) == 4
    assert curve[-1][0] > curve[0][0] + 0.01
    assert "<svg" in figure.read_text("utf-8")
