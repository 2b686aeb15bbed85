#include "gaussianize/core/detail/parallel.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"

// Weak: with a BLAS that is not OpenBLAS these are null.
extern "C" {
__attribute__((weak)) int openblas_get_num_threads(void);
__attribute__((weak)) void openblas_set_num_threads(int);
}

namespace gaussianize::detail {
namespace {

std::mutex blas_mutex;
int blas_guards = 0;
int blas_threads_before = 1;

/// Collects what the workers throw and keeps the exception of the lowest index.
class FirstFailure {
 public:
  void record(std::size_t index) {
    const std::lock_guard lock(mutex_);
    if (failure_ && index_ <= index) return;
    failure_ = std::current_exception();
    index_ = index;
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::size_t index_ = 0;
};

}  // namespace

BlasGuard::BlasGuard() {
  if (!openblas_set_num_threads || !openblas_get_num_threads) return;
  const std::lock_guard lock(blas_mutex);
  if (blas_guards++ > 0) return;
  blas_threads_before = openblas_get_num_threads();
  if (blas_threads_before != 1) openblas_set_num_threads(1);
}

BlasGuard::~BlasGuard() {
  if (!openblas_set_num_threads || !openblas_get_num_threads) return;
  const std::lock_guard lock(blas_mutex);
  if (--blas_guards == 0 && blas_threads_before != 1) openblas_set_num_threads(blas_threads_before);
}

std::size_t resolve_threads(int threads) {
  require(threads >= 0, "threads is ", threads, "; give a positive number, or 0 for one per hardware thread");
  if (threads > 0) return static_cast<std::size_t>(threads);
  return std::max(1U, std::thread::hardware_concurrency());
}

void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& body) {
  const std::size_t workers = std::min(resolve_threads(threads), count);
  const BlasGuard blas;
  if (workers <= 1) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  std::atomic<std::size_t> next{0};
  FirstFailure failure;
  const auto work = [&] {
    // Indices are handed out in order, so every index below a failed one has been started and will be finished:
    // the lowest failure is the one a serial loop would have met.
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      try {
        body(i);
      } catch (...) {
        failure.record(i);
        next.store(count);
      }
    }
  };
  {
    std::vector<std::jthread> helpers;
    helpers.reserve(workers - 1);
    try {
      for (std::size_t t = 1; t < workers; ++t) helpers.emplace_back(work);
    } catch (const std::system_error&) {
      // No more threads are available: those that started, and this one, do all the work.
    }
    work();
  }
  failure.rethrow();
}

void for_each_block(std::size_t rows, const Execution& execution, const std::function<void(RowRange)>& body) {
  const std::size_t blocks = block_count(rows);
  // Without a callback there is no reason to stop between blocks.
  const std::size_t stride =
      execution.progress ? std::max<std::size_t>(16, blocks / 100) : std::max<std::size_t>(1, blocks);
  const BlasGuard blas;
  for (std::size_t first = 0; first < blocks; first += stride) {
    const std::size_t count = std::min(stride, blocks - first);
    parallel_for(count, execution.threads, [&](std::size_t i) { body(block_range(first + i, rows)); });
    if (!execution.progress) continue;
    if (!execution.progress({std::min(rows, (first + count) * rows_per_block), rows})) throw Cancelled();
  }
}

}  // namespace gaussianize::detail
