"""Write cpp/text/character_table.inl: classes and lower case of all characters, for the kernels.

Run it with the Python whose Unicode version the kernels shall be built with:

    python tools/build_character_table.py
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from fuzzbow.text.characters import BLOCK, CharacterTable, character_table

TARGET = Path(__file__).parents[1] / "cpp" / "text" / "character_table.inl"
LINE = 120


def to_source(table: CharacterTable) -> str:
    """The table as C++."""
    arrays = (
        ("std::uint16_t", "kIndex", table.index),
        ("std::uint8_t", "kBlocks", table.blocks),
        ("std::uint8_t", "kRecordClasses", table.classes),
        ("std::int32_t", "kRecordLower", table.lower),
    )
    return "\n".join(
        [
            "// Written by tools/build_character_table.py; not to be changed by hand.",
            "// clang-format off",
            f'constexpr char kVersion[] = "{table.version}";',
            f"constexpr unsigned kBlock = {BLOCK};",
            *(
                f"constexpr {kind} {name}[] = {{\n{_lines(values.tolist())}}};"
                for kind, name, values in arrays
            ),
            "// clang-format on",
            "",
        ]
    )


def _lines(values: Iterable[int]) -> str:
    lines, line = [], ""
    for item in (f"{value}," for value in values):
        if len(line) + len(item) > LINE:
            lines.append(line)
            line = ""
        line += item
    return "\n".join([*lines, line])


if __name__ == "__main__":
    TARGET.write_text(to_source(character_table()), encoding="utf-8")
