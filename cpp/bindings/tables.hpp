// Access to word tables for the other bindings.
#pragma once
#include <shared_mutex>

#include "bindings/arrays.hpp"
#include "words/table.hpp"

namespace fuzzbow {
namespace bindings {

using TableLock = std::shared_lock<std::shared_mutex>;

// The table of a Python object. Raises if it is not a Table.
inline const Table& table_of(nb::handle object, const std::string& name) {
  const Table* table = nullptr;
  if (!nb::try_cast(object, table) || !table) must(name, "a Table", nb::str(object.type().attr("__name__")).c_str());
  return *table;
}

}  // namespace bindings
}  // namespace fuzzbow
