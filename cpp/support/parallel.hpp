// Work in chunks on std::thread, with an interrupt that the calling thread polls for.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

namespace fuzzbow {

struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

constexpr int kThreadsPerCore = 4;  // more only wait for each other
std::int64_t most_threads();

// How a call runs: number of threads (0: all cores; never above most_threads()), and a question asked about every
// 50 ms on the calling thread.
class Execution {
 public:
  explicit Execution(std::int64_t threads = 0, std::function<bool()> interrupted = {});

  int threads() const { return threads_; }

  // True once the run must end. Cheap; any worker may ask. Only the calling thread (worker 0) polls.
  bool stopped(int worker) {
    if (worker == 0) poll();
    return stop_.load(std::memory_order_relaxed);
  }

  // body(worker, begin, end) over [0, count) in chunks taken in order; throws Interrupted or what a worker threw.
  void for_chunks(std::int64_t count, std::int64_t chunk,
                  const std::function<void(int, std::int64_t, std::int64_t)>& body);

  // body(worker) once on each of `workers` threads, the calling thread being worker 0.
  void on_workers(int workers, const std::function<void(int)>& body);

 private:
  void poll();

  int threads_;
  std::function<bool()> interrupted_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> was_interrupted_{false};
  std::int64_t last_poll_ = 0;
};

// Sorts by <: every thread a part, then neighbours are merged.
template <class Value>
void sort_in_parts(std::vector<Value>& values, Execution& execution) {
  const std::int64_t count = static_cast<std::int64_t>(values.size());
  const auto at = [&](std::int64_t i) { return values.begin() + std::min(count, i); };
  std::int64_t part = std::max<std::int64_t>(1 << 14, (count + execution.threads() - 1) / execution.threads());
  execution.for_chunks(count, part, [&](int, std::int64_t begin, std::int64_t end) { std::sort(at(begin), at(end)); });
  for (; part < count; part *= 2)
    execution.for_chunks(count, 2 * part, [&](int, std::int64_t begin, std::int64_t end) {
      std::inplace_merge(at(begin), at(begin + part), at(end));
    });
}

int available_threads();

// The work of one phase that workers share. They wait until all of it is done, not for each other: one that the
// system has not let run yet holds nobody up.
class Phase {
 public:
  explicit Phase(std::int64_t work) : left_(work) {}
  // Before workers start.
  void expect(std::int64_t work) { left_.store(work, std::memory_order_relaxed); }
  void done(std::int64_t work) { left_.fetch_sub(work, std::memory_order_release); }
  void wait(Execution& execution, int worker);  // or until the run must end

 private:
  std::atomic<std::int64_t> left_;
};

}  // namespace fuzzbow
