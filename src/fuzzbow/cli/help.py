"""Help pages in the usual form: FILE for an argument, nothing after a flag, options in panels."""

from __future__ import annotations

from typing import Any

# panel -> its options; others are in the panel "Options"
PANELS = {
    "Input": (
        *("text", "left", "right", "on", "left_on", "right_on", "name", "metadata", "no_metadata"),
        *("against", "against_text", "against_id", "form", "encoding", "delimiter", "skip_bad"),
        *("label", "score", "split", "data", "task", "kind", "recall_at", "baseline_vectors"),
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
    "Limits": (),  # options of the server name it themselves
}
PANEL_OF = {name: panel for panel, names in PANELS.items() for name in names}


def arrange_help(command: Any) -> None:
    """Apply this help format to a command and its subcommands."""
    parameters, below = command.get_params, getattr(command, "commands", None)
    command.get_params = lambda ctx: arrange(parameters(ctx))
    if below is None:
        command.collect_usage_pieces = lambda ctx: usage(command.get_params(ctx))
    for other in (below or {}).values():
        arrange_help(other)


def arrange(parameters: list[Any]) -> list[Any]:
    """Set the metavars and panels of parameters, and sort them by panel."""
    for parameter in parameters:
        argument = parameter.param_type_name == "argument"
        if getattr(parameter, "metavar", None) is None:
            if argument:
                parameter.metavar = parameter.name.upper()
            elif getattr(parameter, "is_flag", False):
                parameter.metavar = ""
            elif getattr(parameter, "multiple", False):
                parameter.metavar = "TEXT"
        if not argument and parameter.name in PANEL_OF:
            parameter.rich_help_panel = PANEL_OF[parameter.name]
    order = [None, *PANELS]
    return sorted(parameters, key=lambda parameter: order.index(parameter.rich_help_panel))


def usage(parameters: list[Any]) -> list[str]:
    """Return the pieces of a usage line."""
    names = ["[OPTIONS]"]
    for parameter in parameters:
        if parameter.param_type_name == "argument":
            name = parameter.metavar.removesuffix("...") + "..." * (parameter.nargs != 1)
            names.append(name if parameter.required else f"[{name}]")
    return names
