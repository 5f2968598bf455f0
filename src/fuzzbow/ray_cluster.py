"""Connections to a Ray cluster."""

from __future__ import annotations

import os
from typing import Any

from fuzzbow.errors import MissingExtraError

LOCAL = "local"


class RayCluster:
    """Connection to a Ray cluster, or to the one that the program is connected to.

    `address` is that of a running cluster, such as "10.0.0.1:6379" or "auto"; "local" starts one
    on this machine, with `cores` cores or all.
    """

    def __init__(self, address: str = LOCAL, *, cores: int | None = None) -> None:
        try:
            import ray
        except ImportError as error:
            raise MissingExtraError("ray", "ray") from error
        self.ray: Any = ray
        self._connected = not ray.is_initialized()
        if not self._connected:
            return
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
        if address == LOCAL:
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is sent anywhere
            ray.init(address=LOCAL, num_cpus=cores, include_dashboard=False, **quiet)
        else:
            ray.init(address=address, **quiet)

    def result(self, reference: Any) -> Any:
        """Return the result of a remote call, or raise the error that it raised."""
        try:
            return self.ray.get(reference)
        except self.ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, Exception):
                raise error.cause from error
            raise

    def close(self) -> None:
        """Disconnect, and stop a cluster that was started here."""
        if self._connected:
            self.ray.shutdown()
            self._connected = False
