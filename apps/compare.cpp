#include <chrono>
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <boost/program_options.hpp>

#include "gaussianize/data/known_law.hpp"
#include "gaussianize/flow/gaussian.hpp"
#include "gaussianize/gf/gf.hpp"
#include "gaussianize/math/estimate.hpp"
#include "gaussianize/rbig/rbig.hpp"

#include "command.hpp"
#include "commands.hpp"

namespace gaussianize {
namespace {

namespace po = boost::program_options;

const std::map<std::string, KnownLaw> laws{{"sine-chain", KnownLaw::sine_chain},
                                           {"gaussian-copula", KnownLaw::gaussian_copula},
                                           {"gaussian", KnownLaw::gaussian}};
const std::map<std::string, RotationKind> rotations{
    {"auto", RotationKind::automatic}, {"pca", RotationKind::pca},       {"ica", RotationKind::ica},
    {"random", RotationKind::random},  {"sliced", RotationKind::sliced}, {"identity", RotationKind::identity}};
const std::map<std::string, StoppingRule> stops{{"likelihood", StoppingRule::likelihood},
                                                {"information", StoppingRule::information},
                                                {"fixed", StoppingRule::fixed}};

struct Settings {
  std::string toy, rotation, stop;
  std::int64_t rows = 0, test_rows = 0, dimension = 0, layers = 0, epochs = 0;
  std::uint64_t seed = 0;
  int threads = 0;
  bool quiet = false;
};

/// What is said of a model in one line of the table.
struct Row {
  std::string name;
  Estimate nll;
  Estimate excess;  ///< over the true law, row by row
  double fit_seconds = 0.0;
  double score_rate = 0.0, sample_rate = 0.0;
  double round_trip = 0.0;
};

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

template <class Value>
Value pick(const std::map<std::string, Value>& choices, const std::string& option, const std::string& word) {
  const auto found = choices.find(word);
  if (found != choices.end()) return found->second;
  std::string list;
  for (const auto& [name, value] : choices) list += (list.empty() ? "" : ", ") + name;
  throw UsageError("compare: --" + option + " is '" + word + "'; it must be one of " + list);
}

po::options_description describe(Settings& s) {
  po::options_description options("options");
  auto add = options.add_options();
  add("help,h", "show this text");
  add("toy", po::value(&s.toy)->default_value("sine-chain"), "built-in law: sine-chain, gaussian-copula, gaussian");
  add("rows", po::value(&s.rows)->default_value(10000), "rows to fit");
  add("test-rows", po::value(&s.test_rows)->default_value(10000), "rows to judge by");
  add("dimension", po::value(&s.dimension)->default_value(5), "columns");
  add("rotation", po::value(&s.rotation)->default_value("auto"), "of RBIG: auto, pca, ica, sliced, random, identity");
  add("stop", po::value(&s.stop)->default_value("likelihood"), "RBIG's stopping rule: likelihood, information, fixed");
  add("layers", po::value(&s.layers)->default_value(150), "the most RBIG layers");
  add("epochs", po::value(&s.epochs)->default_value(0), "of GF's training; 0: chosen from the data's size");
  add("seed", po::value(&s.seed)->default_value(0), "of everything random");
  add("threads", po::value(&s.threads)->default_value(0), "0: all the machine has; no result depends on it");
  add("quiet", po::bool_switch(&s.quiet), "no words on standard error");
  return options;
}

/// Parses the arguments; false if --help was asked for and answered.
bool parse(const std::vector<std::string>& arguments, Settings& s) {
  const po::options_description options = describe(s);
  po::variables_map values;
  const int style = po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
  // No positional words: a stray one is an error, not ignored.
  try {
    po::store(po::command_line_parser(arguments).options(options).positional({}).style(style).run(), values);
  } catch (const po::too_many_positional_options_error&) {
    throw UsageError("compare: it draws its own data and takes no file; choose a law with --toy");
  }
  if (values.count("help") > 0) {
    std::cout << "usage: gaussianize compare [options]\n\n"
                 "Draws rows from a law whose density is known, fits a Gaussian, RBIG and GF to them, and scores them, "
                 "and the\n"
                 "law itself, on new rows.\n\n"
              << options << "\nexample: gaussianize compare --toy gaussian-copula --dimension 10 --seed 7\n";
    return false;
  }
  po::notify(values);
  for (const auto& [option, number] : {std::pair("rows", s.rows), std::pair("test-rows", s.test_rows)})
    if (number < 10) throw UsageError(std::string("compare: --") + option + " must be at least 10");
  for (const auto& [option, number] : {std::pair("dimension", s.dimension), std::pair("layers", s.layers)})
    if (number < 1) throw UsageError(std::string("compare: --") + option + " must be at least 1");
  if (s.epochs < 0) throw UsageError("compare: --epochs must not be negative; 0 means chosen");
  if (s.threads < 0) throw UsageError("compare: --threads must not be negative; 0 means all");
  return true;
}

Row judge(const std::string& name, const Flow& flow, const KnownSample& test, double fit_seconds, const Settings& s) {
  const Execution execution{.threads = s.threads};
  Row row{.name = name, .fit_seconds = fit_seconds};
  const auto rows = static_cast<double>(test.x.n_rows);
  const Stopwatch scoring;
  const arma::vec log_p = log_density(flow, test.x, execution);
  row.score_rate = rows / scoring.seconds();
  row.nll = mean_estimate(-log_p);
  row.excess = mean_estimate(test.log_density - log_p);
  const Stopwatch sampling;
  sample(flow, test.x.n_rows, Seed{s.seed}, execution);
  row.sample_rate = rows / sampling.seconds();
  const arma::mat back = inverse(flow, forward(flow, test.x, execution).z, execution);
  row.round_trip = arma::abs((back - test.x) / (1 + arma::abs(test.x))).max();
  return row;
}

/// Reports progress about ten times over a run.
ProgressCallback every_tenth_part() {
  return [last = std::size_t{0}](const Progress& p) mutable {
    const std::size_t part = 10 * p.done / p.total;
    if (part != last) std::cerr << p.message << '\n';
    last = part;
    return true;
  };
}

void print(const std::vector<Row>& rows, std::int64_t dimension) {
  std::cout << std::left << std::setw(10) << "model" << std::right << std::setw(22) << "test NLL, nats" << std::setw(12)
            << "bits/dim" << std::setw(22) << "above the truth" << std::setw(9) << "fit, s" << std::setw(13)
            << "scored/s" << std::setw(13) << "sampled/s" << std::setw(12) << "round trip\n";
  const auto estimate = [](const Estimate& e) {
    std::ostringstream text;
    text << std::fixed << std::setprecision(4) << e.value << " ± " << e.standard_error;
    // The sign ± is two bytes and one column.
    return std::string(text.str().size() < 23 ? 23 - text.str().size() : 1, ' ') + text.str();
  };
  for (const Row& row : rows) {
    std::cout << std::left << std::setw(10) << row.name << std::right << estimate(row.nll) << std::fixed
              << std::setprecision(4) << std::setw(12)
              << row.nll.value / (static_cast<double>(dimension) * std::log(2.0));
    if (row.fit_seconds > 0)
      std::cout << estimate(row.excess) << std::setprecision(2) << std::setw(9) << row.fit_seconds
                << std::setprecision(0) << std::setw(13) << row.score_rate << std::setw(13) << row.sample_rate
                << std::scientific << std::setprecision(0) << std::setw(11) << row.round_trip;
    std::cout << '\n';
  }
}

}  // namespace

int run_compare(const std::vector<std::string>& arguments) {
  Settings s;
  if (!parse(arguments, s)) return 0;
  const KnownLaw law = pick(laws, "toy", s.toy);
  RbigOptions options{.rotation = pick(rotations, "rotation", s.rotation),
                      .stop = pick(stops, "stop", s.stop),
                      .max_layers = static_cast<std::size_t>(s.layers),
                      .seed = Seed{s.seed},
                      .threads = s.threads};
  if (!s.quiet) {
    std::cerr << "data: " << s.toy << ", " << s.rows << " rows to fit and " << s.test_rows << " to test, "
              << s.dimension << " columns, seed " << s.seed << '\n';
    options.progress = every_tenth_part();
  }
  const auto dimension = static_cast<std::size_t>(s.dimension);
  const KnownSample training = draw(law, static_cast<std::size_t>(s.rows), dimension, Seed{s.seed});
  const KnownSample test = draw(law, static_cast<std::size_t>(s.test_rows), dimension, Seed{s.seed + 1});

  std::vector<Row> rows{{.name = "truth", .nll = mean_estimate(-test.log_density)}};
  const Stopwatch gaussian_time;
  const Flow gaussian = fit_gaussian(training.x, s.threads);
  rows.push_back(judge("gaussian", gaussian, test, gaussian_time.seconds(), s));
  const Stopwatch rbig_time;
  const RbigFit rbig = fit_rbig(training.x, options);
  rows.push_back(judge("rbig", rbig.flow, test, rbig_time.seconds(), s));
  if (!s.quiet)
    std::cerr << "rbig: " << rbig.layers_kept << " layers kept of " << rbig.layers.size()
              << "; stopped because: " << name(rbig.stop_reason) << '\n';
  const Stopwatch gf_time;
  const GfFit gf = fit_gf(training.x, {.epochs = static_cast<std::size_t>(s.epochs),
                                       .seed = Seed{s.seed},
                                       .threads = s.threads,
                                       .progress = s.quiet ? ProgressCallback{} : every_tenth_part()});
  rows.push_back(judge("gf", gf.flow, test, gf_time.seconds(), s));
  if (!s.quiet)
    std::cerr << "gf: " << gf.options.layers << " layers, " << gf.options.anchors << " anchors, "
              << gf.options.reflections << " reflections, batch " << gf.options.batch << ", " << gf.options.epochs
              << " epochs, learning rate " << gf.options.schedule.learning_rate << "; best epoch " << gf.best_epoch
              << '\n';
  print(rows, s.dimension);
  return 0;
}

}  // namespace gaussianize
