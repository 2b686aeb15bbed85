#include <atomic>
#include <barrier>
#include <stdexcept>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/execution.hpp"

extern "C" {
__attribute__((weak)) int openblas_get_num_threads(void);
__attribute__((weak)) void openblas_set_num_threads(int);
}

using namespace gaussianize;
using namespace gaussianize::detail;

namespace {

/// With another BLAS there is nothing to test: a guard must merely do no harm.
bool has_openblas() {
  return openblas_get_num_threads && openblas_set_num_threads;
}

/// Sets OpenBLAS's threads and puts them back.
class BlasThreads {
 public:
  explicit BlasThreads(int threads) : before_(openblas_get_num_threads()) { openblas_set_num_threads(threads); }
  ~BlasThreads() { openblas_set_num_threads(before_); }
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

 private:
  int before_;
};

}  // namespace

TEST_CASE("a guard holds OpenBLAS to one thread and puts the former number back") {
  if (!has_openblas()) return;
  for (const int threads : {1, 2}) {
    const BlasThreads blas(threads);
    REQUIRE(openblas_get_num_threads() == threads);
    {
      const BlasGuard guard;
      CHECK(openblas_get_num_threads() == 1);
    }
    CHECK(openblas_get_num_threads() == threads);
  }
}

TEST_CASE("guards nest: the last one to go restores") {
  if (!has_openblas()) return;
  const BlasThreads blas(2);
  {
    const BlasGuard outer;
    {
      const BlasGuard inner;
      CHECK(openblas_get_num_threads() == 1);
    }
    CHECK(openblas_get_num_threads() == 1);
  }
  CHECK(openblas_get_num_threads() == 2);
}

TEST_CASE("guards on several threads: BLAS stays on one thread until the last has gone") {
  if (!has_openblas()) return;
  const BlasThreads blas(2);
  constexpr int workers = 4;
  std::atomic<int> wrong{0};
  {
    std::barrier together(workers);
    std::vector<std::jthread> threads;
    for (int t = 0; t < workers; ++t)
      threads.emplace_back([&] {
        for (int repeat = 0; repeat < 200; ++repeat) {
          {
            const BlasGuard guard;
            if (openblas_get_num_threads() != 1) ++wrong;
            if (repeat % 10 == 0) together.arrive_and_wait();
            if (openblas_get_num_threads() != 1) ++wrong;
          }
        }
      });
  }
  CHECK(wrong == 0);
  CHECK(openblas_get_num_threads() == 2);
}

TEST_CASE("parallel_for and for_each_block hold BLAS to one thread, whatever happens") {
  if (!has_openblas()) return;
  const BlasThreads blas(2);
  for (const int threads : {1, 3}) {
    std::atomic<int> wrong{0};
    const auto look = [&] { wrong += openblas_get_num_threads() != 1; };
    parallel_for(20, threads, [&](std::size_t) { look(); });
    CHECK(openblas_get_num_threads() == 2);
    for_each_block(2000, {.threads = threads}, [&](RowRange) { look(); });
    CHECK(openblas_get_num_threads() == 2);
    CHECK(wrong == 0);
    CHECK_THROWS(parallel_for(20, threads, [](std::size_t) { throw std::runtime_error("x"); }));
    CHECK(openblas_get_num_threads() == 2);
    CHECK_THROWS(
        for_each_block(2000, {.threads = threads, .progress = [](const Progress&) { return false; }}, [](RowRange) {}));
    CHECK(openblas_get_num_threads() == 2);
  }
}
