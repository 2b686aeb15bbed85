#include "paper/paper_sets.hpp"

#include <algorithm>
#include <string>

#include "gaussianize/core/detail/require.hpp"

namespace gaussianize {
using namespace detail;
namespace {

constexpr std::optional<double> none = std::nullopt;

/// A column of table 1, rows in the paper's order.
constexpr std::array<PaperResult, 9> results(const std::array<std::optional<double>, 9>& losses) {
  constexpr std::array<std::string_view, 9> methods{"Real NVP", "Glow", "FFJORD", "RBIG",    "GF",
                                                    "MADE",     "MAF",  "TAN",    "MAF-DDSF"};
  std::array<PaperResult, 9> column{};
  for (std::size_t i = 0; i < methods.size(); ++i) column[i] = {methods[i], losses[i]};
  return column;
}

constexpr LossUnit nats = LossUnit::nats;
constexpr LossUnit bits = LossUnit::bits_per_dimension;

constexpr std::array<PaperSet, 7> sets{{
    {"power",
     1'659'917,
     184'435,
     204'928,
     6,
     7.74,
     nats,
     {50, 50, 6, 0, 0.005, 200, 2000},
     results({-0.17, -0.17, -0.46, 1.02, -0.57, 3.08, -0.24, -0.48, -0.62})},
    {"gas",
     852'174,
     94'685,
     105'206,
     8,
     3.58,
     nats,
     {150, 50, 8, 0, 0.005, 200, 2000},
     results({-8.33, -8.15, -8.59, 0.05, -10.13, -3.56, -10.08, -11.19, -11.96})},
    {"hepmass",
     315'123,
     35'013,
     174'987,
     21,
     27.93,
     nats,
     {100, 100, 21, 0, 0.005, 200, 500},
     results({18.71, 18.92, 14.92, 24.59, 17.59, 20.98, 17.70, 15.12, 15.09})},
    {"miniboone",
     29'556,
     3'284,
     3'648,
     43,
     37.24,
     nats,
     {90, 50, 43, 0, 0.005, 200, 500},
     results({13.55, 11.35, 10.43, 25.41, 10.32, 15.59, 11.75, 11.01, 8.86})},
    {"bsds300",
     1'000'000,
     50'000,
     250'000,
     63,
     -96.67,
     nats,
     {30, 60, 63, 0, 0.005, 200, 1000},
     results({-153.28, -155.07, -157.40, -115.96, -152.82, -148.85, -155.69, -157.03, -157.73})},
    {"mnist",
     50'000,
     10'000,
     10'000,
     784,
     none,
     bits,
     {10, 50, 50, 4, 0.01, 200, 100},
     results({1.06, 1.05, 0.99, 1.71, 1.29, 2.04, 1.89, none, none})},
    {"fashion-mnist",
     50'000,
     10'000,
     10'000,
     784,
     none,
     bits,
     {10, 50, 50, 4, 0.01, 200, 100},
     results({2.85, 2.95, none, 4.46, 3.35, 4.18, none, none, none})},
}};

constexpr std::string_view explodes = "loss explosion on validation and test sets";
constexpr std::string_view varies = "loss does not converge and varies largely on different batches";
constexpr std::string_view huge = "loss larger than 1000";
constexpr std::string_view nan = "NaN during training";

constexpr std::array<StretchedResult, 36> stretched{{
    {"Real NVP", "power", "cube", 17.47, 21.53},
    {"Real NVP", "miniboone", "cube", 93.98, 109.96},
    {"Real NVP", "gas", "cube", 32.27, 32.85},
    {"Real NVP", "power", "affine", none, none, explodes},
    {"Real NVP", "miniboone", "affine", none, none, explodes},
    {"Real NVP", "gas", "affine", none, none, explodes},
    {"Glow", "power", "cube", 1.67, 5.73},
    {"Glow", "miniboone", "cube", 91.86, 107.84},
    {"Glow", "gas", "cube", none, none, explodes},
    {"Glow", "power", "affine", 41.64, 0.19},
    {"Glow", "miniboone", "affine", 315.30, 18.27},
    {"Glow", "gas", "affine", 49.26, -6.00},
    {"FFJORD", "power", "cube", none, none, huge},
    {"FFJORD", "miniboone", "cube", 88.29, 104.27},
    {"FFJORD", "gas", "cube", none, none, varies},
    {"FFJORD", "power", "affine", none, none, huge},
    {"FFJORD", "miniboone", "affine", 329.97, 32.94},
    {"FFJORD", "gas", "affine", none, none, huge},
    {"GF", "power", "cube", -4.41, -0.35},
    {"GF", "miniboone", "cube", 4.62, 20.60},
    {"GF", "gas", "cube", -6.91, -6.33},
    {"GF", "power", "affine", 41.00, -0.45},
    {"GF", "miniboone", "affine", 325.72, 28.69},
    {"GF", "gas", "affine", 47.69, -7.57},
    {"MAF", "power", "cube", 19.37, 23.43},
    {"MAF", "miniboone", "cube", 381.32, 397.3},
    {"MAF", "gas", "cube", 19.76, 20.34},
    {"MAF", "power", "affine", none, none, explodes},
    {"MAF", "miniboone", "affine", none, none, explodes},
    {"MAF", "gas", "affine", none, none, explodes},
    {"MAF-DDSF", "power", "cube", -4.12, -0.06},
    {"MAF-DDSF", "miniboone", "cube", 7.88, 23.86},
    {"MAF-DDSF", "gas", "cube", -4.52, -3.94},
    {"MAF-DDSF", "power", "affine", none, none, nan},
    {"MAF-DDSF", "miniboone", "affine", none, none, nan},
    {"MAF-DDSF", "gas", "affine", none, none, nan},
}};

}  // namespace

std::span<const PaperSet> paper_sets() {
  return sets;
}

const PaperSet& find_paper_set(std::string_view name) {
  const auto* found = std::find_if(sets.begin(), sets.end(), [&](const PaperSet& set) { return set.name == name; });
  if (found != sets.end()) return *found;
  std::string names;
  for (const PaperSet& set : sets) names += (names.empty() ? "" : ", ") + std::string(set.name);
  throw std::invalid_argument(concat("there is no data set called '", name, "'; there are ", names));
}

double logit_lambda(const PaperSet& set) {
  return set.name == "mnist" ? 1e-5 : 1e-6;
}

std::span<const StretchedResult> stretched_results() {
  return stretched;
}

}  // namespace gaussianize
