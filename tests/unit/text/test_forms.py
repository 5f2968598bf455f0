"""Forms of words that are equal in all spellings, and names of people."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzzbow.text import TOKENIZERS
from fuzzbow.text.forms import FormRules, date_words
from fuzzbow.text.languages import Clitics

BY_FREQUENCY = """
    us u.s. uk pm u.k. and mail email end next long term longterm cooperate x-ray e.g. get user name
    python iphone mid 1990s half café o'neill mp3 new phd usa
"""
VOCABULARY = {word: number for number, word in enumerate(BY_FREQUENCY.split())}


def rank(word: str) -> int:
    return VOCABULARY.get(word.lower(), -1)


RULES = FormRules(rank)


@pytest.mark.parametrize(
    ("chunks", "words"),
    [
        # amounts
        (["1650", "1,650", "1650.00", "+1650"], ["1650"]),
        (["-5", "-5.0"], ["-5"]),
        ([".5", "0.5"], ["0.5"]),
        (["3.10"], ["3.10"]),
        (["3.1"], ["3.1"]),
        (["1.10.0"], ["1.10.0"]),
        (["1,5"], ["1.5"]),
        (["$1,650.50", "$ 1650.5"], ["dollars", "1650.5"]),
        (["-$5"], ["dollars", "-5"]),
        (["5 €", "5€", "5.00 €"], ["5", "euros"]),
        (["6.50 %", "6.5%"], ["6.5", "percent"]),
        (["007"], ["007"]),
        # units
        (["64GB", "64gb"], ["64", "gb"]),
        (["5pm"], ["5", "pm"]),
        (["2.5M"], ["2.5", "million"]),
        (["10k", "10K"], ["10000"]),
        (["2nd"], ["second"]),
        (["15th"], ["15"]),
        # dates and times
        (["2024-01-05", "2024/1/5", "2024.01.05"], ["january", "5", "2024"]),
        (["5-Jan-2024", "05-jan-24"], ["january", "5", "2024"]),
        (["25/12/2024", "12/25/24"], ["december", "25", "2024"]),
        (["05/01/2024", "5.1.2024", "05-01-24"], ["5/1", "2024"]),
        (["2024-13-05"], ["20241305"]),
        (["17:00", "17:00:00"], ["5", "pm"]),
        (["10:30"], ["10:30"]),
        (["10:30am"], ["10:30", "am"]),
        (["1990s", "1990's"], ["1990s"]),
        # phones and codes
        (["(555) 123-4567", "+1 555 123 4567", "555.123.4567"], ["5551234567"]),
        (["+44 20 7946 0958", "0044 20 7946 0958"], ["442079460958"]),
        (["KDL-40W600B"], ["kdl40w600b"]),
        (["mid-1990s"], ["mid", "1990s"]),
        (["2019-2020"], ["2019", "2020"]),
        (["iPhone12"], ["iPhone", "12"]),
        (["Python3.10"], ["Python", "3.10"]),
        (["v1.2.3", "V1.2.3"], ["1.2.3"]),
        (["A100B"], ["A100B"]),
        (["mp3", "MP3"], None),
        # words
        (["three", "Three"], ["3"]),
        (["twenty-five"], ["25"]),
        (["twenty-first"], ["21"]),
        (["one"], ["one"]),
        (["dozen"], ["12"]),
        (["Jan"], ["january"]),
        (["may"], ["may"]),
        (["e-mail", "E-Mail"], None),
        (["co-operate"], ["cooperate"]),
        (["long-term"], ["long", "term"]),
        (["x-ray"], ["x-ray"]),
        (["getUserName"], ["get", "User", "Name"]),
        (["get_user_name"], ["get", "user", "name"]),
        (["LaserJet"], ["LaserJet"]),
        (["and/or"], ["and", "or"]),
        (["end.Next"], ["end", "Next"]),
        (["U.S.A.", "U.S.A"], ["USA"]),
        (["U.S."], ["U.S."]),
        (["U.K."], ["UK"]),
        (["p.m."], ["pm"]),
        (["Ph.D."], ["PhD"]),
        (["C++"], ["C++"]),
        (["can't"], ["can", "n't"]),
        (["cannot"], ["can", "n't"]),
        (["won't"], ["will", "n't"]),
        (["don't"], ["do", "n't"]),
        (["it's"], ["it", "'s"]),
        (["O'Neill"], ["O'Neill"]),
        (["O'Hara"], ["OHara"]),
        (["Zürich"], ["Zurich"]),
        (["café"], ["café"]),
        (["москва"], ["москва"]),
        (["हिन्दी"], ["हिन्दी"]),
        (["हिन्दी-कैट"], ["हिन्दी", "कैट"]),
        (["Ⅷ"], ["Ⅷ"]),
        # addresses and symbols
        (["https://www.example.org/a/", "HTTP://Example.org/A."], ["example.org/a"]),
        (["www.example.org/a"], ["example.org/a"]),
        (["John.Smith@example.org"], ["john.smith@example.org"]),
        (["***", "*"], ["*"]),
        (["&"], ["and"]),
        (["AT&T"], ["AT", "and", "T"]),
        (["_"], ["_"]),
        (["__init__"], ["init"]),
    ],
)
def test_chunks_become_words(chunks, words):
    found = {tuple(word.lower() for word in RULES.words(chunk)) for chunk in chunks}
    if words is None:
        assert len(found) == 1
    else:
        assert found == {tuple(word.lower() for word in words)}


@given(st.text(st.sampled_from("019aBé'.,-/:@&_$%€° +()#"), min_size=1, max_size=12))
def test_forms_lie_in_their_chunk_in_order_and_are_stable(chunk):
    forms = RULES.forms(chunk)
    assert all(word and 0 <= start < end <= len(chunk) for word, start, end in forms)
    assert [start for _, start, _ in forms] == sorted(start for _, start, _ in forms)
    assert RULES.forms(chunk) == forms


@given(st.text(st.sampled_from("abcABC"), min_size=1, max_size=8), st.booleans())
def test_a_chunk_that_is_kept_is_its_only_form(chunk, known):
    rules = FormRules(lambda word: 0 if known else -1)
    if rules.keeps(chunk, known):
        assert rules.words(chunk) == [chunk]


@pytest.mark.parametrize(
    "unit", ["a's", "n't", "1.", "a-", "a_", "x1", "1:1", "a@", "U.", "'a", "²", "Ⅷ."]
)
def test_a_long_chunk_is_split_in_linear_time(unit):
    chunk = unit * 50_000
    assert RULES.forms(chunk) == [] or RULES.forms(chunk)[-1][2] <= len(chunk)
    assert RULES.forms(unit * 20)


@pytest.mark.parametrize(
    ("clitics", "chunk", "words"),
    [
        *((Clitics.NONE, chunk, [chunk]) for chunk in ("three", "jan", "Zürich", "&")),
        (Clitics.NONE, "dell'arte", ["dell", "arte"]),
        (Clitics.FRENCH, "l'homme", ["l'", "homme"]),
        (Clitics.FRENCH, "Aujourd'hui", ["Aujourd'hui"]),
    ],
)
def test_other_languages_keep_their_words(clitics, chunk, words):
    assert FormRules(rank, clitics).words(chunk) == words


def test_an_address_is_split_for_search():
    rules = FormRules(rank, whole_addresses=False)
    assert rules.words("https://example.org/a-b") == ["https", "example", "org", "a", "b"]


@pytest.mark.parametrize("text", ["2024-00-05", "0/5/2024", "1.2.3", "12:30", "5-Foo-2024"])
def test_what_is_no_date_is_none(text):
    assert date_words(text) is None


NAMES = TOKENIZERS["names"]()

SPELLINGS = [
    ("Smith, JOHN", "smith john"),
    ("O'Brien", "obrien"),
    ("O’Brien", "obrien"),
    ("O' Brien", "obrien"),
    ("d´Angelo", "dangelo"),
    ("Mc Donald", "mcdonald"),
    ("Mac Miller", "mac miller"),
    ("Jean-Pierre Dupont", "jean pierre dupont"),
    ("García Márquez", "garcia marquez"),
    ("Ørsted Łukasz Đorđe Þór", "orsted lukasz dorde thor"),
    ("STRAUẞ Strauß", "strauss strauss"),
    ("Dr. John Smith, Jr.", "john smith"),
    ("Ph.D. Ann Lee, PhD", "ann lee"),
    ("Dr", "dr"),
    ("J.R.R. Tolkien", "j r r tolkien"),
    ("John_Smith", "john smith"),
    ("राम शर्मा", "राम शर्मा"),
    ("李小龙", "李小龙"),
    ("Ｊｏｈｎ", "john"),
    ("", ""),
    ("' - .", ""),
]


@pytest.mark.parametrize(("text", "words"), SPELLINGS)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_words_of_names(text, words, form):
    assert " ".join(NAMES.words(unicodedata.normalize(form, text))) == words


@given(st.text() | st.lists(st.sampled_from([text for text, _ in SPELLINGS])).map(" ".join))
def test_every_word_of_a_name_has_its_position_in_the_text(text):
    spans = NAMES.spans(text)
    assert len(spans) == len(NAMES.words(text))
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert spans == sorted(spans)
    assert NAMES.spans("Dr. Mc Donald") == [(4, 13)]
