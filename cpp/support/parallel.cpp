#include "support/parallel.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace fuzzbow {

namespace {

std::int64_t milliseconds() {
  using namespace std::chrono;
  return duration_cast<std::chrono::milliseconds>(steady_clock::now().time_since_epoch()).count();
}

}  // namespace

int available_threads() {
  static const int cores = std::max(1u, std::thread::hardware_concurrency());  // cached: asking the system is slow
  return cores;
}

std::int64_t most_threads() { return std::int64_t{kThreadsPerCore} * available_threads(); }

Execution::Execution(std::int64_t threads, std::function<bool()> interrupted)
    : threads_(static_cast<int>(threads > 0 ? std::min(threads, most_threads()) : available_threads())),
      interrupted_(std::move(interrupted)),
      last_poll_(milliseconds()) {}

void Execution::poll() {
  if (!interrupted_) return;
  const std::int64_t now = milliseconds();
  if (now - last_poll_ < 50) return;
  last_poll_ = now;
  if (interrupted_()) {
    was_interrupted_ = true;
    stop_ = true;
  }
}

void Execution::on_workers(int workers, const std::function<void(int)>& body) {
  if (workers == 1) {
    body(0);
    if (was_interrupted_) throw Interrupted();
    return;
  }
  std::mutex mutex;
  std::condition_variable finished;
  std::exception_ptr failure;
  int running = 0;
  auto guarded = [&](int worker) {
    try {
      body(worker);
    } catch (...) {
      std::lock_guard<std::mutex> lock(mutex);
      if (!failure) failure = std::current_exception();
      stop_ = true;
    }
  };
  std::vector<std::thread> pool;
  pool.reserve(workers - 1);
  running = workers - 1;
  for (int worker = 1; worker < workers; ++worker) {
    try {
      pool.emplace_back([&, worker] {
        guarded(worker);
        std::lock_guard<std::mutex> lock(mutex);
        --running;
        finished.notify_one();
      });
    } catch (...) {  // no more threads available: the body must not wait for this worker
      std::lock_guard<std::mutex> lock(mutex);
      running -= workers - worker;
      if (!failure) failure = std::current_exception();
      stop_ = true;
      break;
    }
  }
  if (!stop_.load()) guarded(0);
  {
    std::unique_lock<std::mutex> lock(mutex);
    while (!finished.wait_for(lock, std::chrono::milliseconds(50), [&] { return running == 0; })) {
      lock.unlock();
      poll();
      lock.lock();
    }
  }
  for (auto& thread : pool) thread.join();
  if (failure) std::rethrow_exception(failure);
  if (was_interrupted_) throw Interrupted();
}

void Execution::for_chunks(std::int64_t count, std::int64_t chunk,
                           const std::function<void(int, std::int64_t, std::int64_t)>& body) {
  if (count <= 0) return;
  const std::int64_t chunks = (count + chunk - 1) / chunk;
  std::atomic<std::int64_t> next{0};
  on_workers(static_cast<int>(std::min<std::int64_t>(threads_, chunks)), [&](int worker) {
    for (;;) {
      const std::int64_t taken = next.fetch_add(1, std::memory_order_relaxed);
      if (taken >= chunks || stopped(worker)) return;
      body(worker, taken * chunk, std::min(count, (taken + 1) * chunk));
    }
  });
}

void Phase::wait(Execution& execution, int worker) {
  int spins = 0;
  while (left_.load(std::memory_order_acquire) > 0) {
    if (execution.stopped(worker)) return;
    // Phases are short: spin briefly before yielding the core.
    if (++spins > 2000) std::this_thread::yield();
  }
}

}  // namespace fuzzbow
