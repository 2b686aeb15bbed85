#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "gaussianize/info/measure.hpp"

#include "support/dependence_cases.hpp"

using namespace gaussianize;

namespace {

const MeasureOptions quick{.permutations = 0};

Measure measured(const std::string& name, std::size_t rows, Seed seed, MeasureOptions options = quick) {
  const testing::DependenceCase& one = testing::dependence_case(name);
  options.seed = seed;
  return testing::measure(one, one.draw(rows, seed), options);
}

}  // namespace

TEST_CASE("dependence of every kind is found from 2,500 rows") {
  struct Row {
    const char* name;
    double tolerance;  // of the truth
  };
  for (const Row& row : {Row{"swiss roll", 0.15}, Row{"sign product D=3", 0.05}, Row{"sign product of 3 in D=5", 0.06},
                         Row{"exclusive or", 0.06}, Row{"two waves", 0.08}, Row{"sine chain D=5", 0.06},
                         Row{"normal sparse 5+5", 0.08}}) {
    CAPTURE(row.name);
    const double truth = testing::dependence_case(row.name).truth;
    const Measure found = measured(row.name, 2500, Seed{3});
    CAPTURE(found.value);
    CHECK(std::abs(found.value - truth) < row.tolerance * truth);
  }
}

TEST_CASE("mutual information is not negative where a group lies on a curve, and zero between independent groups") {
  CHECK(measured("swiss roll", 500, Seed{1}).value > 0.2);
  CHECK(std::abs(measured("independent 3+3", 1000, Seed{2}).value) < 0.01);
}

TEST_CASE("a measure names its candidates, and one of them is chosen") {
  const Measure found = measured("sine chain D=5", 1500, Seed{4});
  REQUIRE(found.candidates.size() >= 4);
  std::size_t chosen = 0;
  for (const MeasureCandidate& candidate : found.candidates) {
    CHECK_FALSE(candidate.name.empty());
    CHECK(std::isfinite(candidate.held_out.value));
    if (!candidate.chosen) continue;
    ++chosen;
    CHECK(found.method == candidate.name);
    // The value is what unseen rows show, and the allowance for what fitting misses.
    CHECK(std::abs(found.value - found.model_error - candidate.held_out.value) < 1e-12);
  }
  CHECK(chosen == 1);
  CHECK(std::abs(found.interval.high - found.value - normal_975 * found.standard_error - found.model_error) < 1e-12);
  CHECK(measured("independent D=5", 1000, Seed{5}).candidates.empty());
  // Without candidates: other values than with them, within milliseconds.
  CHECK(
      measured("sine chain D=5", 1500, Seed{4}, {.effort = MeasureEffort::fast, .permutations = 0}).candidates.empty());
}

TEST_CASE("a single method is suspect where lower bounds are above it, and not on normal rows") {
  for (const MeasureMethod method : {MeasureMethod::rbig, MeasureMethod::nearest_neighbour}) {
    CHECK(measured("sine chain D=10", 2000, Seed{8}, {.method = method, .permutations = 0}).suspect);
    CHECK_FALSE(measured("gaussian AR(1) D=3", 1000, Seed{8}, {.method = method, .permutations = 0}).suspect);
  }
  CHECK(measured("sign product D=3", 2000, Seed{8}, {.method = MeasureMethod::rbig, .permutations = 0}).suspect);
}

TEST_CASE("a limit on the rows is kept, and named") {
  const Measure found = measured("student-t AR(1) D=3", 3000, Seed{6}, {.max_rows = 1000, .permutations = 0});
  CHECK(found.method.find("1000 of 3000 rows") != std::string::npos);
  CHECK(found.standard_error > 1.5 * measured("student-t AR(1) D=3", 3000, Seed{6}).standard_error);
}

TEST_CASE("candidates give the same bytes for any number of threads") {
  for (const char* name : {"exclusive or, (x1, x2); x3", "sine chain D=3"}) {
    const Measure one = measured(name, 800, Seed{7}, {.permutations = 0, .threads = 1});
    for (const int threads : {2, 3}) {
      const Measure other = measured(name, 800, Seed{7}, {.permutations = 0, .threads = threads});
      CHECK(one.value == other.value);
      CHECK(one.standard_error == other.standard_error);
      CHECK(one.model_error == other.model_error);
    }
  }
}
