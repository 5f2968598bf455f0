"""Conditions over the rows of an index: a subset of SQL, checked before the engine gets it.

A condition is parsed, each of its parts must be in the lists below, and the SQL for the engine is
written from these parts. So no other function, query or cast can reach the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from functools import lru_cache
from math import isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np

from fuzzbow.arrays import Booleans
from fuzzbow.errors import InputError, MissingExtraError, nearest
from fuzzbow.text import whole_text

LONGEST = 100_000  # characters of a condition
MOST_TERMS = 1_000  # conditions joined by AND and OR
DEEPEST = 20  # parts within each other; the engine's own parser gives up at about 24
LONGEST_PATTERN = 200  # characters of a pattern of LIKE

# kind of a node -> its SQL, with its parts in this order
ONE, TWO = ("this",), ("this", "expression")
FORMS = {
    "EQ": ("({} = {})", TWO), "NEQ": ("({} <> {})", TWO), "LT": ("({} < {})", TWO),
    "LTE": ("({} <= {})", TWO), "GT": ("({} > {})", TWO), "GTE": ("({} >= {})", TWO),
    "Add": ("({} + {})", TWO), "Sub": ("({} - {})", TWO), "Mul": ("({} * {})", TWO),
    "Div": ("({} / {})", TWO), "Mod": ("({} % {})", TWO),
    "Lower": ("lower({})", ONE), "Upper": ("upper({})", ONE), "Length": ("length({})", ONE),
    "StartsWith": ("starts_with({}, {})", TWO), "Is": ("({} IS {})", TWO),
    "Not": ("(NOT {})", ONE), "Neg": ("(- {})", ONE), "Paren": ("{}", ONE),
    "Between": ("({} BETWEEN {} AND {})", ("this", "low", "high")),
    "Boolean": ("", ()), "Null": ("NULL", ()),
}  # fmt: skip
CHAINS = {"And": " AND ", "Or": " OR "}
MOMENTS = {"DATE": "date", "TIMESTAMP": "timestamp"}
ALLOWED = (
    "comparisons, AND, OR, NOT, IN, LIKE, BETWEEN, IS NULL, + - * / %, and the functions"
    " lower, upper, length, starts_with"
)
# brackets and prefixes are counted: each makes the parser call itself once more
OPENING = ("L_PAREN", "L_BRACKET", "L_BRACE")
CLOSING = ("R_PAREN", "R_BRACKET", "R_BRACE")
PREFIXES = ("NOT", "DASH", "PLUS", "TILDE", "TILDA")
NEVER = ("CASE", "SELECT", "WITH", "INTERVAL", "L_BRACKET", "L_BRACE")
STATEMENTS = ("COMMAND", "SHOW")  # the parser would not parse what follows them


class _RefusalError(Exception):
    """Reason for refusing a condition."""


Where = str | Mapping[str, Any]


def parse_where(where: Where | None) -> str | None:
    """Convert a mapping of columns to their values to an SQL condition; return SQL unchanged.

    >>> print(parse_where({"year": 2020, "lang": ["en", "de"], "note": None}))
    "year" = 2020 AND "lang" IN ('en', 'de') AND "note" IS NULL
    """
    if where is None or isinstance(where, str):
        return where
    if not isinstance(where, Mapping) or not where:
        raise InputError(
            "where must be an SQL condition, or a mapping of columns to their values;"
            f" got {where!r:.200}"
        )
    return " AND ".join(_equality(name, value) for name, value in where.items())


def _equality(name: object, value: object) -> str:
    """Write the condition that a column has a value, or one of a list of them."""
    if not isinstance(name, str):
        raise InputError(f"where must map names of columns to values; got the name {name!r:.80}")
    column = '"' + name.replace('"', '""') + '"'
    if value is None:
        return f"{column} IS NULL"
    if isinstance(value, list | tuple | set | frozenset):
        if not value or None in value:
            raise InputError(
                f"where must map a column to a value or a list of values; got {value!r:.80} for"
                f" {name!r:.80}"
            )
        return f"{column} IN ({', '.join(_value(name, item) for item in value)})"
    return f"{column} = {_value(name, value)}"


def _value(name: str, value: object) -> str:
    """Write a value as SQL."""
    if isinstance(value, bool | np.bool_):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, datetime):
        return f"timestamp '{value.isoformat(' ')}'"
    if isinstance(value, date):
        return f"date '{value.isoformat()}'"
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Real) and isfinite(value):
        return repr(float(value))
    raise InputError(
        "where must compare columns with text, numbers, dates, true, false or None; got"
        f' {value!r:.80} for {name!r:.80}: {{"year": 2020}}, or SQL such as "year > 2020"'
    )


def checked_condition(where: object, columns: Sequence[str]) -> str:
    """Check an SQL condition over these columns, and write it for the engine.

    >>> checked_condition("Year > 2020 and lang in ('en', 'de')", ["id", "text", "year", "lang"])
    "((`year` > 2020) AND (`lang` IN ('en', 'de')))"
    """
    if not isinstance(where, str) or not where.strip():
        raise InputError(f"where must be an SQL condition; got {where!r}")
    if len(where) > LONGEST:
        raise InputError(f"where must have at most {LONGEST} characters; got {len(where)}")
    where = whole_text(where)  # as texts and metadata are
    try:
        condition = _Writer(columns).written(_parsed(where), 0)
        _check_tokens(_dialect().tokenize(condition))  # many terms are brackets now
        return condition
    except (_RefusalError, RecursionError) as error:
        reason = error if isinstance(error, _RefusalError) else _too_deep()
        shown = where if len(where) <= 200 else where[:199] + "…"
        raise InputError(
            f"where must be an SQL condition over the columns {', '.join(columns)}; got"
            f" {shown!r}: {reason}"
        ) from None


def matching(dataset: Any, where: str, columns: list[str]) -> Booleans:
    """Return which rows of a Lance dataset, in order, an SQL condition is true of: (rows,)."""
    condition = checked_condition(where, columns)
    try:
        table = dataset.scanner(columns={"keep": condition, "id": "id"}).to_table()
    except ValueError as error:
        raise InputError(_misfit(dataset.schema, where, columns, str(error))) from error
    keep = table.column("keep")
    if str(keep.type) != "bool":
        raise InputError(f"where must be true or false of a row; {where!r} is of type {keep.type}")
    return np.asarray(keep.fill_null(False).to_numpy(), dtype=np.bool_)


def _misfit(schema: Any, where: str, columns: list[str], reason: str) -> str:
    """Describe why a condition that can be parsed cannot be computed."""
    if "Divide by zero" in reason:
        return f"where must not divide by zero; {where!r:.200} does"
    kinds = ", ".join(f"{name} {schema.field(name).type}" for name in columns)
    return (
        f"where must compare like with like, a date as date '2020-01-31'; {where!r:.200} does not"
        f" fit the columns {kinds}"
    )


def _too_deep() -> _RefusalError:
    return _RefusalError(f"its parts may be within each other at most {DEEPEST} deep")


@lru_cache(maxsize=1)
def _dialect() -> Any:
    """Return the dialect: plain SQL in which a backtick may also quote a name."""
    try:
        from sqlglot.dialects.dialect import Dialect
        from sqlglot.tokens import Tokenizer
    except ImportError as error:
        raise MissingExtraError("sqlglot", "index") from error

    class Quoted(Tokenizer):
        IDENTIFIERS = ['"', "`"]  # noqa: RUF012

    # made here, since a class statement would import the parser with this module
    return type("Conditions", (Dialect,), {"Tokenizer": Quoted})()


def _parsed(where: str) -> Any:
    """Parse the one expression of a condition."""
    dialect = _dialect()
    from sqlglot.errors import ParseError, TokenError

    try:
        tokens = dialect.tokenize(where)
        _check_tokens(tokens)
        trees = dialect.parser().parse(tokens, where)
    except ParseError as error:
        near = error.errors[0].get("highlight") if error.errors else None
        raise _RefusalError(
            f"it cannot be read near {near!r:.60}" if near else "it is cut short"
        ) from None
    except TokenError:
        raise _RefusalError("a quote in it has no end") from None
    if len(trees) != 1 or trees[0] is None:
        raise _RefusalError("it must be one condition")
    return trees[0]


def _check_tokens(tokens: Sequence[Any]) -> None:
    """Refuse tokens that would make the parser recurse too deep."""
    depth = prefixes = 0
    for token in tokens:
        kind = token.token_type.name
        if kind in NEVER or (kind in STATEMENTS and token is tokens[0]):
            raise _RefusalError(f"it may use {ALLOWED}; not {token.text}")
        depth += (kind in OPENING) - (kind in CLOSING)
        prefixes = prefixes + 1 if kind in PREFIXES else 0
        if depth + prefixes > DEEPEST:
            raise _too_deep()


class _Writer:
    """Writer of a syntax tree as SQL; refuses every part that is not named in this module."""

    def __init__(self, columns: Sequence[str]) -> None:
        self._columns = columns
        self._terms = 0
        self._special: dict[str, Callable[[Any, int], str]] = {
            "And": self._chain, "Or": self._chain, "In": self._in, "Like": self._like,
            "Cast": self._cast, "Literal": self._literal, "Column": self._column,
        }  # fmt: skip

    def written(self, node: Any, depth: int) -> str:
        """Write one part, in brackets if it has parts of its own."""
        name = type(node).__name__
        special = self._special.get(name)
        if special is None and name not in FORMS:
            raise _forbidden(node)
        if depth > DEEPEST:
            raise _too_deep()
        if special is not None:
            return special(node, depth + 1)
        form, parts = FORMS[name]
        if name == "Boolean":
            return "TRUE" if node.this else "FALSE"
        given = {*_given(node)} - {"typed", "safe"}
        if given != {*parts}:
            raise _forbidden(node)
        written = [self.written(node.args[part], depth + (name != "Paren")) for part in parts]
        if name == "Is" and written[1] not in ("NULL", "TRUE", "FALSE"):
            raise _RefusalError("IS needs NULL, TRUE or FALSE")
        return form.format(*written)

    def _chain(self, node: Any, depth: int) -> str:
        """Write any number of conditions joined by AND or by OR as a balanced tree."""
        kind, terms, waiting = type(node), [], [node]
        while waiting:
            part = waiting.pop()
            if type(part) is not kind:
                terms.append(part)
                continue
            if set(part.args) - {"this", "expression"}:
                raise _forbidden(part)
            waiting += [part.args["expression"], part.args["this"]]
        self._terms += len(terms)
        if self._terms > MOST_TERMS:
            raise _RefusalError(f"it may join at most {MOST_TERMS} conditions")
        written = [self.written(term, depth) for term in terms]
        while len(written) > 1:
            pairs = [written[n : n + 2] for n in range(0, len(written), 2)]
            sign = CHAINS[kind.__name__]
            written = [f"({sign.join(pair)})" if len(pair) > 1 else pair[0] for pair in pairs]
        return written[0]

    def _in(self, node: Any, depth: int) -> str:
        values = node.args.get("expressions")
        if not values or set(_given(node)) != {"this", "expressions"}:
            raise _RefusalError("IN needs a list of values in brackets")
        written = ", ".join(self.written(value, depth) for value in values)
        return f"({self.written(node.this, depth)} IN ({written}))"

    def _like(self, node: Any, depth: int) -> str:
        pattern = node.args.get("expression")
        if not {*_given(node)} <= {"this", "expression", "negate"}:
            raise _forbidden(node)
        if type(pattern).__name__ != "Literal" or not pattern.is_string:
            raise _RefusalError("LIKE needs a pattern in single quotes")
        if len(pattern.this) > LONGEST_PATTERN:
            raise _RefusalError(f"a pattern of LIKE may have {LONGEST_PATTERN} characters")
        negated = "NOT " if node.args.get("negate") else ""
        return f"({self.written(node.this, depth)} {negated}LIKE {_quoted(pattern.this)})"

    def _cast(self, node: Any, depth: int) -> str:
        """Write a date or a moment, such as date '2020-01-31'."""
        kind = getattr(node.args["to"].this, "name", "")
        value = node.this
        if kind not in MOMENTS or type(value).__name__ != "Literal" or not value.is_string:
            raise _forbidden(node)
        return f"{MOMENTS[kind]} {_quoted(value.this)}"

    def _literal(self, node: Any, depth: int) -> str:
        if node.is_string:
            return _quoted(node.this)
        if len(node.this) > 40:
            raise _RefusalError(f"a number may have 40 digits; got {len(node.this)}")
        return str(node.this)

    def _column(self, node: Any, depth: int) -> str:
        """Write a column, in the case of the index unless it is quoted."""
        name = node.this.this if _given(node) == ["this"] else None
        if type(node.this).__name__ != "Identifier" or not isinstance(name, str):
            raise _RefusalError(f"a column has a name without a dot; got {node.key.upper()}")
        found = [column for column in self._columns if column == name]
        if not found and not node.this.args.get("quoted"):
            found = [column for column in self._columns if column.lower() == name.lower()]
        if not found:
            hint = nearest(name, self._columns) or (
                " (text stands in single quotes)" if node.this.args.get("quoted") else ""
            )
            raise _RefusalError(f"there is no column {name!r:.60}{hint}")
        if len(found) > 1:
            raise _RefusalError(f'{name!r} may be {" or ".join(found)}; quote it: "{found[0]}"')
        if "`" in found[0]:
            raise _RefusalError(f"the column {found[0]!r} has a backtick in its name")
        return f"`{found[0]}`"


def _forbidden(node: Any) -> _RefusalError:
    """Return the error for a part that is not allowed, shortened to a bounded length."""
    name = getattr(node, "name", "") if type(node).__name__ == "Anonymous" else ""
    shown = f"the function {name:.40}" if name else f"{node.key.upper():.40}"
    return _RefusalError(f"it may use {ALLOWED}; not {shown}")


def _given(node: Any) -> list[str]:
    return [name for name, value in node.args.items() if value not in (None, False, [])]


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
