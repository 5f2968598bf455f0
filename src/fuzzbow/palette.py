"""Colours and fonts of pages, explanations, reports, documentation and figures."""

from __future__ import annotations

# name -> the colour on a light ground and on a dark one
COLOURS = {
    "paper": ("#fbfaf7", "#14181b"),  # background of the page
    "card": ("#ffffff", "#1b2125"),  # background of groups
    "ink": ("#1d2429", "#e8e6e0"),
    "soft": ("#58636b", "#a2adb3"),  # for what is read second
    "line": ("#dcdad3", "#333c42"),
    "accent": ("#1f6a70", "#6fc3c6"),  # links and buttons; the left text
    "accent-ink": ("#fefefe", "#0d1416"),  # letters on it
    "accent-faint": ("#7fb3b5", "#3b8084"),
    "warm": ("#96580f", "#e0a563"),  # focus; the right text
    "warm-faint": ("#d9a765", "#94672f"),
    "good": ("#146c43", "#7fcfa1"),
    "bad": ("#a3262f", "#ff9b95"),
}
TYPE = {
    "sans": (
        'ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",'
        "sans-serif"
    ),
    "serif": (
        '"Iowan Old Style","Palatino Linotype",Palatino,"Noto Serif","DejaVu Serif",Georgia,serif'
    ),
    "mono": 'ui-monospace,"SF Mono",Menlo,"DejaVu Sans Mono",monospace',
}
THEMES = ("light", "dark")


def light(name: str) -> str:
    """Return the colour for a light background, for pictures without themes."""
    return COLOURS[name][0]


def dark(name: str) -> str:
    """Return the colour for a dark background."""
    return COLOURS[name][1]


def style_variables() -> str:
    """Write colours and type as CSS variables; `color-scheme` chooses light or dark."""
    colours = [f"--{name}:light-dark({day},{night})" for name, (day, night) in COLOURS.items()]
    return ";\n".join([*colours, *(f"--{name}:{fonts}" for name, fonts in TYPE.items())])


def themed(selector: str) -> str:
    """Write the CSS rule that sets the palette of an element and its content.

    It follows the reader's system unless `--fuzzbow-scheme`, set on it or above it, is
    `light` or `dark`.
    """
    return f"{selector}{{color-scheme:var(--fuzzbow-scheme,light dark);\n{style_variables()}}}\n"


def themed_page() -> str:
    """Write the rules of a whole page, whose `data-theme` may be `light` or `dark`."""
    chosen = "".join(f'[data-theme="{name}"]{{--fuzzbow-scheme:{name}}}\n' for name in THEMES)
    return themed(":root") + chosen
