"""A picture of how many rows would go at which threshold."""

from __future__ import annotations

from fuzzbow.palette import themed

STYLE = (
    themed(".fuzzbow-thresholds")
    + """.fuzzbow-thresholds{margin:12px 0;max-width:820px;color:var(--ink);
 font:14px/1.7 var(--sans);font-variant-numeric:tabular-nums}
.fuzzbow-thresholds .row{display:grid;grid-template-columns:3.5em minmax(0,1fr) auto;gap:8px;
 align-items:center}
.fuzzbow-thresholds .row span:first-child{text-align:right}
.fuzzbow-thresholds .bar{width:calc(var(--part)*100%);height:1.2em;border-radius:3px;
 background:var(--accent)}
"""
)


def threshold_picture(counts: list[tuple[float, int]], rows: int) -> str:
    """Bars of rows that go over thresholds, as an HTML figure that needs nothing else."""
    most = max((gone for _, gone in counts), default=0) or 1
    bars = "".join(
        f'<div class="row"><span>{threshold:g}</span>'
        f'<span class="bar" style="--part:{gone / most:.4f}"></span><span>{gone}</span></div>'
        for threshold, gone in counts
    )
    said = "; ".join(f"{gone} at {threshold:g}" for threshold, gone in counts)
    return (
        f'<figure class="fuzzbow-thresholds"><style>{STYLE}</style>'
        f"<figcaption>Rows that would go, of {rows}, by threshold</figcaption>"
        f'<div role="img" aria-label="Rows that go: {said}">{bars}</div></figure>'
    )
