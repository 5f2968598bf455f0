"""Words of a chunk in a canonical form, so that different spellings compare as equal.

Amounts lose commas between thousands and decimals of zero (`1,650.00` is `1650`), currencies and
percent are words (`$5` is `dollars 5`), dates and times become their parts (`2024-01-05` is
`january 5 2024`, `17:00` is `5 pm`), a number and its unit are two words (`64GB`), phone numbers
keep their digits, number words are numbers. Words joined by signs are one word where the
vocabulary has it (`e-mail` is `email`), else several. A web or e-mail address is one word.

The kernels split letters, plain numbers, compounds and clitics by the same rules
(`cpp/words/word_learner.cpp`); change both together.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from fuzzbow.text.characters import marks, ranges
from fuzzbow.text.folding import plain_letters
from fuzzbow.text.languages import Clitics
from fuzzbow.text.patterns import lazy_pattern
from fuzzbow.text.tokenizer import ChunkRules

Form = tuple[str, int, int]  # a word, and where it begins and ends in its chunk
Rank = Callable[[str], int]  # position of a word in the vocabulary by frequency, -1 if unknown

_SMALL = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
_SMALL += " fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_ORDINALS += (
    " thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_MONTHS = "january february march april may june july august september october november december"
_UNITS = (
    "km m cm mm nm mi ft in yd inch kg g mg lb lbs oz l ml cl gal qt kb mb gb tb kbps mbps gbps"
)
_UNITS += " hz khz mhz ghz w kw kwh mw v mv mah ah wh a ma s sec secs ms min mins h hr hrs d wk mo"
_UNITS += " yr yrs am pm mph kph kmh rpm dpi fps px pt pts pcs pc pk ct x sq c f cal kcal bn mn mp"
_UNITS += " usd eur gbp"

SMALL_NUMBERS = {word: number for number, word in enumerate(_SMALL.split())}
TENS = {word: 10 * number for number, word in enumerate(_TENS.split(), start=2)}
ORDINALS = {word: number for number, word in enumerate(_ORDINALS.split(), start=1)}
POWERS = {"hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9}
MONTHS = tuple(_MONTHS.split())
SHORT_MONTHS = {month[:3]: month for month in MONTHS} | {"sept": "september"}
UNITS = frozenset(_UNITS.split())
CURRENCIES = {"$": "dollars", "€": "euros", "£": "pounds", "¥": "yen", "₹": "rupees"}
BEHIND_NUMBERS = CURRENCIES | {"%": "percent", "°": "degrees"}
FIRST_ORDINALS = tuple(ORDINALS)[:3]  # usual words, which are kept; the others become numbers
# words with another form; `one`, `mar` and `may` have other meanings
WORD_FORMS = (
    {word: str(number) for word, number in (SMALL_NUMBERS | TENS).items() if word != "one"}
    | {word: str(number) for word, number in ORDINALS.items() if word not in FIRST_ORDINALS}
    | {"dozen": "12"}
    | {short: month for short, month in SHORT_MONTHS.items() if short not in ("mar", "may")}
    | {"usd": "dollars", "eur": "euros", "gbp": "pounds", "jpy": "yen", "inr": "rupees"}
    | {"ltd": "limited", "inc": "incorporated", "corp": "corporation", "dept": "department"}
)
CHANGED_WORDS = frozenset(WORD_FORMS.keys() | {"cannot", "&"})
CLITICS = frozenset(("'s", "'m", "'d", "'re", "'ve", "'ll"))  # and n't
CONTRACTED = {"ca": "can", "wo": "will", "sha": "shall"}  # before n't

MULTIPLES = {"M": "million", "B": "billion"}
PREFIXES = frozenset(
    ("anti", "semi", "multi", "inter", "post", "over", "under", "self", "intra", "micro")
)
FEWEST_OF_PHONE = 7  # digits
MOST_CHARACTERS = 100  # of a chunk that is looked at closely
CENTURY = 50  # years of two digits below it are of 2000

_CURRENCY = "[$€£¥₹]"
_CLITIC = lazy_pattern(r"(?P<before>.+?)(?P<clitic>n't|'(?:s|m|d|re|ve|ll))", re.IGNORECASE)
_AMOUNT = lazy_pattern(
    rf"([-+]?)({_CURRENCY}?)\ ?((?:\d{{1,3}}(?:,\d{{3}})+|\d+)?)(?:([.,])(\d+))?\ ?([$€£¥₹%°]?)",
)
_WITH_SUFFIX = lazy_pattern(rf"([-+]?{_CURRENCY}? ?(?:\d[\d.,:]*|\.\d+))([^\W\d_]{{1,5}})")
_NAMED = lazy_pattern(r"([^\W\d_]{4,}|v)(\d[\d.,]*)", re.IGNORECASE)
POINTED = lazy_pattern(r"\d+(?:\.\d+){2,}")
_ISO_DATE = lazy_pattern(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})")
_DATE = lazy_pattern(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})")
_DATE_WITH_NAME = lazy_pattern(r"(\d{1,2})([-/.])([^\W\d_]{3,9})\2(\d{4}|\d{2})")
_TIME = lazy_pattern(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")
_PHONE = lazy_pattern(r"[+(\d][\d ().-]*\d")
_RANGE = lazy_pattern(r"\d{1,4}-\d{1,4}")
_POINTED_PHONE = lazy_pattern(r"\d{3}\.\d{3}\.\d{4}")
_DECADE = lazy_pattern(r"(\d{2,4})'?s", re.IGNORECASE)
_ADDRESS = lazy_pattern(r"(?:https?://|www\.)", re.IGNORECASE)
_MAIL = lazy_pattern(r"[\w.'+-]*\w@\w[\w.-]*\.\w+")
_LANGUAGE = lazy_pattern(r"[^\W\d_](?:\+\+|#)")  # C++, C#
_POINTS = lazy_pattern(r"(?:[^\W\d_]{1,3}\.)+[^\W\d_]{0,3}")
_APOSTROPHES = lazy_pattern(r"[^\W\d_]+(?:'[^\W\d_]+)+")
_ELISION = lazy_pattern(
    r"(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu|quelqu|presqu)'(?=[^\W\d_])", re.IGNORECASE
)
TODAY = "aujourd'hui"  # the one French word that is no elision
_HUMP = lazy_pattern(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_DIGIT_PIECE = lazy_pattern(r"[^\W_]+(?:[.,:]\d+)*|[%°]|[$€£¥₹]")
_JOINT = lazy_pattern("[-/]")
_CODE_PIECE = lazy_pattern(r"(?=.*\d)(?=.*[^\W\d_])\w+|\d{3,}")
_NOT_IN_CODES = lazy_pattern(r"[\W_]")


@lru_cache(maxsize=4)
def letter_pieces(*, with_marks: bool, apostrophes: bool) -> re.Pattern[str]:
    """Return the pattern of the words in a chunk without digits."""
    part = rf"(?:[^\W_]|[{ranges(marks())}])+" if with_marks else r"[^\W_]+"
    return re.compile(rf"{part}(?:'{part})*|&" if apostrophes else rf"{part}|&")


def is_letters(chunk: str) -> bool:
    """Return whether a chunk is letters only, with their marks.

    >>> is_letters("cat"), is_letters("हिन्दी"), is_letters("a1")
    (True, True, False)
    """
    if chunk.isascii() or chunk.isalpha():
        return chunk.isalpha()
    return chunk[0].isalpha() and all(
        letter.isalpha() or unicodedata.category(letter) in ("Mn", "Mc") for letter in chunk
    )


@dataclass(frozen=True)
class FormRules:
    """Rules by which the chunks of a language become words, over one vocabulary.

    >>> rules = FormRules(lambda word: -1)
    >>> [rules.words(chunk) for chunk in ("64GB", "$1,650.00", "2024-01-05", "don't", "three")]
    [['64', 'gb'], ['dollars', '1650'], ['january', '5', '2024'], ['do', "n't"], ['3']]
    """

    rank: Rank
    clitics: Clitics = Clitics.ENGLISH
    whole_addresses: bool = True  # whether a web address is one word

    def words(self, chunk: str) -> list[str]:
        """Return the words of a chunk."""
        return [word for word, _, _ in self.forms(chunk)]

    def forms(self, chunk: str) -> list[Form]:
        """Return the words of a chunk, with their start and end offsets in it."""
        return list(self._forms(chunk, 0))

    def keeps(self, word: str, known: bool) -> bool:
        """Return whether a chunk is certainly one word as it is."""
        if len(word) == 1 and not word.isalnum():
            return word not in self.chunk_rules.changed
        if len(word) < FEWEST_OF_PHONE and word.isascii() and word.isdigit():
            return True
        if not is_letters(word) or word.lower() in self.chunk_rules.changed:
            return False
        return known or (word.isascii() and (word.islower() or word.isupper() or word.istitle()))

    @cached_property
    def chunk_rules(self) -> ChunkRules:
        """Rules of the chunks that the kernels split as `forms` does."""
        english = (
            (CHANGED_WORDS, PREFIXES, CLITICS) if self._is_english else (frozenset(), PREFIXES)
        )
        return ChunkRules(False, *english)

    @property
    def _is_english(self) -> bool:
        return self.clitics is Clitics.ENGLISH

    def _forms(self, chunk: str, start: int) -> Iterator[Form]:
        """Yield the words of a chunk that begins at an offset."""
        end = start + len(chunk)
        if is_letters(chunk):
            yield from self._of_letters(chunk, start)
        elif len(chunk) > MOST_CHARACTERS and not _ADDRESS.match(chunk):
            pattern = letter_pieces(with_marks=not chunk.isascii(), apostrophes=False)
            for piece in pattern.finditer(chunk):
                yield piece[0], start + piece.start(), start + piece.end()
        elif not any(map(str.isalnum, chunk)):
            sign = chunk[0] if len(set(chunk)) == 1 else chunk
            yield "and" if sign == "&" and self._is_english else sign, start, end
        elif _LANGUAGE.fullmatch(chunk):
            yield chunk, start, end
        elif _ADDRESS.match(chunk):
            if self.whole_addresses:  # without protocol, `www` and final punctuation
                bare = _ADDRESS.sub("", chunk, count=2).lower().rstrip("/.,;:!?)]}'*_")
                yield bare or chunk, start, end
            else:
                yield from self._letter_pieces(chunk, start, apostrophes=False)
        elif _MAIL.fullmatch(chunk):
            yield chunk.lower(), start, end
        elif any(map(str.isdigit, chunk)):
            yield from self._of_digits(chunk, start)
        else:
            yield from self._of_joined(chunk, start)

    def _pieces(self, pattern: re.Pattern[str], chunk: str, start: int) -> Iterator[Form]:
        """Yield the words of the parts of a chunk that match a pattern."""
        for piece in pattern.finditer(chunk):
            if len(piece[0]) < len(chunk):
                yield from self._forms(piece[0], start + piece.start())
            else:
                yield chunk, start, start + len(chunk)

    def _letter_pieces(self, chunk: str, start: int, *, apostrophes: bool) -> Iterator[Form]:
        pattern = letter_pieces(with_marks=not chunk.isascii(), apostrophes=apostrophes)
        yield from self._pieces(pattern, chunk, start)

    def _of_letters(self, word: str, start: int) -> Iterator[Form]:
        end = start + len(word)
        small = word.lower()
        if self._is_english and small in WORD_FORMS:
            yield WORD_FORMS[small], start, end
        elif self._is_english and small == "cannot":
            yield word[:3], start, start + 3
            yield "n't", start + 3, end
        elif self.rank(word) >= 0:
            yield word, start, end
        elif self._is_english and not word.isascii():
            yield plain_letters(word), start, end
        else:
            yield from _of_identifier(word, start)

    def _of_joined(self, chunk: str, start: int) -> Iterator[Form]:
        """Yield words joined by hyphens, points, slashes, apostrophes or underscores."""
        if self.clitics is Clitics.FRENCH and "'" in chunk:
            yield from self._of_elided(chunk, start)
            return
        end = start + len(chunk)
        clitic = _CLITIC.fullmatch(chunk) if self._is_english else None
        whole = None if clitic else self._whole(chunk)
        if clitic is not None:
            cut = start + clitic.end("before")
            before = clitic["before"]
            if before.lower() in CONTRACTED and clitic["clitic"].lower() == "n't":
                yield CONTRACTED[before.lower()], start, cut
            else:
                yield from self._forms(before, start)
            yield clitic["clitic"], cut, end
        elif whole is not None:
            yield whole, start, end
        else:
            yield from self._letter_pieces(chunk, start, apostrophes=self._is_english)

    def _of_elided(self, chunk: str, start: int) -> Iterator[Form]:
        """Split `l'homme` into two words."""
        if chunk.lower() == TODAY:
            yield chunk, start, start + len(chunk)
            return
        cut = 0
        while (elision := _ELISION.match(chunk, cut)) is not None:
            yield elision[0], start + cut, start + elision.end()
            cut = elision.end()
        yield from self._letter_pieces(chunk[cut:], start + cut, apostrophes=False)

    def _whole(self, chunk: str) -> str | None:
        """Return one word for joined ones: `email` for `e-mail`, but None for `long-term`."""
        number = _compound_number(chunk.lower()) if self._is_english else None
        if number is not None:
            return number
        joined = re.sub("['.-]", "", chunk)
        if _POINTS.fullmatch(chunk):
            return self._abbreviation(chunk, joined)
        if _APOSTROPHES.fullmatch(chunk):
            return chunk if self.rank(chunk) >= 0 else joined if self._is_english else None
        first, *others = chunk.split("-")
        is_prefix = len(first) <= 3 or first.lower() in PREFIXES
        if others and is_prefix and self.rank(joined) >= 0:
            return joined
        shortest = min(map(len, (first, *others)))
        return chunk if (shortest < 2 or not others) and self.rank(chunk) >= 0 else None

    def _abbreviation(self, chunk: str, joined: str) -> str | None:
        """Return `USA` for `U.S.A.`, `pm` for `p.m.`, but keep `U.S.`."""
        pointed = chunk if chunk.endswith(".") else chunk + "."
        written, without = self.rank(pointed), self.rank(joined)
        is_usual = without >= 0 and (written < 0 or without < written)
        if joined.lower() in ("am", "pm") or (is_usual and joined.lower() != "us"):
            return joined
        if written >= 0:
            return pointed
        return joined if max(map(len, chunk.split("."))) == 1 else None

    def _of_digits(self, chunk: str, start: int) -> Iterator[Form]:
        end = start + len(chunk)
        words = next(filter(None, (parse(chunk) for parse in NUMBERS)), None) or self._code(chunk)
        named = _NAMED.fullmatch(chunk)
        is_known = self.rank(chunk) >= 0
        if words is not None:
            for word in words:
                yield word, start, end
        elif named is not None and not is_known and named[1] in "vV":  # v2
            yield from self._forms(named[2], start + 1)
        elif named is not None and not is_known and self.rank(named[1]) >= 0:  # iPhone12
            yield from self._forms(named[1], start)
            yield from self._forms(named[2], start + named.end(1))
        elif is_known or _DIGIT_PIECE.fullmatch(chunk) or POINTED.fullmatch(chunk):
            yield chunk, start, end
        else:
            yield from self._pieces(_DIGIT_PIECE, chunk, start)

    def _code(self, chunk: str) -> tuple[str, ...] | None:
        """Return a code as one word: `kdl40w600b` for `KDL-40W600B`, but None for `mid-1990s`."""
        pieces = _JOINT.split(chunk)
        is_words = any(
            piece.isalpha() and len(piece) > 2 and self.rank(piece) >= 0 for piece in pieces
        )
        return None if is_words or _RANGE.fullmatch(chunk) else joined_code(pieces)


def _of_identifier(word: str, start: int) -> Iterator[Form]:
    """Split `getUserName` into words; `LaserJet` is one."""
    parts = _HUMP.split(word)
    if min(map(len, parts)) < 2 or (len(parts) < 3 and word[0].isupper()):
        parts = [word]
    for part in parts:
        yield part, start, start + len(part)
        start += len(part)


def _compound_number(small: str) -> str | None:
    """Return `25` for `twenty-five` and `21` for `twenty-first`."""
    tens, _, unit = small.partition("-")
    number = SMALL_NUMBERS.get(unit) or ORDINALS.get(unit, 10)
    return str(TENS[tens] + number) if tens in TENS and number < 10 else None


def _amount(chunk: str) -> tuple[str, ...] | None:
    """Write an amount in its shortest form, with its currency or percent as a word."""
    found = _AMOUNT.fullmatch(chunk)
    if found is None or (found[4] == "," and len(found[5]) == 3):
        return None
    sign, currency, whole, _, decimals, behind = found.groups(default="")
    if not whole and not decimals:
        return None
    # 3.10 is another version than 3.1, but $3.10 is $3.1
    decimals = decimals.rstrip("0") if currency or behind or not decimals.strip("0") else decimals
    number = whole.replace(",", "") or "0"
    number = ("-" if sign == "-" else "") + number + ("." + decimals if decimals else "")
    words = [CURRENCIES[currency]] if currency else []
    return (*words, number, *([BEHIND_NUMBERS[behind]] if behind else []))


def _with_suffix(chunk: str) -> tuple[str, ...] | None:
    """Split a number and its unit, a number of thousands, or an ordinal."""
    found = _WITH_SUFFIX.fullmatch(chunk)
    if found is None:
        return None
    number, written = found.groups()
    suffix = written.lower()
    if suffix in ("st", "nd", "rd", "th") and number.isdigit():
        return (FIRST_ORDINALS[int(number) - 1] if number in ("1", "2", "3") else number,)
    amount = _amount(number) or _time(number)
    if amount is None:
        return None
    if suffix == "k" and amount[-1].isdigit():
        return (*amount[:-1], amount[-1] + "000")
    if written in MULTIPLES:
        return (*amount, MULTIPLES[written])
    return (*amount, WORD_FORMS.get(suffix, suffix)) if suffix in UNITS else None


def date_words(chunk: str) -> tuple[str, ...] | None:
    """Return the parts of a date, or None for anything else.

    >>> date_words("2024-01-05"), date_words("25/12/99"), date_words("05/01/2024")
    (('january', '5', '2024'), ('december', '25', '1999'), ('5/1', '2024'))
    """
    found = _ISO_DATE.fullmatch(chunk)
    if found is not None:
        return _date(found[1], int(found[3]), int(found[4]))
    found = _DATE_WITH_NAME.fullmatch(chunk)
    if found is not None:
        name = found[3].lower()
        month = SHORT_MONTHS.get(name, name)
        return (month, found[1].lstrip("0"), _year(found[4])) if month in MONTHS else None
    found = _DATE.fullmatch(chunk)
    if found is None:
        return None
    first, second, year = int(found[1]), int(found[3]), _year(found[4])
    if first > 12 or second > 12:
        return _date(year, min(first, second), max(first, second))
    # either may be the month
    return (f"{first}/{second}", year) if first and second else None


def _year(digits: str) -> str:
    return digits if len(digits) == 4 else ("20" if int(digits) < CENTURY else "19") + digits


def _date(year: str, month: int, day: int) -> tuple[str, ...] | None:
    is_date = 1 <= month <= 12 and 1 <= day <= 31
    return (MONTHS[month - 1], str(day), year) if is_date else None


def _time(chunk: str) -> tuple[str, ...] | None:
    """Write a time of day on the 12-hour clock, without zero minutes or seconds."""
    found = _TIME.fullmatch(chunk)
    if found is None or int(found[1]) > 24 or int(found[2]) > 59:
        return None
    hours = int(found[1])
    parts = [str(hours - 12 if hours > 12 else hours), found[2], *([found[3]] if found[3] else [])]
    while parts[-1] == "00" and len(parts) > 1:
        parts.pop()
    return (":".join(parts), *(["pm"] if hours > 12 else []))


def _phone(chunk: str) -> tuple[str, ...] | None:
    """Return the digits of a phone number, without 00 and without the 1 of North America."""
    digits = re.sub(r"\D", "", chunk)
    is_version = POINTED.fullmatch(chunk) and not _POINTED_PHONE.fullmatch(chunk)
    if _PHONE.fullmatch(chunk) is None or is_version or _RANGE.fullmatch(chunk):
        return None
    if not FEWEST_OF_PHONE <= len(digits) <= 15:
        return None
    digits = digits.removeprefix("00")
    return (digits[1:] if len(digits) == 11 and digits[0] == "1" else digits,)


def _decade(chunk: str) -> tuple[str, ...] | None:
    """Return `1990s` for `1990's`."""
    found = _DECADE.fullmatch(chunk)
    return (found[1] + "s",) if found is not None and found[1][-1] == "0" else None


# a date, an amount, a time, a phone number, a decade, or a number with its unit
NUMBERS = (date_words, _amount, _time, _phone, _decade, _with_suffix)


def joined_code(pieces: list[str]) -> tuple[str, ...] | None:
    """Return pieces as one code if one of them mixes letters and digits, or has three digits."""
    if len(pieces) < 2 or not any(map(_CODE_PIECE.fullmatch, pieces)):
        return None
    return (_NOT_IN_CODES.sub("", "".join(pieces)).lower(),)
