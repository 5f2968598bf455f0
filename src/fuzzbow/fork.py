"""Objects whose locks and shared state are renewed in a forked process.

A fork copies the memory of all threads but only the thread that called it. A lock that another
thread held is never released in the child, and the protected state may be inconsistent. Objects
that own a lock register here, and drop both in the child. A module that another thread is importing
also has a lock, which cannot be renewed: a fork waits until the import ends.
"""

from __future__ import annotations

import logging  # noqa: F401 - whose lock for a fork must be taken after `_wait_for_imports`
import os
import sys
import time
from functools import cached_property
from importlib import _bootstrap
from threading import RLock, get_ident
from typing import Any
from weakref import WeakSet

# packages that models import at their first use
FIRST_USED = {"fuzzbow", "pandas", "pyarrow", "wordfreq"}
IMPORT_SECONDS = 30.0  # how long a fork waits for them


_registered: WeakSet[Any] = WeakSet()
_abandoned: list[object] = []  # kept until the process ends, as freeing them may fail


def renew_after_fork(thing: Any) -> None:
    """Register an object whose method `renew` is called in every forked process.

    It replaces the locks of the object, and state that another thread may have left inconsistent.
    """
    _registered.add(thing)


def abandon(thing: object) -> None:
    """Never free an object that another thread may have left inconsistent."""
    _abandoned.append(thing)


def _renew_all() -> None:
    if sys.version_info < (3, 12):  # all objects of a class share a lock for a cached property
        modules = [module for name, module in sys.modules.items() if name.startswith("fuzzbow.")]
        values = [value for module in modules for value in vars(module).values()]
        for kind in {value for value in values if isinstance(value, type)}:
            for value in vars(kind).values():
                if isinstance(value, cached_property):
                    value.lock = RLock()  # type: ignore[attr-defined]
    for thing in list(_registered):
        thing.renew()


def _wait_for_imports() -> None:
    """Wait until no other thread holds the lock of a module of `FIRST_USED`."""
    until = time.monotonic() + IMPORT_SECONDS
    time.sleep(0)  # the interpreter then lets this thread run long enough to check and fork
    while time.monotonic() < until:
        held = list(getattr(_bootstrap, "_module_locks", {}).items())
        locks = [lock() for name, lock in held if name.partition(".")[0] in FIRST_USED]
        if all(getattr(lock, "owner", None) in (None, get_ident()) for lock in locks):
            return
        time.sleep(0.001)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_wait_for_imports, after_in_child=_renew_all)
