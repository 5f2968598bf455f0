"""How far a training is, on disk: whole or not at all, and only for the same training."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fuzzbow.distillation.trainer import State
from fuzzbow.errors import InputError
from fuzzbow.vectors.formats.container import Tensor, map_file, parse_container, write_container

FORMAT = "fuzzbow-distillation/1"


@dataclass(frozen=True, eq=False)
class Progressed:
    """A training after some steps."""

    step: int
    best: float  # least held-out loss so far
    parameters: State  # those that had it
    state: State  # of the trainer


@dataclass(frozen=True)
class Checkpoint:
    """A file that a training is kept in, and what decides that training."""

    path: Path
    identity: dict[str, Any]

    def __post_init__(self) -> None:
        if self.path.suffix != ".safetensors":
            raise InputError(f"{self.path}: the name of a checkpoint must end in .safetensors")

    def save(self, progressed: Progressed) -> None:
        """Replace what is there."""
        arrays = {f"state.{name}": array for name, array in progressed.state.items()}
        arrays |= {f"best.{name}": array for name, array in progressed.parameters.items()}
        metadata = {
            "format": FORMAT,
            "identity": json.dumps(self.identity, sort_keys=True),
            "step": str(progressed.step),
            "best": repr(progressed.best),
        }
        tensors = [Tensor.of(name, array) for name, array in arrays.items()]
        write_container(self.path, tensors, lambda: metadata)

    def load(self) -> Progressed | None:
        """What is there, if anything; another training's is refused."""
        if not self.path.exists():
            return None
        container = parse_container(map_file(self.path), str(self.path))
        if container.metadata.get("format") != FORMAT:
            raise InputError(f"{self.path}: must be a checkpoint of fuzzbow; it is not")
        try:
            self._check(json.loads(container.metadata["identity"]))
            step, best = int(container.metadata["step"]), float(container.metadata["best"])
        except (KeyError, ValueError, AttributeError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{self.path}: damaged checkpoint: {error}") from error
        arrays = {name: np.array(container.array(name)) for name in container.entries}
        parts: dict[str, State] = {"state": {}, "best": {}}
        for name, array in arrays.items():
            kind, _, rest = name.partition(".")
            parts.setdefault(kind, {})[rest] = array
        return Progressed(step, best, parts["best"], parts["state"])

    def _check(self, stored: dict[str, Any]) -> None:
        for part, value in self.identity.items():
            if stored.get(part) != value:
                raise InputError(
                    f"{self.path}: is the checkpoint of another training: {part} was"
                    f" {stored.get(part)}, is {value}; name another file, or remove it"
                )
