"""The loop: steps, the held-out loss, the best so far, and what is kept on disk."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

from fuzzbow.arrays import Floats, Integers
from fuzzbow.distillation.checkpoint import Checkpoint, Progressed
from fuzzbow.distillation.pairs import PairSource
from fuzzbow.distillation.recipe import HELD_OUT_PAIRS, Recipe
from fuzzbow.distillation.report import DistilReport, Listener
from fuzzbow.distillation.trainer import PARAMETERS, State, Trainer

EVALUATIONS = 30  # of the held-out loss in a whole run
AHEAD = 4  # batches drawn before they are needed
HELD_OUT_STEP = 2**31  # no step of the training has this number, nor its pairs

Batch = tuple[Integers, Integers, Floats]


def train(
    trainer: Trainer,
    source: PairSource,
    held_out: PairSource,
    recipe: Recipe,
    checkpoint: Checkpoint | None,
    listener: Listener,
) -> State:
    """Train, and give the parameters with the least held-out loss."""
    unseen = held_out.draw(HELD_OUT_STEP, min(HELD_OUT_PAIRS, 16 * len(held_out.texts)))
    kept = checkpoint.load() if checkpoint is not None else None
    if kept is None:
        state = trainer.state()
        kept = Progressed(0, trainer.loss(*unseen), _parameters(state), state)
    else:
        trainer.restore(kept.state)
    try:
        return _steps(trainer, source, unseen, recipe, checkpoint, kept, listener)
    except _Interrupted as stop:
        best = stop.kept
        listener(
            DistilReport("training", best.step, recipe.steps, best=best.best, interrupted=True)
        )
        return best.parameters


class _Interrupted(Exception):  # noqa: N818 - no error: it carries the best so far
    def __init__(self, kept: Progressed) -> None:
        super().__init__()
        self.kept = kept


def _steps(
    trainer: Trainer,
    source: PairSource,
    unseen: Batch,
    recipe: Recipe,
    checkpoint: Checkpoint | None,
    kept: Progressed,
    listener: Listener,
) -> State:
    every = max(1, recipe.steps // EVALUATIONS)
    began, first, losses = time.monotonic(), kept.step, []
    try:
        for step, batch in _batches(source, first, recipe):
            losses.append(trainer.step(*batch, step))
            done = step + 1
            if done % every and done != recipe.steps:
                continue
            now, state = trainer.loss(*unseen), trainer.state()
            best = kept.parameters if now >= kept.best else _parameters(state)
            kept = Progressed(done, min(now, kept.best), best, state)
            if checkpoint is not None:
                checkpoint.save(kept)
            left = (time.monotonic() - began) / (done - first) * (recipe.steps - done)
            mean = sum(losses) / len(losses)
            listener(DistilReport("training", done, recipe.steps, mean, now, kept.best, left))
            losses.clear()
    except KeyboardInterrupt:
        raise _Interrupted(kept) from None
    return kept.parameters


def _batches(source: PairSource, first: int, recipe: Recipe) -> Iterator[tuple[int, Batch]]:
    """Steps with their pairs, the next of which are drawn while these are trained on."""
    waiting: deque[Future[Batch]] = deque()
    pool = ThreadPoolExecutor(AHEAD, thread_name_prefix="fuzzbow-pairs")
    try:
        for step in range(first, recipe.steps + AHEAD):
            if step < recipe.steps:
                waiting.append(pool.submit(source.draw, step, recipe.batch))
            if step >= first + AHEAD and waiting:
                yield step - AHEAD, waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _parameters(state: State) -> State:
    return {name: state[name] for name in PARAMETERS}
