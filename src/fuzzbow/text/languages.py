"""Languages and their rules for words. A new one is registered here."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from fuzzbow.errors import check_choice


class Clitics(Enum):
    """Parts of words with an apostrophe that are separate words."""

    NONE = "none"
    ENGLISH = "english"  # it|'s, do|n't
    FRENCH = "french"  # l'|homme, qu'|il


@dataclass(frozen=True)
class Language:
    """One language by its code, and the rules that exist for it."""

    code: str
    name: str
    clitics: Clitics = Clitics.NONE
    frequencies: bool = True  # whether the package wordfreq has a list of them


ENGLISH = Language("en", "English", Clitics.ENGLISH)
FRENCH = Language("fr", "French", Clitics.FRENCH)

# those that the package wordfreq has lists of, and others
_LISTED = {
    "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "ca": "Catalan", "cs": "Czech",
    "da": "Danish", "de": "German", "el": "Greek", "es": "Spanish", "fa": "Persian",
    "fi": "Finnish", "fil": "Filipino", "he": "Hebrew", "hi": "Hindi",
    "hu": "Hungarian", "id": "Indonesian", "is": "Icelandic", "it": "Italian", "ja": "Japanese",
    "ko": "Korean", "lt": "Lithuanian", "lv": "Latvian",
    "mk": "Macedonian", "ms": "Malay",
    "nb": "Norwegian Bokmål", "nl": "Dutch", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian",
    "ru": "Russian", "sh": "Serbo-Croatian", "sk": "Slovak", "sl": "Slovenian", "sv": "Swedish",
    "ta": "Tamil", "tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu",
    "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
_UNLISTED = {"km": "Khmer", "lo": "Lao", "my": "Burmese", "th": "Thai"}
LANGUAGES: dict[str, Language] = {
    ENGLISH.code: ENGLISH,
    FRENCH.code: FRENCH,
    **{code: Language(code, name) for code, name in _LISTED.items()},
    **{code: Language(code, name, frequencies=False) for code, name in _UNLISTED.items()},
}


def parse_language(code: str) -> Language:
    """Return the language of a code."""
    return LANGUAGES[check_choice(code, sorted(LANGUAGES), "language")]
