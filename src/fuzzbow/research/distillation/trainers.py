"""Trainers of a table of words, in NumPy with SciPy and in PyTorch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fuzzbow.arrays import Booleans, Floats, Integers, Ragged, blocks
from fuzzbow.errors import InputError, MissingExtraError
from fuzzbow.fuzzy import unit_rows
from fuzzbow.research.distillation.corpus import TrainingTexts
from fuzzbow.research.distillation.objective import TrainedWords, groups, loss_and_gradient, scores
from fuzzbow.research.distillation.pairs import Start
from fuzzbow.research.distillation.recipe import Recipe

State = dict[str, NDArray[np.float32]]
PARAMETERS = ("delta", "map", "change")  # of words alone, of all words, and of log-weights
FIRST_MOMENT, SECOND_MOMENT = 0.9, 0.99
EPSILON = 1e-8
ADAM_ROWS = 2048  # rows per update, few enough for the processor's cache
CPU_CELLS, GPU_CELLS = 1 << 20, 1 << 23  # similarities of words in PyTorch's memory


@dataclass(frozen=True, eq=False)
class TrainingTask:
    """Words that occur in a corpus, numbered from 0, and its texts as these numbers."""

    active: NDArray[np.int64]  # (m,) ids in the vocabulary
    rows: Ragged
    features: NDArray[np.float32]  # (m, f)
    start: Start
    weights: NDArray[np.float32]  # (m,) at the start
    numbers: Booleans  # (m,)
    recipe: Recipe

    @classmethod
    def of(
        cls, corpus: TrainingTexts, start: Start, numbers: Booleans, recipe: Recipe
    ) -> TrainingTask:
        """Number the words that occur; only these are trained individually."""
        size, values = corpus.vocabulary, corpus.rows.values
        active = np.unique(values[values < size]).astype(np.int64)
        number = np.full(size, -1, dtype=np.int64)
        number[active] = np.arange(len(active))
        known = number[np.minimum(values, size - 1)]
        moved = np.where(values < size, known, values.astype(np.int64) - size + len(active))
        rows = Ragged(moved.astype(np.int32), corpus.rows.offsets)
        features, weights = start.features[active], start.weights[active]
        return cls(active, rows, features, start, weights, numbers[active], recipe)

    def initial_state(self) -> State:
        """Return the initial parameters of the table."""
        return {
            "delta": np.zeros((len(self.active), self.start.map.shape[1]), dtype=np.float32),
            "map": self.start.map.copy(),
            "change": np.zeros(len(self.active), dtype=np.float32),
        }

    def table(self, state: State) -> tuple[Floats, Floats]:
        """Return unit vectors and weights of the whole vocabulary: (V, d), (V,)."""
        made = self.start.features @ state["map"]
        made[self.active] += state["delta"]
        weights = self.start.weights.copy()
        weights[self.active] *= np.exp(state["change"])
        return unit_rows(made.astype(np.float64)), weights


class NumpyTrainer:
    """Trainer by Adam on sparse gradients; a step touches only the words of its pairs."""

    def __init__(self, task: TrainingTask) -> None:
        self._task = task
        self._state = task.initial_state()
        for name in PARAMETERS:
            for moment in ("first", "second"):
                self._state[f"{name}.{moment}"] = np.zeros_like(self._state[name])
        self._numbers = np.append(task.numbers, False)
        self._vectors = np.zeros((len(task.active) + 1, task.start.map.shape[1]), dtype=np.float32)
        self._lengths = np.ones(len(task.active), dtype=np.float32)
        self._refresh(np.arange(len(task.active)))
        self._start = TrainedWords(self._vectors.copy(), self._weights(), self._numbers)

    def step(self, lefts: Integers, rights: Integers, cosines: Floats, number: int) -> float:
        """Train on some pairs, and return their loss before the step."""
        task, recipe = self._task, self._task.recipe
        words = self._words(lefts, rights)
        targets = self._targets(lefts, rights, cosines)
        loss, gradient = loss_and_gradient(words, task.rows, lefts, rights, targets)
        rate = recipe.rate(number)
        change = gradient.log_weights[:-1].astype(np.float32)
        self._adam("change", change, rate * recipe.weight_rate, number, recipe.decay)
        if recipe.train == "all":
            delta = gradient.vectors[:-1] / self._lengths[:, None]
            used = np.flatnonzero(delta.any(axis=1))
            moved = task.features[used].T @ delta[used]
            self._adam("map", moved, rate * recipe.map_rate, number, 0.0)
            self._adam("delta", delta, rate * recipe.vector_rate, number, recipe.decay)
        return loss

    def loss(self, lefts: Integers, rights: Integers, cosines: Floats) -> float:
        """Return the loss of some pairs without training."""
        found = scores(self._words(lefts, rights), self._task.rows, lefts, rights)
        error = found - self._targets(lefts, rights, cosines)
        return float(np.mean(error**2))

    def state(self) -> State:
        """Copy the parameters and Adam's moments."""
        return {name: array.copy() for name, array in self._state.items()}

    def restore(self, state: State) -> None:
        """Continue from a state that `state` returned."""
        self._state = {name: np.array(state[name]) for name in self._state}

    def _targets(self, lefts: Integers, rights: Integers, cosines: Floats) -> Floats:
        share = self._task.recipe.teacher_share
        before = scores(self._start, self._task.rows, lefts, rights)
        return np.asarray(share * cosines + (1.0 - share) * before, dtype=np.float32)

    def _words(self, lefts: Integers, rights: Integers) -> TrainedWords:
        """Return the current table, updated for the words of these pairs."""
        rows = self._task.rows.take(np.concatenate([lefts, rights]))
        flags = np.zeros(len(self._task.active), dtype=np.bool_)
        flags[rows.values[rows.values < len(flags)]] = True
        if self._task.recipe.train == "all":
            self._refresh(np.flatnonzero(flags))
        return TrainedWords(self._vectors, self._weights(), self._numbers)

    def _weights(self) -> NDArray[np.float32]:
        return np.append(self._task.weights * np.exp(self._state["change"]), np.float32(1.0))

    def _refresh(self, words: NDArray[np.int64]) -> None:
        """Compute the unit vectors of some words, and store their previous lengths."""
        made = self._task.features[words] @ self._state["map"] + self._state["delta"][words]
        lengths = np.linalg.norm(made, axis=1)
        self._lengths[words] = np.where(lengths > 0, lengths, 1.0)
        self._vectors[words] = made / self._lengths[words, None]

    def _adam(self, name: str, gradient: Floats, rate: float, number: int, decay: float) -> None:
        """Take one step of Adam with separate decay, a few rows at a time."""
        t = number + 1
        scale = rate * (1 - SECOND_MOMENT**t) ** 0.5 / (1 - FIRST_MOMENT**t)
        small = EPSILON * (1 - SECOND_MOMENT**t) ** 0.5
        state = self._state
        for part in blocks(len(gradient), ADAM_ROWS):
            first, second = state[f"{name}.first"][part], state[f"{name}.second"][part]
            value, change = state[name][part], gradient[part]
            first *= FIRST_MOMENT
            first += (1 - FIRST_MOMENT) * change
            second *= SECOND_MOMENT
            second += (1 - SECOND_MOMENT) * change * change
            value *= 1 - rate * decay
            value -= scale * first / (np.sqrt(second) + small)


def check_device(device: str) -> str:
    """Check that PyTorch has a device, and return its name."""
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError("torch", "torch") from error
    try:
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        message = f"device must be one that PyTorch has; got {device!r}: {reason}"
        raise InputError(message) from error
    return device


class TorchTrainer:
    """Trainer by PyTorch's gradient and AdamW, on a CPU or a GPU."""

    def __init__(self, task: TrainingTask, device: str) -> None:
        import torch

        self._torch, self._task, self._device = torch, task, check_device(device)
        self._cells = CPU_CELLS if device == "cpu" else GPU_CELLS
        self._features = self._moved(task.features)
        self._base = torch.log(self._moved(task.weights))
        self._numbers = self._moved(np.append(task.numbers, False))
        self._values = self._moved(task.rows.values.astype(np.int64))
        self._offsets = self._moved(np.array(task.rows.offsets))
        self._lengths = task.rows.lengths
        recipe = task.recipe
        rates = {"change": (recipe.weight_rate, recipe.decay)}
        if recipe.train == "all":
            rates |= {"map": (recipe.map_rate, 0.0), "delta": (recipe.vector_rate, recipe.decay)}
        self._parameters = {
            name: self._moved(array).requires_grad_(name in rates)
            for name, array in task.initial_state().items()
        }
        trained = [
            {"params": [self._parameters[name]], "rate": rate, "lr": rate, "weight_decay": decay}
            for name, (rate, decay) in rates.items()
        ]
        betas = (FIRST_MOMENT, SECOND_MOMENT)
        self._optimiser: Any = torch.optim.AdamW(trained, betas=betas, eps=EPSILON)
        with torch.no_grad():
            self._start = self._table()

    def step(self, lefts: Integers, rights: Integers, cosines: Floats, number: int) -> float:
        """Train on some pairs, and return their loss before the step."""
        for group in self._optimiser.param_groups:
            group["lr"] = group["rate"] * self._task.recipe.rate(number)
        self._optimiser.zero_grad()
        loss = self._loss(lefts, rights, cosines)
        loss.backward()
        self._optimiser.step()
        return float(loss.detach())

    def loss(self, lefts: Integers, rights: Integers, cosines: Floats) -> float:
        """Return the loss of some pairs without training."""
        with self._torch.no_grad():
            return float(self._loss(lefts, rights, cosines))

    def state(self) -> State:
        """Copy the parameters and Adam's moments."""
        found = {name: _copied(value) for name, value in self._parameters.items()}
        for name, value in self._parameters.items():
            known = self._optimiser.state.get(value) or {}
            for ours, theirs in (("first", "exp_avg"), ("second", "exp_avg_sq")):
                kept = known.get(theirs)
                moment = np.zeros_like(found[name]) if kept is None else _copied(kept)
                found[f"{name}.{ours}"] = moment
            found[f"{name}.steps"] = np.array([float(known.get("step", 0))], dtype=np.float32)
        return found

    def restore(self, state: State) -> None:
        """Continue from a state that `state` returned."""
        with self._torch.no_grad():
            for name, value in self._parameters.items():
                value.copy_(self._moved(state[name]))
                steps = state.get(f"{name}.steps")
                if steps is not None and steps[0] > 0:
                    self._optimiser.state[value] = {
                        "step": self._torch.tensor(float(steps[0])),
                        "exp_avg": self._moved(state[f"{name}.first"]),
                        "exp_avg_sq": self._moved(state[f"{name}.second"]),
                    }

    def _table(self) -> tuple[Any, Any]:
        """Return unit vectors and weights, the last row for words without a vector."""
        torch, now = self._torch, self._parameters
        made = torch.addmm(now["delta"], self._features, now["map"])
        unit = torch.nn.functional.normalize(made, dim=1)
        weights = torch.exp(self._base + now["change"])
        nothing = torch.zeros_like(unit[:1])
        return torch.cat([unit, nothing]), torch.cat([weights, torch.ones_like(weights[:1])])

    def _loss(self, lefts: Integers, rights: Integers, cosines: Floats) -> Any:
        """Compute the mean squared error of the scores."""
        torch, share = self._torch, self._task.recipe.teacher_share
        table, total = self._table(), 0.0
        longest = np.maximum(self._lengths[lefts], self._lengths[rights])
        for positions in groups(longest, self._cells):
            sides = self._side(lefts[positions], -1), self._side(rights[positions], -2)
            with torch.no_grad():
                before = self._score(self._start, *sides)
                target = share * self._moved(cosines[positions]) + (1.0 - share) * before
            total = total + ((self._score(table, *sides) - target) ** 2).sum()
        return total / len(lefts)

    def _side(self, texts: Integers, nothing: int) -> Any:
        """Return word ids of some texts, (n, longest), padded with `nothing`."""
        torch = self._torch
        lengths = self._moved(self._lengths[texts])
        across = torch.arange(int(self._lengths[texts].max()), device=self._device)
        inside = across < lengths[:, None]
        positions = self._offsets[self._moved(np.asarray(texts, dtype=np.int64))][:, None] + across
        return torch.where(inside, self._values[torch.where(inside, positions, 0)], nothing)

    def _score(self, table: tuple[Any, Any], left: Any, right: Any) -> Any:
        """Score some pairs: (n, k), (n, l) -> (n,)."""
        torch, (vectors, weights) = self._torch, table
        last = len(weights) - 1
        a, b = (torch.where(side < 0, last, side.clamp(max=last)) for side in (left, right))
        embed = torch.nn.functional.embedding
        similar = embed(a, vectors) @ embed(b, vectors).transpose(1, 2)
        clash = self._numbers[a][:, :, None] & self._numbers[b][:, None, :]
        similar = similar.masked_fill(clash, 0.0)
        similar = similar.masked_fill(left[:, :, None] == right[:, None, :], 1.0).clamp(min=0.0)
        w_a = torch.where(left < 0, 0.0, embed(a, weights[:, None])[..., 0])
        w_b = torch.where(right < 0, 0.0, embed(b, weights[:, None])[..., 0])
        common = (w_a * similar.amax(dim=2)).sum(dim=1) + (w_b * similar.amax(dim=1)).sum(dim=1)
        return common / (w_a.sum(dim=1) + w_b.sum(dim=1))

    def _moved(self, array: Any) -> Any:
        return self._torch.from_numpy(np.ascontiguousarray(array)).to(self._device)


def _copied(value: Any) -> Any:
    return value.detach().cpu().numpy().copy()


Trainer = NumpyTrainer | TorchTrainer
