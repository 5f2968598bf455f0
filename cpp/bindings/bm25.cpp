// Fuzzy BM25: documents, their statistics, and pairs.
#include <cmath>
#include <mutex>

#include "bindings/arrays.hpp"
#include "bindings/bound_corpus.hpp"
#include "bm25/corpus.hpp"
#include "bm25/pairs.hpp"
#include "bm25/search.hpp"

namespace fuzzbow {
namespace bindings {

namespace {

using BoundBm25Corpus = Bound<Bm25Corpus>;

Bm25Options options_of(double k1, double b, double floor, double power) {
  if (!(k1 >= 0) || std::isinf(k1)) must("k1", "finite and at least 0", std::to_string(k1));
  if (!(b >= 0 && b <= 1)) must("b", "from 0 to 1", std::to_string(b));
  if (!(floor >= 0 && floor <= 1)) must("floor", "from 0 to 1", std::to_string(floor));
  if (!(power > 0) || std::isinf(power)) must("power", "finite and above 0", std::to_string(power));
  return {k1, b, floor, power};
}

void check_unit(const Table& table) {
  if (!table.unit()) must("table", "of unit vectors, unit=True", "another");
}

void check_plain(const std::string& name, bool counted) {
  if (counted) must(name, "without bag counts, as repeats count", "counts");
}

Texts plain_texts_of(nb::handle object, const std::string& name, std::int64_t words) {
  Texts texts = texts_of(object, name, words);
  check_plain(name, texts.ragged.counts != nullptr);
  return texts;
}

void make_corpus(BoundBm25Corpus* self, nb::object table_object, nb::object documents, double k1, double b,
                 double floor, double power, std::int64_t threads) {
  const Table& table = table_of(table_object, "table");
  check_unit(table);
  const Bm25Options options = options_of(k1, b, floor, power);
  const Texts checked = plain_texts_of(documents, "documents", table.size());
  auto corpus = std::make_unique<Bm25Corpus>(table, options);
  construct(self, table_object, std::move(corpus), checked, threads);
}

void append(BoundBm25Corpus& self, nb::object documents, std::int64_t threads) {
  Bm25Corpus& corpus = *self.corpus;
  append_texts(corpus, plain_texts_of(documents, "documents", corpus.table().size()), threads);
}

nb::object search_corpus(const BoundBm25Corpus& self, nb::object queries, std::int64_t k, float min_score,
                         nb::object table_object, nb::object corpus_ids, nb::object allowed, std::int64_t threads) {
  const Bm25Corpus& corpus = *self.corpus;
  check_search(k, min_score);
  const Queries inputs(queries, table_object, corpus_ids, corpus.table());
  check_plain("queries", inputs.counted());
  const auto mask = optional_of<std::uint8_t>(allowed, "allowed", 1);
  std::int64_t wanted = k;
  std::vector<std::vector<Hit>> found;
  reading(corpus, inputs.table(), threads, [&](Execution& execution) {
    if (mask.array.is_valid()) check_length("allowed", mask.rows, "the documents", corpus.size());
    wanted = std::min(k, std::max<std::int64_t>(1, corpus.size()));
    found = bm25_search(corpus, inputs.texts(), {wanted, min_score, mask.data}, execution);
  });
  const FoundArrays arrays = found_arrays(found, wanted);
  return nb::make_tuple(arrays.scores, arrays.ids, arrays.counts);
}

nb::object word_weights(const BoundBm25Corpus& self, nb::object words, nb::object table_object, nb::object corpus_ids,
                        std::int64_t threads) {
  const Bm25Corpus& corpus = *self.corpus;
  const Table& table = table_object.is_none() ? corpus.table() : table_of(table_object, "table");
  check_query_table(table, corpus.table());
  const auto view = array_of<std::uint32_t>(words, "words", 1);
  for (std::int64_t i = 0; i < view.rows; ++i)
    if (view.data[i] >= table.size())
      must("words", "below the number of words, " + std::to_string(table.size()), std::to_string(view.data[i]));
  const std::vector<std::uint32_t> identities = identities_of(corpus_ids, table, corpus.table());
  const std::int64_t offsets[2] = {0, view.rows};
  std::vector<double> weights;
  reading(corpus, table, threads, [&](Execution& execution) {
    const std::uint32_t* known = identities.empty() ? nullptr : identities.data();
    weights = bm25_word_weights(corpus, {&table, known, {view.data, offsets, nullptr, 1}}, execution);
  });
  return to_numpy(weights);
}

View<double> weights_of(nb::handle object, std::int64_t words) {
  const auto weights = array_of<double>(object, "weights", 1);
  check_length("weights", weights.rows, "the table", words);
  for (std::int64_t i = 0; i < weights.rows; ++i)
    if (!(weights.data[i] >= 0 && weights.data[i] <= 1e100))
      must("weights", "from 0 to 1e100", std::to_string(weights.data[i]) + " at position " + std::to_string(i));
  return weights;
}

nb::object bound_pairs(nb::object table_object, nb::object texts, nb::object left, nb::object right,
                       nb::object weights_object, double mean_length, double k1, double b, double floor, double power,
                       std::int64_t threads) {
  const Table& table = table_of(table_object, "table");
  check_unit(table);
  const Bm25Options options = options_of(k1, b, floor, power);
  const Texts checked = plain_texts_of(texts, "texts", table.size());
  const IndexView first = indices_of(left, "left", checked.ragged.size),
                  second = indices_of(right, "right", checked.ragged.size);
  check_length("left", first.indices.size, "right", second.indices.size);
  const auto weights = weights_of(weights_object, table.size());
  if (!(mean_length >= 0) || std::isinf(mean_length))
    must("mean_length", "finite and at least 0", std::to_string(mean_length));
  std::unique_ptr<float[]> out(new float[first.indices.size + 1]);
  without_gil(threads, [&](Execution& execution) {
    TableLock lock(table.mutex());
    bm25_pairs(table, checked.ragged, first.indices, second.indices, weights.data, mean_length, options, execution,
               out.get());
  });
  return to_numpy<float>(std::move(out), {static_cast<std::size_t>(first.indices.size)});
}

// Returns (live documents, their words with repeats, number of them that contain each word of the table).
nb::object statistics(const BoundBm25Corpus& self) {
  const Bm25Corpus& corpus = *self.corpus;
  std::int64_t documents = 0, words = 0;
  std::vector<std::int64_t> holders;
  {
    nb::gil_scoped_release released;
    TableLock table(corpus.table().mutex());
    std::shared_lock<std::shared_mutex> lock(corpus.mutex());
    documents = corpus.live();
    words = corpus.live_words();
    for (std::int64_t id = 0; id < corpus.table().size(); ++id)
      holders.push_back(corpus.table_holders(static_cast<std::uint32_t>(id)));
  }
  return nb::make_tuple(documents, words, to_numpy(holders));
}

void set_collection(BoundBm25Corpus& self, std::int64_t documents, std::int64_t total_words, nb::object words,
                    nb::object holders) {
  Bm25Corpus& corpus = *self.corpus;
  const auto ids = array_of<std::uint32_t>(words, "words", 1);
  const auto counts = array_of<std::int64_t>(holders, "holders", 1);
  check_length("holders", counts.rows, "words", ids.rows);
  if (documents < 0 || total_words < 0) must("documents and total_words", "at least 0", "less");
  for (std::int64_t i = 0; i < ids.rows; ++i) {
    if (ids.data[i] >= corpus.table().size()) must("words", "words of the table", std::to_string(ids.data[i]));
    if (counts.data[i] < 0 || counts.data[i] > documents)
      must("holders", "from 0 to the documents, " + std::to_string(documents), std::to_string(counts.data[i]));
  }
  const std::int64_t offsets[2] = {0, ids.rows};
  nb::gil_scoped_release released;
  TableLock lock(corpus.table().mutex());
  std::unique_lock<std::shared_mutex> alone(corpus.mutex());
  corpus.set_collection({ids.data, offsets, nullptr, 1}, counts.data, documents, total_words);
}

double mean_length(const BoundBm25Corpus& self) {
  nb::gil_scoped_release released;  // the thread that holds the lock may wait for the interpreter
  std::shared_lock<std::shared_mutex> lock(self.corpus->mutex());
  return self.corpus->mean_length();
}

}  // namespace

void bind_bm25(nb::module_& module) {
  bind_documents<Bm25Corpus>(module, "Bm25Corpus", "Documents indexed for exact top-k search by fuzzy BM25.")
      .def("__init__", &make_corpus, nb::arg("table"), nb::arg("documents"), nb::kw_only(), nb::arg("k1"), nb::arg("b"),
           nb::arg("floor"), nb::arg("power"), nb::arg("threads") = 0)
      .def("append", &append, nb::arg("documents"), nb::kw_only(), nb::arg("threads") = 0,
           "Append documents. Append their new words to the table first.")
      .def("search", &search_corpus, nb::arg("queries"), nb::arg("k") = 10, nb::arg("min_score") = 0.0f, nb::kw_only(),
           nb::arg("table") = nb::none(), nb::arg("corpus_ids") = nb::none(), nb::arg("allowed") = nb::none(),
           nb::arg("threads") = 0,
           "Search for the exact best k: (scores (q, k), ids (q, k) with -1 after the last hit, counts (q,)).")
      .def("word_weights", &word_weights, nb::arg("words"), nb::kw_only(), nb::arg("table") = nb::none(),
           nb::arg("corpus_ids") = nb::none(), nb::arg("threads") = 0,
           "Compute weight times inverse document frequency of words: (k,) float64.")
      .def("statistics", &statistics,
           "Return the number of live documents, of their words, and of documents that contain each word of the table: "
           "(n, n, (m,) int64).")
      .def("with_frequencies", &set_collection, nb::arg("documents"), nb::arg("total_words"), nb::arg("words"),
           nb::arg("holders"),
           "Weight words by the statistics of a collection that contains these documents; words[i] is in holders[i] of "
           "its documents.")
      .def_prop_ro("mean_length", &mean_length, "Mean number of words of the live documents, or of the collection.");
  module.def("bm25_pairs", &bound_pairs, nb::arg("table"), nb::arg("texts"), nb::arg("left"), nb::arg("right"),
             nb::arg("weights"), nb::arg("mean_length"), nb::kw_only(), nb::arg("k1"), nb::arg("b"), nb::arg("floor"),
             nb::arg("power"), nb::arg("threads") = 0, "Score query left[i] with document right[i]: (n,).");
}

}  // namespace bindings
}  // namespace fuzzbow
