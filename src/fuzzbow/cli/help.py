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


def plain_parameters(parameters: list[Any]) -> list[Any]:
    """Set the metavars of parameters, and sort them by panel."""
    for parameter in parameters:
        if getattr(parameter, "metavar", None) is not None:
            continue
        if parameter.param_type_name == "argument":
            parameter.metavar = parameter.name.upper()
        elif getattr(parameter, "is_flag", False):
            parameter.metavar = ""
        elif getattr(parameter, "multiple", False):
            parameter.metavar = "TEXT"
    for parameter in parameters:
        if parameter.param_type_name == "option" and parameter.name in PANEL_OF:
            parameter.rich_help_panel = PANEL_OF[parameter.name]
    return sorted(parameters, key=_position)


def with_plain_help(command: Any) -> Any:
    """Apply this help format to a command and its subcommands."""
    if command is None or getattr(command, "has_plain_help", False):
        return command
    parameters, pieces = command.get_params, command.collect_usage_pieces
    command.has_plain_help = True
    command.get_params = lambda ctx: plain_parameters(parameters(ctx))
    below = getattr(command, "commands", None)
    if below is None:
        command.collect_usage_pieces = lambda ctx: _usage(command, ctx)
    else:
        command.collect_usage_pieces = pieces
        for other in below.values():
            with_plain_help(other)
    return command


def _usage(command: Any, ctx: Any) -> list[str]:
    """Return the pieces of the usage line of a command."""
    names = ["[OPTIONS]"]
    for parameter in command.get_params(ctx):
        if parameter.param_type_name == "argument":
            name = parameter.metavar.removesuffix("...")
            name += "..." if parameter.nargs != 1 else ""
            names.append(name if parameter.required else f"[{name}]")
    return names


def _position(parameter: Any) -> int:
    """Return the position of a parameter's panel; "Options" is last."""
    if parameter.param_type_name == "argument":
        return -1
    panels = list(PANELS)
    panel = PANEL_OF.get(parameter.name, parameter.rich_help_panel)
    return len(panels) if panel is None else panels.index(panel)
