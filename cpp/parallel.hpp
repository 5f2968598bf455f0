// Work in chunks on std::thread, with an interrupt that the calling thread polls for.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <stdexcept>

namespace fuzzbow {

struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

// How a call runs: number of threads, and a question asked about every 50 ms on the calling thread.
class Execution {
 public:
  explicit Execution(int threads = 0, std::function<bool()> interrupted = {});

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

int available_threads();

// All workers of one on_workers call meet here; a worker that fails must call abandon().
class Barrier {
 public:
  explicit Barrier(int workers) : workers_(workers) {}
  void wait(Execution& execution, int worker);

 private:
  int workers_;
  std::atomic<int> arrived_{0};
};

}  // namespace fuzzbow
