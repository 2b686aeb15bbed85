#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/info/detail/conditional_test.hpp"
#include "gaussianize/info/detail/permutation_test.hpp"

#include "info/dependence.hpp"
#include "support/statistics.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

namespace {

constexpr std::size_t repeats = 200;

/// Spread over their grid, so that p-values of independent columns are uniform. Those of a test that gives none are
/// left out.
template <class PValue>
std::vector<double> spread_p_values(PValue p_value) {
  std::vector<double> p = for_seeds(repeats, [&](std::uint64_t seed) {
    RandomStream stream(Seed{seed}, Purpose::test, 99);
    const std::optional<double> value = p_value(seed, MeasureOptions{.seed = Seed{seed}, .threads = 1});
    return value ? *value - stream.uniform() / 200 : 2.0;
  });
  p.erase(std::remove(p.begin(), p.end(), 2.0), p.end());
  return p;
}

std::size_t rejections(const std::string& what, const std::vector<double>& p) {
  const std::size_t count = count_at_most(p, 0.05);
  MESSAGE(what, ": p <= 0.05 in ", count, " of ", p.size(), ", Kolmogorov-Smirnov ",
          kolmogorov_statistic(p, [](double u) { return u; }));
  return count;
}

/// How often the test of all columns rejects samples that a function of the seed draws.
template <class Draw>
std::size_t joint(const std::string& what, Draw draw) {
  return rejections(what, spread_p_values([&](std::uint64_t seed, const MeasureOptions& options) {
                      return independence_p_value(scores_of(draw(seed)), options);
                    }));
}

}  // namespace

TEST_CASE("the test of all columns finds at least what it should") {
  const auto at_least = [](std::size_t least, const std::string& what, auto draw) {
    CHECK(joint(what, draw) >= least);
  };
  at_least(198, "product of three, D = 3", [](std::uint64_t s) { return positive_product(500, 3, 3, s); });
  at_least(198, "product of three, D = 5", [](std::uint64_t s) { return positive_product(500, 5, 3, s); });
  at_least(198, "product of five, D = 5", [](std::uint64_t s) { return positive_product(500, 5, 5, s); });
  at_least(198, "product of three, D = 10", [](std::uint64_t s) { return positive_product(500, 10, 3, s); });
  at_least(55, "correlation 0.1, D = 2", [](std::uint64_t s) { return correlated(500, 2, 0.1, s); });
  at_least(180, "correlation 0.2, D = 2", [](std::uint64_t s) { return correlated(500, 2, 0.2, s); });
  at_least(110, "correlation 0.2, D = 5", [](std::uint64_t s) { return correlated(500, 5, 0.2, s); });
  at_least(180, "t with 5, D = 2", [](std::uint64_t s) { return common_scale(500, 2, 5, s); });
  at_least(190, "t with 10, D = 5", [](std::uint64_t s) { return common_scale(500, 5, 10, s); });
  at_least(190, "scale 0.15, D = 2", [](std::uint64_t s) { return scaled(500, 2, 0.15, s); });
  at_least(85, "scale 0.15, D = 5", [](std::uint64_t s) { return scaled(500, 5, 0.15, s); });
  at_least(190, "sine, D = 5", [](std::uint64_t s) { return sine(200, 5, s); });
}

TEST_CASE("p-values are uniform under independence") {
  for (const std::size_t d : {std::size_t{2}, std::size_t{3}, std::size_t{10}}) {
    const std::vector<double> p = spread_p_values([&](std::uint64_t seed, const MeasureOptions& options) {
      return independence_p_value(scores_of(normals(200, d, seed)), options);
    });
    rejections("independent, D = " + std::to_string(d), p);
    CHECK(kolmogorov_statistic(p, [](double u) { return u; }) < 1.63);
    const std::vector<double> groups = spread_p_values([&](std::uint64_t seed, const MeasureOptions& options) {
      const arma::mat z = scores_of(arma::join_rows(common_scale(200, d, 3, seed), normals(200, d, seed, 7)));
      return independence_p_value(z.head_cols(d), z.tail_cols(d), options);
    });
    rejections("independent groups, D = " + std::to_string(d), groups);
    CHECK(kolmogorov_statistic(groups, [](double u) { return u; }) < 1.63);
  }
}

TEST_CASE("conditional p-values are near uniform where columns depend on each other through others alone") {
  for (const std::size_t rows : {std::size_t{300}, std::size_t{1000}})
    for (const std::size_t k : {std::size_t{1}, std::size_t{3}})
      for (const Driven how : {Driven::linear, Driven::square, Driven::wave, Driven::scale, Driven::mixed}) {
        const std::vector<double> p = spread_p_values([&](std::uint64_t seed, const MeasureOptions& options) {
          const arma::mat z = scores_of(driven(how, rows, k, seed));
          return independence_p_value(z.col(0), z.col(1), z.tail_cols(k), options);
        });
        const std::size_t count = rejections("form " + std::to_string(static_cast<int>(how)) +
                                                 ", k = " + std::to_string(k) + ", " + std::to_string(rows),
                                             p);
        // Curved functions of three columns are refused.
        if (k == 3 && (how == Driven::square || how == Driven::wave)) {
          CHECK(p.size() <= 10);
          continue;
        }
        CHECK(count <= 22);
        if (p.size() >= 100) CHECK(kolmogorov_statistic(p, [](double u) { return u; }) < 1.95);
      }
}

TEST_CASE("the conditional test finds dependence whose sign depends on the third column") {
  const auto given = [](const std::string& what, auto draw) {
    return rejections(what, spread_p_values([&](std::uint64_t seed, const MeasureOptions& options) {
                        const arma::mat z = scores_of(draw(seed));
                        return independence_p_value(z.col(0), z.col(1), z.tail_cols(z.n_cols - 2), options);
                      }));
  };
  CHECK(given("product of three", [](std::uint64_t s) { return positive_product(500, 3, 3, s); }) >= 198);
  CHECK(given("product of three of five", [](std::uint64_t s) { return positive_product(500, 5, 3, s); }) >= 190);
  CHECK(given("partial correlation 0.2", [](std::uint64_t s) {
          arma::mat x = driven(Driven::linear, 500, 1, s);
          x.col(1) += 0.2 * (x.col(0) - x.col(2));
          return x;
        }) >= 170);
}
