#include "bindings/queries.hpp"

#include <algorithm>
#include <cmath>

#include "bindings/tables.hpp"
#include "words/rules.hpp"

namespace fuzzbow {
namespace bindings {

std::vector<std::uint32_t> identities_of(nb::handle object, const Table& queries, const Table& corpus) {
  if (object.is_none() && &queries == &corpus) return {};
  std::vector<std::uint32_t> identities(queries.size(), kNoWord);
  if (object.is_none()) return identities;
  const auto view = array_of<std::int64_t>(object, "corpus_ids", 1);
  check_length("corpus_ids", view.rows, "the query table", queries.size());
  for (std::int64_t i = 0; i < view.rows; ++i) {
    if (view.data[i] < -1 || view.data[i] >= corpus.size())
      must("corpus_ids", "-1 or below the number of words, " + std::to_string(corpus.size()),
           std::to_string(view.data[i]));
    if (view.data[i] >= 0) identities[i] = static_cast<std::uint32_t>(view.data[i]);
  }
  return identities;
}

void check_query_table(const Table& queries, const Table& corpus) {
  check_length("vectors of the query table", queries.dimension(), "the corpus's", corpus.dimension());
  if (queries.rules() != corpus.rules() || queries.unit() != corpus.unit())
    must("the query table", "of the same rules and unit as the corpus's", "another");
}

Queries::Queries(nb::handle queries, nb::handle table, nb::handle corpus_ids, const Table& corpus) {
  const LexiconTexts* read = nullptr;
  if (nb::try_cast(queries, read) && read) {
    if (!table.is_none() || !corpus_ids.is_none()) must("table and corpus_ids", "None for texts of a lexicon", "given");
    lexicon_ = read->lexicon;
    table_ = &lexicon_->table();
  } else {
    table_ = table.is_none() ? &corpus : &table_of(table, "table");
  }
  check_query_table(*table_, corpus);
  arrays_ = texts_of(queries, "queries", table_->size());
  if (!lexicon_) identities_ = identities_of(corpus_ids, *table_, corpus);
}

QueryTexts Queries::texts() const {
  if (lexicon_) return {table_, lexicon_->identities(), arrays_.ragged, &lexicon_->columns()};
  return {table_, identities_.empty() ? nullptr : identities_.data(), arrays_.ragged, nullptr};
}

void check_search(std::int64_t k, float min_score) {
  if (k < 1) must("k", "1 or more", std::to_string(k));
  if (std::isnan(min_score)) must("min_score", "a number", "nan");
}

View<std::int64_t> documents_of(nb::handle object, std::int64_t size) {
  const auto view = array_of<std::int64_t>(object, "documents", 1);
  for (std::int64_t i = 0; i < view.rows; ++i)
    if (view.data[i] < 0 || view.data[i] >= size)
      must("documents", "numbers below " + std::to_string(size), std::to_string(view.data[i]));
  return view;
}

FoundArrays found_arrays(const std::vector<std::vector<Hit>>& found, std::int64_t wanted) {
  const std::size_t rows = found.size(), columns = static_cast<std::size_t>(wanted);
  std::unique_ptr<float[]> scores(new float[rows * columns + 1]());
  std::unique_ptr<std::int64_t[]> ids(new std::int64_t[rows * columns + 1]), counts(new std::int64_t[rows + 1]);
  std::fill_n(ids.get(), rows * columns, -1);
  for (std::size_t i = 0; i < rows; ++i) {
    counts[i] = static_cast<std::int64_t>(found[i].size());
    for (std::size_t j = 0; j < found[i].size(); ++j) {
      scores[i * columns + j] = found[i][j].score;
      ids[i * columns + j] = found[i][j].document;
    }
  }
  return {to_numpy<float>(std::move(scores), {rows, columns}), to_numpy<std::int64_t>(std::move(ids), {rows, columns}),
          to_numpy<std::int64_t>(std::move(counts), {rows})};
}

}  // namespace bindings
}  // namespace fuzzbow
