#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "gaussianize/core/error.hpp"
#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/data/true_entropy.hpp"
#include "gaussianize/info/decompose.hpp"
#include "gaussianize/info/divergence.hpp"
#include "gaussianize/info/measure.hpp"
#include "gaussianize/math/detail/random_normal.hpp"

#include "support/bytes.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::same_bytes;

namespace {

const MeasureOptions quick{.permutations = 19};

bool mentions(const std::string& text, const char* word) {
  return text.find(word) != std::string::npos;
}

template <class Call>
std::string data_error(Call call) {
  try {
    call();
  } catch (const DataError& error) {
    return error.what();
  }
  return "no DataError";
}

}  // namespace

TEST_CASE("an increasing map of a column changes no bit of a dependence") {
  for (const KnownDistribution distribution : {KnownDistribution::student_t_ar1, KnownDistribution::rotated_uniform}) {
    const arma::mat x = draw(distribution, 1500, 4, Seed{1}).x;
    arma::mat y = x;
    y.col(0) = arma::exp(3 * x.col(0));
    y.col(1) = arma::pow(x.col(1), 3);
    y.col(2) = arma::atan(x.col(2)) * 1e-300;
    y.col(3) = 1e300 * x.col(3) / arma::abs(x.col(3)).max();
    const Measure a = total_correlation(x, quick), b = total_correlation(y, quick);
    CHECK(a.value == b.value);
    CHECK(a.standard_error == b.standard_error);
    CHECK(a.p_value == b.p_value);
  }
}

TEST_CASE("the number of threads changes no bit") {
  const arma::mat x = draw(KnownDistribution::rotated_uniform, 1500, 4, Seed{2}).x;
  const arma::mat q = draw(KnownDistribution::student_t, 1500, 4, Seed{3}).x;
  const auto run = [&](int threads) {
    MeasureOptions o = quick;
    o.threads = threads;
    const KlDecomposition kl = decompose(x, o);
    const Measure tc = total_correlation(x, o), mi = mutual_information(x.head_cols(2), x.tail_cols(2), o),
                  d = divergence(x, q, o);
    o.method = MeasureMethod::nearest_neighbour;
    const Measure knn = total_correlation(x, o);
    return arma::vec{tc.value,           tc.standard_error, tc.p_value.value(),     mi.value,
                     mi.p_value.value(), d.value,           d.standard_error,       d.p_value.value(),
                     knn.value,          kl.joint.value,    kl.joint.standard_error};
  };
  const arma::vec one = run(1);
  for (const int threads : {2, 3, 8}) CHECK(same_bytes(run(threads), one));
  const arma::mat student = draw(KnownDistribution::student_t_ar1, 1500, 3, Seed{4}).x;
  const PairwiseInformation pairs = pairwise_mutual_information(student, {.permutations = 19, .threads = 1});
  const PairwiseInformation again = pairwise_mutual_information(student, {.permutations = 19, .threads = 3});
  CHECK(pairs.value(0, 1) == again.value(0, 1));
  CHECK(pairs.p_value(1, 2) == again.p_value(1, 2));
}

TEST_CASE("bad data are refused by name") {
  arma::mat x = draw(KnownDistribution::gaussian, 100, 3, Seed{5}).x;
  const arma::mat good = x;
  x.col(1).fill(7.0);
  CHECK(mentions(data_error([&] { total_correlation(x); }), "column 1 is constant"));
  CHECK(mentions(data_error([&] { divergence(good, x); }), "second sample: column 1 is constant"));
  CHECK(mentions(data_error([&] { decompose(x); }), "column 1 is constant"));
  x(4, 2) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(total_correlation(x), std::invalid_argument);
  CHECK_THROWS_AS(total_correlation(good.head_rows(1)), std::invalid_argument);
  CHECK_THROWS_AS(mutual_information(good, good.head_rows(50)), std::invalid_argument);
  CHECK_THROWS_AS(divergence(good, good.head_cols(2)), std::invalid_argument);
  CHECK_THROWS_AS(total_correlation(good, {.method = MeasureMethod::nearest_neighbour, .neighbours = 100}),
                  std::invalid_argument);
}

TEST_CASE("small and degenerate data give finite answers") {
  const arma::mat x = draw(KnownDistribution::gaussian, 50, 10, Seed{6}).x;
  const Measure one = total_correlation(x.col(0), quick);
  CHECK(one.value == 0.0);
  CHECK(one.standard_error == 0.0);
  CHECK_FALSE(one.p_value.has_value());
  CHECK(std::isfinite(total_correlation(x.head_rows(2), quick).value));
  CHECK(std::isfinite(total_correlation(x.head_rows(5), quick).value));  // N < D
  CHECK_FALSE(total_correlation(x.head_rows(5), quick).warnings.empty());
  // Five rows of ten columns have a singular correlation whatever the distribution: no large value with a small error.
  CHECK(std::abs(total_correlation(x.head_rows(5), quick).value) < 5);
  CHECK(total_correlation(x.head_rows(5), quick).suspect);
  CHECK(std::isnan(total_correlation(x.head_rows(5), quick).standard_error));
  CHECK(std::abs(total_correlation(x.head_rows(2), quick).value) < 1e-9);
  CHECK(divergence(x.head_rows(5), x.tail_rows(5), quick).suspect);
  CHECK(mentions(data_error([&] { total_correlation(x.head_rows(9), {.method = MeasureMethod::rbig}); }), "too few"));
  CHECK(std::isfinite(divergence(x.head_rows(5), x.tail_rows(5), quick).value));
  CHECK(std::isfinite(decompose(x.head_rows(5), quick).joint.value));
  // A column twice: infinite in truth, large and finite here.
  const Measure twice = total_correlation(arma::join_rows(x.col(0), x.col(0)), quick);
  CHECK(twice.value > 5);
  CHECK(std::isfinite(twice.value));
}

TEST_CASE("ties are reported, and share a rank with the Gaussian copula alone") {
  const arma::mat z = draw(KnownDistribution::gaussian, 3000, 3, Seed{7}).x;
  const arma::mat x = arma::round(2 * z);
  const Measure shared = total_correlation(x, {.method = MeasureMethod::gaussian_copula, .permutations = 19});
  CHECK(shared.warnings.size() == 1);
  CHECK(mentions(shared.warnings.at(0), "share a rank"));
  const Measure jittered = total_correlation(x, quick);
  CHECK(mentions(jittered.warnings.at(0), "ordered at random"));
  const double truth = true_total_correlation(KnownDistribution::gaussian, 3).value();
  // Rounding to half a standard deviation hides some of the dependence.
  CHECK(jittered.value > 0.7 * truth);
  CHECK(jittered.value < 1.05 * truth);
  CHECK(std::isfinite(total_correlation(x, {.method = MeasureMethod::nearest_neighbour, .permutations = 0}).value));
  // Every row four times over: nothing breaks.
  CHECK(std::isfinite(total_correlation(arma::repmat(z.head_rows(200), 4, 1), quick).value));
}

TEST_CASE("two values, or two clusters of rounded ones: no spikes, and what the Gaussian copula cannot see") {
  const std::size_t n = 1000;
  RandomStream stream(Seed{10}, Purpose::test);
  const arma::mat noise = random_normal(n, 2, stream);
  arma::mat side(n, 2), clusters(n, 2);
  for (std::size_t i = 0; i < n; ++i) {
    side(i, 0) = stream.uniform() < 0.4 ? -1 : 1;
    side(i, 1) = stream.uniform() < 0.2 ? -side(i, 0) : side(i, 0);
    clusters.row(i) = 6 * side(i, 0) + arma::round(4 * noise.row(i)) / 4;
  }
  const auto entropy = [](double p) { return -p * std::log(p) - (1 - p) * std::log(1 - p); };
  CHECK(std::abs(total_correlation(clusters, quick).value - entropy(0.4)) < 0.12);
  CHECK(std::abs(total_correlation(clusters.head_rows(270), quick).value - entropy(0.4)) < 0.2);
  CHECK(total_correlation(clusters, {.method = MeasureMethod::gaussian_copula, .permutations = 0}).value < 0.4);
  const double minus = 0.4 * 0.8 + 0.6 * 0.2;
  CHECK(std::abs(total_correlation(side, quick).value - (entropy(minus) - entropy(0.2))) < 0.1);
}

TEST_CASE("a value is called suspect where the model may miss something") {
  const auto total = [](KnownDistribution distribution, std::size_t rows, std::size_t columns) {
    return total_correlation(draw(distribution, rows, columns, Seed{12}).x, {.permutations = 0});
  };
  CHECK_FALSE(total(KnownDistribution::gaussian, 1000, 5).suspect);
  CHECK_FALSE(total(KnownDistribution::student_t_ar1, 1000, 5).suspect);
  CHECK(total(KnownDistribution::gaussian, 1000, 5).warnings.empty());
  // 20 uniform sources, not to be found in so few rows: the rows' lengths show that something is there.
  const Measure missed = total(KnownDistribution::rotated_uniform, 300, 20);
  REQUIRE(missed.suspect);
  REQUIRE(missed.warnings.size() == 2);
  CHECK(mentions(missed.warnings[0], "could pass unseen; about 2000 rows"));
  CHECK(mentions(missed.warnings[1], "tails that are too light"));
  CHECK(missed.value < 0.5 * true_total_correlation(KnownDistribution::rotated_uniform, 20).value());
  const arma::mat x = draw(KnownDistribution::rotated_uniform, 300, 20, Seed{12}).x;
  CHECK(joint_entropy(x, {.permutations = 0}).suspect);
  CHECK(mutual_information(x.head_cols(10), x.tail_cols(10), {.permutations = 0}).suspect);
  CHECK(decompose(x, {.permutations = 0}).dependence.suspect);
}

TEST_CASE("heavy tails") {
  arma::mat x = draw(KnownDistribution::gaussian, 2000, 3, Seed{8}).x;
  const double before = total_correlation(x, quick).value;
  x.transform([](double v) { return std::sinh(20 * v); });
  CHECK(total_correlation(x, quick).value == before);
  CHECK(std::isfinite(divergence(x, x.tail_rows(500), quick).value));
  CHECK(std::isfinite(decompose(x, quick).joint.value));
}

TEST_CASE("a callback can stop a measure") {
  const arma::mat x = draw(KnownDistribution::gaussian, 200, 3, Seed{9}).x;
  CHECK_THROWS_AS(total_correlation(x, {.progress = [](const Progress&) { return false; }}), Cancelled);
}

TEST_CASE("linearly dependent columns are reported as such") {
  arma::mat x = draw(KnownDistribution::gaussian, 500, 3, Seed{4}).x;
  const auto warned = [&] {
    for (const std::string& warning : total_correlation(x, quick).warnings)
      if (mentions(warning, "linearly dependent")) return true;
    return false;
  };
  CHECK(!warned());
  x.col(2) = 3 * x.col(0) - 2 * x.col(1);
  CHECK(warned());
  x.col(1) *= 1e200;
  CHECK(warned());
  x.col(2) += 1e-3 * draw(KnownDistribution::gaussian, 500, 1, Seed{5}).x;
  CHECK(!warned());
}
