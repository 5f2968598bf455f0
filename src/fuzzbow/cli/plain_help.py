"""Help pages in the usual form: FILE for an argument, nothing behind a flag, options in panels."""

from __future__ import annotations

from typing import Any

from fuzzbow.cli.panels import in_panels


def plain_parameters(parameters: list[Any]) -> list[Any]:
    """Parameters with what help shows of their values."""
    for parameter in parameters:
        if getattr(parameter, "metavar", None) is not None:
            continue
        if parameter.param_type_name == "argument":
            parameter.metavar = parameter.name.upper()
        elif getattr(parameter, "is_flag", False):
            parameter.metavar = ""
        elif getattr(parameter, "multiple", False):
            parameter.metavar = "TEXT"
    return in_panels(parameters)


def with_plain_help(command: Any) -> Any:
    """A command, and those below it, with such help; None stays None."""
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
    """The pieces of the line that says how to call a command."""
    names = ["[OPTIONS]"]
    for parameter in command.get_params(ctx):
        if parameter.param_type_name == "argument":
            name = parameter.metavar.removesuffix("...")
            name += "..." if parameter.nargs != 1 else ""
            names.append(name if parameter.required else f"[{name}]")
    return names
