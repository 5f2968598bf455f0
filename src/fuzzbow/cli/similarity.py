"""`fuzzbow similarity` and `fuzzbow demo`."""

from __future__ import annotations

from pathlib import Path

from fuzzbow.cli import options
from fuzzbow.cli.console import info, output, print_json
from fuzzbow.cli.options import argument, with_options
from fuzzbow.encoding import warn_of_language
from fuzzbow.io.outputs import check_paths
from fuzzbow.model import ModelSpec, load

DEMO_PAIRS = (
    ("He has a cat", "She had one dog"),
    ("He has a cat", "He has a feline pet"),
    ("He has a cat", "The airplane landed at noon"),
    ("The company paid 1,650 dollars", "The firm paid 1,650 dollars"),
    ("The company paid 1,650 dollars", "The firm paid 9,900 dollars"),
)
DEMO_MEASURES = ("set-jaccard", "avg-cosine", "dynamax-jaccard", "weighted-jaccard")


@with_options()
def similarity(
    a: str = argument("One text."),
    b: str = argument("Another text."),
    explain: bool = options.EXPLAIN,
    html: Path | None = options.HTML,
    overwrite: bool = options.OVERWRITE,
    json: bool = options.JSON,
    *,
    spec: ModelSpec,
) -> None:
    """Compare two texts and print one number; with --explain, the share of each word."""
    check_paths(inputs=options.model_files(spec), outputs={"--html": html}, overwrite=overwrite)
    model = options.load_model(spec)
    explanations = [("", model.explain(a, b))] if explain or html else []
    if html is not None:
        from fuzzbow.explain import write_page

        info(write_page(html, explanations))
    score = model.similarity(a, b)
    warn_of_language(model.encoder, model.encoder.encode([a, b])[0])
    if json:
        facts = {"a": a, "b": b, "similarity": score, "measure": model.measure.name}
        facts |= {"vectors": model.vectors.name, "coverage": model.coverage([a, b])}
        print_json(facts | ({"explanation": explanations[0][1].to_dict()} if explain else {}))
    elif explain:
        from fuzzbow.cli.explanations import show_explanations

        show_explanations(explanations)
    else:
        output.print(f"{score:.4f}")


@with_options()
def demo(json: bool = options.JSON) -> None:
    """Compare a few sentences by four measures on the embedded vectors."""
    lefts, rights = zip(*DEMO_PAIRS, strict=True)
    columns = [
        load("default", measure=measure).pairs(lefts, rights).tolist() for measure in DEMO_MEASURES
    ]
    rows = list(zip(DEMO_PAIRS, *columns, strict=True))
    if json:
        scored = ((a, b, zip(DEMO_MEASURES, scores, strict=True)) for (a, b), *scores in rows)
        print_json([{"a": a, "b": b, **dict(scores)} for a, b, scores in scored])
        return
    from rich.table import Table

    table = Table("two texts", title="0: nothing in common, 1: the same", show_lines=True)
    for measure in DEMO_MEASURES:
        table.add_column(measure.replace("-", "-\n"), justify="right")
    for pair, *scores in rows:
        table.add_row("\n".join(pair), *(f"{score:.3f}" for score in scores))
    output.print(table, soft_wrap=False)
    output.print('Your turn: fuzzbow similarity "a text" "another text"')
