#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/info/detail/conditional_test.hpp"
#include "gaussianize/info/detail/independence_features.hpp"
#include "gaussianize/info/detail/permutation_p_value.hpp"
#include "gaussianize/info/detail/permutation_test.hpp"

#include "info/dependence.hpp"
#include "support/draws.hpp"
#include "support/statistics.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

namespace {

MeasureOptions serial(std::size_t permutations, std::uint64_t seed = 0) {
  return {.permutations = permutations, .seed = Seed{seed}, .threads = 1};
}

/// Of the k + 1 values that a p-value can have, how often each came.
std::vector<std::size_t> grid_counts(const std::vector<double>& p, std::size_t permutations) {
  std::vector<std::size_t> counts(permutations + 1);
  for (const double value : p) {
    const double place = value * static_cast<double>(permutations + 1) - 1;
    CHECK(std::abs(place - std::round(place)) < 1e-9);
    ++counts.at(static_cast<std::size_t>(std::lround(place)));
  }
  return counts;
}

}  // namespace

TEST_CASE("cosines of ranks are nearly orthonormal") {
  const arma::mat z = scores_of(normals(500, 1, 1));
  const arma::mat f = cosines(z, 6);
  CHECK(arma::abs(f.t() * f - arma::eye(6, 6)).max() < 0.01);
  CHECK(arma::abs(arma::sum(f, 0)).max() < 1e-12);
}

TEST_CASE("products: different, of different columns, the simple ones first") {
  for (const std::size_t columns : {std::size_t{3}, std::size_t{5}, std::size_t{40}}) {
    RandomStream stream(Seed{2}, Purpose::test);
    constexpr std::size_t count = 4, max_count = 300;
    const std::vector<Product> list = products(columns, count, 3, max_count, 1000, stream);
    CHECK(list.size() > (columns == 3 ? 40u : 250u));
    CHECK(list.size() <= max_count);
    CHECK(list.front().factors.size() == (columns == 40 ? 3 : columns));
    CHECK(list.front().weight == 1.0);
    for (const Product& product : list) {
      CHECK(product.factors.size() >= 3);
      CHECK(product.factors.size() <= 17);  // log 1000/log 1.5
      double weight = 1;
      for (std::size_t k = 0; k < product.factors.size(); ++k) {
        weight /= static_cast<double>(product.factors[k] % count + 1);
        if (k > 0) CHECK(product.factors[k] / count > product.factors[k - 1] / count);
      }
      CHECK(product.weight == weight);
    }
  }
  RandomStream stream(Seed{3}, Purpose::test);
  CHECK(products(2, 4, 3, 100, 1000, stream).empty());
}

TEST_CASE("sums of products agree with a direct loop") {
  RandomStream stream(Seed{4}, Purpose::test);
  const arma::mat f = cosines(scores_of(normals(1301, 5, 4)), 3);
  const std::vector<Product> list = products(5, 3, 2, 60, 1301, stream);
  const arma::vec sums = standardised_sums(list, f);
  for (std::size_t m = 0; m < list.size(); ++m) {
    double sum = 0;
    for (arma::uword i = 0; i < f.n_rows; ++i) {
      double product = 1 / std::sqrt(1301.0);
      for (const arma::uword k : list[m].factors) product *= f(i, k) * std::sqrt(1301.0);
      sum += product;
    }
    CHECK(std::abs(sums[m] - sum) < 1e-10);
  }
}

TEST_CASE("p-values are uniform on their grid under independence") {
  constexpr std::size_t permutations = 9, seeds = 300;
  const auto uniform = [&](auto p_value) {
    const std::vector<double> p = for_seeds(seeds, [&](std::uint64_t seed) {
      return p_value(scores_of(normals(40, 4, seed)), serial(permutations, seed));
    });
    CHECK(uniformity_p_value(grid_counts(p, permutations)) > 0.01);
  };
  uniform([](const arma::mat& z, const MeasureOptions& o) { return independence_p_value(z, o).value(); });
  uniform([](const arma::mat& z, const MeasureOptions& o) {
    return independence_p_value(z.head_cols(2), z.tail_cols(2), o).value();
  });
  uniform([](const arma::mat& z, const MeasureOptions& o) { return pairwise_p_values(z, o)(2, 1); });
}

TEST_CASE("the chance of p ≤ 0.1 is no larger where columns of a group depend on each other") {
  const std::vector<double> p = for_seeds(300, [](std::uint64_t seed) {
    const arma::mat z = scores_of(arma::join_rows(common_scale(40, 2, 2, seed), normals(40, 2, seed, 5)));
    return independence_p_value(z.head_cols(2), z.tail_cols(2), serial(9, seed)).value();
  });
  CHECK(count_at_most(p, 0.1) <= 45);
  CHECK(count_at_most(p, 0.1) >= 15);
}

TEST_CASE("a dependence that no pair of columns shows is found") {
  constexpr std::size_t seeds = 20;
  for (const std::size_t k : {std::size_t{3}, std::size_t{5}}) {
    const std::vector<double> p = for_seeds(seeds, [&](std::uint64_t seed) {
      return independence_p_value(scores_of(positive_product(500, 5, k, seed)), serial(39)).value();
    });
    CHECK(count_at_most(p, 0.05) == seeds);
  }
  const std::vector<double> groups = for_seeds(seeds, [](std::uint64_t seed) {
    const arma::mat z = scores_of(positive_product(500, 3, 3, seed));
    return independence_p_value(z.head_cols(2), z.col(2), serial(39)).value();
  });
  CHECK(count_at_most(groups, 0.05) == seeds);
  const std::vector<double> given = for_seeds(seeds, [](std::uint64_t seed) {
    const arma::mat z = scores_of(positive_product(500, 3, 3, seed));
    return independence_p_value(z.col(0), z.col(1), z.col(2), serial(39)).value();
  });
  CHECK(count_at_most(given, 0.05) == seeds);
}

TEST_CASE("a sine is found by all tests of two columns") {
  const std::vector<double> p = for_seeds(20, [](std::uint64_t seed) {
    const arma::mat z = scores_of(sine(300, 2, seed));
    const MeasureOptions options = serial(39, seed);
    return std::max({independence_p_value(z, options).value(),
                     independence_p_value(z.col(0), z.col(1), options).value(), pairwise_p_values(z, options)(0, 1)});
  });
  CHECK(count_at_most(p, 0.05) == 20);
}

TEST_CASE("columns that depend on each other through a third alone") {
  for (const Driven how : {Driven::linear, Driven::square, Driven::wave, Driven::scale}) {
    const std::vector<double> p = for_seeds(60, [&](std::uint64_t seed) {
      const arma::mat z = scores_of(driven(how, 300, 1, seed));
      return independence_p_value(z.col(0), z.col(1), z.col(2), serial(19, seed)).value();
    });
    // Binomial(60, 0.05) exceeds 9 once in 1000.
    CHECK(count_at_most(p, 0.05) <= 9);
    CHECK(count_at_most(p, 0.5) >= 15);
  }
}

TEST_CASE("no conditional p-value where it would mislead") {
  const arma::mat curved = scores_of(driven(Driven::square, 300, 3, 1));
  CHECK_FALSE(independence_p_value(curved.col(0), curved.col(1), curved.tail_cols(3), serial(19)).has_value());
  const arma::mat few = scores_of(normals(29, 3, 1)), enough = scores_of(normals(30, 3, 1));
  CHECK_FALSE(independence_p_value(few.col(0), few.col(1), few.col(2), serial(19)).has_value());
  CHECK(independence_p_value(enough.col(0), enough.col(1), enough.col(2), serial(19)).has_value());
}

TEST_CASE("columns of two values, few rows and many columns have p-values too") {
  const arma::mat signs = arma::sign(normals(60, 2, 21)), x = arma::join_rows(signs, normals(60, 6, 22));
  const arma::mat z = scores_of(x);
  CHECK(independence_p_value(z.head_cols(1), z.col(1), serial(19)).has_value());
  CHECK(independence_p_value(z.head_cols(1), z.col(1), z.tail_cols(6), serial(19)).has_value());
  CHECK(independence_p_value(z.col(2), z.col(3), z.head_cols(2), serial(19)).has_value());
  const double wide = independence_p_value(scores_of(normals(50, 300, 23)), serial(19)).value();
  CHECK(wide >= 0.05);
  CHECK(wide <= 1.0);
}

TEST_CASE("p-values do not depend on the number of threads") {
  const arma::mat z = scores_of(correlated(700, 6, 0.1, 11));
  const auto values = [&](int threads) {
    const MeasureOptions options{.permutations = 99, .threads = threads};
    arma::vec p = arma::vectorise(pairwise_p_values(z, options).submat(0, 1, 0, 5));
    return arma::vec(
        arma::join_cols(p, arma::vec{independence_p_value(z, options).value(),
                                     independence_p_value(z.head_cols(3), z.tail_cols(3), options).value(),
                                     independence_p_value(z.col(0), z.col(1), z.tail_cols(2), options).value()}));
  };
  const arma::vec one = values(1);
  CHECK(arma::all(values(2) == one));
  CHECK(arma::all(values(3) == one));
}

TEST_CASE("data equal to every permutation have p = 1") {
  const arma::vec observed{1.0, 2.0};
  CHECK(permutation_p_value(observed, {0, 0}, serial(19), [&](RandomStream&) { return observed; }) == 1.0);
  CHECK(permutation_p_value(observed, {0, 0}, serial(19), [&](RandomStream& s) {
          return arma::vec{s.uniform(), 2.0};
        }) == 0.05);
}
