// The measures against distributions whose values are known: the tables of docs/accuracy.md.
//   bench_measures total|others [rows] [seeds] [most columns] | chain | scaling
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>

#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/data/true_entropy.hpp"
#include "gaussianize/info/divergence.hpp"
#include "gaussianize/info/entropy.hpp"
#include "gaussianize/info/measure.hpp"
#include "gaussianize/math/detail/random_normal.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;

namespace {

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Mean error, mean absolute error and mean standard error over seeds, and the least time of one.
struct Summary {
  double bias = 0.0, error = 0.0, standard_error = 0.0, time = HUGE_VAL;
};

Summary summarise(std::size_t seeds, double truth, const std::function<Measure(Seed, double&)>& run) {
  Summary s;
  for (std::size_t seed = 1; seed <= seeds; ++seed) {
    double time = 0;
    const Measure m = run(Seed{seed}, time);
    const auto share = 1 / static_cast<double>(seeds);
    s.bias += share * (m.value - truth);
    s.error += share * std::abs(m.value - truth);
    s.standard_error += share * m.standard_error;
    s.time = std::min(s.time, time);
  }
  return s;
}

void total(std::size_t rows, std::size_t seeds, std::size_t max_columns) {
  std::printf("total correlation, N = %zu, %zu seeds; errors in %% of the truth, times in seconds\n", rows, seeds);
  std::printf("%-18s %4s %10s %8s %8s %8s %8s\n", "distribution", "D", "truth", "|error|", "bias", "s.e.", "time");
  for (const KnownDistribution distribution :
       {KnownDistribution::gaussian, KnownDistribution::gaussian_copula, KnownDistribution::student_t,
        KnownDistribution::student_t_ar1, KnownDistribution::rotated_uniform, KnownDistribution::laplace_mix})
    for (const std::size_t d : {2, 3, 10, 50}) {
      if (d > max_columns) continue;
      const double truth = true_total_correlation(distribution, d).value();
      const Summary s = summarise(seeds, truth, [&](Seed seed, double& time) {
        const arma::mat x = draw(distribution, rows, d, seed).x;
        Measure m;
        time = seconds([&] { m = total_correlation(x); });
        return m;
      });
      const double percent = 100 / truth;
      std::printf("%-18s %4zu %10.6f %8.2f %8.2f %8.2f %8.2f\n", std::string(name(distribution)).c_str(), d, truth,
                  percent * s.error, percent * s.bias, percent * s.standard_error, s.time);
      std::fflush(stdout);
    }
}

arma::mat normals(std::size_t rows, std::size_t columns, Seed seed, std::uint64_t block) {
  RandomStream stream(seed, Purpose::data, block);
  return random_normal(rows, columns, stream);
}

/// Multivariate Student-t, scale matrix I, for whole degrees of freedom.
arma::mat student(std::size_t rows, std::size_t columns, std::size_t degrees, Seed seed, std::uint64_t block) {
  arma::mat x = normals(rows, columns, seed, block);
  const arma::vec chi = arma::sum(arma::square(normals(rows, degrees, seed, block + 100)), 1);
  x.each_col() /= arma::sqrt(chi / static_cast<double>(degrees));
  return x;
}

/// log density of the spherical t distribution (∞: normal) at distance e^t from its centre.
double log_spherical(double degrees, double d, double t) {
  constexpr double pi = 3.14159265358979323846;
  if (std::isinf(degrees)) return -0.5 * std::exp(2 * t) - d / 2 * std::log(2 * pi);
  return std::lgamma((degrees + d) / 2) - std::lgamma(degrees / 2) - d / 2 * std::log(degrees * pi) -
         (degrees + d) / 2 * std::log1p(std::exp(2 * t) / degrees);
}

/// D_KL between two such distributions: the trapezoidal rule over the logarithm of the distance.
double spherical_divergence(double degrees_p, double degrees_q, double d) {
  constexpr double pi = 3.14159265358979323846, step = 0.002;
  const double log_sphere = std::log(2.0) + d / 2 * std::log(pi) - std::lgamma(d / 2);
  double sum = 0;
  for (double t = -15; t < 25; t += step) {
    const double log_p = log_spherical(degrees_p, d, t), weight = log_sphere + d * t + log_p;
    if (weight > -700) sum += step * std::exp(weight) * (log_p - log_spherical(degrees_q, d, t));
  }
  return sum;
}

void others_of(std::size_t n, std::size_t d, std::size_t seeds) {
  const auto columns = static_cast<double>(d);
  const auto row = [&](const char* what, double truth, const std::function<Measure(Seed)>& run) {
    const Summary s = summarise(seeds, truth, [&](Seed seed, double& time) {
      Measure m;
      time = seconds([&] { m = run(seed); });
      return m;
    });
    std::printf("%-34s %4zu %9.4f %8.4f %8.4f %8.4f %8.2f\n", what, d, truth, s.error, s.bias, s.standard_error,
                s.time);
    std::fflush(stdout);
  };
  row("divergence, normal, means 0.4 apart", 0.08 * columns,
      [&](Seed s) { return divergence(normals(n, d, s, 0), normals(n, d, s, 1) + 0.4); });
  row("divergence, t with 8 from t with 3", spherical_divergence(8, 3, columns),
      [&](Seed s) { return divergence(student(n, d, 8, s, 0), student(n, d, 3, s, 1)); });
  row("divergence, t with 5 from normal", spherical_divergence(5, HUGE_VAL, columns),
      [&](Seed s) { return divergence(student(n, d, 5, s, 0), normals(n, d, s, 1)); });
  row("divergence, normal from t with 5", spherical_divergence(HUGE_VAL, 5, columns),
      [&](Seed s) { return divergence(normals(n, d, s, 1), student(n, d, 5, s, 0)); });
  row("mutual information, D + D, 0.6", -columns / 2 * std::log(1 - 0.36), [&](Seed s) {
    const arma::mat x = normals(n, d, s, 0);
    return mutual_information(x, 0.6 * x + 0.8 * normals(n, d, s, 1));
  });
  for (const KnownDistribution distribution :
       {KnownDistribution::gaussian, KnownDistribution::gaussian_copula, KnownDistribution::student_t})
    row(("joint entropy, " + std::string(name(distribution))).c_str(), true_entropy(distribution, d),
        [&](Seed s) { return joint_entropy(draw(distribution, n, d, s).x); });
}

void others(std::size_t rows, std::size_t seeds, std::size_t max_columns) {
  std::printf("N = %zu, %zu seeds, nats\n%-34s %4s %9s %8s %8s %8s %8s\n", rows, seeds, "", "D", "truth", "|error|",
              "bias", "s.e.", "time");
  for (const std::size_t d : {2, 3, 10, 50})
    if (d <= max_columns) others_of(rows, d, seeds);
}

/// A dependence that no copula family holds. The truth takes marginal entropies from many rows.
void chain() {
  using enum MeasureMethod;
  std::printf("sine chain, N = 10,000, one seed, nats\n%4s %8s", "D", "truth");
  for (const MeasureMethod method : {automatic, rbig, nearest_neighbour, gaussian_copula})
    std::printf(" %18s", std::string(name(method)).c_str());
  for (const std::size_t d : {2, 3, 5, 10}) {
    const arma::mat many = draw(KnownDistribution::sine_chain, 200'000, d, Seed{9}).x;
    std::printf("\n%4zu %8.4f", d, marginal_entropy(many).value - true_entropy(KnownDistribution::sine_chain, d));
    const arma::mat x = draw(KnownDistribution::sine_chain, 10'000, d, Seed{1}).x;
    for (const MeasureMethod method : {automatic, rbig, nearest_neighbour, gaussian_copula})
      std::printf(" %18.4f", total_correlation(x, {.method = method, .permutations = 0}).value);
    std::fflush(stdout);
  }
  std::printf("\n");
}

void scaling() {
  std::printf("doubling N from 50,000 to 100,000 at D = 10: seconds, ratio (best of 3)\n");
  for (const KnownDistribution distribution :
       {KnownDistribution::gaussian, KnownDistribution::student_t_ar1, KnownDistribution::rotated_uniform}) {
    const arma::mat x = draw(distribution, 100'000, 10, Seed{1}).x, half = x.head_rows(50'000);
    double whole = HUGE_VAL, part = HUGE_VAL;
    for (int repeat = 0; repeat < 3; ++repeat) {
      part = std::min(part, seconds([&] { total_correlation(half); }));
      whole = std::min(whole, seconds([&] { total_correlation(x); }));
    }
    std::printf("%-18s %8.2f %8.2f %8.2f\n", std::string(name(distribution)).c_str(), part, whole, whole / part);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "others";
  const auto argument = [&](int i, long otherwise) {
    return static_cast<std::size_t>(argc > i ? std::atol(argv[i]) : otherwise);
  };
  if (what == "total") total(argument(2, 10'000), argument(3, 5), argument(4, 50));
  if (what == "others") others(argument(2, 10'000), argument(3, 5), argument(4, 50));
  if (what == "chain") chain();
  if (what == "scaling") scaling();
}
