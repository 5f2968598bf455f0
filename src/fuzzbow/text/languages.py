"""Languages: what is different about their words. A new one is registered here."""

from __future__ import annotations

from dataclasses import dataclass

from fuzzbow.errors import InputError, nearest


@dataclass(frozen=True)
class Language:
    """One language by its code, and the rules that exist for it."""

    code: str
    name: str
    clitics: bool = False  # n't, 's and the like are words of their own


ENGLISH = Language("en", "English", clitics=True)

_NAMES = {
    "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "ca": "Catalan", "cs": "Czech",
    "da": "Danish", "de": "German", "el": "Greek", "es": "Spanish", "fa": "Persian",
    "fi": "Finnish", "fil": "Filipino", "fr": "French", "he": "Hebrew", "hi": "Hindi",
    "hu": "Hungarian", "id": "Indonesian", "is": "Icelandic", "it": "Italian", "ja": "Japanese",
    "km": "Khmer", "ko": "Korean", "lo": "Lao", "lt": "Lithuanian", "lv": "Latvian",
    "mk": "Macedonian", "ms": "Malay", "my": "Burmese",
    "nb": "Norwegian Bokmål", "nl": "Dutch", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian",
    "ru": "Russian", "sh": "Serbo-Croatian", "sk": "Slovak", "sl": "Slovenian", "sv": "Swedish",
    "ta": "Tamil", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu",
    "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
LANGUAGES: dict[str, Language] = {
    ENGLISH.code: ENGLISH,
    **{code: Language(code, name) for code, name in _NAMES.items()},
}


def parse_language(code: str) -> Language:
    """The language of that code."""
    if code not in LANGUAGES:
        codes = ", ".join(sorted(LANGUAGES))
        hint = nearest(str(code), LANGUAGES)
        raise InputError(f"language must be one of {codes}; got {code!r}{hint}")
    return LANGUAGES[code]
