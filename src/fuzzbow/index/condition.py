"""Conditions over the rows of an index: a subset of SQL, checked before the engine gets it.

A condition is parsed, each of its parts must be in the lists below, and the SQL for the engine is
written from the parsed condition. So no other function, query or cast can reach the engine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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

# kind of a node -> its parts, of operators and of others
ONE, TWO = {"this"}, {"this", "expression"}
OPERATORS = {
    **dict.fromkeys(("EQ", "NEQ", "LT", "LTE", "GT", "GTE", "And", "Or", "Is"), TWO),
    **dict.fromkeys(("Add", "Sub", "Mul", "Div", "Mod"), TWO), "Not": ONE, "Neg": ONE,
    "Between": {"this", "low", "high"}, "In": {"this", "expressions"}, "Like": TWO | {"negate"},
}  # fmt: skip
OTHERS = {
    "Lower": ONE, "Upper": ONE, "Length": ONE, "StartsWith": TWO, "Paren": ONE, "Column": ONE,
    "Cast": {"this", "to"}, "Literal": {"this", "is_string"}, "Boolean": ONE, "Null": set[str](),
}  # fmt: skip
MOMENTS = ("DATE", "TIMESTAMP")
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
    terms = []
    for name, value in where.items():
        if not isinstance(name, str):
            raise InputError(
                f"where must map names of columns to values; got the name {name!r:.80}"
            )
        column = '"' + name.replace('"', '""') + '"'
        if value is None:
            terms.append(f"{column} IS NULL")
        elif not isinstance(value, list | tuple | set | frozenset):
            terms.append(f"{column} = {_value(name, value)}")
        elif value and None not in value:
            terms.append(f"{column} IN ({', '.join(_value(name, item) for item in value)})")
        else:
            raise InputError(
                f"where must map a column to a value or a list of values; got {value!r:.80} for"
                f" {name!r:.80}"
            )
    return " AND ".join(terms)


def _value(name: str, value: object) -> str:
    """Write a value as SQL."""
    if isinstance(value, bool | np.bool_):
        return str(value).upper()
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
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
    "(`year` > 2020) AND (`lang` IN ('en', 'de'))"
    """
    if not isinstance(where, str) or not where.strip():
        raise InputError(f"where must be an SQL condition; got {where!r}")
    if len(where) > LONGEST:
        raise InputError(f"where must have at most {LONGEST} characters; got {len(where)}")
    where = whole_text(where)  # as texts and metadata are
    try:
        tree = _rewrite(_parse(where), columns)
        return str(tree.sql(dialect=_dialect(), comments=False))
    except (_RefusalError, RecursionError) as error:
        reason = error if isinstance(error, _RefusalError) else _too_deep()
        shown = where if len(where) <= 200 else where[:199] + "…"
        raise InputError(
            f"where must be an SQL condition over the columns {', '.join(columns)}; got"
            f" {shown!r}: {reason}"
        ) from None


def matching(dataset: Any, where: str, columns: list[str]) -> Booleans:
    """Mark the rows of a Lance dataset, in order, that match an SQL condition: (rows,)."""
    condition = checked_condition(where, columns)
    try:
        table = dataset.scanner(columns={"keep": condition, "id": "id"}).to_table()
    except ValueError as error:
        if "Divide by zero" in str(error):
            raise InputError(f"where must not divide by zero; {where!r:.200} does") from error
        kinds = ", ".join(f"{name} {dataset.schema.field(name).type}" for name in columns)
        raise InputError(
            f"where must compare like with like, a date as date '2020-01-31'; {where!r:.200} does"
            f" not fit the columns {kinds}"
        ) from error
    keep = table.column("keep")
    if str(keep.type) != "bool":
        raise InputError(f"where must be true or false of a row; {where!r} is of type {keep.type}")
    return np.asarray(keep.fill_null(False).to_numpy(), dtype=np.bool_)


def _too_deep() -> _RefusalError:
    return _RefusalError(f"it may be nested at most {DEEPEST} levels deep")


@lru_cache(maxsize=1)
def _dialect() -> Any:
    """Return the dialect: plain SQL in which a backtick may also quote a name."""
    try:
        from sqlglot.dialects.dialect import Dialect
        from sqlglot.tokens import Tokenizer
    except ImportError as error:
        raise MissingExtraError("sqlglot", "index") from error

    class Quoted(Tokenizer):
        IDENTIFIERS = ["`", '"']  # noqa: RUF012

    # made here, since a class statement would import the parser with this module
    return type("Conditions", (Dialect,), {"Tokenizer": Quoted})()


def _parse(where: str) -> Any:
    """Parse a condition, which must be one expression."""
    dialect = _dialect()
    from sqlglot.errors import ParseError, TokenError

    try:
        tokens = dialect.tokenize(where)
        _check_tokens(tokens)
        trees = dialect.parser().parse(tokens, where)
    except ParseError as error:
        near = error.errors[0].get("highlight") if error.errors else None
        raise _RefusalError(
            f"it cannot be read near {near!r:.60}" if near else "it is incomplete"
        ) from None
    except TokenError:
        raise _RefusalError("a quote is not closed") from None
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


def _rewrite(tree: Any, columns: Sequence[str]) -> Any:
    """Refuse parts that are not allowed, write column names as stored, and add brackets.

    Nested operators are in brackets, so that precedence in the engine does not matter.
    """
    from sqlglot import exp

    waiting, terms, operators = [(tree, 0)], 1, []
    while waiting:
        node, depth = waiting.pop()
        kind = type(node).__name__
        given = {name for name, value in node.args.items() if value not in (None, False, [])}
        parts = OPERATORS.get(kind, OTHERS.get(kind))
        if parts is None or not given <= parts | {"typed", "safe"}:
            raise _forbidden(node)
        if depth > DEEPEST:
            raise _too_deep()
        terms += kind in ("And", "Or")
        if terms > MOST_TERMS:
            raise _RefusalError(f"it may join at most {MOST_TERMS} conditions")
        if kind == "Paren":
            part = node.this.pop()
            tree = part if node is tree else tree
            node.replace(part)
            waiting.append((part, depth))
            continue
        if kind == "Column":
            _check_column(node, columns)
            continue
        if kind == "Cast":  # a date or a moment, such as date '2020-01-31'
            if node.args["to"].this.name not in MOMENTS or not _is_text(node.this):
                raise _forbidden(node)
            continue
        if kind == "Is" and type(node.expression).__name__ not in ("Null", "Boolean"):
            raise _RefusalError("IS needs NULL, TRUE or FALSE")
        if kind == "In" and not node.expressions:
            raise _RefusalError("IN needs a list of values in brackets")
        if kind == "Like" and not _is_text(node.expression):
            raise _RefusalError("LIKE needs a pattern in single quotes")
        if kind == "Like" and len(node.expression.this) > LONGEST_PATTERN:
            raise _RefusalError(f"a pattern of LIKE may have {LONGEST_PATTERN} characters")
        if kind == "Literal" and not node.is_string and len(node.this) > 40:
            raise _RefusalError(f"a number may have 40 digits; got {len(node.this)}")
        operators += [node] if kind in OPERATORS else []
        chain = type(node) if kind in ("And", "Or") else None
        waiting += [(part, depth + (type(part) is not chain)) for part in node.iter_expressions()]
    for node in operators:
        chained = isinstance(node, exp.Connector) and type(node.parent) is type(node)
        if node is not tree and not chained:
            node.replace(bracket := exp.Paren())
            bracket.set("this", node)
    return tree


def _is_text(node: Any) -> bool:
    return type(node).__name__ == "Literal" and bool(node.is_string)


def _check_column(node: Any, columns: Sequence[str]) -> None:
    """Replace the name of a column by that in the index, ignoring case unless it is quoted."""
    name, quoted = node.this.this, node.this.args.get("quoted")
    if type(node.this).__name__ != "Identifier" or not isinstance(name, str):
        raise _RefusalError(f"a column has a name without a dot; got {node.key.upper()}")
    found = [column for column in columns if column == name]
    if not found and not quoted:
        found = [column for column in columns if column.lower() == name.lower()]
    if not found:
        hint = nearest(name, columns) or (" (text is in single quotes)" if quoted else "")
        raise _RefusalError(f"there is no column {name!r:.60}{hint}")
    if len(found) > 1:
        raise _RefusalError(f'{name!r} may be {" or ".join(found)}; quote it: "{found[0]}"')
    if "`" in found[0]:
        raise _RefusalError(f"the column {found[0]!r} has a backtick in its name")
    node.this.args.update(this=found[0], quoted=True)


def _forbidden(node: Any) -> _RefusalError:
    """Return the error for a part that is not allowed, shortened to a bounded length."""
    name = getattr(node, "name", "") if type(node).__name__ == "Anonymous" else ""
    shown = f"the function {name:.40}" if name else f"{node.key.upper():.40}"
    return _RefusalError(f"it may use {ALLOWED}; not {shown}")
