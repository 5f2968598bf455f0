"""The functions and relations of a model in DuckDB itself."""

from __future__ import annotations

import json

import duckdb
import pytest

import fuzzbow
from fuzzbow.integrations.duckdb import register


@pytest.fixture
def con():
    with duckdb.connect() as connection:
        yield connection


@pytest.fixture
def docs(con, texts):
    """A table of documents, one of them without a text."""
    con.execute("CREATE TABLE docs (id INTEGER, body VARCHAR)")
    con.executemany("INSERT INTO docs VALUES (?, ?)", [*enumerate(texts), (5, None)])
    return con.table("docs")


def test_similarity_is_that_of_the_model_row_by_row(con, docs, model, texts):
    register(con, model)
    sql = (
        "SELECT fuzzbow_similarity(body, 'a cat sat') FROM docs WHERE body IS NOT NULL ORDER BY id"
    )
    found = [score for (score,) in con.sql(sql).fetchall()]
    assert found == model.pairs(texts, ["a cat sat"] * 5).tolist()
    sql = """SELECT count(*), min(s) FROM (
      SELECT fuzzbow_similarity('word ' || i, 'word ' || i) AS s FROM range(5000) t(i))"""
    assert con.sql(sql).fetchall() == [(5000, 1.0)]  # more rows than a vector holds


@pytest.mark.parametrize("name", ["similarity", "explain"])
def test_null_gives_null_and_no_rows_give_none(con, docs, name):
    register(con)
    sql = f"""SELECT count(fuzzbow_{name}(a, b)), count(*) FROM
      (VALUES (NULL, 'x'), ('x', NULL), (NULL, NULL), ('x', 'x')) t(a, b)"""
    assert con.sql(sql).fetchall() == [(1, 4)]
    assert con.sql(f"SELECT fuzzbow_{name}('x', NULL)").fetchall() == [(None,)]
    assert con.sql(f"SELECT fuzzbow_{name}(body, body) FROM docs WHERE id > 99").fetchall() == []


def test_an_explanation_is_json_that_sql_reads(con, model):
    register(con, model)
    ((text,),) = con.sql("SELECT fuzzbow_explain('a cat', 'a kitten')").fetchall()
    assert json.loads(text) == json.loads(model.explain("a cat", "a kitten").to_json())
    sql = "SELECT fuzzbow_explain('a cat', 'a kitten')->>'$.left.words[1].match_word'"
    assert con.sql(sql).fetchall() == [("kitten",)]


def test_searches_find_what_an_index_finds(con, docs, model, texts):
    relations = register(con, model)
    found = con.sql("FROM fuzzbow_search('docs', 'body', 'a kitten on a mat', k := 2)").fetchall()
    hits = model.index(texts).search("a kitten on a mat", k=2)
    assert [row[0] for row in found] == hits.ids
    assert [row[2] for row in found] == pytest.approx(hits.scores.tolist(), abs=1e-12)
    assert len(con.sql("FROM fuzzbow_search('docs', 'body', 'a cat')").fetchall()) == 5
    assert con.sql("FROM fuzzbow_search('docs', 'body', 'zzz', min_score := 0.5)").fetchall() == []
    of_relation = relations(docs).search("a kitten on a mat", "body", k=2)
    assert of_relation.columns == ["id", "body", "score"]
    assert [row[0] for row in of_relation.fetchall()] == hits.ids
    assert relations("docs").search("zzz", "body", min_score=0.5).fetchall() == []
    assert relations(docs.filter("id > 99")).search("a cat", "body").fetchall() == []


def test_join_over_relations_is_that_of_the_model(con, model):
    left = con.sql("SELECT * FROM (VALUES (1, 'a plane landed'), (2, 'zzz')) t(id, name)")
    right = con.sql("SELECT * FROM (VALUES (10, 'a dog'), (20, 'an airplane landed')) t(id, title)")
    found = register(con, model)(left).join(right, left_on="name", right_on="title", how="left")
    score = model.similarity("a plane landed", "an airplane landed")
    assert found.fetchall() == [
        (1, "a plane landed", 20, "an airplane landed", pytest.approx(score)),
        (2, "zzz", None, None, None),
    ]
    assert con.sql("SELECT max(score) FROM found").fetchall() == [(pytest.approx(score),)]


@pytest.fixture
def names(con, docs):
    """A second table, which shares a column with the first, and has one row without a text."""
    con.execute("CREATE TABLE names (id INTEGER, name VARCHAR)")
    rows = [(10, "a cat sat on the mat"), (20, None), (30, "zzz"), (40, "shares fell on Monday")]
    con.executemany("INSERT INTO names VALUES (?, ?)", rows)
    return con.table("names")


@pytest.mark.parametrize(("k", "threshold"), [(1, 0.8), (2, 0.3)])
def test_the_join_in_sql_is_that_of_relations(con, docs, names, model, k, threshold):
    relations = register(con, model)
    sql = f"FROM fuzzbow_join('names', 'name', 'docs', 'body', k := {k}, threshold := {threshold})"
    whole = docs.filter("body IS NOT NULL")
    there = relations(names.filter("name IS NOT NULL"))
    wanted = there.join(whole, left_on="name", right_on="body", k=k, threshold=threshold)
    assert con.sql(sql).fetchall() == wanted.fetchall() != []
    assert con.sql(sql).columns == ["id", "name", "id_1", "body", "score"]


def test_the_dedupe_in_sql_is_that_of_relations(con, docs):
    relations = register(con)
    sql = "FROM fuzzbow_dedupe('docs', 'body', threshold := 0.7)"
    assert con.sql(sql).fetchall() == relations("docs").dedupe("body", threshold=0.7).fetchall()
    assert [row[0] for row in con.sql(sql).fetchall()] == [0, 1, 4, 5]
    usual = con.sql("FROM fuzzbow_dedupe('docs', 'body')").fetchall()
    assert usual == relations("docs").dedupe("body").fetchall() != con.sql(sql).fetchall()


@pytest.mark.parametrize("condition", ["id > 99", "id = 5"], ids=["no rows", "only NULL"])
def test_macros_over_nothing_find_nothing(con, docs, condition):
    register(con)
    con.execute(f"CREATE VIEW few AS FROM docs WHERE {condition}")
    assert con.sql("FROM fuzzbow_join('few', 'body', 'docs', 'body')").fetchall() == []
    assert con.sql("FROM fuzzbow_join('docs', 'body', 'few', 'body')").fetchall() == []
    assert con.sql("FROM fuzzbow_dedupe('few', 'body')").fetchall() == con.table("few").fetchall()


def test_errors_of_the_model_are_errors_of_the_query(con, docs):
    register(con, fuzzbow.load(measure="avg-cosine"))
    for sql, message in (
        ("SELECT fuzzbow_explain('a', 'b')", "avg-cosine cannot be explained"),
        ("SELECT fuzzbow_similarity(id, 'x') FROM docs", "No function matches"),
        ("FROM fuzzbow_join('docs', 'body', 'docs', 'body', threshold := 7)", "threshold must be"),
        ("FROM fuzzbow_dedupe('docs', 'id')", "VARCHAR"),
    ):
        with pytest.raises(duckdb.Error, match=message):
            con.sql(sql).fetchall()


def test_models_stand_side_by_side_by_their_prefixes_and_replace_each_other(con, model):
    other = fuzzbow.load(measure="max-jaccard")
    register(con, model)
    register(con, other, prefix="maxjac")
    con.execute("CREATE TABLE pair AS SELECT 'a cat' AS a, 'a dog' AS b")
    both = con.sql(
        "SELECT fuzzbow_similarity('a cat', 'a dog'), maxjac_similarity('a cat', 'a dog')"
    )
    wanted = [made.similarity("a cat", "a dog") for made in (model, other)]
    assert both.fetchall() == [tuple(wanted)]
    register(con, other)
    assert con.sql("SELECT fuzzbow_similarity('a cat', 'a dog')").fetchall() == [(wanted[1],)]


def test_a_prefix_that_is_no_name_and_a_model_without_a_collection_are_refused(con):
    with pytest.raises(fuzzbow.InputError, match="prefix must be a name"):
        register(con, prefix="x; DROP TABLE docs")
    with pytest.raises(fuzzbow.InputError, match="depend on the other texts"):
        register(con, fuzzbow.load(counts="collection"))
    assert register(con, fuzzbow.load(counts="collection").fit(["a cat", "a dog"]))
