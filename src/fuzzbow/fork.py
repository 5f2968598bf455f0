"""Objects whose locks and shared state are renewed in a forked process.

A fork copies the memory of all threads but only the thread that called it. A lock that another
thread held stays locked in the child for ever, and what it protects may be half changed. Objects
that own a lock register here, and drop both in the child.
"""

from __future__ import annotations

import os
import sys
from functools import cached_property
from threading import RLock
from typing import Protocol
from weakref import WeakSet


class Renewable(Protocol):
    """An object that can be used in a forked process after `renew`."""

    def renew(self) -> None:
        """Replace the locks, and whatever another thread may have left half changed."""
        ...


_registered: WeakSet[Renewable] = WeakSet()
_abandoned: list[object] = []  # kept until the process ends, as freeing them may fail


def renew_after_fork(thing: Renewable) -> None:
    """Call `renew` of this object in every process that is forked while the object exists."""
    _registered.add(thing)


def abandon(thing: object) -> None:
    """Keep an object that another thread may have left half changed from being freed."""
    _abandoned.append(thing)


def _renew_all() -> None:
    if sys.version_info < (3, 12):
        _renew_cached_properties()
    for thing in list(_registered):
        thing.renew()


def _renew_cached_properties() -> None:
    """Replace the lock that all objects of a class share for each of its cached properties."""
    modules = [module for name, module in sys.modules.items() if name.startswith("fuzzbow.")]
    values = [value for module in modules for value in vars(module).values()]
    classes = {value for value in values if isinstance(value, type)}
    for kind in classes:
        for value in vars(kind).values():
            if isinstance(value, cached_property):
                value.lock = RLock()  # type: ignore[attr-defined]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
