"""What a distillation says about itself while it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class DistilReport:
    """How far it is; losses are mean squared errors of a score, from 0 to 1."""

    stage: str  # "reading texts", "finding pairs" or "training"
    done: int
    total: int | None = None
    loss: float | None = None  # of the last pairs trained on
    held_out: float | None = None  # of pairs of texts that are not trained on
    best: float | None = None  # the least of these so far; its table is what is kept
    seconds_left: float | None = None
    interrupted: bool = False  # Ctrl-C ended the training; the best so far is the result


Listener = Callable[[DistilReport], None]


def nobody(report: DistilReport) -> None:
    """Listens to nothing."""
