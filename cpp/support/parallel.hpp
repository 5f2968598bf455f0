// Parallel loops on std::thread, with an interrupt check on the calling thread.
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

constexpr int kThreadsPerCore = 4;  // more threads only wait for each other
std::int64_t most_threads();

// Execution of one call: its number of threads (0: one per core; at most most_threads()), and an interrupt check that
// runs about every 50 ms on the calling thread.
class Execution {
 public:
  explicit Execution(std::int64_t threads = 0, std::function<bool()> interrupted = {});

  int threads() const { return threads_; }

  // Returns true once the run must end. Cheap, for use in inner loops; only the calling thread (worker 0) runs the
  // interrupt check.
  bool stopped(int worker) {
    if (worker == 0) poll();
    return stop_.load(std::memory_order_relaxed);
  }

  // Calls body(worker, begin, end) over [0, count) in chunks, each taken by the next free worker. Throws Interrupted,
  // or the first exception of a worker.
  void for_chunks(std::int64_t count, std::int64_t chunk,
                  const std::function<void(int, std::int64_t, std::int64_t)>& body);

  // Calls body(worker) once on each of `workers` threads. The calling thread is worker 0.
  void on_workers(int workers, const std::function<void(int)>& body);

 private:
  void poll();

  int threads_;
  std::function<bool()> interrupted_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> was_interrupted_{false};
  std::int64_t last_poll_ = 0;
};

// Sorts in parallel by <: each thread sorts a part, then neighbouring parts are merged.
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

// A barrier that counts work instead of threads: workers wait until all work of a phase is done. A thread that the
// system has not started yet delays no other: they do its work.
class Phase {
 public:
  explicit Phase(std::int64_t work) : left_(work) {}
  // Sets the amount of work; call it before workers start.
  void set_work(std::int64_t work) { left_.store(work, std::memory_order_relaxed); }
  void done(std::int64_t work) { left_.fetch_sub(work, std::memory_order_release); }
  void wait(Execution& execution, int worker);  // returns early if the run must end

 private:
  std::atomic<std::int64_t> left_;
};

}  // namespace fuzzbow
