"""Write the map of layers in CONTRIBUTING.md from import-linter's list and the modules' docstrings.

python tools/contributing_map.py           # rewrites the page
python tools/contributing_map.py --check   # fails where the page is out of date
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "CONTRIBUTING.md"
BEGIN = "<!-- layers, by tools/contributing_map.py -->\n"
END = "<!-- end of layers -->\n"


def layers(root: Path = ROOT) -> list[list[str]]:
    """Read the layers from pyproject.toml, top first; each is a list of modules."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    (contract,) = project["tool"]["importlinter"]["contracts"]
    return [[name.strip() for name in layer.split("|")] for layer in contract["layers"]]


def summary(module: str, root: Path = ROOT) -> str:
    """Return the first line of a module's docstring, without the full stop."""
    path = root / "src" / Path(*module.split("."))
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    docstring = ast.get_docstring(ast.parse(source.read_text("utf-8"))) or ""
    return docstring.partition("\n")[0].rstrip(".")


def layer_map(root: Path = ROOT) -> str:
    """Return the map: one row for each module, numbered by layer."""
    rows = [
        f"| {number} | `{module.partition('.')[2]}` | {summary(module, root)} |"
        for number, layer in enumerate(layers(root), start=1)
        for module in layer
    ]
    return "\n".join(["| layer | module | contents |", "|---|---|---|", *rows]) + "\n"


def with_map(page: str, written: str) -> str:
    """Return a page with this map between the two marks."""
    before, _, rest = page.partition(BEGIN)
    _, mark, after = rest.partition(END)
    if not mark:
        raise ValueError(f"the page must have the lines {BEGIN.strip()} and {END.strip()}")
    return f"{before}{BEGIN}{written}{END}{after}"


def main(arguments: list[str]) -> int:
    """Write the page, or compare it."""
    page = PAGE.read_text("utf-8")
    current = with_map(page, layer_map())
    if "--check" not in arguments:
        PAGE.write_text(current, "utf-8")
    elif current != page:
        print("CONTRIBUTING.md: run python tools/contributing_map.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
