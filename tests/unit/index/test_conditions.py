"""`where`: a part of SQL that means what SQL means, and nothing else reaches the engine."""

from __future__ import annotations

import operator
import re
from datetime import date, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fuzzbow
from fuzzbow.errors import InputError
from fuzzbow.index.condition import (
    DEEPEST,
    LONGEST,
    LONGEST_PATTERN,
    MOST_TERMS,
    checked_condition,
)

COLUMNS = ["id", "text", "year", "lang", "My Col"]
ROWS = {
    "number": [3, None, -7, 0, 12, 5],
    "size": [0.5, 2.0, None, -1.25, 7.0, 0.0],
    "name": ["Ab", "b%_c", "", None, "a\\d", "ÄÖ"],
    "flag": [True, False, None, True, None, False],
}
TEXTS = ["a cat", "A dog", "", "zyx", "it's", "a%b"]
TABLE = [
    {"id": place, "text": TEXTS[place], **{name: values[place] for name, values in ROWS.items()}}
    for place in range(len(TEXTS))
]


@pytest.fixture(scope="module", params=["memory", "disk"])
def table(request, pets, tmp_path_factory):
    """An index whose rows are TABLE."""
    path = None if request.param == "memory" else tmp_path_factory.mktemp("table") / "index"
    return fuzzbow.load(pets, measure="dynamax-jaccard").index(TEXTS, metadata=ROWS, path=path)


def rows_of(index, where: str) -> list[int]:
    return sorted(index.search("a cat", k=100, where=where).ids)


# An expression is SQL and a function of a row; None is unknown, as in SQL.


def known(function):
    """A function of values that is unknown where one of them is."""
    return lambda *values: None if None in values else function(*values)


def lifted(sql, function, *parts):
    values = [part[1] for part in parts]
    return sql, lambda row: known(function)(*(value(row) for value in values))


def column(name):
    return st.just((name, lambda row: row[name]))


def literal(values, show=str):
    return values.map(lambda value: (show(value), lambda row: value))


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def truncated(left: int, right: int) -> int:
    return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)


SMALL = st.integers(-9, 9)
LETTERS = st.text("abAB%_\\' Äß", max_size=4)
STRINGS = st.one_of(column("name"), column("text"), literal(LETTERS, quoted))
STRINGS = STRINGS | STRINGS.map(lambda part: lifted(f"lower({part[0]})", str.lower, part))
WHOLE = st.one_of(column("id"), column("number"), literal(SMALL))
ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def arithmetic(parts):
    pairs = st.tuples(st.sampled_from(list(ARITHMETIC)), parts, parts)
    divided = st.tuples(parts, SMALL.filter(bool))
    return st.one_of(
        pairs.map(lambda p: lifted(f"({p[1][0]} {p[0]} {p[2][0]})", ARITHMETIC[p[0]], p[1], p[2])),
        parts.map(lambda p: lifted(f"(- {p[0]})", operator.neg, p)),
        divided.map(lambda p: lifted(f"({p[0][0]} / {p[1]})", lambda n: truncated(n, p[1]), p[0])),
        divided.map(
            lambda p: lifted(f"({p[0][0]} % {p[1]})", lambda n: n - p[1] * truncated(n, p[1]), p[0])
        ),
        STRINGS.map(lambda p: lifted(f"length({p[0]})", len, p)),
    )


NUMBERS = st.recursive(WHOLE, arithmetic, max_leaves=4)
SIZES = st.one_of(column("size"), literal(st.sampled_from([-1.25, 0.5, 2.0, 3.5])))
COMPARISONS = {
    "=": operator.eq, "<>": operator.ne, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def compared(parts):
    triples = st.tuples(st.sampled_from(list(COMPARISONS)), parts, parts)
    return triples.map(
        lambda p: lifted(f"{p[1][0]} {p[0]} {p[2][0]}", COMPARISONS[p[0]], p[1], p[2])
    )


def between(parts):
    return st.tuples(parts, parts, parts).map(
        lambda p: (
            f"{p[0][0]} BETWEEN {p[1][0]} AND {p[2][0]}",
            both(
                lifted("", operator.ge, p[0], p[1])[1], lifted("", operator.le, p[0], p[2])[1]
            ),
        )
    )  # fmt: skip


def within(parts, values):
    def found(part, listed):
        return lifted(f"{part[0]} IN ({', '.join(sql for sql, _ in listed)})",
                      lambda value: value in [item({}) for _, item in listed], part)  # fmt: skip

    return st.tuples(parts, st.lists(values, min_size=1, max_size=4)).map(lambda p: found(*p))


def like(pattern: str):
    """A pattern as a function: % is anything, _ one character, a backslash makes them plain."""
    expression = "".join(
        ".*" if piece == "%" else "." if piece == "_" else re.escape(piece[-1])
        for piece in re.findall(r"\\[%_\\]|.", pattern, re.DOTALL)
    )
    return lambda text: re.fullmatch(expression, text, re.DOTALL) is not None


def both(left, right):
    def value(row):
        found = left(row), right(row)
        return False if False in found else None if None in found else True

    return value


def either(left, right):
    def value(row):
        found = left(row), right(row)
        return True if True in found else None if None in found else False

    return value


PATTERNS = st.text("aAbB%_dc ", max_size=4) | st.sampled_from([r"a\%b", r"%\_c", r"b\%\_c"])
SIMPLE = st.one_of(
    compared(NUMBERS), compared(SIZES), compared(STRINGS),
    between(NUMBERS), between(SIZES),
    within(NUMBERS, literal(SMALL)), within(STRINGS, literal(LETTERS, quoted)),
    st.tuples(STRINGS, PATTERNS).map(
        lambda p: lifted(f"{p[0][0]} LIKE {quoted(p[1])}", like(p[1]), p[0])
    ),
    st.tuples(STRINGS, LETTERS).map(
        lambda p: lifted(f"starts_with({p[0][0]}, {quoted(p[1])})",
                         lambda text: text.startswith(p[1]), p[0])
    ),
    st.one_of(NUMBERS, SIZES, STRINGS).map(
        lambda p: (f"{p[0]} IS NULL", lambda row: p[1](row) is None)
    ),
    st.one_of(NUMBERS, SIZES, STRINGS).map(
        lambda p: (f"{p[0]} IS NOT NULL", lambda row: p[1](row) is not None)
    ),
    column("flag"),
    literal(st.booleans()),
)  # fmt: skip


def joined(parts):
    two = st.tuples(parts, parts)
    return st.one_of(
        two.map(lambda p: (f"({p[0][0]} AND {p[1][0]})", both(p[0][1], p[1][1]))),
        two.map(lambda p: (f"(({p[0][0]}) or ({p[1][0]}))", either(p[0][1], p[1][1]))),
        parts.map(lambda p: lifted(f"NOT ({p[0]})", operator.not_, p)),
    )


CONDITIONS = st.recursive(SIMPLE, joined, max_leaves=6)


@given(condition=CONDITIONS)
def test_a_condition_keeps_the_rows_that_it_is_true_of(table, condition):
    where, value = condition
    expected = [row["id"] for row in TABLE if value(row) is True]
    assert rows_of(table, where) == expected, where


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ("number > 0 OR flag AND size < 0", [0, 3, 4, 5]),  # AND binds closer
        ("NOT flag OR number = 3", [0, 1, 5]),  # NOT binds closer than OR
        ("number + 2 * 3 = 9", [0]),
        ("flag IS TRUE", [0, 3]),
        ("flag IS NOT FALSE", [0, 2, 3, 4]),
        ("name NOT LIKE '%b%'", [2, 4, 5]),
        ("number NOT IN (3, 5)", [2, 3, 4]),
        ("number NOT BETWEEN 0 AND 9", [2, 4]),
        ("upper(text) = 'A CAT' /* a comment */", [0]),
        ('"number" = 3 AND `size` = 0.5 AND NUMBER == 3', [0]),
        ("number = NULL", []),
        ("text = 'it''s'", [4]),
    ],
)
def test_precedence_names_and_odd_forms(table, where, kept):
    assert rows_of(table, where) == kept


def test_dates_and_moments_compare_with_their_like(pets):
    days = [date(2020, 1, 31), None, date(2021, 5, 1)]
    moments = [datetime(2020, 1, 31, 12), datetime(2020, 1, 31, 13), None]
    index = fuzzbow.load(pets, measure="dynamax-jaccard").index(
        ["a", "b", "c"], metadata={"Day": days, "at": moments}
    )
    assert rows_of(index, "day > date '2020-02-01'") == [2]
    assert rows_of(index, "at <= timestamp '2020-01-31 12:30:00'") == [0]
    assert rows_of(index, {"Day": days[2]}) == [2]
    assert rows_of(index, {"at": moments[0]}) == [0]
    with pytest.raises(InputError, match="a date as date '2020-01-31'"):
        rows_of(index, "day > 5")


@pytest.mark.parametrize(
    "where",
    [
        "length(repeat('a', 2000000000)) > 0",
        "array_repeat(1, 1000000000) IS NULL",
        "lpad(text, 2000000000, 'x') = ''",
        "array_resize(text, 9) IS NULL",
        "text || text = ''",
        "CAST(text AS int) > 1",
        "year::int > 1",
        "regexp_like(text, 'a')",
        "text SIMILAR TO 'a'",
        "text LIKE 'a' ESCAPE '!'",
        "text ILIKE 'a'",
        "text LIKE lang",
        "year IN (SELECT 1)",
        "EXISTS (SELECT 1)",
        "CASE WHEN true THEN true END",
        "year > 1 UNION SELECT 1",
        "year > 1) OR (true",
        "lang = $$en$$",
        "lang = x'00'",
        "current_date > date '2020-01-01'",
        "year > random()",
        "texts.year > 1",
        "year > ?",
        "[1] = [1]",
        "{'a': 1} IS NULL",
        "year > INTERVAL '1' DAY",
        "length(text, 1) > 2",
        "SHOW TABLES",
        "year AS x",
        "*",
        "lang = 'en",
    ],
)
def test_what_is_not_of_the_subset_never_reaches_the_engine(where):
    with pytest.raises(InputError, match="where must be an SQL condition over the columns id"):
        checked_condition(where, COLUMNS)


@pytest.mark.parametrize(
    "where",
    [
        "(" * 5_000 + "true" + ")" * 5_000,
        "flag AND (flag OR " * 100 + "flag" + ")" * 100,
        "NOT " * 5_000 + "true",
        "- " * 5_000 + "1 > 0",
        "lower(" * (DEEPEST + 1) + "text" + ")" * (DEEPEST + 1),
        "year > " + "1 + " * 5_000 + "1",
        "CASE " * 5_000,
        "year = " * 5_000 + "1",
        "year BETWEEN " * 5_000 + "1",
        " OR ".join(["year = 1"] * (MOST_TERMS + 1)),
        "true OR " * (LONGEST // 8 + 1),
        "text LIKE '" + "%" * (LONGEST_PATTERN + 1) + "'",
        "year > 1" + "0" * 40,
        None,
        5,
        "",
        " \n",
    ],
)
def test_what_is_too_long_or_too_deep_is_refused(where):
    with pytest.raises(InputError, match="where must"):
        checked_condition(where, COLUMNS)


@pytest.mark.parametrize(
    "where",
    [
        " OR ".join(f"NOT number = {n}" for n in range(MOST_TERMS)),
        "flag AND (flag OR " * (DEEPEST // 2 - 1) + "flag" + ")" * (DEEPEST // 2 - 1),
        "NOT " * (DEEPEST - 1) + "flag",
        "(" * (DEEPEST - 1) + "number = 1" + ")" * (DEEPEST - 1),
        f"number IN ({', '.join(map(str, range(10_000)))})",
        "text LIKE '" + "%_" * (LONGEST_PATTERN // 2) + "'",
    ],
)
def test_what_is_just_within_the_limits_is_answered(table, where):
    rows_of(table, where)


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("yaer > 1", r"there is no column 'yaer' \(did you mean 'year'\?\)"),
        ('lang = "en"', r"there is no column 'en' \(text is in single quotes\)"),
        ('"my col" = 1', "there is no column 'my col'"),
        ("year >", "cannot be read near '>'"),
        ("repeat(text, 2) = ''", "not REPEAT"),
        ("unheard_of(text) = ''", "not the function unheard_of"),
        ("text LIKE lower('a')", "LIKE needs a pattern in single quotes"),
        ("year IS 5", "IS needs NULL, TRUE or FALSE"),
        ("year > 1; true", "one condition"),
    ],
)
def test_the_message_says_what_is_wrong(where, message):
    with pytest.raises(InputError, match=message):
        checked_condition(where, COLUMNS)


@pytest.mark.parametrize(
    "where", ["name > 3", "number = 'x'", "number / 0 = 1", "-name = 1", "number > 2.5",
              "number = 99999999999999999999", "starts_with(number, 'a')", "flag + 1 = 2"],
)  # fmt: skip
def test_what_the_engine_cannot_compute_is_told_in_our_words(table, where):
    with pytest.raises(InputError, match=r"where must (compare like with like|not divide)") as told:
        rows_of(table, where)
    assert not re.search(r"SELECT|Lance|DataFusion|/rust/|Utf8|Int64", str(told.value))


def test_a_name_of_two_columns_must_be_quoted(pets):
    index = fuzzbow.load(pets, measure="dynamax-jaccard").index(
        ["a", "b"], metadata={"Year": [1, 2], "year": [3, 4], 'odd "name"': [5, 6]}
    )
    assert rows_of(index, {'odd "name"': 6}) == [1]
    assert rows_of(index, "year = 3") == [0]
    assert rows_of(index, '"Year" = 2') == [1]
    with pytest.raises(InputError, match='quote it: "Year"'):
        rows_of(index, "YEAR = 3")


def test_half_a_character_is_made_whole_as_in_texts(pets):
    index = fuzzbow.load(pets, measure="dynamax-jaccard").index(["a \ud800", "b"])
    assert rows_of(index, "text = 'a \udfff'") == [0]


@pytest.mark.parametrize(
    ("mapping", "same"),
    [
        ({"number": 3}, "number = 3"),
        ({"number": -7}, "number = -7"),
        ({"size": 0.5}, "size = 0.5"),
        ({"size": 1e-7}, "size = 0.0000001"),
        ({"name": "Ab"}, "name = 'Ab'"),
        ({"text": "it's"}, "text = 'it''s'"),
        ({"text": "' OR 1 = 1 --"}, "text = ''' OR 1 = 1 --'"),
        ({"name": "a\\d"}, r"name = 'a\d'"),
        ({"flag": True, "id": [0, 3]}, "flag = true AND id IN (0, 3)"),
        ({"name": None}, "name IS NULL"),
        ({"number": np.int64(12)}, "number = 12"),
        ({"flag": np.bool_(False)}, "flag = false"),
    ],
)
def test_a_mapping_means_equality(table, mapping, same):
    assert sorted(table.search("a cat", k=100, where=mapping).ids) == rows_of(table, same)


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({}, "an SQL condition, or a mapping of columns to their values; got {}"),
        (["year"], r"got \['year'\]"),
        (2020, "got 2020"),
        ({"year": {">": 2}}, "got {'>': 2} for 'year'"),
        ({"year": float("nan")}, "got nan for 'year'"),
        ({"year": []}, "a value or a list of values"),
        ({"year": [1, None]}, "a value or a list of values"),
        ({1: 2}, "the name 1"),
        ({"yaer": 2}, "there is no column 'yaer'"),
    ],
)
def test_what_is_no_condition_is_refused(pets, where, message):
    index = fuzzbow.load(pets, measure="dynamax-jaccard").index(["a"], metadata={"year": [1]})
    with pytest.raises(InputError, match=message):
        index.search("a", where=where)
