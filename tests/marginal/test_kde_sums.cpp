#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "gaussianize/core/error.hpp"
#include "gaussianize/marginal/bandwidth.hpp"
#include "gaussianize/marginal/detail/kde_sums.hpp"

#include "marginal/columns.hpp"
#include "marginal/direct.hpp"
#include "support/laws.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

namespace {

/// Largest relative errors of the three sums over (some of) the lattice.
struct Errors {
  double tail = 0.0, density = 0.0;
};

Errors errors(const Column& x, double h, std::int64_t stride) {
  const KdeSums sums(x.data(), x.size(), h);
  Errors worst;
  for (std::size_t s = 0; s < sums.segments().size(); ++s)
    for (std::int64_t step = 0; step <= sums.segments()[s].steps; step += stride) {
      const KdeSums::Point fast = sums.at(s, step);
      const DirectPoint direct = direct_kde(x, h, sums.position(s, step));
      worst.tail =
          std::max({worst.tail, relative_error(fast.lower, direct.lower), relative_error(fast.upper, direct.upper)});
      worst.density = std::max(worst.density, relative_error(fast.density, direct.density));
    }
  return worst;
}

}  // namespace

TEST_CASE("the sums are the direct ones: tails to 5e-9, density to 3e-8, out to 20 h beyond the data") {
  for (const std::size_t n : {1UL, 2UL, 3UL, 10UL, 100UL, 1000UL})
    for (const NamedColumn& shape : column_shapes(std::max<std::size_t>(2, n), 40 + n)) {
      const Column& x = shape.x;
      // There the distance between a row and a lattice point is known to a few digits alone.
      if (shape.name == "outlier above" || shape.name == "outlier below" || shape.name == "shifted normal") continue;
      for (const double factor : {0.1, 1.0, 5.0}) {
        CAPTURE(n);
        CAPTURE(shape.name);
        CAPTURE(factor);
        const Column rows(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n));
        const double h = factor * select_bandwidth(x.data(), x.size(), BandwidthRule::rule_of_thumb);
        const Errors worst = errors(rows, h, n < 100 ? 1 : 7);
        CHECK(worst.tail < 5e-9);
        CHECK(worst.density < 3e-8);
      }
    }
}

TEST_CASE("the worst row of a cell is the one at its edge") {
  // A second row that is as far as it can be from its cell's centre, at every distance from the first.
  for (int i = 0; i <= 16; ++i) {
    const Column x{0.0, 2.0 + i / 32.0};
    const Errors worst = errors(x, 1.0, 1);
    CHECK(worst.tail < 5e-9);
    CHECK(worst.density < 3e-8);
  }
}

TEST_CASE("segments hold all the rows, stay apart, and keep 20 h of lattice around their rows") {
  for (const NamedColumn& shape : column_shapes(300, 50)) {
    const Column& x = shape.x;
    CAPTURE(shape.name);
    for (const double factor : {0.01, 0.1, 1.0}) {
      const double h = factor * select_bandwidth(x.data(), x.size(), BandwidthRule::rule_of_thumb);
      const KdeSums sums(x.data(), x.size(), h);
      double mass = 0;
      std::size_t seen = 0;
      for (std::size_t s = 0; s < sums.segments().size(); ++s) {
        const KdeSums::Segment& segment = sums.segments()[s];
        mass += segment.mass;
        CHECK(segment.steps % KdeSums::alignment == 0);
        const double begin = sums.position(s, 0), end = sums.position(s, segment.steps);
        if (s > 0) CHECK(begin > sums.position(s - 1, sums.segments()[s - 1].steps));
        std::size_t inside = 0;
        for (const double row : x) {
          const double least = 20 * h * (1 - 1e-12) - 4e-16 * std::abs(row);  // the ends are rounded
          inside += row - begin >= least && end - row >= least;
        }
        CHECK(relative_error(static_cast<double>(inside), segment.mass * 300) < 1e-13);
        seen += inside;
      }
      CHECK(seen == x.size());
      CHECK(relative_error(mass, 1.0) < 1e-13);
    }
  }
}

TEST_CASE("sparse and dense gathering agree") {
  // The same rows, once with fillers that keep the range dense: F times the number of rows adds up.
  const double h = 0.01;
  Column sparse = clustered_column(40, 51, 2, 60, 0.1);
  Column fillers;
  for (int i = 0; i < 2000; ++i) fillers.push_back(-1 + 62 * i / 2000.0);
  Column all = sparse;
  all.insert(all.end(), fillers.begin(), fillers.end());
  for (const Column& x : {sparse, fillers, all}) {
    const Errors worst = errors(x, h, 31);
    CHECK(worst.tail < 5e-9);
    CHECK(worst.density < 3e-8);
  }
  CHECK(KdeSums(sparse.data(), sparse.size(), h).segments().size() >= 2);
  CHECK(KdeSums(all.data(), all.size(), h).segments().size() == 1);
}

TEST_CASE("an outlier takes no digits from the other rows, on either side") {
  for (const double outlier : {1e9, -1e9, 1e12, -1e12}) {
    CAPTURE(outlier);
    const Column x = with_first(normal_column(200, 52), outlier);
    const KdeSums sums(x.data(), x.size(), 0.1);
    REQUIRE(sums.segments().size() >= 2);
    const std::size_t main = outlier > 0 ? 0 : sums.segments().size() - 1;
    for (std::int64_t step = 0; step <= sums.segments()[main].steps; step += 5) {
      const DirectPoint direct = direct_kde(x, 0.1, sums.position(main, step));
      CHECK(relative_error(sums.at(main, step).lower, direct.lower) < 5e-9);
      CHECK(relative_error(sums.at(main, step).upper, direct.upper) < 5e-9);
    }
  }
}

TEST_CASE("a bandwidth that the data's precision or range do not allow is a DataError") {
  const auto sums = [](Column x, double h) { return KdeSums(x.data(), x.size(), h); };
  CHECK_THROWS_AS(sums({1e15, 1e15 + 1, 1e15 + 2}, 0.1), DataError);
  CHECK_THROWS_AS(sums({0, 1e16}, 1.0), DataError);
  CHECK_THROWS_AS(sums({-1.7e308, 1.7e308}, 1.0), DataError);
  Column isolated;
  for (int i = 0; i < 500'000; ++i) isolated.push_back(1e4 * i);
  CHECK_THROWS_AS(sums(isolated, 1.0), DataError);
  CHECK_THROWS_AS(sums({1.0}, 0.0), std::invalid_argument);
  CHECK_THROWS_AS(sums({}, 1.0), std::invalid_argument);
}

TEST_CASE("wherever the sums are accepted, lattice points are distinct and in order") {
  for (const double size : {1e12, 1e13, 3e13, 1e14, 2e14, 4e14, 1e15}) {
    const Column x{size, size + 1, size + 3};
    try {
      const KdeSums sums(x.data(), x.size(), 0.25);
      for (std::int64_t step = 1; step <= sums.segments()[0].steps; ++step)
        REQUIRE(sums.position(0, step) > sums.position(0, step - 1));
      CHECK(size < 4e14);
    } catch (const DataError&) {
      CHECK(size > 1e13);
    }
  }
}
