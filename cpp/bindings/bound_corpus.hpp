// Common parts of both kinds of corpus: construction, append, delete, and reads while nothing changes.
#pragma once
#include <memory>
#include <mutex>

#include "bindings/queries.hpp"
#include "bindings/tables.hpp"

namespace fuzzbow {
namespace bindings {

// A corpus and the Python table it refers to, which must stay alive.
template <class C>
struct Bound {
  nb::object table_object;
  std::unique_ptr<C> corpus;
};

template <class C>
void append_texts(C& corpus, const Texts& documents, std::int64_t threads) {
  if (corpus.size() + documents.ragged.size >= 0xFFFFFFFFll) must("documents", "fewer than 2^32 - 1", "more");
  without_gil(threads, [&](Execution& execution) {
    TableLock lock(corpus.table().mutex());
    std::unique_lock<std::shared_mutex> alone(corpus.mutex());
    corpus.append(documents.ragged, execution);
  });
}

template <class C>
void construct(Bound<C>* self, nb::object table_object, std::unique_ptr<C> corpus, const Texts& documents,
               std::int64_t threads) {
  append_texts(*corpus, documents, threads);
  new (self) Bound<C>{table_object, std::move(corpus)};
}

template <class C>
void remove(Bound<C>& self, nb::object documents) {
  C& corpus = *self.corpus;
  const auto view = documents_of(documents, corpus.size());
  nb::gil_scoped_release released;
  std::unique_lock<std::shared_mutex> alone(corpus.mutex());
  corpus.remove(view.data, view.rows);
}

// Runs work(execution) while neither the tables nor the corpus can change.
template <class C, class Work>
void reading(const C& corpus, const Table& table, std::int64_t threads, Work work) {
  without_gil(threads, [&](Execution& execution) {
    TableLock own(corpus.table().mutex());
    TableLock other;
    if (&table != &corpus.table()) other = TableLock(table.mutex());
    std::shared_lock<std::shared_mutex> lock(corpus.mutex());
    work(execution);
  });
}

// The class with the methods that both kinds have.
template <class C>
nb::class_<Bound<C>> bind_documents(nb::module_& module, const char* name, const char* description) {
  return nb::class_<Bound<C>>(module, name, description)
      .def("delete", &remove<C>, nb::arg("documents"), "Delete documents from all results.")
      .def("__len__", [](const Bound<C>& self) { return self.corpus->size(); })
      .def(
          "memory_bytes", [](const Bound<C>& self) { return self.corpus->bytes(); },
          "Return the memory of the corpus without its table.");
}

}  // namespace bindings
}  // namespace fuzzbow
