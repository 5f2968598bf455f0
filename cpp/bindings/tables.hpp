// What the other bindings need of a table: a lock for the length of a call.
#pragma once
#include <shared_mutex>

#include "table.hpp"

namespace fuzzbow {
namespace bindings {

using TableLock = std::shared_lock<std::shared_mutex>;

}  // namespace bindings
}  // namespace fuzzbow
