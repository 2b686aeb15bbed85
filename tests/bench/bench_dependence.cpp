// The measures against the joint distributions of support/dependence_cases.hpp, whose dependence is known.
//   bench_dependence [-v] [filter] [rows = 10000] [seeds = 10] [method = auto]
// One line for each case whose name contains the filter, over seeds 1 … S; -v prints each run as well. Errors and
// widths are in nats, "err%" in percent of the truth. "bad" counts the runs not called suspect that are off by more
// than a tenth of the truth and by more than 0.05 nats.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "gaussianize/info/measure.hpp"

#include "support/dependence_cases.hpp"

using namespace gaussianize;
using namespace gaussianize::testing;

namespace {

/// Sums over runs.
struct Tally {
  double runs = 0, value = 0, error = 0, standard_error = 0, width = 0, seconds = 0;
  std::size_t covered = 0, suspect = 0, trusted_covered = 0, bad = 0;
  std::string method;

  void add(const Measure& m, double truth, double time) {
    const double off = std::abs(m.value - truth);
    const bool covers = m.interval.low <= truth && truth <= m.interval.high;
    runs += 1;
    value += m.value;
    error += off;
    standard_error += m.standard_error;
    width += m.interval.high - m.interval.low;
    seconds += time;
    covered += covers;
    suspect += m.suspect;
    trusted_covered += covers && !m.suspect;
    bad += !m.suspect && off > 0.1 * truth && off > 0.05;
    method = m.method;
  }

  void add(const Tally& other) {
    runs += other.runs;
    error += other.error;
    standard_error += other.standard_error;
    width += other.width;
    seconds += other.seconds;
    covered += other.covered;
    suspect += other.suspect;
    trusted_covered += other.trusted_covered;
    bad += other.bad;
  }

  std::size_t trusted() const { return static_cast<std::size_t>(runs) - suspect; }
};

std::string_view short_name(DependenceQuantity quantity) {
  switch (quantity) {
    case DependenceQuantity::total_correlation:
      return "TC";
    case DependenceQuantity::mutual_information:
      return "MI";
    case DependenceQuantity::conditional_mutual_information:
      return "CMI";
  }
  return "";
}

void print_header() {
  std::printf("%-28s %-3s %8s %8s %8s %7s %8s %8s %7s %7s %8s %5s %7s  %s\n", "case", "", "truth", "mean", "|error|",
              "err%", "s.e.", "width", "covered", "suspect", "trusted", "bad", "seconds", "method");
}

void print_line(const DependenceCase& dependence, const Tally& t) {
  std::printf("%-28s %-3s %8.4f %8.4f %8.4f ", dependence.name.c_str(), short_name(dependence.quantity).data(),
              dependence.truth, t.value / t.runs, t.error / t.runs);
  if (dependence.truth > 0)
    std::printf("%7.1f", 100 * t.error / t.runs / dependence.truth);
  else
    std::printf("%7s", "-");
  std::printf(" %8.4f %8.4f %7zu %7zu %4zu/%-3zu %5zu %7.2f  %s\n", t.standard_error / t.runs, t.width / t.runs,
              t.covered, t.suspect, t.trusted_covered, t.trusted(), t.bad, t.seconds / t.runs, t.method.c_str());
  std::fflush(stdout);
}

void print_total(std::string_view what, const Tally& t) {
  if (t.runs == 0) return;
  std::printf(
      "%-10s %.0f runs: mean |error| %.4f, mean width %.4f, covered %zu; %zu suspect; %zu of the %zu others "
      "covered, %zu of them bad; %.2f s each\n",
      what.data(), t.runs, t.error / t.runs, t.width / t.runs, t.covered, t.suspect, t.trusted_covered, t.trusted(),
      t.bad, t.seconds / t.runs);
}

struct Settings {
  bool verbose = false;
  std::size_t rows = 10'000, seeds = 10;
  MeasureMethod method = MeasureMethod::automatic;
};

Tally run(const DependenceCase& dependence, const Settings& settings) {
  Tally tally;
  for (std::size_t seed = 1; seed <= settings.seeds; ++seed) {
    const DependenceSample sample = dependence.draw(settings.rows, Seed{seed});
    const auto start = std::chrono::steady_clock::now();
    const Measure m =
        measure(dependence, sample, {.method = settings.method, .permutations = 0, .seed = Seed{seed}, .threads = 0});
    const double time = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    tally.add(m, dependence.truth, time);
    if (settings.verbose) {
      std::printf("  seed %zu: %.4f (s.e. %.4f) in [%.4f, %.4f]%s, %.2f s, %s\n", seed, m.value, m.standard_error,
                  m.interval.low, m.interval.high, m.suspect ? ", suspect" : "", time, m.method.c_str());
      for (const std::string& warning : m.warnings) std::printf("    %s\n", warning.c_str());
      std::fflush(stdout);
    }
  }
  return tally;
}

MeasureMethod method_of(std::string_view wanted) {
  using enum MeasureMethod;
  for (const MeasureMethod method : {automatic, gaussian_copula, rbig, nearest_neighbour})
    if (name(method) == wanted) return method;
  std::fprintf(stderr, "no method %s: auto, gaussian-copula, rbig or nearest-neighbour\n", wanted.data());
  std::exit(2);
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  std::vector<std::string_view> arguments;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "-v")
      settings.verbose = true;
    else
      arguments.emplace_back(argv[i]);
  }
  const std::string_view filter = arguments.empty() ? "" : arguments[0];
  if (arguments.size() > 1) settings.rows = std::strtoul(arguments[1].data(), nullptr, 10);
  if (arguments.size() > 2) settings.seeds = std::strtoul(arguments[2].data(), nullptr, 10);
  if (arguments.size() > 3) settings.method = method_of(arguments[3]);

  std::printf("N = %zu, %zu seeds, %s\n", settings.rows, settings.seeds, name(settings.method).data());
  print_header();
  Tally total, dependent, independent;
  for (const DependenceCase& dependence : dependence_cases()) {
    if (dependence.name.find(filter) == std::string::npos) continue;
    try {
      const Tally tally = run(dependence, settings);
      if (tally.runs == 0) continue;
      print_line(dependence, tally);
      (dependence.truth > 0 ? dependent : independent).add(tally);
      total.add(tally);
    } catch (const std::exception& error) {
      std::printf("%-28s failed: %s\n", dependence.name.c_str(), error.what());
    }
  }
  print_total("truth > 0:", dependent);
  print_total("truth = 0:", independent);
  print_total("all:", total);
}
