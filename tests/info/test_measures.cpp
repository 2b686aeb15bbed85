#include <cmath>

#include <doctest/doctest.h>

#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/data/true_entropy.hpp"
#include "gaussianize/flow/gaussian.hpp"
#include "gaussianize/info/decompose.hpp"
#include "gaussianize/info/divergence.hpp"
#include "gaussianize/info/entropy.hpp"
#include "gaussianize/info/measure.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/math/normal.hpp"

#include "support/closeness.hpp"
#include "support/draws.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::absolute_error;
using gaussianize::testing::normals;
using gaussianize::testing::relative_error;

namespace {

/// No p-value, which costs time.
const MeasureOptions plain{.permutations = 0};

/// Within four standard errors of the truth, and of `slack` besides for what the estimate is known to lack.
bool close(const Measure& measure, double truth, double slack = 0.0) {
  return std::abs(measure.value - truth) <= 4 * measure.standard_error + slack;
}

}  // namespace

TEST_CASE("total correlation of distributions with known values") {
  struct Case {
    KnownDistribution distribution;
    std::size_t dimension;
    double slack;  ///< relative
    const char* method;
  };
  // Rotated distributions are known to a few per cent only: ranks blur the edges of a uniform source.
  for (const Case& c : {Case{KnownDistribution::gaussian, 3, 0, "Gaussian copula"},
                        {KnownDistribution::gaussian, 10, 0, "Gaussian copula"},
                        {KnownDistribution::gaussian_copula, 10, 0, "Gaussian copula"},
                        {KnownDistribution::student_t, 10, 0, "Student-t copula"},
                        {KnownDistribution::student_t_ar1, 3, 0, "Student-t copula"},
                        {KnownDistribution::rotated_uniform, 3, 0.05, "independent sources"},
                        {KnownDistribution::rotated_uniform, 10, 0.05, "independent sources"}}) {
    CAPTURE(name(c.distribution));
    CAPTURE(c.dimension);
    const Measure measure = total_correlation(draw(c.distribution, 4000, c.dimension, Seed{3}).x, plain);
    const double truth = true_total_correlation(c.distribution, c.dimension).value();
    CAPTURE(measure.value);
    CAPTURE(truth);
    CHECK(close(measure, truth, c.slack * truth));
    CHECK(measure.standard_error < 0.05 * truth + 0.02);
    CHECK(measure.method.find(c.method) != std::string::npos);
    CHECK(relative_error(measure.interval.high - measure.value, normal_quantile(0.975) * measure.standard_error) <
          1e-12);
    CHECK_FALSE(measure.p_value.has_value());
  }
}

TEST_CASE("the Gaussian copula's bias is taken off where there are few rows") {
  // 40 samples of 60 rows in 8 independent columns: uncorrected, the mean would be about D(D − 1)/4N = 0.23.
  arma::vec values(40);
  for (std::size_t s = 0; s < values.n_elem; ++s)
    values[s] =
        total_correlation(normals(60, 8, 100 + s), {.method = MeasureMethod::gaussian_copula, .permutations = 0}).value;
  CHECK(std::abs(mean_estimate(values).value) < 3 * mean_estimate(values).standard_error + 0.01);
  CHECK(values.min() < 0);  // printed as it is
}

TEST_CASE("the standard error includes what rows of independent columns do not show") {
  // To first order each row's term is 0 there, so that their spread alone is too small.
  arma::vec values(200), errors(200);
  for (std::size_t s = 0; s < values.n_elem; ++s) {
    const Measure m =
        total_correlation(normals(40, 12, 300 + s), {.method = MeasureMethod::gaussian_copula, .permutations = 0});
    values[s] = m.value;
    errors[s] = m.standard_error;
  }
  CHECK(arma::mean(errors) > 0.9 * arma::stddev(values));
  CHECK(arma::mean(errors) < 2 * arma::stddev(values));
}

TEST_CASE("other methods agree with the closed form of the normal distribution") {
  const arma::mat x = draw(KnownDistribution::gaussian, 4000, 3, Seed{5}).x;
  const double truth = true_total_correlation(KnownDistribution::gaussian, 3).value();
  for (const MeasureMethod method :
       {MeasureMethod::gaussian_copula, MeasureMethod::rbig, MeasureMethod::nearest_neighbour}) {
    CAPTURE(name(method));
    const Measure measure = total_correlation(x, {.method = method, .permutations = 0});
    CAPTURE(measure.value);
    CHECK(close(measure, truth, 0.01));
  }
  // A normal model fitted to other rows.
  const Flow flow = fit_gaussian(draw(KnownDistribution::gaussian, 4000, 3, Seed{6}).x);
  CHECK(close(total_correlation(flow, x, plain), truth));
}

TEST_CASE("a dependence of no simple form") {
  for (const std::size_t d : {2, 3}) {
    // The marginals have no closed form: their entropies come from many rows.
    const double truth = marginal_entropy(draw(KnownDistribution::sine_chain, 100000, d, Seed{8}).x).value -
                         true_entropy(KnownDistribution::sine_chain, d);
    const arma::mat x = draw(KnownDistribution::sine_chain, 4000, d, Seed{9}).x;
    CHECK(close(total_correlation(x, plain), truth, 0.03 * truth));
    CHECK(total_correlation(x, {.method = MeasureMethod::gaussian_copula, .permutations = 0}).value < 0.3 * truth);
  }
}

TEST_CASE("joint entropy") {
  for (const KnownDistribution distribution :
       {KnownDistribution::gaussian, KnownDistribution::gaussian_copula, KnownDistribution::student_t_ar1}) {
    CAPTURE(name(distribution));
    const Measure measure = joint_entropy(draw(distribution, 4000, 5, Seed{7}).x, plain);
    CHECK(close(measure, true_entropy(distribution, 5), 0.01));
  }
}

TEST_CASE("mutual information of groups of normal columns") {
  // y_d = 0.6 x_d + 0.8 ε_d: I = −D/2 log(1 − 0.36).
  const std::size_t d = 4;
  const arma::mat x = normals(4000, d, 11), y = 0.6 * x + 0.8 * normals(4000, d, 12);
  const double truth = -0.5 * static_cast<double>(d) * std::log(1 - 0.36);
  const Measure measure = mutual_information(x, y, {.permutations = 99});
  CHECK(close(measure, truth));
  CHECK(measure.standard_error < 0.03);
  CHECK(measure.p_value.value() == 0.01);
  const Measure none = mutual_information(x, normals(4000, 3, 13), {.permutations = 99});
  CHECK(close(none, 0.0, 1e-3));
  CHECK(none.p_value.value() > 0.01);
}

TEST_CASE("conditional mutual information of normal columns") {
  // z drives x and y: dependent, but not given z.
  const arma::mat z = normals(4000, 2, 21);
  const arma::mat x = z + normals(4000, 2, 22), y = z + normals(4000, 2, 23);
  const Measure given = conditional_mutual_information(x, y, z, {.permutations = 99});
  CHECK(close(given, 0.0, 1e-3));
  CHECK(given.p_value.value() > 0.01);
  // With 0.5 of x's own noise in y, corr(x, y | z) = 0.5/√1.25 per column.
  const arma::mat more = y + 0.5 * (x - z);
  const Measure partial = conditional_mutual_information(x, more, z, {.permutations = 99});
  CHECK(close(partial, -std::log(1 - 0.25 / 1.25)));
  CHECK(partial.p_value.value() == 0.01);
  CHECK(close(mutual_information(x, y, plain), -std::log(1 - 0.25)));
}

TEST_CASE("divergence of normal and Student-t distributions") {
  const std::size_t d = 5;
  const arma::mat p = normals(4000, d, 31), q = normals(4000, d, 32) + 0.4;
  const Measure shift = divergence(p, q, {.permutations = 99});
  CHECK(close(shift, 0.5 * static_cast<double>(d) * 0.16));
  CHECK(shift.p_value.value() == 0.01);
  // N(0, I) from N(0, 4I): D/2 (1/4 − 1 + log 4).
  const Measure scale = divergence(p, 2 * q - 0.8, plain);
  CHECK(close(scale, 0.5 * static_cast<double>(d) * (0.25 - 1 + std::log(4.0))));
  // Units do not matter, however large.
  CHECK(relative_error(divergence(1e150 * p, 1e150 * (2 * q - 0.8), plain).value, scale.value) < 1e-12);
  // KL(N ‖ t₅) for D = 10, by quadrature.
  const Measure student =
      divergence(normals(4000, 10, 33), draw(KnownDistribution::student_t, 4000, 10, Seed{34}).x, plain);
  CHECK(close(student, 0.253216));
  const Measure same = divergence(p, normals(3000, d, 35), {.permutations = 99});
  CHECK(close(same, 0.0, 1e-3));
  CHECK(same.p_value.value() > 0.01);
  CHECK(close(divergence(p, q, {.method = MeasureMethod::nearest_neighbour, .permutations = 0}),
              0.5 * static_cast<double>(d) * 0.16, 0.08));
}

TEST_CASE("pairs") {
  arma::mat x = normals(2000, 4, 41);
  x.col(1) = 0.8 * x.col(0) + 0.6 * x.col(1);
  const PairwiseInformation pairs = pairwise_mutual_information(x, {.permutations = 99});
  CHECK(std::abs(pairs.value(0, 1) + 0.5 * std::log(1 - 0.64)) < 4 * pairs.standard_error(0, 1));
  CHECK(pairs.p_value(0, 1) == 0.01);
  CHECK(std::abs(pairs.value(2, 3)) < 0.01);
  CHECK(pairs.p_value(2, 3) > 0.01);
  CHECK(pairs.value(1, 0) == pairs.value(0, 1));
  CHECK(std::isnan(pairs.value(2, 2)));
}

TEST_CASE("the local total correlation is the log ratio of the densities") {
  const std::size_t n = 4000;
  const KnownSample sample = draw(KnownDistribution::gaussian, n, 3, Seed{51});
  const arma::vec local = local_total_correlation(sample.x, plain);
  arma::vec log_margins(n, arma::fill::zeros);
  for (arma::uword i = 0; i < n; ++i)
    for (arma::uword d = 0; d < 3; ++d)
      log_margins[i] -= 0.5 * sample.x(i, d) * sample.x(i, d) + 0.5 * std::log(2 * 3.14159265358979323846);
  CHECK(arma::mean(arma::abs(local - (sample.log_density - log_margins))) < 0.05);
  CHECK(relative_error(arma::mean(local), total_correlation(sample.x, plain).value) < 1e-12);
}

TEST_CASE("J = I + J_m: the parts sum exactly, each with its own standard error") {
  for (const KnownDistribution distribution : {KnownDistribution::gaussian, KnownDistribution::student_t_ar1}) {
    CAPTURE(name(distribution));
    const KlDecomposition kl = decompose(draw(distribution, 4000, 4, Seed{61}).x, plain);
    CHECK(close(kl.dependence, true_total_correlation(distribution, 4).value()));
    CHECK(absolute_error(kl.joint.value, kl.dependence.value + kl.marginal.value) < 1e-12);
    CHECK(kl.joint.standard_error < kl.dependence.standard_error + kl.marginal.standard_error);
  }
}

TEST_CASE("J of columns far from normal, against the distribution's own density") {
  // The columns are increasing maps of normal ones.
  const KnownSample sample = draw(KnownDistribution::gaussian_copula, 2000, 5, Seed{1});
  const KlDecomposition kl = decompose(sample.x, plain);
  const arma::rowvec scale = arma::stddev(sample.x, 1);
  const double log_normal = -2.5 * (1 + std::log(2 * 3.14159265358979323846));
  CHECK(std::abs(kl.joint.value - (arma::mean(sample.log_density) + arma::accu(arma::log(scale)) - log_normal)) < 0.05);
}

TEST_CASE("few rows in one of two samples: the interval of a divergence accounts for both") {
  std::size_t covered = 0;
  constexpr std::size_t repeats = 60;
  for (std::size_t s = 0; s < repeats; ++s) {
    const Measure same = divergence(normals(500, 2, 900 + s), normals(30, 2, 1900 + s),
                                    {.method = MeasureMethod::gaussian_copula, .permutations = 0});
    covered += same.interval.low <= 0 && same.interval.high >= 0 ? 1 : 0;
  }
  CHECK(covered >= 50);
  CHECK(std::isnan(divergence(normals(500, 4, 1), normals(6, 4, 2), plain).standard_error));
}

TEST_CASE("no p-value where permutations tell nothing") {
  const arma::mat x = normals(30, 16, 81);
  const Measure wide = mutual_information(x, x.col(0) + normals(30, 1, 82), {.permutations = 19});
  CHECK_FALSE(wide.p_value.has_value());
  CHECK_FALSE(wide.warnings.empty());
  // Dependent through the three columns of z alone, and far from linearly.
  const arma::mat z = normals(300, 3, 83), square = arma::sum(arma::square(z), 1);
  const Measure curved = conditional_mutual_information(square + 0.5 * normals(300, 1, 84),
                                                        square + 0.5 * normals(300, 1, 85), z, {.permutations = 19});
  CHECK_FALSE(curved.p_value.has_value());
  CHECK_FALSE(curved.warnings.empty());
}

TEST_CASE("groups without columns are refused, and columns that repeat are suspect") {
  const arma::mat x = normals(50, 2, 86), none(50, 0);
  CHECK_THROWS_AS(mutual_information(x, none), std::invalid_argument);
  CHECK_THROWS_AS(mutual_information(none, x), std::invalid_argument);
  CHECK_THROWS_AS(conditional_mutual_information(x, x, none), std::invalid_argument);
  CHECK(total_correlation(arma::join_rows(x, x.col(0)), plain).suspect);
}

TEST_CASE("bits") {
  Measure measure;
  measure.value = std::log(2.0);
  measure.standard_error = 2 * std::log(2.0);
  measure.interval = {0.0, 3 * std::log(2.0)};
  const Measure bits = to_bits(measure);
  CHECK(relative_error(bits.value, 1.0) < 1e-15);
  CHECK(relative_error(bits.standard_error, 2.0) < 1e-15);
  CHECK(relative_error(bits.interval.high, 3.0) < 1e-15);
  const PairwiseInformation nats = pairwise_mutual_information(normals(300, 2, 71), {.permutations = 9});
  const PairwiseInformation pairs = to_bits(nats);
  CHECK(relative_error(pairs.value(0, 1), nats.value(0, 1) / std::log(2.0)) < 1e-15);
  CHECK(relative_error(pairs.standard_error(0, 1), nats.standard_error(0, 1) / std::log(2.0)) < 1e-15);
  CHECK(pairs.p_value(0, 1) == nats.p_value(0, 1));
}
