"""Run the cells of a notebook and store what they show: python tools/run_notebook.py FILE."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from typing import Any


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """The same notebook with the output of its cells, which share one namespace."""
    names: dict[str, Any] = {}
    cells, count = [], 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            shown = _run("".join(cell["source"]), names)
            outputs = [] if shown is None else [_output(shown, count)]
            cell = {**cell, "execution_count": count, "outputs": outputs}
        cells.append(cell)
    return {**notebook, "cells": cells}


def _run(source: str, names: dict[str, Any]) -> Any:
    """Run a cell; the value of its last line, if that is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307


def _output(value: Any, count: int) -> dict[str, Any]:
    """A value as a notebook keeps it."""
    data = {"text/plain": str(value).splitlines(keepends=True)}
    if hasattr(value, "_repr_html_"):
        data["text/html"] = value._repr_html_().splitlines(keepends=True)
    return {"output_type": "execute_result", "execution_count": count, "data": data, "metadata": {}}


if __name__ == "__main__":
    path = Path(sys.argv[1])
    done = executed(json.loads(path.read_text("utf-8")))
    path.write_text(json.dumps(done, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
