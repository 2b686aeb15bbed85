#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/info/detail/canonical.hpp"
#include "gaussianize/info/detail/cross_fit.hpp"
#include "gaussianize/info/detail/dyadic_partition.hpp"
#include "gaussianize/info/detail/measure_terms.hpp"
#include "gaussianize/info/detail/nearest_neighbour.hpp"
#include "gaussianize/info/detail/pair_density.hpp"
#include "gaussianize/info/detail/pair_tree.hpp"
#include "gaussianize/info/detail/scores.hpp"
#include "gaussianize/math/normal.hpp"

#include "support/draws.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::normals;

namespace {

/// Pairs of normals with the given correlation.
arma::mat correlated(std::size_t rows, double correlation, Seed seed) {
  arma::mat z = normals(rows, 2, seed.value);
  z.col(1) = correlation * z.col(0) + std::sqrt(1 - correlation * correlation) * z.col(1);
  return z;
}

/// Normals turned over so that the product of the first `count` of each row is positive.
arma::mat positive_product(std::size_t rows, std::size_t columns, std::size_t count, Seed seed) {
  arma::mat z = normals(rows, columns, seed.value);
  for (arma::uword i = 0; i < rows; ++i)
    if (arma::prod(z.row(i).head(count)) < 0) z(i, i % count) *= -1;
  return z;
}

}  // namespace

TEST_CASE("a pair's density integrates to one, and its map is its distribution function") {
  const arma::mat z = correlated(2000, 0.7, Seed{1});
  const PairDensity density(z.col(0), z.col(1));
  constexpr double step = 0.01;
  for (const double a : {-2.0, 0.013, 1.4}) {
    double sum = 0;
    arma::vec b = arma::regspace(-3.5, step, 3.5), log_ratio, rest;
    density.evaluate(arma::vec(b.n_elem, arma::fill::value(a)), b, log_ratio, rest);
    for (arma::uword i = 0; i < b.n_elem; ++i) {
      const double q = std::exp(log_ratio[i]) * normal_pdf(b[i]);
      if (i > 0 && i + 1 < b.n_elem && std::abs(rest[i]) < 3)
        CHECK(std::abs((normal_cdf(rest[i + 1]) - normal_cdf(rest[i - 1])) / (2 * step) - q) < 0.02 * q + 1e-3);
      sum += step * q;
    }
    CHECK(std::abs(sum - 1) < 2e-3);
  }
}

TEST_CASE("a pair's density comes close to the one its rows are from, on rows it has not seen") {
  const arma::mat seen = correlated(5000, 0.8, Seed{2}), unseen = correlated(5000, 0.8, Seed{3});
  arma::vec log_ratio, rest;
  PairDensity(seen.col(0), seen.col(1)).evaluate(unseen.col(0), unseen.col(1), log_ratio, rest);
  const double truth = -0.5 * std::log(1 - 0.64);
  const Estimate found = mean_estimate(log_ratio);
  CHECK(found.value > truth - 0.03);
  CHECK(found.value < truth + 3 * found.standard_error);
  CHECK(std::abs(arma::as_scalar(arma::cor(unseen.col(0), rest))) < 0.05);
  CHECK(std::abs(arma::stddev(rest) - 1) < 0.05);
}

TEST_CASE("the tree of pairs is the chain that rows come from, and has no edge for independent columns") {
  arma::mat chain = normals(3000, 5, 4);
  for (arma::uword d = 1; d < 5; ++d) chain.col(d) = 0.8 * chain.col(d - 1) + 0.6 * chain.col(d);
  const PairTree tree = fit_pair_tree(chain, 0);
  std::set<std::pair<arma::uword, arma::uword>> edges;
  for (const PairTree::Edge& edge : tree.edges) edges.insert(std::minmax(edge.parent, edge.child));
  CHECK(edges == std::set<std::pair<arma::uword, arma::uword>>{{0, 1}, {1, 2}, {2, 3}, {3, 4}});
  CHECK(fit_pair_tree(normals(3000, 5, 5), 0).edges.size() <= 1);
}

TEST_CASE("a partition's density integrates to one and finds what no pair of columns shows") {
  const auto uniform = [](arma::mat z) {
    z.transform([](double value) { return normal_cdf(value); });
    return z;
  };
  const DyadicPartition plane(uniform(correlated(1000, 0.9, Seed{6})), Seed{1}, 0);
  constexpr arma::uword side = 400;
  arma::mat grid(side * side, 2);
  for (arma::uword i = 0; i < side; ++i)
    for (arma::uword j = 0; j < side; ++j)
      grid.row(i * side + j) =
          arma::rowvec{(static_cast<double>(i) + 0.5) / side, (static_cast<double>(j) + 0.5) / side};
  CHECK(std::abs(arma::mean(arma::exp(plane.log_density(grid, 0))) - 1) < 5e-3);

  for (const std::size_t columns : {std::size_t{3}, std::size_t{5}}) {
    const DyadicPartition partition(uniform(positive_product(4000, columns, columns, Seed{7})), Seed{1}, 0);
    const double found =
        arma::mean(partition.log_density(uniform(positive_product(4000, columns, columns, Seed{8})), 0));
    CHECK(found > 0.6);
    CHECK(found < std::log(2.0));
  }
  const DyadicPartition nothing(uniform(normals(4000, 3, 9)), Seed{1}, 0);
  CHECK(std::abs(arma::mean(nothing.log_density(uniform(normals(4000, 3, 10)), 0))) < 0.01);
}

TEST_CASE("cross-fitting evaluates every row by a model that has not seen it") {
  const arma::mat z = normals(100, 1, 11);
  std::vector<arma::uword> sizes;
  // 1 for a row that the model has seen, else 0.
  const RatioFit memory = [&](const arma::mat& seen) -> RatioModel {
    sizes.push_back(seen.n_rows);
    const auto values = std::make_shared<std::set<double>>(seen.begin(), seen.end());
    return [values](arma::mat& rows) {
      arma::vec known(rows.n_rows);
      for (arma::uword i = 0; i < rows.n_rows; ++i) known[i] = values->count(rows(i, 0)) > 0 ? 1 : 0;
      return known;
    };
  };
  const CrossFit fit = cross_fit({"memory", z, memory}, 1);
  CHECK(arma::accu(fit.log_ratio) == 0);
  CHECK(arma::approx_equal(fit.rest, z, "absdiff", 0));
  CHECK(sizes == std::vector<arma::uword>{66, 67, 67});
  sizes.clear();
  CHECK(arma::accu(fit.smaller()) == 0);
  CHECK(sizes == std::vector<arma::uword>{33, 34, 34});
}

TEST_CASE("a mixture finds the share of its parts") {
  // Rows of N(0, 1) and N(3, 1), 3 to 1; the third density is of none.
  arma::mat x = normals(4000, 1, 12);
  for (arma::uword i = 0; i < x.n_rows; i += 4) x(i, 0) += 3;
  const auto normal_at = [&](double mean) {
    CrossFit fit{"normal", -0.5 * arma::square(x.col(0) - mean), {}, {}};
    fit.smaller = [terms = fit.log_ratio] { return terms; };
    return fit;
  };
  const CrossFit mixed = mixture_of({normal_at(0), normal_at(3), normal_at(20)});
  const arma::vec truth =
      arma::log(0.75 * arma::exp(-0.5 * arma::square(x.col(0))) + 0.25 * arma::exp(-0.5 * arma::square(x.col(0) - 3)));
  CHECK(std::abs(arma::mean(mixed.log_ratio - truth)) < 2e-3);
  CHECK(learning(mixed) == 0);
}

TEST_CASE("canonical correlations see a dependence that turns with the length, and none where there is none") {
  arma::mat x = normals(6000, 3, 13), y = normals(6000, 3, 14);
  const arma::mat independent = arma::join_rows(x, y);
  CHECK(arma::accu(arma::abs(cross_fit({"none", independent, canonical_fit(3)}, 0).log_ratio)) == 0);

  y.col(0) = 0.8 * x.col(0) + 0.6 * y.col(0);
  for (arma::uword i = 0; i < x.n_rows; ++i)
    if (arma::dot(x.row(i), x.row(i)) > 2.366) x(i, 0) *= -1;  // the median length: no correlation is left
  const double truth = -0.5 * std::log(1 - 0.64);
  const Estimate found = mean_estimate(cross_fit({"turned", arma::join_rows(x, y), canonical_fit(3)}, 0).log_ratio);
  CHECK(found.value > 0.5 * truth);
  CHECK(found.value < truth + 3 * found.standard_error);
}

TEST_CASE("neighbours' information between groups: normal pairs, and a group on a curve") {
  const arma::mat z = correlated(4000, 0.75, Seed{15});
  const double truth = -0.5 * std::log(1 - 0.75 * 0.75);
  const Scores x = normal_scores(z.col(0), {}, "x"), y = normal_scores(z.col(1), {}, "y");
  arma::mat curve(z.n_rows, 2);
  for (arma::uword i = 0; i < z.n_rows; ++i) {
    const double t = 3 + 9 * normal_cdf(z(i, 0));
    curve.row(i) = arma::rowvec{t * std::cos(t), t * std::sin(t)};
  }
  for (const Scores& group : {x, normal_scores(curve, {}, "curve")}) {
    const Estimate found = mean_estimate(neighbour_information(group, y, 5, 0));
    CHECK(std::abs(found.value - truth) < 3.5 * found.standard_error);
  }
}
