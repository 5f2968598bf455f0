"""Panels of help pages: which panel shows an option. Others stand in the panel "Options"."""

from __future__ import annotations

from typing import Any

PANELS = {
    "Input": (
        *("text", "left", "right", "on", "left_on", "right_on", "name", "metadata", "no_metadata"),
        *("against", "against_text", "against_id", "form", "encoding", "delimiter", "skip_bad"),
        *("label", "score", "split", "data", "task"),
    ),
    "Output": (
        *("out", "output", "target", "column", "overwrite", "pairs", "html", "json", "csv"),
        *("explain", "preview", "report"),
    ),
    "Matching": (
        *("threshold", "k", "how", "one_to_one", "linkage", "keep", "details", "any_details"),
        *("ignore_details", "drop_empty", "where", "min_score", "neighbours"),
    ),
    "Model": (
        *("purpose", "source", "vectors", "measure", "weights", "counts", "tokenizer", "language"),
        *("unknown", "clean", "normalise", "limit"),
    ),
    "Scale": ("threads", "shards", "shard_texts", "ray", "replicas"),
    "Limits": (
        *("max_answer", "max_body", "max_characters", "max_comparisons", "max_concurrent"),
        *("max_connections", "max_hits", "max_queries", "max_query_words", "max_texts"),
        *("max_unsent", "max_words", "body_seconds", "head_seconds", "idle_seconds"),
        *("lock_seconds", "shutdown_seconds", "write_seconds"),
    ),
}
PANEL_OF = {name: panel for panel, names in PANELS.items() for name in names}


def in_panels(parameters: list[Any]) -> list[Any]:
    """Sort the parameters of a command by panel, arguments first, and set the panels of options."""
    for parameter in parameters:
        if parameter.param_type_name == "option" and parameter.name in PANEL_OF:
            parameter.rich_help_panel = PANEL_OF[parameter.name]
    return sorted(parameters, key=_position)


def _position(parameter: Any) -> int:
    """Position of a parameter's panel, that of "Options" last."""
    if parameter.param_type_name == "argument":
        return -1
    panels = list(PANELS)
    panel = PANEL_OF.get(parameter.name)
    return len(panels) if panel is None else panels.index(panel)
