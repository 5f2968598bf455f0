"""`fuzzbow vectors`: list, describe, convert and distil word vectors."""

from __future__ import annotations

from pathlib import Path

import typer
from rich.table import Table

from fuzzbow.cli import options
from fuzzbow.cli.console import info, output, print_json, progress, show
from fuzzbow.cli.options import argument, option, with_options
from fuzzbow.io.outputs import check_paths
from fuzzbow.plurals import counted
from fuzzbow.research.distillation import DistilReport
from fuzzbow.research.distillation import distil as distil_vectors
from fuzzbow.text import visible_line
from fuzzbow.vectors import WordVectors, named_sources, open_vectors, save_vectors
from fuzzbow.vectors import convert as convert_vectors

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="List, describe, convert and distil word vectors.",
)
DTYPE = option("float32", "float32, float16, int8 or int4.")


@app.command("list")
@with_options()
def list_vectors(json: bool = options.JSON) -> None:
    """List the vectors that have a name."""
    sources = named_sources()
    if json:
        print_json([vars(source) for source in sources])
        return
    table = Table("name", "vectors", "installed")
    for source in sources:
        install = f'pip install "fuzzbow\\[{source.extra}]"'
        table.add_row(source.name, source.description, "yes" if source.available else install)
    output.print(table, soft_wrap=False)


@app.command("info")
@with_options()
def describe(
    source: str = argument("A name or a file."),
    limit: int | None = options.LIMIT,
    skip_bad: bool = options.SKIP_BAD,
    json: bool = options.JSON,
) -> None:
    """Describe the content of a file of vectors."""
    vectors = open_vectors(source, limit=limit, skip_bad=skip_bad)
    facts = {
        "name": vectors.name,
        "words": len(vectors),
        "dimension": vectors.dimension,
        "lowercase": vectors.lowercase,
        "counts": vectors.counts is not None,
        "weights": "stored" if vectors.preweighted else "by frequency",
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
@with_options()
def convert(
    source: str = argument("A name or a file."),
    target: Path = argument("A new file, NAME.safetensors."),
    dtype: str = DTYPE,
    limit: int | None = options.LIMIT,
    skip_bad: bool = options.SKIP_BAD,
    overwrite: bool = options.OVERWRITE,
    json: bool = options.JSON,
) -> None:
    """Write vectors in fuzzbow's own format, which opens in milliseconds whatever its size."""
    check_paths(inputs={"SOURCE": source}, outputs={"TARGET": target}, overwrite=overwrite)
    with progress("converting") as done:
        vectors = convert_vectors(
            source, target, dtype=dtype, limit=limit, skip_bad=skip_bad, progress=done
        )
    if json:
        size = {"words": len(vectors), "dimension": vectors.dimension}
        print_json({"output": str(target), **size, **vars(vectors.report)})
    report = vectors.report
    info(f"{target}: {_size(vectors)}; {report.duplicates} repeated, {report.skipped} skipped")


@app.command()
@with_options()
def distil(
    texts: Path = argument("A file, a text per line."),
    teacher: str = option(..., "A .npy file of embeddings, or a model's folder."),
    target: Path = option(..., "A new file, NAME.safetensors.", "-o", "--output"),
    vectors: str = option("default", "Vectors to begin with."),
    train: str = option("all", "all, or weights alone."),
    steps: int | None = option(None, "Number of steps, by the number of texts unless given."),
    batch: int = option(4096, "Pairs in a step."),
    seed: int = option(0, "Seed of the training."),
    device: str | None = option(None, "cpu or cuda: by PyTorch; NumPy unless given."),
    checkpoint: Path | None = option(
        None, "A .safetensors file from which an interrupted run resumes."
    ),
    dtype: str = DTYPE,
) -> None:
    """Train vectors and word weights towards a sentence model, without labels."""
    check_paths(inputs={"the texts": texts}, outputs={"the output": target})
    last: list[DistilReport] = []

    def on_progress(report: DistilReport) -> None:
        last[:] = [report]
        if report.loss is not None:
            info(
                f"step {report.done} of {report.total}: loss {report.loss:.5f}, held out"
                f" {report.held_out:.5f}, {report.seconds_left:.0f} s left"
            )

    made = distil_vectors(
        texts, teacher, vectors=vectors, train=train, steps=steps, batch=batch,
        seed=seed, device=device, checkpoint=checkpoint, progress=on_progress,
    )  # fmt: skip
    save_vectors(made, target, dtype=dtype)
    stopped = "interrupted, the best so far: " if last[-1].interrupted else ""
    info(f"{target}: {stopped}{_size(made)}, with weights")


def _size(vectors: WordVectors) -> str:
    return f"{counted(len(vectors), 'word')}, {counted(vectors.dimension, 'dimension')}"
