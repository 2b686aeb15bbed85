#include <cmath>
#include <vector>

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <doctest/doctest.h>

#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/info/detail/conditional_test.hpp"
#include "gaussianize/info/detail/elliptical.hpp"
#include "gaussianize/info/detail/nearest_neighbour.hpp"
#include "gaussianize/info/detail/permutation_test.hpp"
#include "gaussianize/info/detail/source_copula.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/math/normal.hpp"

#include "support/closeness.hpp"
#include "support/statistics.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;

namespace {

/// (C1) of one row of a bivariate t copula, from Boost's own quantiles and densities.
double direct_log_copula(double z1, double z2, double nu, double rho) {
  const boost::math::students_t distribution(nu);
  const auto quantile = [&](double z) {
    return z < 0 ? boost::math::quantile(distribution, normal_cdf(z))
                 : boost::math::quantile(boost::math::complement(distribution, normal_cdf(-z)));
  };
  const double a = quantile(z1), b = quantile(z2);
  const double form = (a * a - 2 * rho * a * b + b * b) / (1 - rho * rho);
  const double joint = std::lgamma(nu / 2 + 1) - std::lgamma(nu / 2) - std::log(nu * 3.14159265358979323846) -
                       0.5 * std::log(1 - rho * rho) - (nu / 2 + 1) * std::log1p(form / nu);
  return joint - std::log(boost::math::pdf(distribution, a)) - std::log(boost::math::pdf(distribution, b));
}

}  // namespace

TEST_CASE("the t copula's density") {
  const Scores scores = normal_scores(draw(KnownDistribution::student_t_ar1, 300, 2, Seed{1}).x, {}, "test");
  for (const double nu : {1.0, 2.5, 5.0, 40.0}) {
    const EllipticalCopula copula{nu, arma::mat{{1.0, 0.3}, {0.3, 1.0}}};
    const arma::vec log_c = log_copula(copula, scores, 1);
    for (arma::uword i = 0; i < 300; i += 7)
      CHECK(testing::absolute_error(log_c[i], direct_log_copula(scores.z(i, 0), scores.z(i, 1), nu, 0.3)) < 1e-7);
  }
}

TEST_CASE("the t copula is found, and whitened to N(0, I)") {
  const Scores scores = normal_scores(draw(KnownDistribution::student_t_ar1, 8000, 4, Seed{2}).x, {}, "test");
  const EllipticalCopula copula = fit_student_copula(scores, fit_gaussian_copula(scores, 0), 0);
  CHECK(std::abs(copula.degrees - 5) < 0.6);
  CHECK(std::abs(copula.correlation(0, 1) - 0.5) < 0.03);
  CHECK(std::abs(copula.correlation(0, 3) - 0.125) < 0.04);
  const arma::mat z = whiten(copula, scores, 0);
  const arma::vec square = arma::sum(arma::square(z), 1);
  const boost::math::chi_squared distribution(4);
  CHECK(testing::kolmogorov_statistic(arma::conv_to<std::vector<double>>::from(square),
                                      [&](double s) { return boost::math::cdf(distribution, s); }) < 1.6);
}

TEST_CASE("lengths of exact t rows become those of normal rows") {
  const KnownSample sample = draw(KnownDistribution::student_t, 4000, 3, Seed{3});
  arma::mat y = sample.x;
  gaussianize_lengths(y, 5.0);
  const boost::math::chi_squared distribution(3);
  const arma::vec square = arma::sum(arma::square(y), 1);
  CHECK(testing::kolmogorov_statistic(arma::conv_to<std::vector<double>>::from(square),
                                      [&](double s) { return boost::math::cdf(distribution, s); }) < 1.6);
}

TEST_CASE("sources with edges are refined beyond what FastICA finds") {
  const std::size_t d = 4;
  const arma::mat x = draw(KnownDistribution::rotated_uniform, 4000, d, Seed{4}).x;
  RandomStream stream(Seed{5}, Purpose::test);
  const arma::mat c = dct_matrix(d);  // rows are c·u, so x·c unmixes
  const arma::mat start = c + 0.05 * random_normal(d, d, stream);
  const arma::mat w = refine_unmixing(x.each_row() - arma::mean(x, 0), start, 10, 0);
  const arma::mat gain = arma::normalise(c.t() * w);
  CHECK(arma::abs(arma::abs(gain) - arma::eye(d, d)).max() < 0.02);
  CHECK(arma::abs(arma::normalise(c.t() * start) - arma::eye(d, d)).max() > 0.05);
}

TEST_CASE("nearest neighbours as by brute force") {
  RandomStream stream(Seed{6}, Purpose::test);
  const arma::mat x = random_normal(300, 3, stream), from = random_normal(50, 3, stream);
  const std::size_t k = 4;
  const arma::vec own = neighbour_distances(x, k, 2), other = neighbour_distances(x, from, k, 2);
  const auto brute = [&](const arma::rowvec& point, std::size_t rank) {
    const arma::vec all = arma::max(arma::abs(x.each_row() - point), 1);
    return arma::vec(arma::sort(all))[rank];
  };
  for (arma::uword i = 0; i < x.n_rows; ++i) CHECK(own[i] == brute(x.row(i), k));  // rank 0 is the row itself
  for (arma::uword i = 0; i < from.n_rows; ++i) CHECK(other[i] == brute(from.row(i), k - 1));
}

TEST_CASE("permutation p-values are uniform under independence and small under dependence") {
  const MeasureOptions options{.permutations = 99, .threads = 1};
  std::vector<double> of_columns, of_groups, given, of_samples;
  for (std::uint64_t s = 0; s < 100; ++s) {
    RandomStream stream(Seed{1000 + s}, Purpose::test);
    const arma::mat z = random_normal(60, 6, stream);
    // p is on the grid 1/100, 2/100, …: spread within its cell, it is uniform.
    const auto spread = [&](double p) { return p - stream.uniform() / 100; };
    of_columns.push_back(spread(independence_p_value(z, options).value()));
    of_groups.push_back(spread(independence_p_value(z.head_cols(3), z.tail_cols(3), options).value()));
    const arma::mat c = z.tail_cols(2);
    given.push_back(spread(independence_p_value(z.head_cols(2) + c, arma::mat(z.cols(2, 3)) + c, c, options).value()));
    of_samples.push_back(spread(same_distribution_p_value(z.head_rows(30), z.tail_rows(30), options).value()));
  }
  const auto uniform = [](double p) { return p; };
  CHECK(testing::kolmogorov_statistic(of_columns, uniform) < 1.63);
  CHECK(testing::kolmogorov_statistic(of_groups, uniform) < 1.63);
  CHECK(testing::kolmogorov_statistic(given, uniform) < 1.63);
  CHECK(testing::kolmogorov_statistic(of_samples, uniform) < 1.63);

  // Uncorrelated, and still dependent: through the scale, and through the square.
  const arma::mat t = normal_scores(draw(KnownDistribution::student_t, 3000, 3, Seed{7}).x, {}, "test").z;
  CHECK(independence_p_value(t, options).value() == 0.01);
  CHECK(arma::max(arma::vectorise(pairwise_p_values(t, options).submat(0, 1, 0, 2))) == 0.01);
  CHECK(independence_p_value(t.col(0), arma::square(t.col(0)), options).value() == 0.01);
}
