"""The files of one command compared with each other, before any of them is opened."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

from fuzzbow.atomic import check_output, is_special
from fuzzbow.errors import InputError

Paths = Mapping[str, Path | str | None]  # what the user calls it -> where it is, if given


def check_paths(
    *, inputs: Paths, outputs: Paths, folders: Paths | None = None, overwrite: bool = True
) -> None:
    """Every output must be able to be written, and must be no other file of the command.

    Two names of one file, by links of either kind, are the same file. Nothing may be written
    into one of the `folders`, nor over a file of a folder among the inputs. A device or a pipe
    may be named more than once. Without `overwrite` a file that is there is not replaced.
    """
    read = {name: Path(path) for name, path in inputs.items() if path is not None}
    closed = {name: Path(path) for name, path in (folders or {}).items() if path is not None}
    written = {name: Path(path) for name, path in outputs.items() if path is not None}
    for path in written.values():
        check_output(path)
    files = {name: path for name, path in written.items() if not is_special(path)}
    for name, path in files.items():
        for other, source in read.items():
            inside = path.exists() and source.is_dir() and _is_inside(path, source)
            if inside or _is_same(path, source):
                raise _clash(name, other, path)
        for other, folder in closed.items():
            if _is_inside(path, folder):
                raise InputError(f"{name} must not be inside {other}; got '{path}'")
    for (name, path), (other, second) in combinations(files.items(), 2):
        if _is_same(path, second):
            raise _clash(name, other, path)
    for name, path in files.items():
        if not overwrite and path.exists():
            raise is_there(name, path)


def is_there(name: str, path: object) -> InputError:
    """Return the error of an output that would replace something."""
    return InputError(f"{name}: '{path}' is there already; --overwrite replaces it")


def _clash(name: str, other: str, path: Path) -> InputError:
    return InputError(f"{name} and {other} must be different files; both are '{path}'")


def _is_same(path: Path, other: Path) -> bool:
    if path.exists() and other.exists():
        return path.samefile(other)
    return _real(path) == _real(other)


def _is_inside(path: Path, folder: Path) -> bool:
    return Path(os.path.realpath(folder)) in Path(_real(path)).parents


def _real(path: Path) -> str:
    """The one name of a file, whether it is there or not."""
    return os.path.normcase(os.path.realpath(path))
