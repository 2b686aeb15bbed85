#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/data/true_entropy.hpp"
#include "gaussianize/info/divergence.hpp"
#include "gaussianize/info/measure.hpp"
#include "gaussianize/math/detail/random_normal.hpp"

#include "support/dependence_cases.hpp"
#include "support/draws.hpp"
#include "support/statistics.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::normals;

namespace {

constexpr std::size_t repeats = 200;

/// How many of `repeats` 95 % intervals hold the truth. Between 180 and 198 is 90 % to 99 %.
template <class Draw>
std::size_t covered(double truth, Draw draw_measure) {
  std::vector<int> holds(repeats);
  parallel_for(repeats, 0, [&](std::size_t s) {
    const Measure m = draw_measure(Seed{5000 + s});
    holds[s] = m.interval.low <= truth && truth <= m.interval.high ? 1 : 0;
  });
  std::size_t count = 0;
  for (const int h : holds) count += static_cast<std::size_t>(h);
  MESSAGE("covered ", count, " of ", repeats);
  return count;
}

const MeasureOptions serial{.permutations = 0, .threads = 1};

}  // namespace

TEST_CASE("intervals of the total correlation cover") {
  for (const KnownDistribution distribution :
       {KnownDistribution::gaussian, KnownDistribution::gaussian_copula, KnownDistribution::student_t_ar1})
    for (const std::size_t d : {std::size_t{2}, std::size_t{5}}) {
      CAPTURE(name(distribution));
      CAPTURE(d);
      const std::size_t count = covered(true_total_correlation(distribution, d).value(), [&](Seed seed) {
        return total_correlation(draw(distribution, 1000, d, seed).x, serial);
      });
      CHECK(count >= 180);
      CHECK(count <= 198);
    }
}

TEST_CASE("where independent sources are found the interval covers, or the result is suspect") {
  for (const KnownDistribution distribution : {KnownDistribution::rotated_uniform, KnownDistribution::laplace_mix}) {
    CAPTURE(name(distribution));
    const double truth = true_total_correlation(distribution, 3).value();
    std::vector<int> sure(repeats), holds(repeats);
    parallel_for(repeats, 0, [&](std::size_t s) {
      const Measure m = total_correlation(draw(distribution, 1000, 3, Seed{5000 + s}).x, serial);
      sure[s] = m.suspect ? 0 : 1;
      holds[s] = !m.suspect && m.interval.low <= truth && truth <= m.interval.high ? 1 : 0;
    });
    const int count = std::accumulate(sure.begin(), sure.end(), 0);
    const int covered_of_these = std::accumulate(holds.begin(), holds.end(), 0);
    MESSAGE(count, " of ", repeats, " not suspect, ", covered_of_these, " of these hold the truth");
    CHECK(count >= 60);
    CHECK(covered_of_these >= 0.85 * count);
  }
}

TEST_CASE("intervals of joint entropy, mutual information and divergence cover") {
  const std::size_t entropy = covered(true_entropy(KnownDistribution::student_t_ar1, 3), [](Seed seed) {
    return joint_entropy(draw(KnownDistribution::student_t_ar1, 1000, 3, seed).x, serial);
  });
  CHECK(entropy >= 180);
  CHECK(entropy <= 198);
  const std::size_t mutual = covered(-1.5 * std::log(1 - 0.36), [](Seed seed) {
    const arma::mat x = normals(1000, 3, seed.value, 0);
    return mutual_information(x, 0.6 * x + 0.8 * normals(1000, 3, seed.value, 1), serial);
  });
  CHECK(mutual >= 180);
  CHECK(mutual <= 198);
  const std::size_t shifted = covered(3 * 0.08, [](Seed seed) {
    return divergence(normals(1000, 3, seed.value, 0), normals(1000, 3, seed.value, 1) + 0.4, serial);
  });
  CHECK(shifted >= 180);
  CHECK(shifted <= 198);
}

TEST_CASE("intervals of conditional mutual information, of Student-t divergences and of single methods cover") {
  // z drives x and y; half of x's own noise is in y: I(x; y | z) = −½ log(1 − 0.25/1.25).
  const std::size_t conditional = covered(-0.5 * std::log(1 - 0.2), [](Seed seed) {
    const arma::mat z = normals(1000, 1, seed.value, 0), own = normals(1000, 1, seed.value, 1);
    return conditional_mutual_information(z + own, z + 0.5 * own + normals(1000, 1, seed.value, 2), z, serial);
  });
  CHECK(conditional >= 180);
  CHECK(conditional <= 198);
  // KL(N ‖ t₅) for D = 3, by quadrature.
  const std::size_t student = covered(0.089146, [](Seed seed) {
    return divergence(normals(1000, 3, seed.value, 0), draw(KnownDistribution::student_t, 1000, 3, seed).x, serial);
  });
  CHECK(student >= 180);
  CHECK(student <= 198);
  for (const MeasureMethod method : {MeasureMethod::rbig, MeasureMethod::nearest_neighbour})
    for (const std::size_t d : {std::size_t{2}, std::size_t{3}}) {
      CAPTURE(name(method));
      CAPTURE(d);
      const std::size_t count = covered(true_total_correlation(KnownDistribution::gaussian, d).value(), [&](Seed seed) {
        return total_correlation(draw(KnownDistribution::gaussian, 1000, d, seed).x,
                                 {.method = method, .permutations = 0, .threads = 1});
      });
      CHECK(count >= 180);
      CHECK(count <= 198);
    }
}

TEST_CASE("a fitting copula is rarely called suspect, and one that cannot fit is") {
  std::vector<int> good(repeats), bad(repeats);
  parallel_for(repeats, 0, [&](std::size_t s) {
    const Seed seed{9000 + s};
    const KnownDistribution distribution = s % 2 == 0 ? KnownDistribution::gaussian : KnownDistribution::student_t_ar1;
    good[s] = total_correlation(draw(distribution, 1000, 5, seed).x, serial).suspect ? 1 : 0;
    if (s < 20)
      bad[s] = total_correlation(draw(KnownDistribution::rotated_uniform, 300, 20, seed).x, serial).suspect ? 1 : 0;
  });
  std::size_t alarms = 0, found = 0;
  for (std::size_t s = 0; s < repeats; ++s) {
    alarms += static_cast<std::size_t>(good[s]);
    found += static_cast<std::size_t>(bad[s]);
  }
  MESSAGE(alarms, " false alarms of ", repeats, ", ", found, " of 20 found");
  CHECK(alarms <= 4);
  CHECK(found == 20);
}

TEST_CASE("p-values of the public measures are uniform under independence") {
  std::vector<double> total(repeats), mutual(repeats), samples(repeats), conditional(repeats), pair(repeats);
  const MeasureOptions options{.method = MeasureMethod::gaussian_copula, .permutations = 199, .threads = 1};
  parallel_for(repeats, 0, [&](std::size_t s) {
    const Seed seed{7000 + s};
    const arma::mat x = normals(200, 4, seed.value, 0);
    RandomStream stream(seed, Purpose::test, 2);
    const auto spread = [&](const Measure& m) { return m.p_value.value() - stream.uniform() / 200; };
    total[s] = spread(total_correlation(x, options));
    mutual[s] = spread(mutual_information(x.head_cols(2), x.tail_cols(2), options));
    samples[s] = spread(divergence(x, normals(200, 4, seed.value, 1), options));
    // Dependent through the third column alone.
    const arma::mat z = x.col(2);
    conditional[s] = spread(conditional_mutual_information(x.col(0) + z, x.col(1) - z, z, options));
    pair[s] = pairwise_mutual_information(x, options).p_value(1, 3) - stream.uniform() / 200;
  });
  for (const std::vector<double>* p : {&total, &mutual, &samples, &conditional, &pair})
    CHECK(testing::kolmogorov_statistic(*p, [](double u) { return u; }) < 1.63);
}

TEST_CASE("over dependence of every kind, intervals that are not suspect cover") {
  constexpr std::size_t rows = 2500, seeds = 4;
  const std::vector<gaussianize::testing::DependenceCase>& cases = gaussianize::testing::dependence_cases();
  std::vector<Measure> found(cases.size() * seeds);
  parallel_for(found.size(), 0, [&](std::size_t k) {
    const gaussianize::testing::DependenceCase& one = cases[k / seeds];
    const Seed seed{900 + k % seeds};
    found[k] =
        gaussianize::testing::measure(one, one.draw(rows, seed), {.permutations = 0, .seed = seed, .threads = 1});
  });
  std::size_t trusted = 0, covered = 0, bad = 0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (found[k].suspect) continue;
    const double truth = cases[k / seeds].truth;
    ++trusted;
    if (found[k].interval.low <= truth && truth <= found[k].interval.high) ++covered;
    if (std::abs(found[k].value - truth) > std::max(0.05, 0.1 * truth)) ++bad;
  }
  MESSAGE("covered ", covered, " of ", trusted, ", ", bad, " far off");
  CHECK(trusted > found.size() / 2);
  CHECK(static_cast<double>(covered) >= 0.85 * static_cast<double>(trusted));
  CHECK(static_cast<double>(bad) <= 0.03 * static_cast<double>(found.size()));
}
