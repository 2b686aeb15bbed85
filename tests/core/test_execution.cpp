#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/core/execution.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;

namespace {

constexpr std::size_t many_rows = 100'000;  // 391 blocks

}  // namespace

TEST_CASE("for_each_block visits every row once, in the fixed blocks, with or without a listener") {
  for (const int threads : {1, 2, 3, 8})
    for (const bool listen : {false, true})
      for (const std::size_t rows : {0UL, 1UL, 256UL, 257UL, 16UL * 256UL + 1UL, many_rows}) {
        CAPTURE(threads);
        CAPTURE(rows);
        std::vector<std::atomic<int>> visits(rows);
        std::atomic<int> misaligned{0};
        Execution execution{.threads = threads};
        if (listen) execution.progress = [](const Progress&) { return true; };
        for_each_block(rows, execution, [&](RowRange r) {
          misaligned += r.begin % rows_per_block != 0 || r.end != std::min(rows, r.begin + rows_per_block);
          for (std::size_t i = r.begin; i < r.end; ++i) ++visits[i];
        });
        CHECK(misaligned == 0);
        std::size_t wrong = 0;
        for (const auto& v : visits) wrong += v != 1;
        CHECK(wrong == 0);
      }
}

TEST_CASE("progress is told from the calling thread, never falls, and ends with all rows") {
  for (const int threads : {1, 3}) {
    std::vector<std::size_t> done;
    std::atomic<std::size_t> worked{0};
    const auto caller = std::this_thread::get_id();
    const auto listen = [&](const Progress& p) {
      CHECK(std::this_thread::get_id() == caller);
      CHECK(p.total == many_rows);
      // What is reported as done has been done.
      CHECK(p.done == worked);
      done.push_back(p.done);
      return true;
    };
    for_each_block(many_rows, {.threads = threads, .progress = listen}, [&](RowRange r) { worked += r.size(); });
    REQUIRE(done.size() >= 10);
    CHECK(done.size() <= 101);
    for (std::size_t i = 1; i < done.size(); ++i) CHECK(done[i] > done[i - 1]);
    CHECK(done.back() == many_rows);
  }
}

TEST_CASE("returning false stops with Cancelled, soon") {
  for (const int threads : {1, 3}) {
    std::atomic<std::size_t> worked{0};
    int calls = 0;
    const auto listen = [&](const Progress&) { return ++calls < 3; };
    CHECK_THROWS_AS(
        for_each_block(many_rows, {.threads = threads, .progress = listen}, [&](RowRange r) { worked += r.size(); }),
        Cancelled);
    CHECK(calls == 3);
    CHECK(worked < many_rows / 2);
  }
}

TEST_CASE("no rows: nothing is called, nobody is asked") {
  for_each_block(0, {.threads = 2, .progress = [](const Progress&) -> bool { throw std::logic_error("asked"); }},
                 [](RowRange) { throw std::logic_error("called"); });
}

TEST_CASE("the exception of the first failing block comes through") {
  for (const int threads : {1, 2, 8})
    CHECK_THROWS_WITH_AS(for_each_block(many_rows, {.threads = threads},
                                        [](RowRange r) {
                                          if (r.begin >= 5120) throw std::runtime_error(std::to_string(r.begin));
                                        }),
                         "5120", std::runtime_error);
}

TEST_CASE("a negative number of threads is the caller's mistake") {
  CHECK_THROWS_AS(for_each_block(10, {.threads = -2}, [](RowRange) {}), std::invalid_argument);
}
