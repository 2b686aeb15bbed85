#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cmath>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/random.hpp"

#include "support/bytes.hpp"
#include "support/laws.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;

namespace {

constexpr int thread_counts[] = {1, 2, 3, 8};

/// What parallel_for throws when the bodies of `failing` do. The lowest of them takes its time, so that the others
/// fail first wherever there is more than one thread.
std::string failure(int threads, const std::set<std::size_t>& failing) {
  try {
    parallel_for(300, threads, [&](std::size_t i) {
      if (!failing.contains(i)) return;
      if (i == *failing.begin()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      throw std::runtime_error(std::to_string(i));
    });
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "nothing";
}

}  // namespace

TEST_CASE("blocks cover the rows, each once, in runs of 256") {
  CHECK(block_count(0) == 0);
  for (const std::size_t rows : {1UL, 255UL, 256UL, 257UL, 1000UL, 1024UL}) {
    std::size_t next = 0;
    for (std::size_t b = 0; b < block_count(rows); ++b) {
      const RowRange range = block_range(b, rows);
      CHECK(range.begin == next);
      CHECK(range.size() >= 1);
      CHECK(range.size() <= rows_per_block);
      if (b + 1 < block_count(rows)) CHECK(range.size() == rows_per_block);
      next = range.end;
    }
    CHECK(next == rows);
  }
  CHECK(block_count(10, 3) == 4);
  CHECK(block_range(3, 10, 3).begin == 9);
  CHECK(block_range(3, 10, 3).end == 10);
}

TEST_CASE("0 threads is one per hardware thread, a negative number a mistake") {
  CHECK(resolve_threads(0) >= 1);
  CHECK(resolve_threads(5) == 5);
  CHECK_THROWS_AS(resolve_threads(-1), std::invalid_argument);
  CHECK_THROWS_AS(parallel_for(3, -1, [](std::size_t) {}), std::invalid_argument);
}

TEST_CASE("parallel_for calls every index once, on no more threads than asked") {
  for (const int threads : thread_counts)
    for (const std::size_t count : {0UL, 1UL, 2UL, 7UL, 1000UL}) {
      CAPTURE(threads);
      CAPTURE(count);
      std::vector<std::atomic<int>> calls(count);
      std::mutex mutex;
      std::set<std::thread::id> ids;
      parallel_for(count, threads, [&](std::size_t i) {
        ++calls.at(i);
        const std::lock_guard lock(mutex);
        ids.insert(std::this_thread::get_id());
      });
      for (const auto& c : calls) CHECK(c == 1);
      CHECK(ids.size() <= static_cast<std::size_t>(threads));
      if (threads == 1 && count > 0) CHECK(*ids.begin() == std::this_thread::get_id());
    }
}

TEST_CASE("parallel_for does use several threads") {
  // Both bodies wait for the other: on one thread this would not end before CTest ends it.
  std::barrier meeting(2);
  std::array<std::thread::id, 2> ids;
  parallel_for(2, 2, [&](std::size_t i) {
    meeting.arrive_and_wait();
    ids[i] = std::this_thread::get_id();
  });
  CHECK(ids[0] != ids[1]);
}

TEST_CASE("the exception of the lowest index is rethrown, as by a serial loop") {
  for (const int threads : thread_counts) {
    CAPTURE(threads);
    CHECK(failure(threads, {}) == "nothing");
    CHECK(failure(threads, {0}) == "0");
    CHECK(failure(threads, {299}) == "299");
    for (int repeat = 0; repeat < 5; ++repeat) CHECK(failure(threads, {17, 18, 19, 20, 40, 200}) == "17");
  }
}

TEST_CASE("every index below a failed one is still carried out, and few above") {
  for (const int threads : thread_counts) {
    CAPTURE(threads);
    std::vector<std::atomic<int>> calls(10'000);
    std::atomic<bool> failed = false;
    std::atomic<int> above = 0;
    CHECK_THROWS_AS(parallel_for(calls.size(), threads,
                                 [&](std::size_t i) {
                                   ++calls[i];
                                   if (i == 100) {
                                     failed = true;
                                     throw std::logic_error("stop");
                                   }
                                   // Index 100 was handed out before this one.
                                   while (i > 100 && !failed) std::this_thread::yield();
                                   // Each takes longer than the one before: on a machine of any speed the failure is
                                   // known long before 1000 of them are done.
                                   if (i > 100) std::this_thread::sleep_for(std::chrono::milliseconds(++above));
                                 }),
                    std::logic_error);
    for (std::size_t i = 0; i <= 100; ++i) CHECK(calls[i] == 1);
    CHECK(above < (threads == 1 ? 1 : 1000));
  }
}

TEST_CASE("parallel_for may be used within itself, and its exceptions pass both levels") {
  for (const int threads : thread_counts) {
    std::vector<std::atomic<int>> calls(12 * 30);
    parallel_for(12, threads,
                 [&](std::size_t i) { parallel_for(30, threads, [&](std::size_t j) { ++calls[30 * i + j]; }); });
    for (const auto& c : calls) CHECK(c == 1);
    CHECK_THROWS_WITH_AS(parallel_for(4, threads,
                                      [&](std::size_t i) {
                                        parallel_for(4, threads, [&](std::size_t j) {
                                          if (i == 2 && j == 1) throw std::runtime_error("inner");
                                        });
                                      }),
                         "inner", std::runtime_error);
  }
}

TEST_CASE("tree_sum adds in a fixed tree") {
  const auto shape = [](std::size_t parts) {
    std::vector<std::string> leaves;
    for (std::size_t i = 0; i < parts; ++i) leaves.push_back(std::to_string(i));
    return tree_sum(leaves, [](std::string& a, const std::string& b) { a = "(" + a + " " + b + ")"; });
  };
  CHECK(shape(1) == "0");
  CHECK(shape(2) == "(0 1)");
  CHECK(shape(3) == "((0 1) 2)");
  CHECK(shape(5) == "(((0 1) (2 3)) 4)");
  CHECK(shape(7) == "(((0 1) (2 3)) ((4 5) 6))");
  CHECK(shape(8) == "(((0 1) (2 3)) ((4 5) (6 7)))");
}

TEST_CASE("reductions have the same bytes for every number of threads") {
  // Numbers of very different size: any other order of addition shows in the last bits.
  RandomStream stream(Seed{1}, Purpose::test);
  std::vector<double> values(100'003);
  for (double& v : values) v = std::exp(40 * (stream.uniform() - 0.5)) * (stream.uniform() < 0.5 ? -1 : 1);
  const auto reduce = [&](int threads, std::size_t block) {
    const auto sum = [&](RowRange r) {
      double s = 0;
      for (std::size_t i = r.begin; i < r.end; ++i) s += values[i];
      return s;
    };
    return reduce_rows<double>(
        values.size(), threads, sum, [](double& a, double b) { a += b; }, block);
  };
  const double one = reduce(1, rows_per_block);
  for (const int threads : {2, 3, 8, 0})
    for (int repeat = 0; repeat < 5; ++repeat) {
      const double more = reduce(threads, rows_per_block);
      CHECK(testing::same_bytes({&one, 1}, {&more, 1}));
    }
  // The data can tell: another tree gives other bits.
  const double other = reduce(1, 100);
  CHECK_FALSE(testing::same_bytes({&one, 1}, {&other, 1}));
  CHECK(testing::relative_error(one, other) < 1e-10);
}
