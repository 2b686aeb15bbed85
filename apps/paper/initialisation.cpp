#include "gaussianize/core/detail/require.hpp"

#include "paper/run.hpp"
#include "paper/settings.hpp"

namespace gaussianize::paper {
using namespace detail;
namespace {

constexpr std::size_t batch = 500;
constexpr std::size_t iterations = 3000;
/// The curve has a point an epoch: epochs of so many rows make one every hundred iterations.
constexpr std::size_t rows_per_epoch = 50000;
constexpr std::size_t full_epochs = iterations * batch / rows_per_epoch;

Cell train_from(const Run& run, const std::string& key, const PaperSet& set, const SetRows& rows, Initialisation init) {
  GfOptions options = paper_gf(run, set, rows);
  options.init = init;
  options.batch = std::min<std::size_t>(batch, rows.training.n_rows);
  // Sets with fewer rows need more epochs for the same number of iterations; a smaller scale has fewer of both.
  options.epochs = run.epochs(full_epochs);
  if (run.scale() == 1) options.epochs *= std::max<std::size_t>(1, rows_per_epoch / rows.training.n_rows);
  options.schedule = {.kind = Schedule::constant, .learning_rate = set.architecture.learning_rate};
  const Trained trained = run.train(key, rows.training, rows.validation, options);
  const std::string variant = init == Initialisation::quantile ? "quantiles" : "random rows";
  Cell cell;
  cell.curves = training_curves(trained.fit);
  cell.curves["iterations"] = {0.0};
  const double steps = std::ceil(static_cast<double>(rows.training.n_rows) / static_cast<double>(options.batch));
  for (std::size_t e = 1; e <= trained.fit.epochs.size(); ++e)
    cell.curves["iterations"].push_back(steps * static_cast<double>(e));
  // The training loss of an epoch is that of its batches: there is none before the first.
  auto& training = cell.curves["training"];
  training.insert(training.begin(), unknown);
  auto& validation = cell.curves["validation"];
  validation.insert(validation.begin(), trained.fit.initial_nll);
  const auto record = [&](const char* quantity, double value) {
    cell.records.push_back({rows.name, "GF", variant, quantity, {value, unknown}});
  };
  record("validation NLL at the start", trained.fit.initial_nll);
  if (!trained.fit.epochs.empty()) record("validation NLL at the end", trained.fit.epochs.back().validation_nll);
  cell.notes = rows.notes;
  cell.complete = trained.complete;
  return cell;
}

void run_initialisation(Run& run) {
  for (const PaperSet& set : paper_sets()) {
    if (is_image(set) || run.stopped()) continue;
    std::optional<SetRows> rows = run.load_share(set, full_epochs);
    if (!rows) continue;
    rows->training = head_rows(rows->training, rows_per_epoch);
    for (const Initialisation init : {Initialisation::quantile, Initialisation::rows}) {
      const std::string key =
          concat(set.name, ' ', init == Initialisation::quantile ? "quantile anchors" : "random-row anchors");
      run.cell(key, [&] { return train_from(run, key, set, *rows, init); });
    }
  }
}

std::vector<report::Section> present_initialisation(const Run& run) {
  report::Section section{.heading = "The first iterations"};
  for (const PaperSet& set : paper_sets()) {
    std::vector<CurveSeries> series;
    for (const auto& [key, cell] : run.ledger().cells()) {
      if (!key.starts_with(concat(set.name, ' '))) continue;
      const std::string start = key.substr(set.name.size() + 1);
      series.push_back({start + ", training", cell.curves.at("iterations"), cell.curves.at("training")});
      series.push_back({start + ", validation", cell.curves.at("iterations"), cell.curves.at("validation")});
    }
    if (!series.empty())
      section.figures.push_back({.pictures = {curves_picture(std::string(set.name), "iteration", "NLL, nats", series)},
                                 .caption = concat(set.name, ": NLL over the first iterations of training")});
  }
  return {section};
}

}  // namespace

Experiment initialisation_experiment() {
  return {"initialisation", "training and validation NLL over the first 3000 iterations at batch 500 (figure 3)",
          run_initialisation, present_initialisation};
}

}  // namespace gaussianize::paper
