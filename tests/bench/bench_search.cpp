// What default options give: held-out nats per row of RBIG and GF as they tune themselves, beside the Gaussian and
// single fits with fixed settings, and the seconds that it takes.
//   bench_search [NAME...]         distributions ("two-spirals", "sine-chain", …): 10,000 rows, or ROWS, and DIMENSION
//   columns bench_search FILE.csv...       tables, their values spread over their rounding step; 72, 8 and 20 % of the
//   rows bench_search FOLDER/...        train.npy (or val.npy alone), val.npy and test.npy bench_search small-samples
//   50 to 500 rows of known distributions, 10 samples each, or SAMPLES
// CANDIDATES=1 trains every candidate of the GF search as long as the chosen one: what the choice costs. EFFORT is the
// search's, ONLY=rbig or ONLY=gf leaves the other model out.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gaussianize/core/error.hpp"
#include "gaussianize/data/generate.hpp"
#include "gaussianize/data/split.hpp"
#include "gaussianize/flow/gaussian.hpp"
#include "gaussianize/gf/detail/fixed_layers.hpp"
#include "gaussianize/io/table.hpp"
#include "gaussianize/rbig/rbig.hpp"
#include "gaussianize/search/detail/gf_candidates.hpp"
#include "gaussianize/search/gf_search.hpp"
#include "gaussianize/search/rbig_start.hpp"

#include "bench/timing.hpp"
#include "support/spread_ties.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::seconds;
namespace fs = std::filesystem;

namespace {

struct Split {
  arma::mat training, validation, test;
  double truth = NAN;  ///< nats per test row
};

double number(const char* name, double otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atof(text) : otherwise;
}
bool wanted(const std::string& model) {
  const char* only = std::getenv("ONLY");
  return only == nullptr || only == model;
}

double nll(const Flow& flow, const Split& data) {
  return -arma::mean(log_density(flow, data.test));
}

/// A candidate trained on all training rows for as many rounds as the chosen one.
double trained_nll(const GfCandidate& candidate, const Split& data, const GfSearchOptions& search, std::size_t rounds) {
  if (!candidate.trained) return nll(fit_fixed_layers(data.training, candidate.options), data);
  std::optional<GfParameters> start;
  if (candidate.from_rbig) start = rbig_start(data.training, data.validation, candidate.options);
  GfFit fit;
  for (std::size_t round = 0; round < (candidate.single_cycle ? 1 : std::max<std::size_t>(1, rounds)); ++round) {
    GfOptions options = candidate.options;
    options.epochs = round_epochs(candidate, search, data.training.n_rows, round);
    options.seed = Seed{round};
    fit = fit_gf(data.training, data.validation, options, start && !start->layers.empty() ? &*start : nullptr);
    start = fit.trained;
  }
  return nll(fit.flow, data);
}

void show_candidates(const GfSearchResult& result, const Split& data, const GfSearchOptions& search) {
  const bool each = number("CANDIDATES", 0) != 0;
  std::size_t rounds = 0;
  for (const GfCandidate& c : result.candidates) rounds = std::max(rounds, c.rounds);
  double best = nll(result.fit.flow, data);
  for (const GfCandidate& c : result.candidates) {
    std::printf("    %c %-48s held out %9.4f ± %.4f  rounds %zu epochs %4zu", c.chosen ? '*' : ' ', c.name.c_str(),
                c.held_out_nll.value, c.held_out_nll.standard_error, c.rounds, c.epochs);
    if (each) {
      const double value = c.chosen ? nll(result.fit.flow, data) : trained_nll(c, data, search, rounds);
      best = std::min(best, value);
      std::printf("  test %9.4f", value);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  if (each) std::printf("    the choice costs %.4f\n", nll(result.fit.flow, data) - best);
}

void run(const std::string& label, const Split& data) {
  std::printf(
      "%s: %llu × %llu, %llu validation and %llu test rows\n", label.c_str(),
      static_cast<unsigned long long>(data.training.n_rows), static_cast<unsigned long long>(data.training.n_cols),
      static_cast<unsigned long long>(data.validation.n_rows), static_cast<unsigned long long>(data.test.n_rows));
  const auto say = [&](const char* what, double value, double time) {
    std::printf("  %-26s %10.4f", what, value);
    if (!std::isnan(data.truth)) std::printf("  above the truth %7.4f", value - data.truth);
    std::printf("  %7.1f s\n", time);
    std::fflush(stdout);
  };
  if (data.training.n_rows > data.training.n_cols + 1) say("Gaussian", nll(fit_gaussian(data.training), data), 0);
  if (wanted("rbig")) {
    for (const FirstMap first : {FirstMap::columns, FirstMap::whitening}) {
      RbigFit fit;
      const double time = seconds([&] {
        fit = fit_rbig(data.training, data.validation,
                       {.first_map = first, .step_fraction = 0.5, .max_layers = 150, .patience = 10, .search = false});
      });
      say(first == FirstMap::columns ? "RBIG, fixed, columns" : "RBIG, fixed, whitened", nll(fit.flow, data), time);
    }
    RbigFit fit;
    const double time = seconds([&] { fit = fit_rbig(data.training, data.validation, {}); });
    say("RBIG, default", nll(fit.flow, data), time);
  }
  if (wanted("gf")) {
    GfFit single;
    const double single_time = seconds([&] { single = fit_gf(data.training, data.validation, {}); });
    say("GF, fixed", nll(single.flow, data), single_time);
    const GfSearchOptions search{.effort = number("EFFORT", 1)};
    GfSearchResult result;
    const double time = seconds([&] { result = search_gf(data.training, data.validation, {}, search); });
    say("GF, default", nll(result.fit.flow, data), time);
    show_candidates(result, data, search);
  }
}

Split of_distribution(const std::string& name) {
  const auto rows = static_cast<std::size_t>(number("ROWS", 10000));
  const auto dimension =
      static_cast<std::size_t>(number("DIMENSION", name == "sine-chain" || name == "gaussian-copula" ? 10 : 0));
  const ToySample test = generate(name, 100000, dimension, Seed{3});
  return {generate(name, rows * 9 / 10, dimension, Seed{1}).x, generate(name, rows / 10, dimension, Seed{2}).x, test.x,
          -arma::mean(test.log_density)};
}

Split of_csv(const fs::path& path) {
  arma::mat x = read_table(path).values;
  testing::spread_ties(x, Seed{0});
  const SplitRows rows = split_rows(x.n_rows, {0.72, 0.08, 0.2}, Seed{0});
  const arma::mat training = x.rows(rows.train);
  const arma::uvec varying = arma::find(arma::max(training, 0) > arma::min(training, 0));
  return {training.cols(varying), x.submat(rows.validation, varying), x.submat(rows.test, varying)};
}

Split of_folder(const fs::path& folder) {
  const auto table = [&](const char* file) { return read_table(folder / file).values; };
  if (fs::exists(folder / "train.npy")) return {table("train.npy"), table("val.npy"), table("test.npy")};
  const arma::mat x = table("val.npy");
  return {x.head_rows(x.n_rows - x.n_rows / 10), x.tail_rows(x.n_rows / 10), table("test.npy")};
}

void small_samples() {
  const auto samples = static_cast<std::size_t>(number("SAMPLES", 10));
  std::printf("nats above the truth, mean of %zu samples ± standard error; rows include 10 %% for validation\n",
              samples);
  for (const char* name : {"gaussian", "sine-chain", "gaussian-copula"})
    for (const std::size_t dimension : {2, 5, 10, 20})
      for (const std::size_t rows : {50, 100, 200, 500}) {
        const ToySample test = generate(name, 20000, dimension, Seed{1000});
        const double truth = -arma::mean(test.log_density);
        arma::mat above(samples, 3);
        for (std::size_t s = 0; s < samples; ++s) {
          const arma::mat x = generate(name, rows, dimension, Seed{s}).x;
          const Split data{x.head_rows(rows * 9 / 10), x.tail_rows(rows - rows * 9 / 10), test.x, truth};
          above(s, 0) = nll(fit_gaussian(data.training), data);
          above(s, 1) = wanted("rbig") ? nll(fit_rbig(data.training, data.validation, {}).flow, data) : NAN;
          above(s, 2) = wanted("gf") ? nll(search_gf(data.training, data.validation, {}).fit.flow, data) : NAN;
        }
        above -= truth;
        std::printf("%-16s D %2zu N %3zu ", name, dimension, rows);
        for (arma::uword m = 0; m < 3; ++m)
          std::printf("  %s %8.4f ± %.4f",
                      m == 0   ? "Gaussian"
                      : m == 1 ? "RBIG"
                               : "GF",
                      arma::mean(above.col(m)), arma::stddev(above.col(m)) / std::sqrt(static_cast<double>(samples)));
        const arma::vec difference = above.col(2) - above.col(0);
        std::printf("  GF − Gaussian %8.4f, at most %.4f\n", arma::mean(difference), difference.max());
        std::fflush(stdout);
      }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> names(argv + 1, argv + argc);
  if (names.empty())
    names = {"checkerboard", "eight-gaussians", "pinwheel", "two-spirals", "sine-chain", "gaussian-copula"};
  for (const std::string& name : names) {
    if (name == "small-samples")
      small_samples();
    else if (fs::is_directory(name))
      run(name, of_folder(name));
    else
      run(name, name.ends_with(".csv") ? of_csv(name) : of_distribution(name));
  }
  return 0;
}
