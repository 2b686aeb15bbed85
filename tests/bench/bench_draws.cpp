// Draws of default models, and held-out likelihoods beside them: how far draws go beyond the rows, whether a classifier
// tells them from rows that were not fitted, and how fast the density falls along rays.
//   bench_draws [DATA FOLDER] [NAME…]     NAME: a table of DATA FOLDER/small, a built-in distribution, power,
//   miniboone,
//                                         student-t3, pareto-2; all of them if none is given
// MODEL=gf|rbig fits that one alone; SEED=n takes another split; SPREAD=1 spreads repeated values of tables over the
// step they were rounded to; KEEP=folder writes each model's log densities of the test rows, for paired comparisons.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "gaussianize/core/error.hpp"
#include "gaussianize/data/generate.hpp"
#include "gaussianize/data/split.hpp"
#include "gaussianize/gf/gf.hpp"
#include "gaussianize/io/table.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/math/estimate.hpp"
#include "gaussianize/math/normal.hpp"
#include "gaussianize/rbig/rbig.hpp"

#include "bench/classifier.hpp"
#include "bench/timing.hpp"
#include "support/spread_ties.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t generated_rows = 10000;
constexpr std::size_t draws = 100000;

struct Split {
  arma::mat training, validation, test;
};

std::uint64_t seed_number() {
  const char* text = std::getenv("SEED");
  return text ? std::strtoull(text, nullptr, 10) : 0;
}

/// A fifth of the rows to test, a tenth of the others to validate, constant columns dropped: as `compare` does.
Split split(const arma::mat& x) {
  const SplitRows rows = split_rows(x.n_rows, {0.72, 0.08, 0.2}, Seed{seed_number()});
  const arma::mat training = x.rows(rows.train);
  const arma::uvec varying = arma::find(arma::max(training, 0) > arma::min(training, 0));
  return {training.cols(varying), x.submat(rows.validation, varying), x.submat(rows.test, varying)};
}

/// x with P(|X| > x) as a Student-t with 3 degrees of freedom has, and a Pareto column with index 2: each beside a
/// normal column that depends on it.
arma::mat heavy_tailed(const std::string& which) {
  RandomStream stream(Seed{seed_number()}, Purpose::sample);
  arma::mat x(2 * generated_rows, 2);
  for (arma::uword i = 0; i < x.n_rows; ++i) {
    const auto normal = [&] { return normal_quantile(stream.uniform()); };
    const double z = normal();
    if (which == "pareto-2") {
      x(i, 0) = 1 / std::sqrt(1 - normal_cdf(z));
    } else {
      const double a = normal(), b = normal(), c = normal();
      x(i, 0) = z / std::sqrt((a * a + b * b + c * c) / 3);
    }
    x(i, 1) = 0.5 * z + normal();
  }
  return x;
}

void keep(const std::string& name, const arma::vec& log_p) {
  if (const char* folder = std::getenv("KEEP")) write_table({{}, arma::mat(log_p)}, fs::path(folder) / (name + ".csv"));
}

/// Whether the map that meets the data was given a tail heavier than exponential, column by column.
arma::uvec heavy_columns(const Flow& flow) {
  arma::uvec heavy(flow.dimension, arma::fill::zeros);
  for (const Layer& layer : flow.layers) {
    const auto* tables = std::get_if<SplineMarginal>(&layer.marginal);
    if (tables == nullptr) continue;
    for (std::size_t d = 0; d < flow.dimension; ++d)
      for (const Tail* tail : {&tables->columns[d].lower, &tables->columns[d].upper})
        if (!tail->straight && tail->shape > 0) heavy[d] = 1;
    break;
  }
  return heavy;
}

/// How far beyond the range of all rows the draws go, in ranges, and in which column; columns with heavy tails aside.
struct Reach {
  double farthest = 0;
  arma::uword column = 0;
  std::size_t beyond = 0;  ///< draws farther out than one range
  double heavy = 0;        ///< the farthest of the columns with heavy tails
};

/// Along random rays from the mean: how fast −log p grows between 10⁴ and 10⁶ standard deviations, as a power of the
/// distance (2: normal, 1: exponential), the least of all; and the worst relative error of x → z → x there.
struct Rays {
  double power = HUGE_VAL, round_trip = 0;
};

Rays rays(const Split& data, const Flow& flow) {
  constexpr arma::uword count = 50;
  RandomStream stream(Seed{seed_number()}, Purpose::test);
  const arma::mat direction = arma::normalise(random_normal(count, flow.dimension, stream), 2, 1);
  const arma::rowvec mean = arma::mean(data.training, 0), sd = arma::stddev(data.training, 1, 0);
  const auto at = [&](double distance) {
    arma::mat x = distance * direction;
    x.each_row() %= sd;
    x.each_row() += mean;
    return x;
  };
  const arma::mat far = at(1e6);
  const arma::vec near_p = -log_density(flow, at(1e4)), far_p = -log_density(flow, far);
  const arma::mat back = inverse(flow, forward(flow, far).z);
  return {arma::min(arma::log(far_p / near_p)) / std::log(100.0), arma::abs(back / far - 1).max()};
}

Reach reach(const Split& data, const arma::mat& drawn, const arma::uvec& heavy) {
  const arma::mat rows = arma::join_cols(data.training, data.validation, data.test);
  const arma::rowvec low = arma::min(rows, 0), high = arma::max(rows, 0);
  Reach result;
  for (arma::uword i = 0; i < drawn.n_rows; ++i) {
    double worst = 0;
    for (arma::uword d = 0; d < drawn.n_cols; ++d) {
      const double out = std::max(low[d] - drawn(i, d), drawn(i, d) - high[d]) / (high[d] - low[d]);
      if (heavy[d]) {
        result.heavy = std::max(result.heavy, out);
        continue;
      }
      worst = std::max(worst, out);
      if (out > result.farthest) {
        result.farthest = out;
        result.column = d;
      }
    }
    result.beyond += worst > 1 ? 1 : 0;
  }
  return result;
}

void report(const std::string& name, const char* model, const Split& data, const Flow& flow, double seconds) {
  const arma::vec log_p = log_density(flow, data.test);
  keep(name + "." + model, log_p);
  const Estimate nll = mean_estimate(-log_p);
  const arma::mat drawn = sample(flow, draws, Seed{seed_number() + 1});
  const arma::uvec heavy = heavy_columns(flow);
  const Reach far = reach(data, drawn, heavy);
  const Rays ray = rays(data, flow);
  const arma::vec tails = arma::quantile(drawn.col(0), arma::vec{0.001, 0.999});
  std::printf(
      "%-18s %-4s %6llu × %-2llu test NLL %10.4f ± %.4f  worst row %9.4g  layers %3zu  fit %6.1f s  "
      "farthest %9.3g (column %llu)  beyond %zu  q %.4g %.4g  AUC %.3f"
      "  heavy columns %llu, farthest %.3g  rays: power %.2f, round trip %.1g\n",
      name.c_str(), model, static_cast<unsigned long long>(data.training.n_rows),
      static_cast<unsigned long long>(data.training.n_cols), nll.value, nll.standard_error, log_p.min(),
      flow.layers.size() - 1, seconds, far.farthest, static_cast<unsigned long long>(far.column), far.beyond, tails[0],
      tails[1], testing::distinguishability(data.test, drawn), static_cast<unsigned long long>(arma::accu(heavy)),
      far.heavy, ray.power, ray.round_trip);
  std::fflush(stdout);
}

void run(const std::string& name, const Split& data) {
  const char* only = std::getenv("MODEL");
  Flow flow;
  if (!only || std::string(only) == "gf") {
    const double seconds =
        testing::seconds([&] { flow = fit_gf(data.training, data.validation, {.seed = Seed{seed_number()}}).flow; });
    report(name, "gf", data, flow, seconds);
  }
  if (!only || std::string(only) == "rbig") {
    const double seconds =
        testing::seconds([&] { flow = fit_rbig(data.training, data.validation, {.seed = Seed{seed_number()}}).flow; });
    report(name, "rbig", data, flow, seconds);
  }
}

bool run_named(const fs::path& folder, const std::string& name) {
  if (name == "student-t3" || name == "pareto-2") return run(name, split(heavy_tailed(name))), true;
  for (const ToyInfo& toy : toys())
    if (toy.name == name) return run(name, split(generate(name, generated_rows, 0, Seed{seed_number()}).x)), true;
  const auto table = [&](const char* file) { return read_table(folder / name / file).values; };
  if (name == "power") return run(name, {table("train.npy"), table("val.npy"), table("test.npy")}), true;
  if (name == "miniboone") {
    const arma::mat x = table("val.npy");
    return run(name, {x.head_rows(x.n_rows - x.n_rows / 10), x.tail_rows(x.n_rows / 10), table("test.npy")}), true;
  }
  const fs::path csv = folder / "small" / (name + ".csv");
  if (!fs::exists(csv)) return false;
  arma::mat x = read_table(csv).values;
  if (std::getenv("SPREAD")) testing::spread_ties(x, Seed{seed_number()});
  return run(name, split(x)), true;
}

}  // namespace

int main(int argc, char** argv) {
  const fs::path folder = argc > 1 ? argv[1] : "";
  std::vector<std::string> names(argv + std::min(argc, 2), argv + argc);
  if (names.empty()) {
    names = {"student-t3", "pareto-2"};
    for (const ToyInfo& toy : toys()) names.emplace_back(toy.name);
    if (fs::exists(folder / "small"))
      for (const auto& entry : fs::directory_iterator(folder / "small")) names.push_back(entry.path().stem().string());
    for (const char* set : {"miniboone", "power"})
      if (fs::exists(folder / set)) names.emplace_back(set);
    std::sort(names.begin() + 2, names.end());
  }
  for (const std::string& name : names)
    if (!run_named(folder, name)) std::printf("%s: no such data set\n", name.c_str());
}
