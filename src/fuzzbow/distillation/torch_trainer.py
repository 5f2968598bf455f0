"""The same trainer in PyTorch, on a processor or a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from fuzzbow.arrays import Floats, Integers
from fuzzbow.distillation.objective import groups
from fuzzbow.distillation.recipe import Train
from fuzzbow.distillation.trainer import (
    EPSILON,
    FIRST_MOMENT,
    PARAMETERS,
    SECOND_MOMENT,
    State,
    Task,
)
from fuzzbow.errors import InputError, MissingExtraError

CPU_CELLS, GPU_CELLS = 1 << 20, 1 << 23  # similarities of words held at once


def check_device(device: str) -> str:
    """A device that PyTorch has here."""
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError("torch", "torch") from error
    try:
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            f"device must be one that PyTorch has; got {device!r}: {reason}"
        ) from error
    return device


class TorchTrainer:
    """The gradient is PyTorch's own; Adam is too."""

    def __init__(self, task: Task, device: str) -> None:
        import torch

        self._torch, self._task, self._device = torch, task, check_device(device)
        self._cells = CPU_CELLS if device == "cpu" else GPU_CELLS
        self._features = self._moved(task.features)
        self._base = torch.log(self._moved(task.weights))
        self._numbers = self._moved(np.append(task.numbers, False))
        self._values = self._moved(task.rows.values.astype(np.int64))
        self._offsets = self._moved(np.array(task.rows.offsets))
        self._lengths = task.rows.lengths
        self._parameters = {
            name: self._moved(array).requires_grad_()
            for name, array in task.initial_state().items()
        }
        self._optimiser = self._adam()
        with torch.no_grad():
            self._start = self._table()

    def step(self, lefts: Integers, rights: Integers, cosines: Floats, number: int) -> float:
        """Learn from some pairs; their loss before that."""
        recipe = self._task.recipe
        for group in self._optimiser.param_groups:
            group["lr"] = group["rate"] * recipe.rate(number)
        self._optimiser.zero_grad()
        loss = self._loss(lefts, rights, cosines)
        loss.backward()
        self._optimiser.step()
        return float(loss.detach())

    def loss(self, lefts: Integers, rights: Integers, cosines: Floats) -> float:
        """The loss of some pairs."""
        with self._torch.no_grad():
            return float(self._loss(lefts, rights, cosines))

    def state(self) -> State:
        """A copy of the parameters and of Adam's moments."""
        found = {name: self._back(value) for name, value in self._parameters.items()}
        for name, value in self._parameters.items():
            known = self._optimiser.state.get(value) or {}
            for ours, theirs in (("first", "exp_avg"), ("second", "exp_avg_sq")):
                kept = known.get(theirs)
                found[f"{name}.{ours}"] = (
                    np.zeros_like(found[name]) if kept is None else self._back(kept)
                )
            found[f"{name}.steps"] = np.array([float(known.get("step", 0))], dtype=np.float32)
        return found

    def restore(self, state: State) -> None:
        """Go on from such a copy."""
        torch = self._torch
        with torch.no_grad():
            for name, value in self._parameters.items():
                value.copy_(self._moved(state[name]))
                steps = state.get(f"{name}.steps")
                if steps is not None and steps[0] > 0:
                    self._optimiser.state[value] = {
                        "step": torch.tensor(float(steps[0])),
                        "exp_avg": self._moved(state[f"{name}.first"]),
                        "exp_avg_sq": self._moved(state[f"{name}.second"]),
                    }

    def _adam(self) -> Any:
        recipe, parameters = self._task.recipe, self._parameters
        rates = {"change": (recipe.weight_rate, recipe.decay)}
        if recipe.train is Train.ALL:
            rates |= {
                "map": (recipe.map_rate, 0.0),
                "delta": (recipe.vector_rate, recipe.decay),
            }
        groups = [
            {"params": [parameters[name]], "rate": rate, "lr": rate, "weight_decay": decay}
            for name, (rate, decay) in rates.items()
        ]
        for name in PARAMETERS:
            parameters[name].requires_grad_(name in rates)
        return self._torch.optim.AdamW(groups, betas=(FIRST_MOMENT, SECOND_MOMENT), eps=EPSILON)

    def _table(self) -> tuple[Any, Any]:
        """Unit vectors and weights, the last row for words without a vector."""
        torch, now = self._torch, self._parameters
        made = torch.addmm(now["delta"], self._features, now["map"])
        unit = torch.nn.functional.normalize(made, dim=1)
        weights = torch.exp(self._base + now["change"])
        nothing = torch.zeros_like(unit[:1])
        return torch.cat([unit, nothing]), torch.cat([weights, torch.ones_like(weights[:1])])

    def _loss(self, lefts: Integers, rights: Integers, cosines: Floats) -> Any:
        """Mean squared error of the scores."""
        torch, share = self._torch, self._task.recipe.teacher_share
        table, total = self._table(), 0.0
        longest = np.maximum(self._lengths[lefts], self._lengths[rights])
        for places in groups(longest, self._cells):
            sides = [self._side(texts[places], mark) for texts, mark in ((lefts, -1), (rights, -2))]
            with torch.no_grad():
                before = self._score(self._start, *sides)
                target = share * self._moved(cosines[places]) + (1.0 - share) * before
            total = total + ((self._score(table, *sides) - target) ** 2).sum()
        return total / len(lefts)

    def _side(self, texts: Integers, nothing: int) -> Any:
        """Word ids of some texts, (n, longest), with `nothing` behind the shorter ones."""
        torch = self._torch
        lengths = self._moved(self._lengths[texts])
        across = torch.arange(int(self._lengths[texts].max()), device=self._device)
        inside = across < lengths[:, None]
        places = self._offsets[self._moved(np.asarray(texts, dtype=np.int64))][:, None] + across
        return torch.where(inside, self._values[torch.where(inside, places, 0)], nothing)

    def _score(self, table: tuple[Any, Any], left: Any, right: Any) -> Any:
        """J of some pairs: (n, k), (n, l) -> (n,)."""
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

    def _back(self, value: Any) -> Any:
        return value.detach().cpu().numpy().copy()
