"""A picture of how many rows would go at which threshold."""

from __future__ import annotations

WIDTH, BAR, GAP, LABEL, NUMBER = 620, 18, 6, 56, 80


def threshold_picture(counts: list[tuple[float, int]], rows: int) -> str:
    """Bars of rows that go over thresholds, as an HTML figure that needs nothing else."""
    most = max((gone for _, gone in counts), default=0) or 1
    height = len(counts) * (BAR + GAP)
    bars = []
    for place, (threshold, gone) in enumerate(counts):
        top = place * (BAR + GAP)
        length = (WIDTH - LABEL - NUMBER) * gone / most
        middle = top + BAR * 0.75
        bars.append(
            f'<text x="{LABEL - 8}" y="{middle:.1f}" text-anchor="end">{threshold:g}</text>'
            f'<rect x="{LABEL}" y="{top}" width="{length:.1f}" height="{BAR}" rx="3"/>'
            f'<text x="{LABEL + length + 6:.1f}" y="{middle:.1f}">{gone}</text>'
        )
    said = "; ".join(f"{gone} at {threshold:g}" for threshold, gone in counts)
    return (
        '<figure class="fuzzbow-thresholds"><style>.fuzzbow-thresholds{margin:12px 0;'
        "max-width:820px;color:#1c2230;font:14px system-ui,sans-serif}"
        ".fuzzbow-thresholds svg{width:100%;height:auto}"
        ".fuzzbow-thresholds rect{fill:#1d4ed8}.fuzzbow-thresholds text{fill:currentColor}"
        "@media (prefers-color-scheme:dark){.fuzzbow-thresholds{color:#e6e9f0}"
        ".fuzzbow-thresholds rect{fill:#7da5ff}}</style>"
        f"<figcaption>Rows that would go, of {rows}, by threshold</figcaption>"
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="Rows that go: {said}">'
        f"{''.join(bars)}</svg></figure>"
    )
