#include "gaussianize/data/generate.hpp"

#include <algorithm>
#include <array>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/data/toys.hpp"

namespace gaussianize {
using namespace detail;
namespace {

struct ToyEntry {
  Toy toy;
  std::string_view description;
};

constexpr std::array toy_entries{
    ToyEntry{Toy::checkerboard, "uniform on every second square of a board"},
    ToyEntry{Toy::eight_gaussians, "eight normals on a circle"},
    ToyEntry{Toy::two_spirals, "two interleaved spirals, blurred"},
    ToyEntry{Toy::pinwheel, "five bent arms"},
    ToyEntry{Toy::moons, "two interleaved half circles, blurred"},
    ToyEntry{Toy::rings, "four circles about one centre, blurred"},
    ToyEntry{Toy::swiss_roll, "one spiral of one and a half turns, blurred"},
    ToyEntry{Toy::cos_curve, "a cosine with noise"},
};

struct KnownEntry {
  KnownDistribution kind;
  std::string_view description;
};

constexpr std::array known_entries{
    KnownEntry{KnownDistribution::gaussian, "normal, AR(1) with correlation 0.5"},
    KnownEntry{KnownDistribution::gaussian_copula, "the same with exponential and sine-bent margins"},
    KnownEntry{KnownDistribution::sine_chain,
               "each column a sine of the one before and noise, every second one exponentiated"},
    KnownEntry{KnownDistribution::student_t, "multivariate Student-t with 5 degrees of freedom, uncorrelated"},
    KnownEntry{KnownDistribution::student_t_ar1, "the same with AR(1) correlation 0.5"},
    KnownEntry{KnownDistribution::rotated_uniform, "independent uniforms, rotated"},
    KnownEntry{KnownDistribution::laplace_mix, "independent Laplace columns, rotated"},
    KnownEntry{KnownDistribution::gaussian_mixture, "two normals, centred at (1, …, 1) and (−1, …, −1)"},
};

constexpr std::size_t usual_dimension = 10;

using Catalogue = std::array<ToyInfo, toy_entries.size() + known_entries.size()>;

const Catalogue& catalogue() {
  static const Catalogue all = [] {
    Catalogue entries;
    auto* next = entries.data();
    for (const auto& [toy, description] : toy_entries) *next++ = {name(toy), description, 2, false};
    for (const auto& [kind, description] : known_entries) *next++ = {name(kind), description, usual_dimension, true};
    return entries;
  }();
  return all;
}

}  // namespace

std::span<const ToyInfo> toys() {
  return catalogue();
}

const ToyInfo& find_toy(std::string_view name) {
  const Catalogue& all = catalogue();
  const auto* found = std::find_if(all.begin(), all.end(), [&](const ToyInfo& info) { return info.name == name; });
  if (found != all.end()) return *found;
  std::string names;
  for (const ToyInfo& info : all) names += (names.empty() ? "" : ", ") + std::string(info.name);
  throw std::invalid_argument(concat("there is no toy called '", name, "'; there are ", names));
}

ToySample generate(std::string_view name, std::size_t rows, std::size_t dimension, Seed seed, int threads) {
  const ToyInfo& info = find_toy(name);
  if (dimension == 0) dimension = info.dimension;
  require(info.any_dimension || dimension == info.dimension, info.name, " has ", info.dimension, " columns, not ",
          dimension, "; leave the dimension out");
  ToySample sample;
  const auto place = static_cast<std::size_t>(&info - catalogue().data());
  if (place < toy_entries.size()) {
    sample.x = draw(toy_entries[place].toy, rows, seed);
    sample.log_density = log_density(toy_entries[place].toy, sample.x, threads);
  } else {
    KnownSample known = draw(known_entries[place - toy_entries.size()].kind, rows, dimension, seed);
    sample.x = std::move(known.x);
    sample.log_density = std::move(known.log_density);
  }
  for (std::size_t d = 0; d < dimension; ++d) sample.columns.push_back(concat("x", d));
  return sample;
}

}  // namespace gaussianize
