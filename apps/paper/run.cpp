#include "paper/run.hpp"

#include <algorithm>
#include <cmath>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/io/checkpoint_file.hpp"
#include "gaussianize/io/table.hpp"

#include "cli/interrupt.hpp"

namespace gaussianize::paper {
using namespace detail;
namespace {

namespace fs = std::filesystem;

constexpr std::size_t min_epochs = 5;
constexpr std::size_t min_rows = 500;
constexpr double seconds_between_checkpoints = 30;

fs::path made(fs::path folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw FileError(concat(folder.string(), ": cannot be made: ", error.message()));
  return folder;
}

}  // namespace

Run::Run(const Arguments& arguments, std::string experiment)
    : arguments_(arguments),
      scale_(arguments.number("scale")),
      budget_seconds_(60 * arguments.number("budget")),
      data_(arguments.text("data")),
      output_(made(fs::path(arguments.text("output")) / experiment)),
      ledger_(output_, {{"experiment", experiment}, {"scale", scale_}, {"seed", arguments.seed().value}}) {
  if (!(scale_ > 0 && scale_ <= 1)) arguments.refuse("--scale is ", scale_, "; it must lie in (0, 1]");
  if (budget_seconds_ < 0) arguments.refuse("--budget must not be negative; 0 means no limit");
}

std::size_t Run::epochs(std::size_t paper_epochs) const {
  const double wanted = std::round(scale_ * static_cast<double>(paper_epochs));
  return std::clamp<std::size_t>(static_cast<std::size_t>(wanted), std::min(min_epochs, paper_epochs), paper_epochs);
}

std::size_t Run::rows(std::size_t all, std::size_t paper_epochs) const {
  const double share = scale_ * static_cast<double>(paper_epochs) / static_cast<double>(epochs(paper_epochs));
  const double wanted = std::round(std::min(1.0, share) * static_cast<double>(all));
  return std::clamp<std::size_t>(static_cast<std::size_t>(wanted), std::min(min_rows, all), all);
}

bool Run::interrupted_by_user() const {
  return interrupted();
}

bool Run::stopped() const {
  return interrupted() || (budget_seconds_ > 0 && watch_.seconds() > budget_seconds_);
}

void Run::cell(const std::string& key, const std::function<Cell()>& work) {
  const Cell* known = ledger_.find(key);
  if (known && known->complete) return;
  if (stopped()) return;
  if (key.find(arguments_.text("only")) == std::string::npos) {
    ++passed_over_;
    return;
  }
  arguments_.say(key, known ? ": going on" : ":");
  const double seconds_before = known ? known->seconds : 0.0;
  const Stopwatch watch;
  cut_short_ = false;
  Cell cell = work();
  cell.seconds = seconds_before + watch.seconds();
  // A fit without checkpoints that was cut short starts again next time.
  if ((cut_short_ || interrupted()) && cell.complete) return;
  ledger_.put(key, std::move(cell));
}

fs::path Run::file(const std::string& key, std::string_view extension) const {
  std::string name = key;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == '/' || c == ','; }, '-');
  return output_ / (name + std::string(extension));
}

ProgressCallback Run::watched(ProgressBar& bar) const {
  return [this, callback = bar.callback()](const Progress& progress) { return callback(progress) && !stopped(); };
}

Trained Run::train(const std::string& key, const arma::mat& training, const arma::mat& validation,
                   GfOptions options) const {
  const fs::path checkpoint_file = file(key, ".checkpoint");
  ProgressBar bar(key, arguments_.quiet());
  options.seed = seed();
  options.threads = threads();
  options.progress = watched(bar);
  options.checkpoint = [&](const Checkpoint& checkpoint) { save_checkpoint(checkpoint, checkpoint_file); };
  options.checkpoint_seconds = seconds_between_checkpoints;
  GfFit fit = fs::exists(checkpoint_file) ? resume_gf(training, validation, options, load_checkpoint(checkpoint_file))
                                          : fit_gf(training, validation, options);
  const bool complete = fit.stop_reason != GfStop::cancelled;
  if (complete) fs::remove(checkpoint_file);
  return {std::move(fit), complete};
}

RbigFit Run::fit(const std::string& key, const arma::mat& training, const arma::mat& validation, RbigOptions options) {
  ProgressBar bar(key, arguments_.quiet());
  options.seed = seed();
  options.threads = threads();
  options.progress = watched(bar);
  RbigFit fit = fit_rbig(training, validation, options);
  cut_short_ = cut_short_ || fit.stop_reason == StopReason::cancelled;
  return fit;
}

std::optional<SetRows> Run::load(const PaperSet& set) const {
  const fs::path folder = data_ / set.name;
  const auto read = [&](const char* name) { return read_table(folder / name).values; };
  if (!fs::exists(folder / "val.npy") || !fs::exists(folder / "test.npy")) {
    arguments_.say(set.name, ": not in ", data_.string(), "; 'gaussianize prepare ", set.name,
                   " --help' says how to make it");
    return std::nullopt;
  }
  SetRows rows{.name = std::string(set.name), .validation = read("val.npy"), .test = read("test.npy")};
  if (fs::exists(folder / "train.npy")) {
    rows.training = read("train.npy");
  } else {
    const arma::uword cut = rows.validation.n_rows - rows.validation.n_rows / 10;
    rows.training = rows.validation.head_rows(cut);
    rows.validation = arma::mat(rows.validation.tail_rows(rows.validation.n_rows - cut));
    rows.training_file = false;
    rows.notes.push_back(concat("there is no train.npy: trained on the first ", cut, " rows of val.npy"));
  }
  return rows;
}

std::optional<SetRows> Run::load_share(const PaperSet& set, std::size_t paper_epochs) const {
  std::optional<SetRows> loaded = load(set);
  if (!loaded) return loaded;
  const std::size_t all = loaded->training.n_rows;
  const std::size_t wanted = rows(all, paper_epochs);
  if (wanted < all) loaded->notes.push_back(concat("trained on ", wanted, " of ", all, " rows"));
  loaded->training = head_rows(loaded->training, wanted);
  return loaded;
}

Estimate test_nll(const Flow& flow, const arma::mat& test, int threads, double constant) {
  Estimate nll = mean_estimate(-log_density(flow, test, {.threads = threads}));
  nll.value += constant;
  return nll;
}

arma::mat head_rows(const arma::mat& x, std::size_t count) {
  return count < x.n_rows ? arma::mat(x.head_rows(count)) : x;
}

std::map<std::string, std::vector<double>> training_curves(const GfFit& fit) {
  std::map<std::string, std::vector<double>> curves;
  for (const GfEpochReport& epoch : fit.epochs) {
    curves["training"].push_back(epoch.training_loss);
    curves["validation"].push_back(epoch.validation_nll);
    curves["seconds"].push_back(epoch.seconds);
  }
  return curves;
}

}  // namespace gaussianize::paper
